//! Notes, controllers, ticks.

use super::check;

const ITEM: &str = "reaper.InsertTrackAtIndex(0, false)
    local item = reaper.CreateNewMIDIItemInProj(reaper.GetTrack(0, 0), 1, 5, false)
    local take = reaper.GetActiveTake(item)
    local add = function(s, e, p) return reaper.MIDI_InsertNote(take, false, false, s, e, 0, p, 100, true) end
    local pitch = function(i) return (select(7, reaper.MIDI_GetNote(take, i))) end ";

#[track_caller]
fn with_item(lua: &str, expected: &str) {
    check(&format!("{ITEM}{lua}"), expected);
}

#[test]
fn ticks_count_from_the_start_of_the_source() {
    with_item(
        "return reaper.MIDI_GetPPQPosFromProjTime(take, 1), reaper.MIDI_GetPPQPosFromProjTime(take, 2),
           reaper.MIDI_GetProjTimeFromPPQPos(take, 960), reaper.MIDI_GetProjQNFromPPQPos(take, 0),
           reaper.GetMediaSourceLength(reaper.GetMediaItemTake_Source(take))",
        "0.0\t1920.0\t1.5\t2.0\t8.0\ttrue",
    );
}

#[test]
fn notes_are_numbered_by_start_and_then_by_insertion() {
    with_item(
        "add(960, 1920, 64) add(0, 480, 60) add(960, 1200, 62)
         local _, notes, ccs = reaper.MIDI_CountEvts(take)
         return notes, ccs, pitch(0), pitch(1), pitch(2), reaper.MIDI_GetNote(take, 3)",
        "3\t0\t60\t64\t62\tfalse\tfalse\tfalse\t0.0\t0.0\t0\t0\t0",
    );
}

#[test]
fn a_repeated_pitch_keeps_its_lengths() {
    with_item(
        "add(480, 960, 60) add(0, 480, 60)
         local _, _, _, s0, e0 = reaper.MIDI_GetNote(take, 0)
         local _, _, _, s1, e1 = reaper.MIDI_GetNote(take, 1)
         return s0, e0, s1, e1",
        "0.0\t480.0\t480.0\t960.0",
    );
}

#[test]
fn what_is_left_out_stays() {
    with_item(
        "add(0, 480, 60)
         local ok = reaper.MIDI_SetNote(take, 0, nil, nil, 240, nil, nil, 61, nil, true)
         return ok, reaper.MIDI_GetNote(take, 0)",
        "true\ttrue\tfalse\tfalse\t240.0\t480.0\t0\t61\t100",
    );
}

#[test]
fn impossible_notes_are_refused() {
    with_item(
        "return add(480, 480, 60), add(-10, 480, 60), add(0, 1, 60), reaper.MIDI_DeleteNote(take, 5)",
        "false\tfalse\ttrue\tfalse",
    );
}

#[test]
fn controllers_are_numbered_apart() {
    with_item(
        "add(0, 480, 60)
         local cc = reaper.MIDI_InsertCC
         cc(take, false, false, 480, 0xB0, 1, 7, 90) cc(take, false, false, 0, 0xE0, 0, 0, 64) cc(take, false, false, 0, 0xC0, 0, 5, 0)
         local _, notes, ccs, text = reaper.MIDI_CountEvts(take)
         local _, _, _, ppq, msg, chan, m2, m3 = reaper.MIDI_GetCC(take, 2)
         local first = select(5, reaper.MIDI_GetCC(take, 0))
         return notes, ccs, text, ppq, msg, chan, m2, m3, first, reaper.MIDI_DeleteCC(take, 0), (select(5, reaper.MIDI_GetCC(take, 0)))",
        "1\t3\t0\t480.0\t176\t1\t7\t90\t224\ttrue\t192",
    );
}

#[test]
fn packed_events_round_trip() {
    with_item(
        "add(0, 480, 60) add(480, 960, 62)
         reaper.MIDI_InsertTextSysexEvt(take, false, false, 100, 1, 'words')
         local _, packed = reaper.MIDI_GetAllEvts(take)
         for i = 1, 0, -1 do reaper.MIDI_DeleteNote(take, i) end
         local _, none = reaper.MIDI_CountEvts(take)
         local ok = reaper.MIDI_SetAllEvts(take, packed)
         local _, notes, _, texts = reaper.MIDI_CountEvts(take)
         local _, again = reaper.MIDI_GetAllEvts(take)
         return none, ok, notes, texts, again == packed, select(6, reaper.MIDI_GetTextSysexEvt(take, 0)),
           reaper.MIDI_SetAllEvts(take, 'rubbish')",
        "0\ttrue\t2\t1\ttrue\twords\tfalse",
    );
}

#[test]
fn extents_move_the_item_and_keep_the_notes_in_place() {
    with_item(
        "add(960, 1920, 60)
         local before = reaper.MIDI_GetProjTimeFromPPQPos(take, 960)
         local ok = reaper.MIDI_SetItemExtents(item, 0, 16)
         local _, _, _, s = reaper.MIDI_GetNote(take, 0)
         return ok, reaper.GetMediaItemInfo_Value(item, 'D_POSITION'), reaper.GetMediaItemInfo_Value(item, 'D_LENGTH'),
           reaper.MIDI_GetProjTimeFromPPQPos(take, s) == before",
        "true\t0.0\t8.0\ttrue",
    );
}

#[test]
fn selection_reaches_all_events() {
    with_item(
        "add(0, 480, 60) add(480, 960, 61) reaper.MIDI_SelectAll(take, true)
         return reaper.MIDI_EnumSelNotes(take, -1), reaper.MIDI_EnumSelNotes(take, 0), reaper.MIDI_EnumSelNotes(take, 1)",
        "0\t1\t-1",
    );
}

#[test]
fn thousands_of_notes_are_read_in_linear_time() {
    let started = std::time::Instant::now();
    with_item(
        "for i = 0, 4999 do add(i * 120, i * 120 + 100, 40 + i % 40) end
         local sum = 0
         for i = 0, 4999 do sum = sum + pitch(i) end
         return sum",
        "297500",
    );
    // Reading without a cached list takes minutes here.
    assert!(started.elapsed().as_secs() < 10);
}
