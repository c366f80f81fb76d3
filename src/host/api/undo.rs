//! Undo blocks and steps.

use super::Entry;
use crate::host::lua::{Answer, Call, answer};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("CSurf_FlushUndo", nothing),
    ("GetProjectStateChangeCount", change_count),
    ("IsProjectDirty", is_dirty),
    ("MarkProjectDirty", mark_dirty),
    ("PreventUIRefresh", prevent_refresh),
    ("Undo_BeginBlock", begin),
    ("Undo_BeginBlock2", begin),
    ("Undo_CanRedo2", can_redo),
    ("Undo_CanUndo2", can_undo),
    ("Undo_DoRedo2", redo),
    ("Undo_DoUndo2", undo),
    ("Undo_EndBlock", end),
    ("Undo_EndBlock2", end2),
    ("Undo_OnStateChange", state_change),
    ("Undo_OnStateChange2", state_change2),
    ("Undo_OnStateChangeEx", state_change),
    ("Undo_OnStateChangeEx2", state_change2),
    ("Undo_OnStateChange_Item", state_change2),
];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

fn change_count(c: &mut Call) -> Answer {
    answer![i64::try_from(c.host.change_count()).unwrap_or(i64::MAX)]
}

fn is_dirty(c: &mut Call) -> Answer {
    answer![i32::from(c.host.changes.dirty)]
}

fn mark_dirty(c: &mut Call) -> Answer {
    c.host.changes.dirty = true;
    answer![]
}

fn prevent_refresh(c: &mut Call) -> Answer {
    c.host.ui_refresh_holds += c.int(0);
    answer![]
}

fn begin(c: &mut Call) -> Answer {
    c.host.undo.open_blocks += 1;
    answer![]
}

fn end(c: &mut Call) -> Answer {
    let (name, flags) = (c.text(0), c.int(1));
    c.host.end_block(&name, flags);
    answer![]
}

fn end2(c: &mut Call) -> Answer {
    let (name, flags) = (c.text(1), c.int(2));
    c.host.end_block(&name, flags);
    answer![]
}

fn state_change(c: &mut Call) -> Answer {
    let name = c.text(0);
    c.host.record(&name);
    answer![]
}

fn state_change2(c: &mut Call) -> Answer {
    let name = c.text(1);
    c.host.record(&name);
    answer![]
}

fn can_undo(c: &mut Call) -> Answer {
    answer![c.host.history.can_undo()]
}

fn can_redo(c: &mut Call) -> Answer {
    answer![c.host.history.can_redo()]
}

fn undo(c: &mut Call) -> Answer {
    answer![i32::from(c.host.step(true))]
}

fn redo(c: &mut Call) -> Answer {
    answer![i32::from(c.host.step(false))]
}
