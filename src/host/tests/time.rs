//! Markers, tempo, envelopes.

use super::check;

#[test]
fn marker_numbers_are_used_again() {
    check(
        "local add = function(region, p, e, want) return reaper.AddProjectMarker2(0, region, p, e, 'm', want, 0) end
         local a, b, c = add(false, 3, 0, -1), add(false, 1, 0, -1), add(true, 2, 4, -1)
         reaper.DeleteProjectMarker(0, 1, false)
         local d = add(false, 9, 0, -1)
         return a, b, c, d, add(true, 5, 6, 1), add(false, 7, 0, 2), reaper.CountProjectMarkers(0)",
        "1\t2\t1\t1\t2\t2\t5\t3\t2",
    );
}

#[test]
fn markers_are_listed_by_time() {
    check(
        "reaper.AddProjectMarker2(0, false, 3, 0, 'late', -1, 0x1FF0000)
         reaper.AddProjectMarker2(0, true, 1, 2, 'region', -1, 0)
         return reaper.EnumProjectMarkers3(0, 1)",
        "2\tfalse\t3.0\t0.0\tlate\t1\t33488896",
    );
    check(
        "reaper.AddProjectMarker2(0, true, 1, 2, 'region', -1, 0)
         reaper.SetProjectMarkerByIndex2(0, 0, true, 5, 7, 1, '', 0, 0)
         local n = {reaper.EnumProjectMarkers3(0, 0)}
         reaper.SetProjectMarkerByIndex2(0, 0, true, 5, 7, 1, '', 0, 1)
         local m = {reaper.EnumProjectMarkers3(0, 0)}
         return n[3], n[4], n[5], m[5], reaper.DeleteProjectMarkerByIndex(0, 0), reaper.EnumProjectMarkers3(0, 0)",
        "5.0\t7.0\tregion\t\ttrue\t0\tfalse\t0.0\t0.0\t\t0\t0",
    );
}

#[test]
fn going_to_a_marker_moves_the_cursor() {
    check(
        "reaper.AddProjectMarker2(0, false, 8, 0, '', 5, 0) reaper.AddProjectMarker2(0, false, 3, 0, '', 7, 0)
         reaper.GoToMarker(0, 1, true) local a = reaper.GetCursorPosition()
         reaper.GoToMarker(0, 5, false) return a, reaper.GetCursorPosition()",
        "3.0\t8.0",
    );
}

#[test]
fn tempo_markers_change_the_map() {
    check(
        "reaper.SetTempoTimeSigMarker(0, -1, 2, -1, -1, 60, 3, 4, false)
         return reaper.CountTempoTimeSigMarkers(0), reaper.TimeMap2_timeToQN(0, 4), reaper.TimeMap2_QNToTime(0, 6),
           reaper.GetTempoTimeSigMarker(0, 0)",
        "1\t6.0\t4.0\ttrue\t2.0\t1\t0.0\t60.0\t3\t4\tfalse",
    );
    check(
        "reaper.SetTempoTimeSigMarker(0, -1, -1, 2, 1, 90, 0, 0, false)
         local _, t, m, b, bpm, num = reaper.GetTempoTimeSigMarker(0, 0)
         return t, m, b, bpm, num, reaper.GetProjectTimeSignature2(0)",
        "4.5\t2\t1.0\t90.0\t0\t120.0\t4.0",
    );
}

#[test]
fn beats_and_measures() {
    check(
        "reaper.SetTempoTimeSigMarker(0, -1, 0, -1, -1, 120, 6, 8, false)
         local beat, measure, per, full, unit = reaper.TimeMap2_timeToBeats(0, 2)
         return beat, measure, per, full, unit, reaper.TimeMap_GetDividedBpmAtTime(0),
           reaper.TimeMap_GetMeasureInfo(0, 1)",
        "2.0\t1\t6\t8.0\t8\t240.0\t1.5\t3.0\t6.0\t6\t8\t120.0",
    );
}

