//! Markers, regions and selection.

use super::{BYTE, CommandSpec, ENTRIES, Kind, LABEL, SECONDS, Undo, def, opt, read, req};

const D: &str = "Markers";
const S: &str = "Selection";

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "marker_get_all",
        &[def("max_results", Kind::Int { min: 1, max: 5000 }, "500", "at most so many")],
        "Lists markers and regions in order of time.",
        "count, returned, truncated, markers[{index, number, is_region, position, region_end, name, color}]",
    ),
    read(
        D,
        "marker_add",
        &[
            req("position", SECONDS, "where"),
            def("name", LABEL, "\"\"", "its name"),
            def("color_r", BYTE, "0", "red; 0, 0, 0 is the default colour"),
            def("color_g", BYTE, "0", "green"),
            def("color_b", BYTE, "0", "blue"),
        ],
        "Adds a marker.",
        "marker_number, marker_index, total_markers",
    )
    .undo(Undo::Project),
    read(
        D,
        "marker_add_region",
        &[
            req("start", SECONDS, "start"),
            req("end", SECONDS, "after the start"),
            def("name", LABEL, "\"\"", "its name"),
            def("color_r", BYTE, "0", "red; 0, 0, 0 is the default colour"),
            def("color_g", BYTE, "0", "green"),
            def("color_b", BYTE, "0", "blue"),
        ],
        "Adds a region.",
        "region_number, marker_index, total_markers",
    )
    .undo(Undo::Project),
    read(D, "marker_delete", &[req("marker_index", Kind::Index, "index in the list")], "Deletes a marker or region.", "deleted, remaining").undo(Undo::Project),
    read(
        D,
        "marker_edit",
        &[
            req("marker_index", Kind::Index, "index in the list"),
            def("position", Kind::Number { min: -1.0, max: 1e6 }, "-1", "below 0 keeps it; a region keeps its length"),
            opt("name", LABEL, "left out keeps it"),
        ],
        "Moves or renames a marker or region.",
        "index, number, is_region, position, region_end, name",
    )
    .undo(Undo::Project),
    read(D, "marker_go_to", &[req("marker_number", Kind::Int { min: 0, max: 1_000_000 }, "the number shown")], "Moves the edit cursor to a marker.", "cursor_position"),
    read(
        D,
        "markers_apply",
        &[req("entries", ENTRIES, "objects with `marker_index` and name, position, start, end, color[r, g, b], or `delete`")],
        "Edits in order, then deletes; indices are those before the command.",
        "applied, errors[]",
    )
    .undo(Undo::Block),
    read(
        D,
        "add_markers_batch",
        &[req("markers", ENTRIES, "objects with `position`, or `start` and `end`; name, is_region, color[r, g, b]")],
        "Adds markers and regions.",
        "items[{index, number, is_region, name}]",
    )
    .undo(Undo::Block),
    read(S, "selection_set_time", &[req("start", SECONDS, "start"), req("end", SECONDS, "after the start")], "Sets the time selection.", "start, end, length"),
    read(S, "selection_get_time", &[], "Reads the time selection and the loop.", "start, end, length, loop_start, loop_end"),
    read(S, "selection_set_loop", &[req("start", SECONDS, "start"), req("end", SECONDS, "after the start")], "Sets the loop.", "loop_start, loop_end"),
    read(S, "selection_select_all_items", &[], "Selects all items.", "selected_count"),
    read(S, "selection_deselect_all_items", &[], "Unselects all items.", "selected_count"),
    read(S, "selection_select_all_tracks", &[], "Selects all tracks.", "selected_count"),
    read(S, "selection_deselect_all_tracks", &[], "Unselects all tracks.", "selected_count"),
    read(S, "selection_get_selected_tracks", &[], "Lists selected tracks.", "selected_count, tracks[TrackInfo]"),
    read(S, "selection_get_selected_items", &[], "Lists selected items.", "selected_count, items[ItemInfo]"),
];
