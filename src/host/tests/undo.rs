//! Undo blocks, steps, redo.

use super::{check, eval, session};

#[test]
fn a_block_is_one_step() {
    check(
        "reaper.Undo_BeginBlock()
         reaper.InsertTrackAtIndex(0, false) reaper.InsertTrackAtIndex(0, false)
         reaper.Undo_EndBlock('MCP: run#1 > two tracks', -1)
         local name = reaper.Undo_CanUndo2(0)
         local done = reaper.Undo_DoUndo2(0)
         local after = reaper.CountTracks(0)
         local redo = reaper.Undo_CanRedo2(0)
         reaper.Main_OnCommand(40030, 0)
         return name, done, after, redo, reaper.CountTracks(0), reaper.Undo_DoRedo2(0)",
        "MCP: run#1 > two tracks\t1\t0\tMCP: run#1 > two tracks\t2\t0",
    );
}

#[test]
fn a_block_without_changes_leaves_no_step() {
    check(
        "reaper.Undo_BeginBlock() reaper.Undo_EndBlock('nothing', -1) return reaper.Undo_CanUndo2(0)",
        "nil",
    );
}

#[test]
fn item_changes_need_their_flag() {
    let items = "reaper.InsertTrackAtIndex(0, false) reaper.Undo_OnStateChange2(0, 'start')
         reaper.Undo_BeginBlock() reaper.AddMediaItemToTrack(reaper.GetTrack(0, 0)) ";
    check(
        &format!("{items} reaper.Undo_EndBlock('items', 1) return reaper.Undo_CanUndo2(0)"),
        "start",
    );
    check(
        &format!("{items} reaper.Undo_EndBlock('items', 4) return reaper.Undo_CanUndo2(0)"),
        "items",
    );
    check(
        &format!(
            "{items} reaper.Undo_EndBlock('items', 1) reaper.Undo_OnStateChange2(0, 'call') return reaper.Undo_CanUndo2(0)"
        ),
        "call",
    );
}

#[test]
fn a_block_left_open_is_dropped_at_the_end_of_the_tick() {
    let (_folder, mut session) = session();
    eval(
        &mut session,
        "reaper.Undo_BeginBlock() reaper.InsertTrackAtIndex(0, false)",
    );
    assert_eq!(
        eval(
            &mut session,
            "reaper.Undo_EndBlock('late', -1) return reaper.Undo_CanUndo2(0)"
        ),
        "late"
    );
}

#[test]
fn pointers_come_back_with_what_they_mean() {
    check(
        "reaper.InsertTrackAtIndex(0, false) reaper.Undo_OnStateChange2(0, 'add')
         local t = reaper.GetTrack(0, 0)
         reaper.DeleteTrack(t) reaper.Undo_OnStateChange2(0, 'delete')
         local gone = reaper.ValidatePtr2(0, t, 'MediaTrack*')
         reaper.Undo_DoUndo2(0)
         return gone, reaper.ValidatePtr2(0, t, 'MediaTrack*'), reaper.GetTrack(0, 0) == t",
        "false\ttrue\ttrue",
    );
}

#[test]
fn the_change_count_grows_and_selecting_is_no_change() {
    check(
        "reaper.InsertTrackAtIndex(0, false) local n = reaper.GetProjectStateChangeCount(0)
         reaper.SetTrackSelected(reaper.GetTrack(0, 0), true)
         local same = reaper.GetProjectStateChangeCount(0) == n
         reaper.SetMediaTrackInfo_Value(reaper.GetTrack(0, 0), 'D_VOL', 0.1)
         return same, reaper.GetProjectStateChangeCount(0) > n, reaper.IsProjectDirty(0)",
        "true\ttrue\t1",
    );
}

#[test]
fn a_new_step_clears_redo() {
    check(
        "reaper.InsertTrackAtIndex(0, false) reaper.Undo_OnStateChange2(0, 'a')
         reaper.Undo_DoUndo2(0)
         reaper.InsertTrackAtIndex(0, false) reaper.Undo_OnStateChange2(0, 'b')
         return reaper.Undo_CanRedo2(0), reaper.Undo_CanUndo2(0)",
        "nil\tb",
    );
}
