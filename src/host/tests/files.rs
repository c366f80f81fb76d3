//! Opening, saving, extension values, render settings.

use std::path::{Path, PathBuf};

use super::{eval, session};

#[test]
fn a_saved_project_opens_to_the_same() {
    let (folder, mut session) = session();
    let file = folder.path().join("songs/night.rpp");
    let build = format!(
        "for i = 0, 1 do reaper.InsertTrackAtIndex(i, false) end
         local a, b = reaper.GetTrack(0, 0), reaper.GetTrack(0, 1)
         reaper.GetSetMediaTrackInfo_String(a, 'P_NAME', 'Lead', true)
         reaper.SetMediaTrackInfo_Value(a, 'D_VOL', 0.25)
         reaper.CreateTrackSend(a, b)
         reaper.TrackFX_AddByName(a, 'ReaComp', false, -1)
         reaper.TrackFX_SetParam(a, 0, 0, 0.125)
         local item = reaper.CreateNewMIDIItemInProj(a, 1, 3, false)
         reaper.MIDI_InsertNote(reaper.GetActiveTake(item), false, false, 0, 480, 0, 60, 100)
         reaper.AddProjectMarker2(0, true, 0, 3, 'All of it', -1, 0)
         reaper.SetCurrentBPM(0, 99, false)
         reaper.GetSetProjectNotes(0, true, 'two\\nlines')
         reaper.SetProjExtState(0, 'ours', 'key', 'value')
         reaper.Main_SaveProjectEx(0, [[{0}]], 8)
         return reaper.IsProjectDirty(0), reaper.GetProjectName(0)",
        file.display()
    );
    assert_eq!(eval(&mut session, &build), "0\tnight.rpp");
    let tell = "local a = reaper.GetTrack(0, 0)
         local item = reaper.GetMediaItem(0, 0)
         local _, notes = reaper.MIDI_CountEvts(reaper.GetActiveTake(item))
         return select(2, reaper.GetTrackName(a)), reaper.GetMediaTrackInfo_Value(a, 'D_VOL'),
           reaper.GetTrackNumSends(a, 0), select(2, reaper.TrackFX_GetFXName(a, 0)), (reaper.TrackFX_GetParam(a, 0, 0)),
           notes, reaper.GetTrackGUID(a), (select(5, reaper.EnumProjectMarkers3(0, 0))), reaper.Master_GetTempo(),
           (reaper.GetSetProjectNotes(0, false, '')), select(2, reaper.GetProjExtState(0, 'ours', 'key'))";
    let before = eval(&mut session, tell);
    assert!(
        before.starts_with("Lead\t0.25\t1\tVST: ReaComp (Cockos)\t0.125\t1\t"),
        "{before}"
    );
    let reopen = format!(
        "reaper.Main_OnCommand(40023, 0) local none = reaper.CountTracks(0)
         reaper.Main_openProject('noprompt:{}') return none, reaper.CountTracks(0)",
        file.display()
    );
    assert_eq!(eval(&mut session, &reopen), "0\t2");
    assert_eq!(eval(&mut session, tell), before);
    let first = std::fs::read(&file).unwrap();
    eval(&mut session, "reaper.Main_OnCommand(40026, 0)");
    assert_eq!(std::fs::read(&file).unwrap(), first);
}

#[test]
fn a_copy_leaves_name_and_dirt_alone() {
    let (folder, mut session) = session();
    let file = folder.path().join("copy.rpp");
    let lua = format!(
        "reaper.InsertTrackAtIndex(0, false) reaper.Main_SaveProjectEx(0, [[{}]], 0)
         return reaper.GetProjectName(0), reaper.IsProjectDirty(0)",
        file.display()
    );
    assert_eq!(eval(&mut session, &lua), "\t1");
    assert!(file.is_file());
}

#[test]
fn render_settings_read_back() {
    let (_folder, mut session) = session();
    let lua = "local n, s = reaper.GetSetProjectInfo, reaper.GetSetProjectInfo_String
        n(0, 'RENDER_SETTINGS', 3, true) n(0, 'RENDER_NORMALIZE', 262144, true) n(0, 'PROJECT_SRATE', 48000, true)
        s(0, 'RENDER_FILE', '/tmp/out', true) s(0, 'RENDER_FORMAT', 'evaw', true)
        return n(0, 'RENDER_SETTINGS', 0, false), n(0, 'RENDER_NORMALIZE', 0, false), n(0, 'PROJECT_SRATE', 0, false),
          select(2, s(0, 'RENDER_FILE', '', false)), select(2, s(0, 'RENDER_FORMAT', '', false)),
          s(0, 'NO_SUCH_KEY', '', false)";
    assert_eq!(
        eval(&mut session, lua),
        "3.0\t262144.0\t48000.0\t/tmp/out\tZXZhdw==\tfalse\t"
    );
}

#[test]
fn extension_values_of_the_project() {
    let (_folder, mut session) = session();
    let lua = "local set, get = reaper.SetProjExtState, reaper.GetProjExtState
        set(0, 'e', 'a', '1') set(0, 'e', 'b', '22')
        local n, v = get(0, 'e', 'b')
        local ok, k = reaper.EnumProjExtState(0, 'e', 0)
        set(0, 'e', 'a', '')
        return n, v, ok, k, get(0, 'e', 'a'), set(0, 'e', '', ''), get(0, 'e', 'b')";
    assert_eq!(eval(&mut session, lua), "2\t22\ttrue\ta\t0\t0\t0\t");
}

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/rpp");
    folder.is_dir().then_some(folder)
}

/// Projects of REAPER 4 to 7: opened, listed, saved as they were.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn real_projects_survive() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus of projects beside the crate");
        return;
    };
    let mut names: Vec<String> = std::fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".rpp"))
        .collect();
    names.sort();
    assert!(names.len() >= 3);
    for name in &names {
        let (folder, mut session) = session();
        // Saved beside itself: elsewhere, relative media paths would change.
        let source = folder.path().join("source.rpp");
        std::fs::copy(corpus.join(name), &source).unwrap();
        let copy = folder.path().join("copy.rpp");
        session.open_project(&source).unwrap();
        let listed = eval(
            &mut session,
            "local n = 0
             for i = 0, reaper.CountTracks(0) - 1 do
               local t = reaper.GetTrack(0, i)
               for f = 0, reaper.TrackFX_GetCount(t) - 1 do
                 reaper.TrackFX_GetFXName(t, f)
                 for p = 0, reaper.TrackFX_GetNumParams(t, f) - 1 do reaper.TrackFX_GetParam(t, f, p) end
               end
               for j = 0, reaper.CountTrackMediaItems(t) - 1 do
                 local item = reaper.GetTrackMediaItem(t, j)
                 assert(reaper.GetMediaItemTrack(item) == t)
                 for k = 0, reaper.CountTakes(item) - 1 do
                   local take = reaper.GetTake(item, k)
                   if reaper.TakeIsMIDI(take) then reaper.MIDI_CountEvts(take) end
                 end
               end
               n = n + 1
             end
             return n == reaper.CountTracks(0)",
        );
        assert_eq!(listed, "true", "{name}");
        eval(
            &mut session,
            &format!("reaper.Main_SaveProjectEx(0, [[{}]], 0)", copy.display()),
        );
        assert!(
            std::fs::read(&copy).unwrap() == std::fs::read(&source).unwrap(),
            "{name} changed by opening and saving"
        );
    }
}
