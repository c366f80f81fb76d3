//! Effects: names, parameters, named values, chains.

use super::check;

const TRACK: &str = "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
    local add = function(name, mode) return reaper.TrackFX_AddByName(t, name, false, mode) end
    local name = function(i) return (select(2, reaper.TrackFX_GetFXName(t, i))) end ";

#[track_caller]
fn with_track(lua: &str, expected: &str) {
    check(&format!("{TRACK}{lua}"), expected);
}

#[test]
fn names_are_matched_as_reaper_matches_them() {
    for spelling in [
        "ReaComp",
        "reacomp",
        "ReaComp (Cockos)",
        "VST: ReaComp (Cockos)",
        "VST:ReaComp",
    ] {
        with_track(
            &format!("return add('{spelling}', -1), name(0)"),
            "0\tVST: ReaComp (Cockos)",
        );
    }
    with_track(
        "return add('No Such Thing', -1), reaper.TrackFX_GetCount(t)",
        "-1\t0",
    );
}

#[test]
fn the_last_argument_says_what_to_do() {
    with_track(
        "return add('ReaComp', 0), add('ReaComp', 1), add('ReaComp', 1), add('ReaComp', -1), add('ReaEQ', -1000),
           name(0), add('ReaComp', 0), reaper.TrackFX_GetCount(t)",
        "-1\t0\t0\t1\t0\tVST: ReaEQ (Cockos)\t1\t3",
    );
}

#[test]
fn three_common_parameters_come_last() {
    with_track(
        "add('ReaComp', -1) local n = reaper.TrackFX_GetNumParams(t, 0)
         local get, pname = reaper.TrackFX_GetParam, function(i) return (select(2, reaper.TrackFX_GetParamName(t, 0, i))) end
         reaper.TrackFX_SetEnabled(t, 0, false)
         return pname(n - 3), pname(n - 2), pname(n - 1), pname(0), get(t, 0, n - 3)",
        "Bypass\tWet\tDelta\tThreshold\t1.0\t0.0\t1.0",
    );
    with_track(
        "add('ReaComp', -1) local n = reaper.TrackFX_GetNumParams(t, 0)
         return reaper.TrackFX_SetParam(t, 0, n - 2, 0.25), (reaper.TrackFX_GetParam(t, 0, n - 2)),
           reaper.TrackFX_GetParamNormalized(t, 0, n - 2), reaper.TrackFX_GetParamFromIdent(t, 0, ':wet') == n - 2",
        "true\t0.25\t0.25\ttrue",
    );
}

#[test]
fn raw_values_are_clamped() {
    with_track(
        "add('ReaComp', -1) reaper.TrackFX_SetParam(t, 0, 0, 99)
         local v, low, high = reaper.TrackFX_GetParam(t, 0, 0)
         return v == high, low, reaper.TrackFX_SetParam(t, 0, 999, 1), reaper.TrackFX_SetParam(t, 7, 0, 1),
           reaper.TrackFX_GetParam(t, 7, 0)",
        "true\t0.0\tfalse\tfalse\t0.0\t0.0\t0.0",
    );
}

#[test]
fn named_values() {
    with_track(
        "add('ReaEQ', -1)
         local get = function(k) return (select(2, reaper.TrackFX_GetNamedConfigParm(t, 0, k))) end
         reaper.TrackFX_SetNamedConfigParm(t, 0, 'renamed_name', 'Tone')
         reaper.TrackFX_SetNamedConfigParm(t, 0, 'BANDTYPE0', '4')
         return get('fx_type'), get('original_name'), name(0), get('BANDTYPE0'), add('ReaEQ', 0),
           reaper.TrackFX_GetNamedConfigParm(t, 0, 'nonsense')",
        "VST\tVST: ReaEQ (Cockos)\tTone\t4\t0\tfalse\t",
    );
}

#[test]
fn effects_move_and_copy() {
    with_track(
        "add('ReaComp', -1) add('ReaEQ', -1) add('ReaDelay', -1)
         reaper.TrackFX_CopyToTrack(t, 0, t, 1, true)
         local a = name(0) .. '|' .. name(1)
         reaper.TrackFX_CopyToTrack(t, 2, t, 0, false)
         return a, name(0), reaper.TrackFX_GetCount(t), reaper.TrackFX_Delete(t, 0), reaper.TrackFX_Delete(t, 9),
           reaper.TrackFX_GetFXGUID(t, 0) ~= reaper.TrackFX_GetFXGUID(t, 1)",
        "VST: ReaEQ (Cockos)|VST: ReaComp (Cockos)\tVST: ReaDelay (Cockos)\t4\ttrue\tfalse\ttrue",
    );
}

#[test]
fn pins_default_to_their_own_channels() {
    with_track(
        "add('ReaComp', -1)
         local get = reaper.TrackFX_GetPinMappings
         local set = reaper.TrackFX_SetPinMappings(t, 0, 0, 1, 8, 0)
         return select(2, reaper.TrackFX_GetIOSize(t, 0)), get(t, 0, 0, 2), set, (get(t, 0, 0, 1)), (get(t, 0, 0, 0)),
           reaper.TrackFX_SetPinMappings(t, 0, 0, 99, 1, 0)",
        "4\t4\ttrue\t8\t1\tfalse",
    );
}

#[test]
fn the_list_of_plug_ins_ends() {
    check(
        "local n = 0 while reaper.EnumInstalledFX(n) do n = n + 1 end
         local ok, name, ident = reaper.EnumInstalledFX(0)
         return n > 5, ok, name ~= '', ident ~= '', reaper.EnumInstalledFX(n)",
        "true\ttrue\ttrue\ttrue\tfalse\t\t",
    );
}