#[test]
fn a_new_tempo_moves_items_and_stretches_midi() {
    check(
        "reaper.InsertTrackAtIndex(0, false)
         local item = reaper.CreateNewMIDIItemInProj(reaper.GetTrack(0, 0), 2, 4, false)
         reaper.SetCurrentBPM(0, 60, false)
         return reaper.Master_GetTempo(), reaper.GetMediaItemInfo_Value(item, 'D_POSITION'),
           reaper.GetMediaItemInfo_Value(item, 'D_LENGTH'), reaper.GetProjectTimeSignature2(0)",
        "60.0\t4.0\t4.0\t60.0\t4.0",
    );
}

#[test]
fn time_selection_and_loop_are_linked() {
    check(
        "reaper.GetSet_LoopTimeRange(true, false, 1, 3, false)
         return reaper.GetSet_LoopTimeRange(false, true, 0, 0, false)",
        "1.0\t3.0",
    );
    check(
        "return reaper.GetSetRepeat(-1), reaper.GetSetRepeat(2), reaper.GetSetRepeat(-1), reaper.GetSetRepeat(0)",
        "0\t1\t1\t0",
    );
}

const LANE: &str = "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
    reaper.SetMediaTrackInfo_Value(t, 'D_VOL', 0.5)
    local before = reaper.GetTrackEnvelopeByName(t, 'Volume')
    reaper.SetOnlyTrackSelected(t) reaper.Main_OnCommand(40406, 0)
    local env = reaper.GetTrackEnvelopeByName(t, 'Volume')
    local mode = reaper.GetEnvelopeScalingMode(env) ";

#[track_caller]
fn with_lane(lua: &str, expected: &str) {
    check(&format!("{LANE}{lua}"), expected);
}

#[test]
fn a_new_lane_holds_the_current_value_on_the_fader_scale() {
    with_lane(
        "local _, time, value, shape = reaper.GetEnvelopePoint(env, 0)
         return before, mode, reaper.CountEnvelopePoints(env), time, shape,
           math.abs(reaper.ScaleFromEnvelopeMode(mode, value) - 0.5) < 1e-9,
           math.floor(reaper.ScaleToEnvelopeMode(1, 1) * 100), reaper.ScaleToEnvelopeMode(0, 0.3),
           select(2, reaper.GetEnvelopeName(env)), reaper.GetTrackEnvelopeByChunkName(t, '<VOLENV2') == env",
        "nil\t1\t1\t0.0\t0\ttrue\t71621\t0.3\tVolume\ttrue",
    );
}

#[test]
fn points_are_kept_in_order_and_removed_half_open() {
    with_lane(
        "local put = function(time) reaper.InsertEnvelopePoint(env, time, 500, 5, 0.25, true, true) end
         put(4) put(2) put(3)
         reaper.Envelope_SortPoints(env)
         local _, first = reaper.GetEnvelopePoint(env, 1)
         local removed = reaper.DeleteEnvelopePointRange(env, 2, 4)
         local n = reaper.CountEnvelopePoints(env)
         local p = {reaper.GetEnvelopePoint(env, 1)}
         return first, removed, n, p[2], math.abs(p[3] - 500) < 1e-9, p[4], p[5], p[6], reaper.GetEnvelopePoint(env, 9)",
        "2.0\ttrue\t2\t4.0\ttrue\t5\t0.25\ttrue\tfalse\t0.0\t0.0\t0\t0.0\tfalse",
    );
}

#[test]
fn lanes_of_effects_are_made_on_demand() {
    with_lane(
        "local fx = reaper.TrackFX_AddByName(t, 'ReaComp', false, -1)
         local none = reaper.GetFXEnvelope(t, fx, 0, false)
         local lane = reaper.GetFXEnvelope(t, fx, 0, true)
         local _, name = reaper.GetEnvelopeName(lane)
         local parent, i, p = reaper.Envelope_GetParentTrack(lane)
         local value = {reaper.GetEnvelopePoint(lane, 0)}
         return none, name, parent == t, i, p, value[3] == (reaper.TrackFX_GetParam(t, fx, 0)),
           reaper.GetEnvelopeScalingMode(lane), reaper.CountTrackEnvelopes(t), reaper.GetFXEnvelope(t, fx, 999, true)",
        "nil\tThreshold / VST: ReaComp (Cockos)\ttrue\t0\t0\ttrue\t0\t2\tnil",
    );
}
