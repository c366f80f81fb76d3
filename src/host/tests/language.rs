//! Argument rules, result types, pointers, the defer loop.

use super::{check, eval, session};
use crate::host::ScriptError;

#[test]
fn errors_are_strings_at_the_place_of_the_call() {
    check(
        "local ok, e = pcall(function() reaper.Undo_EndBlock('x') end) return ok, type(e), e",
        "false\tstring\teval:1: Undo_EndBlock: expected 2 arguments minimum",
    );
    check(
        "return reaper.NoSuch == nil, (select(2, pcall(function() reaper.NoSuch() end)))",
        "true\teval:1: attempt to call a nil value (field 'NoSuch')",
    );
    check(
        "local ok, e = pcall(reaper.GetTrackName, nil) return ok, e:match('argument 1: expected MediaTrack%*')",
        "false\targument 1: expected MediaTrack*",
    );
}

#[test]
fn functions_that_reaper_lacks_are_nil() {
    for name in [
        "TrackFX_GetParameterStepCount",
        "GetProjectNotes",
        "MIDI_SetScale",
        "BR_EnvAlloc",
        "CF_GetClipboard",
    ] {
        check(&format!("return reaper.{name} == nil"), "true");
    }
    check(
        "return reaper.APIExists('GetTrack'), reaper.APIExists('BR_EnvAlloc'), reaper.APIExists('defer')",
        "true\tfalse\ttrue",
    );
}

#[test]
fn arguments_are_converted_by_reapers_rules() {
    check(
        "reaper.InsertTrackAtIndex(0.7, 1) reaper.InsertTrackAtIndex('1', nil)
         return reaper.CountTracks(0), reaper.CountTracks(), reaper.CountTracks(0.0, 'extra')",
        "error: eval:2: CountTracks: expected 1 arguments minimum",
    );
    check(
        "reaper.InsertTrackAtIndex(0.7, 1) reaper.InsertTrackAtIndex('1', nil)
         return reaper.CountTracks(0), reaper.CountTracks(nil), reaper.CountTracks(0.0, 'extra')",
        "2\t2\t2",
    );
    check(
        "local ok = pcall(reaper.GetTrack, 0, {}) return ok",
        "false",
    );
}

#[test]
fn numbers_are_floats_and_integers_are_integers() {
    check(
        "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
         return reaper.GetMediaTrackInfo_Value(t, 'I_NCHAN'), math.type(reaper.CountTracks(0)),
           math.type(reaper.GetProjectLength(0))",
        "2.0\tinteger\tfloat",
    );
}

#[test]
fn result_shapes_that_scripts_trip_over_stay() {
    check("local a, b = reaper.GetProjectName(0) return a, b", "\tnil");
    check("return select('#', reaper.GetProjectPath())", "1");
    check("return reaper.CountProjectMarkers(0)", "0\t0\t0");
    check("return reaper.GetProjectTimeSignature2(0)", "120.0\t4.0");
    check(
        "local p, f = reaper.EnumProjects(-1) return type(p), f, reaper.EnumProjects(1)",
        "userdata\t\tnil\t",
    );
    check(
        "return reaper.GetSetProjectGrid(0, false)",
        "0\t0.25\t0\t0.0",
    );
    check("return reaper.Undo_CanUndo2(0)", "nil");
    check(
        "reaper.InsertTrackAtIndex(0, false) return reaper.GetTrackName(reaper.GetTrack(0, 0), '')",
        "true\tTrack 1",
    );
}

#[test]
fn pointers_are_stable_equal_and_usable_as_keys() {
    check(
        "for i = 0, 2 do reaper.InsertTrackAtIndex(i, false) end
         local t = reaper.GetTrack(0, 1) local seen = {[t] = 'x'}
         reaper.DeleteTrack(reaper.GetTrack(0, 0))
         return t == reaper.GetTrack(0, 0), seen[reaper.GetTrack(0, 0)],
           tostring(t):match('^userdata: 0x') ~= nil, reaper.GetTrack(0, 5),
           reaper.GetMasterTrack(0) == reaper.GetMasterTrack(nil)",
        "true\tx\ttrue\tnil\ttrue",
    );
}

#[test]
fn stale_pointers_are_errors() {
    check(
        "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
         local before = reaper.ValidatePtr2(0, t, 'MediaTrack*')
         reaper.DeleteTrack(t)
         return before, reaper.ValidatePtr2(0, t, 'MediaTrack*'), reaper.ValidatePtr2(0, nil, 'MediaTrack*'),
           reaper.ValidatePtr2(0, reaper.GetMasterTrack(0), 'MediaItem*'), (pcall(reaper.GetTrackName, t))",
        "true\tfalse\tfalse\tfalse\tfalse",
    );
}

#[test]
fn the_table_is_an_ordinary_one() {
    check(
        "local f = reaper.CountTracks reaper.CountTracks = function(p) return f(p) + 10 end
         return reaper.CountTracks(0)",
        "10",
    );
}

#[test]
fn deferred_functions_run_once_a_tick_and_exit_functions_at_the_end() {
    let (folder, mut session) = session();
    let script = folder.path().join("s.lua");
    std::fs::write(
        &script,
        "local n = 0
         local function loop()
           n = n + 1
           reaper.SetExtState('t', 'n', tostring(n), false)
           if n < 3 then reaper.defer(loop) end
         end
         reaper.atexit(function() reaper.SetExtState('t', 'end', 'yes', false) end)
         reaper.SetExtState('t', 'path', select(2, reaper.get_action_context()), false)
         loop()",
    )
    .unwrap();
    session.run_script(&script).unwrap();
    let state = "return reaper.GetExtState('t', 'n'), reaper.GetExtState('t', 'end')";
    assert_eq!(eval(&mut session, state), "1\t");
    assert!(session.tick());
    assert_eq!(eval(&mut session, state), "2\t");
    assert!(!session.tick());
    assert_eq!(eval(&mut session, state), "3\tyes");
    assert!(!session.tick());
    assert_eq!(
        eval(&mut session, "return reaper.GetExtState('t', 'path')"),
        script.to_string_lossy()
    );
}

