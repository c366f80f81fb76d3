//! Items, takes, sources.

use super::{check, eval, session, silent_wav};

#[test]
fn items_are_ordered_by_track_and_position() {
    check(
        "for i = 0, 1 do reaper.InsertTrackAtIndex(i, false) end
         local a, b = reaper.GetTrack(0, 0), reaper.GetTrack(0, 1)
         local x = reaper.AddMediaItemToTrack(b)
         local y, z = reaper.AddMediaItemToTrack(a), reaper.AddMediaItemToTrack(a)
         local set = reaper.SetMediaItemInfo_Value
         set(y, 'D_POSITION', 5) set(z, 'D_LENGTH', 1)
         return reaper.CountMediaItems(0), reaper.GetMediaItem(0, 0) == z, reaper.GetMediaItem(0, 1) == y,
           reaper.GetMediaItem(0, 2) == x, reaper.GetTrackMediaItem(a, 1) == y, reaper.GetMediaItem(0, 3),
           reaper.GetMediaItemTrack(y) == a, reaper.CountTakes(x), reaper.GetActiveTake(x)",
        "3\ttrue\ttrue\ttrue\ttrue\tnil\ttrue\t0\tnil",
    );
}

#[test]
fn a_split_leaves_the_left_part_and_returns_the_right_one() {
    check(
        "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
         local item = reaper.CreateNewMIDIItemInProj(t, 1, 5, false)
         local get = reaper.GetMediaItemInfo_Value
         local right = reaper.SplitMediaItem(item, 2)
         local take = reaper.GetActiveTake(right)
         return get(item, 'D_LENGTH'), get(right, 'D_POSITION'), get(right, 'D_LENGTH'),
           reaper.GetMediaItemTakeInfo_Value(take, 'D_STARTOFFS'), reaper.SplitMediaItem(item, 9),
           reaper.DeleteTrackMediaItem(t, item), reaper.CountTrackMediaItems(t),
           (pcall(reaper.GetMediaItemInfo_Value, item, 'D_LENGTH'))",
        "1.0\t2.0\t3.0\t1.0\tnil\ttrue\t1\tfalse",
    );
}

#[test]
fn items_move_between_tracks() {
    check(
        "for i = 0, 1 do reaper.InsertTrackAtIndex(i, false) end
         local a, b = reaper.GetTrack(0, 0), reaper.GetTrack(0, 1)
         local x = reaper.AddMediaItemToTrack(a)
         return reaper.DeleteTrackMediaItem(b, x), reaper.MoveMediaItemToTrack(x, b),
           reaper.GetMediaItem_Track(x) == b, reaper.CountTrackMediaItems(a)",
        "false\ttrue\ttrue\t0",
    );
}

#[test]
fn media_is_inserted_at_the_cursor() {
    let (folder, mut session) = session();
    let file = folder.path().join("tone.wav");
    silent_wav(&file);
    let lua = format!(
        "reaper.InsertTrackAtIndex(0, false) reaper.SetOnlyTrackSelected(reaper.GetTrack(0, 0))
         reaper.SetEditCurPos(2, false, false)
         local done = reaper.InsertMedia([[{0}]], 0)
         local item = reaper.GetMediaItem(0, 0) local take = reaper.GetActiveTake(item)
         local source = reaper.GetMediaItemTake_Source(take)
         return done, reaper.GetMediaItemInfo_Value(item, 'D_POSITION'), reaper.GetMediaItemInfo_Value(item, 'D_LENGTH'),
           reaper.GetCursorPosition(), reaper.GetTakeName(take), reaper.GetMediaSourceFileName(source) == [[{0}]],
           reaper.GetMediaSourceSampleRate(source), reaper.GetMediaSourceNumChannels(source),
           reaper.GetMediaSourceType(source), reaper.TakeIsMIDI(take), reaper.InsertMedia('/no/such.wav', 0)",
        file.display()
    );
    assert_eq!(
        eval(&mut session, &lua),
        "1\t2.0\t1.0\t3.0\ttone.wav\ttrue\t8000\t1\tWAVE\tfalse\t0"
    );
}

#[test]
fn a_source_made_from_a_file_is_given_to_a_take() {
    let (folder, mut session) = session();
    let file = folder.path().join("tone.wav");
    silent_wav(&file);
    let lua = format!(
        "reaper.InsertTrackAtIndex(0, false)
         local item = reaper.AddMediaItemToTrack(reaper.GetTrack(0, 0))
         local take = reaper.AddTakeToMediaItem(item)
         local source = reaper.PCM_Source_CreateFromFile([[{}]])
         local length, qn = reaper.GetMediaSourceLength(source)
         local set = reaper.SetMediaItemTake_Source(take, source)
         return length, qn, set, reaper.GetMediaItemTake_Source(take) == source, reaper.GetMediaSourceParent(source),
           reaper.PCM_Source_CreateFromFile('/no/such.wav')",
        file.display()
    );
    assert_eq!(eval(&mut session, &lua), "1.0\tfalse\ttrue\ttrue\tnil\tnil");
}

#[test]
fn an_item_chunk_with_new_guids_keeps_the_pointer() {
    check(
        "reaper.InsertTrackAtIndex(0, false) local t = reaper.GetTrack(0, 0)
         local item = reaper.CreateNewMIDIItemInProj(t, 0, 4, false)
         local take = reaper.GetActiveTake(item)
         reaper.MIDI_InsertNote(take, false, false, 0, 480, 0, 60, 100)
         local _, chunk = reaper.GetItemStateChunk(item, '', false)
         local copy = reaper.AddMediaItemToTrack(t)
         chunk = chunk:gsub('(I?GUID) {[^}]*}', function(k) return k .. ' ' .. reaper.genGuid('') end)
         local ok = reaper.SetItemStateChunk(copy, chunk, false)
         local _, notes = reaper.MIDI_CountEvts(reaper.GetActiveTake(copy))
         return ok, reaper.CountMediaItems(0), reaper.ValidatePtr2(0, copy, 'MediaItem*'), notes,
           reaper.GetActiveTake(copy) ~= take, reaper.GetMediaItemInfo_Value(copy, 'D_LENGTH'),
           reaper.SetItemStateChunk(copy, 'rubbish', false)",
        "true\t2\ttrue\t1\ttrue\t4.0\tfalse",
    );
}

#[test]
fn a_track_chunk_replaces_the_track_and_keeps_the_pointer() {
    check(
        "for i = 0, 1 do reaper.InsertTrackAtIndex(i, false) end
         local a, b = reaper.GetTrack(0, 0), reaper.GetTrack(0, 1)
         reaper.GetSetMediaTrackInfo_String(a, 'P_NAME', 'Lead Vox', true)
         reaper.TrackFX_AddByName(a, 'ReaComp', false, -1)
         reaper.CreateNewMIDIItemInProj(a, 0, 4, false)
         local _, chunk = reaper.GetTrackStateChunk(a, '', false)
         local ok = reaper.SetTrackStateChunk(b, chunk, false)
         local _, name = reaper.GetTrackName(b)
         local _, fx = reaper.TrackFX_GetFXName(b, 0)
         return ok, name, fx, reaper.CountTrackMediaItems(b), reaper.GetTrackGUID(a) ~= reaper.GetTrackGUID(b),
           reaper.GetTrack(0, 1) == b, chunk:match('^<TRACK') ~= nil",
        "true\tLead Vox\tVST: ReaComp (Cockos)\t1\ttrue\ttrue\ttrue",
    );
}
