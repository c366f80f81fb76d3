//! Tracks, folders, sends.

use super::check;

const THREE: &str = "for i = 0, 2 do reaper.InsertTrackAtIndex(i, false) end
    local a, b, c = reaper.GetTrack(0, 0), reaper.GetTrack(0, 1), reaper.GetTrack(0, 2)
    local get, set = reaper.GetMediaTrackInfo_Value, reaper.SetMediaTrackInfo_Value ";

#[track_caller]
fn with_three(lua: &str, expected: &str) {
    check(&format!("{THREE}{lua}"), expected);
}

#[test]
fn defaults_are_reapers() {
    for (key, expected) in [
        ("D_VOL", "1.0"),
        ("D_PAN", "0.0"),
        ("D_WIDTH", "1.0"),
        ("D_PANLAW", "-1.0"),
        ("I_SOLO", "0.0"),
        ("I_FXEN", "1.0"),
        ("I_NCHAN", "2.0"),
        ("B_MAINSEND", "1.0"),
        ("I_MIDIHWOUT", "-1.0"),
        ("IP_TRACKNUMBER", "1.0"),
        ("NO_SUCH", "0.0"),
    ] {
        with_three(&format!("return get(a, '{key}')"), expected);
    }
    with_three(
        "return get(reaper.GetMasterTrack(0), 'IP_TRACKNUMBER'), set(a, 'NO_SUCH', 1), set(a, 'IP_TRACKNUMBER', 4)",
        "-1.0\tfalse\tfalse",
    );
}

#[test]
fn written_values_read_back() {
    with_three(
        "return set(a, 'D_VOL', 0.5), get(a, 'D_VOL'), set(a, 'I_NCHAN', 3), get(a, 'I_NCHAN'),
           set(a, 'I_SOLO', 1), get(a, 'I_SOLO'), set(a, 'D_PAN', -3), get(a, 'D_PAN')",
        "true\t0.5\ttrue\t4.0\ttrue\t1.0\ttrue\t-1.0",
    );
}

#[test]
fn names_and_extra_values() {
    with_three(
        "local s = reaper.GetSetMediaTrackInfo_String
         s(a, 'P_NAME', 'Bass', true) s(a, 'P_EXT:tag', 'x', true)
         local _, name = reaper.GetTrackName(a)
         return name, select(2, s(a, 'P_EXT:tag', '', false)), s(reaper.GetMasterTrack(0), 'P_NAME', '', false)",
        "Bass\tx\tfalse\t",
    );
    with_three(
        "local ok, g = reaper.GetSetMediaTrackInfo_String(a, 'GUID', '', false)
         return ok, g == reaper.GetTrackGUID(a), #g, g ~= reaper.GetTrackGUID(b)",
        "true\ttrue\t38\ttrue",
    );
}

#[test]
fn an_index_beyond_the_end_appends() {
    with_three(
        "reaper.InsertTrackAtIndex(99, true) return reaper.CountTracks(0), c == reaper.GetTrack(0, 2)",
        "4\ttrue",
    );
}

#[test]
fn removing_a_folder_track_keeps_the_rest_balanced() {
    with_three(
        "set(a, 'I_FOLDERDEPTH', 1) set(c, 'I_FOLDERDEPTH', -1)
         reaper.DeleteTrack(a) return get(b, 'I_FOLDERDEPTH'), get(c, 'I_FOLDERDEPTH')",
        "0.0\t0.0",
    );
    with_three(
        "set(a, 'I_FOLDERDEPTH', 1) set(c, 'I_FOLDERDEPTH', -1)
         local parent = reaper.GetParentTrack(c) == a
         reaper.DeleteTrack(c) return parent, get(a, 'I_FOLDERDEPTH'), get(b, 'I_FOLDERDEPTH')",
        "true\t1.0\t-1.0",
    );
}

#[test]
fn selected_tracks_move_together() {
    with_three(
        "reaper.SetOnlyTrackSelected(c) reaper.ReorderSelectedTracks(0, 0)
         return reaper.GetTrack(0, 0) == c, reaper.GetTrack(0, 1) == a, reaper.CountSelectedTracks(0),
           reaper.GetSelectedTrack(0, 0) == c",
        "true\ttrue\t1\ttrue",
    );
    with_three(
        "reaper.SetOnlyTrackSelected(c) reaper.ReorderSelectedTracks(1, 1)
         return get(a, 'I_FOLDERDEPTH'), get(c, 'I_FOLDERDEPTH'), get(b, 'I_FOLDERDEPTH')",
        "1.0\t-1.0\t0.0",
    );
}

#[test]
fn sends_count_by_creation_and_shift_down() {
    with_three(
        "local x, y = reaper.CreateTrackSend(a, c), reaper.CreateTrackSend(a, b)
         local z = reaper.CreateTrackSend(b, c)
         local v = reaper.GetTrackSendInfo_Value
         local n = reaper.GetTrackNumSends(c, -1)
         local dest = v(a, 0, 1, 'P_DESTTRACK') == b
         local src = v(c, -1, 1, 'P_SRCTRACK') == b
         reaper.RemoveTrackSend(a, 0, 0)
         return x, y, z, n, dest, src, reaper.GetTrackNumSends(a, 0), v(a, 0, 0, 'P_DESTTRACK') == b,
           reaper.GetTrackNumSends(c, -1)",
        "0\t1\t0\t2\ttrue\ttrue\t1\ttrue\t1",
    );
}

#[test]
fn send_values_and_names() {
    with_three(
        "reaper.GetSetMediaTrackInfo_String(b, 'P_NAME', 'Bus', true)
         local i = reaper.CreateTrackSend(a, b)
         local v, w = reaper.GetTrackSendInfo_Value, reaper.SetTrackSendInfo_Value
         return v(a, 0, i, 'D_VOL'), v(a, 0, i, 'I_SENDMODE'), v(a, 0, i, 'I_AUTOMODE'),
           w(a, 0, i, 'I_DSTCHAN', 2), v(b, -1, 0, 'I_DSTCHAN'), w(a, 0, 9, 'D_VOL', 1),
           select(2, reaper.GetTrackSendName(a, 0)), select(2, reaper.GetTrackReceiveName(b, 0))",
        "1.0\t0.0\t-1.0\ttrue\t2.0\tfalse\tBus\tTrack 1",
    );
}

#[test]
fn sends_that_would_feed_back_are_refused() {
    with_three(
        "return reaper.CreateTrackSend(a, b), reaper.CreateTrackSend(b, a), reaper.CreateTrackSend(a, a),
           reaper.CreateTrackSend(a, nil), reaper.GetTrackNumSends(a, 1)",
        "0\t-1\t-1\t0\t1",
    );
}

#[test]
fn removing_a_track_removes_its_sends() {
    with_three(
        "reaper.CreateTrackSend(a, b) reaper.CreateTrackSend(b, c) reaper.DeleteTrack(b)
         return reaper.GetTrackNumSends(a, 0), reaper.GetTrackNumSends(c, -1)",
        "0\t0",
    );
}