#[test]
fn a_failing_script_ends_with_file_and_line() {
    let (folder, mut session) = session();
    let script = folder.path().join("bad.lua");
    std::fs::write(&script, "\nerror('gone wrong')").unwrap();
    let Err(ScriptError::Lua(message)) = session.run_script(&script) else {
        panic!("must fail");
    };
    assert!(message.contains("bad.lua:2: gone wrong"), "{message}");
}

#[test]
fn scripts_started_as_actions_share_extension_state_only() {
    let (folder, mut session) = session();
    let script = folder.path().join("helper.lua");
    std::fs::write(
        &script,
        "leaked = 1 reaper.SetExtState('h', 'v', 'done', false)",
    )
    .unwrap();
    let lua = format!(
        "local id = reaper.AddRemoveReaScript(true, 0, [[{}]], true) reaper.Main_OnCommand(id, 0) return id > 0",
        script.display()
    );
    assert_eq!(eval(&mut session, &lua), "true");
    assert_eq!(
        eval(&mut session, "return reaper.GetExtState('h', 'v'), leaked"),
        "done\tnil"
    );
}

#[test]
fn shared_memory_and_kept_values() {
    check(
        "reaper.gmem_attach('m') reaper.gmem_write(3, 1.5) return reaper.gmem_read(3), reaper.gmem_read(4)",
        "1.5\t0.0",
    );
    let (folder, mut first) = session();
    eval(
        &mut first,
        "reaper.SetExtState('s', 'kept', 'a=b', true) reaper.SetExtState('s', 'lost', 'x', false)",
    );
    let mut second = crate::host::Session::new(crate::host::Options {
        premix_cache: None,
        resource_path: folder.path().to_owned(),
        ipc: None,
        threads: 1,
    });
    assert_eq!(
        eval(
            &mut second,
            "return reaper.GetExtState('s', 'kept'), reaper.HasExtState('s', 'lost')"
        ),
        "a=b\tfalse"
    );
}

#[test]
fn number_texts() {
    check(
        "return reaper.mkvolstr('', 0.5), reaper.mkvolstr('', 0), reaper.mkpanstr('', -0.5), reaper.mkpanstr('', 0)",
        "-6.02dB\t-inf dB\t50%L\tcenter",
    );
    check(
        "return math.floor(reaper.DB2SLIDER(0) * 10 + 0.5), math.abs(reaper.SLIDER2DB(reaper.DB2SLIDER(-20)) + 20) < 1e-9",
        "7162\ttrue",
    );
}

#[test]
fn folders_are_made_and_listed() {
    let (folder, mut session) = session();
    let root = folder.path().join("a/b");
    let lua = format!(
        "local p = [[{0}]] local made = reaper.RecursiveCreateDirectory(p, 0)
         io.open(p .. '/x.txt', 'w'):close() reaper.RecursiveCreateDirectory(p .. '/sub', 0)
         return made, reaper.EnumerateFiles(p, 0), reaper.EnumerateFiles(p, 1),
           reaper.EnumerateSubdirectories(p, 0), reaper.file_exists(p .. '/x.txt'), reaper.file_exists(p)",
        root.display()
    );
    assert_eq!(eval(&mut session, &lua), "1\tx.txt\tnil\tsub\ttrue\tfalse");
}

#[test]
fn unknown_actions_are_noted_and_do_nothing() {
    let (_folder, mut session) = session();
    assert_eq!(
        eval(&mut session, "reaper.Main_OnCommand(40999, 0) return 1"),
        "1"
    );
    assert_eq!(session.unknown_actions(), [40999]);
    // What a script would take for done is an error instead.
    let freeze = eval(
        &mut session,
        "return select(2, pcall(reaper.Main_OnCommand, 41223, 0))",
    );
    assert!(freeze.contains("action 41223 (freeze"), "{freeze}");
}

#[test]
fn every_function_survives_wrong_arguments() {
    // Nothing may panic, whatever is passed.
    let (_folder, mut session) = session();
    let lua = "reaper.InsertTrackAtIndex(0, false)
        local t = reaper.GetTrack(0, 0)
        local skip = {Main_openProject = true, Main_SaveProject = true, Main_SaveProjectEx = true, ExecProcess = true,
          RecursiveCreateDirectory = true, defer = true, runloop = true, atexit = true}
        local sets = {
          {}, {nil, nil, nil, nil, nil, nil, nil, nil, nil, n = 9}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {-1, -1, -1, -1, -1, -1, -1, -1, -1},
          {t, 0, 0, 0, 0, 0, 0, 0, 0}, {t, -1, -5, 1e300, -1e300, 0/0, 1/0, 'x', ''}, {0, t, t, t, t},
          {'', '', '', '', '', '', '', ''}, {0, 1e9, 0/0, 1/0, -1/0, 2^53, -2^53, 'a', 'b'},
          {math.maxinteger, math.mininteger, math.maxinteger, math.mininteger, 1, 1, 1, 1, 1},
          {0, true, 0/0, 1/0, 'n', -1, 5}, {t, 'D_VOL', 0/0}, {t, 'GUID', '{', true},
        }
        local n = 0
        for name, f in pairs(reaper) do
          if not skip[name] then
            for _, set in ipairs(sets) do pcall(f, table.unpack(set, 1, set.n or #set)) n = n + 1 end
          end
        end
        return n > 4000";
    assert_eq!(eval(&mut session, lua), "true");
}
