//! Argument and result lists of the functions in the `reaper` table, as REAPER
//! documents them in its own function list (7.77). Kept in name order.

/// Name, arguments, results. `?` marks what may be left out.
#[rustfmt::skip]
pub(super) const SIGNATURES: &[(&str, &str, &str)] = &[
    ("CSurf_FlushUndo", "boolean force", ""),
    ("GetProjectStateChangeCount", "ReaProject proj", "integer"),
    ("IsProjectDirty", "ReaProject proj", "integer"),
    ("MarkProjectDirty", "ReaProject proj", ""),
    ("PreventUIRefresh", "integer prevent_count", ""),
    ("Undo_BeginBlock", "", ""),
    ("Undo_BeginBlock2", "ReaProject proj", ""),
    ("Undo_CanRedo2", "ReaProject proj", "string"),
    ("Undo_CanUndo2", "ReaProject proj", "string"),
    ("Undo_DoRedo2", "ReaProject proj", "integer"),
    ("Undo_DoUndo2", "ReaProject proj", "integer"),
    ("Undo_EndBlock", "string descchange, integer extraflags", ""),
    ("Undo_EndBlock2", "ReaProject proj, string descchange, integer extraflags", ""),
    ("Undo_OnStateChange", "string descchange", ""),
    ("Undo_OnStateChange2", "ReaProject proj, string descchange", ""),
    ("Undo_OnStateChangeEx", "string descchange, integer whichStates, integer trackparm", ""),
    ("Undo_OnStateChangeEx2", "ReaProject proj, string descchange, integer whichStates, integer trackparm", ""),
    ("Undo_OnStateChange_Item", "ReaProject proj, string name, MediaItem item", ""),
];
