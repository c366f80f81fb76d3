//! MIDI notes and events of an item's active take.

use super::{
    CommandSpec, Kind, MIDI_CHANNEL, MIDI_VALUE, Param, SECONDS, TRACK, TRACK_OR_MASTER, Undo, def,
    opt, read, req,
};

const D: &str = "MIDI";
const I: Param = req("item_index", Kind::Item, "which item");
/// Left out or -1 keeps the value.
const KEEP: Kind = Kind::Int { min: -1, max: 127 };

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "midi_insert_note",
        &[
            I,
            def("channel", MIDI_CHANNEL, "0", "from 0"),
            req("pitch", MIDI_VALUE, "60 is middle C"),
            req("velocity", Kind::Int { min: 1, max: 127 }, "1 to 127"),
            req("start_position", SECONDS, "in seconds of the project"),
            req("end_position", SECONDS, "after the start"),
        ],
        "Inserts a note.",
        "inserted, total_notes, total_ccs",
    )
    .undo(Undo::Items),
    read(
        D,
        "midi_insert_notes_batch",
        &[
            opt("track_index", TRACK, "for the record only"),
            I,
            req("notes", Kind::List { max: 10_000 }, "objects with pitch, velocity, start, end (seconds) or start_qn, end_qn (quarter notes), and channel"),
        ],
        "Inserts many notes; nothing is written when one of them is wrong.",
        "inserted_count, total_notes, total_ccs",
    )
    .undo(Undo::Items)
    .long(),
    read(
        D,
        "midi_get_notes",
        &[I, def("max_results", Kind::Int { min: 1, max: 10_000 }, "500", "at most so many")],
        "Reads notes.",
        "note_count, notes_returned, truncated, notes[{index, pitch, velocity, channel, start_position, end_position, start_qn, end_qn, selected, muted}]",
    ),
    read(
        D,
        "midi_get_ccs",
        &[I, def("max_results", Kind::Int { min: 1, max: 10_000 }, "2000", "at most so many")],
        "Reads controllers, program changes, pressure and pitch bend.",
        "cc_count, returned, truncated, ccs[{index, position, type, channel, msg2, msg3}]",
    ),
    read(
        D,
        "midi_set_note",
        &[
            I,
            req("note_index", Kind::Index, "which note"),
            def("pitch", KEEP, "-1", "-1 keeps it"),
            def("velocity", KEEP, "-1", "-1 keeps it"),
            def("channel", Kind::Int { min: -1, max: 15 }, "-1", "-1 keeps it"),
            def("start_position", Kind::Number { min: -1.0, max: 1e6 }, "-1", "-1 keeps it"),
            def("end_position", Kind::Number { min: -1.0, max: 1e6 }, "-1", "-1 keeps it"),
        ],
        "Changes a note; its index may change when it moves.",
        "note (as read back)",
    )
    .undo(Undo::Items),
    read(D, "midi_delete_note", &[I, req("note_index", Kind::Index, "which note")], "Deletes a note.", "deleted, total_notes").undo(Undo::Items),
    read(D, "midi_delete_all_notes", &[I], "Deletes all notes; other events stay.", "deleted, total_notes").undo(Undo::Items),
    read(
        D,
        "midi_select_notes",
        &[I, def("select_all", Kind::Bool, "true", "select or unselect")],
        "Selects all notes or none.",
        "selected_count, total_notes",
    ),
    read(
        D,
        "midi_insert_program_change",
        &[
            opt("track_index", TRACK, "for the record only"),
            I,
            req("position", SECONDS, "when"),
            def("channel", MIDI_CHANNEL, "0", "from 0"),
            req("program", MIDI_VALUE, "from 0"),
            opt("bank_msb", MIDI_VALUE, "controller 0 before it"),
            opt("bank_lsb", MIDI_VALUE, "controller 32 before it"),
        ],
        "Inserts bank and program; the three events lie one tick apart, so that their order is certain.",
        "inserted, total_ccs",
    )
    .undo(Undo::Items),
    read(
        D,
        "midi_list_programs",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Lists the instrument's program names, where it tells them.",
        "supplier, count, programs[{program, name}]",
    ),
    read(
        D,
        "midi_insert_cc",
        &[
            opt("track_index", TRACK, "for the record only"),
            I,
            req("position", SECONDS, "when"),
            def("channel", MIDI_CHANNEL, "0", "from 0"),
            req("cc_number", MIDI_VALUE, "controller"),
            req("cc_value", MIDI_VALUE, "value"),
        ],
        "Inserts a controller.",
        "inserted, total_ccs",
    )
    .undo(Undo::Items),
    read(D, "midi_delete_cc", &[I, req("cc_index", Kind::Index, "which event")], "Deletes a controller event.", "deleted, total_ccs").undo(Undo::Items),
    read(D, "midi_get_note_names", &[], "Lists all 128 note names, middle C is C4.", "names[{pitch, name}]"),
    read(D, "midi_count_events", &[I], "Counts events.", "notes, ccs, text_sysex"),
    read(D, "midi_sort", &[I], "Sorts events.", "sorted, notes, ccs, text_sysex").undo(Undo::Items),
    read(
        D,
        "midi_set_item_extents",
        &[
            I,
            req("start_qn", SECONDS, "in quarter notes"),
            req("end_qn", SECONDS, "after the start"),
        ],
        "Sets start and end in quarter notes.",
        "ItemInfo",
    )
    .undo(Undo::Items),
    read(
        D,
        "midi_quantize",
        &[
            I,
            opt("grid_seconds", Kind::Number { min: 0.000_1, max: 60.0 }, "grid in seconds from the project's start"),
            opt("grid_qn", Kind::Number { min: 0.001, max: 64.0 }, "grid in quarter notes, which follows the tempo map"),
            def("strength", Kind::Number { min: 0.0, max: 1.0 }, "1", "how far to move"),
        ],
        "Moves note starts to the grid; lengths stay.",
        "note_count, moved",
    )
    .undo(Undo::Items),
    read(
        D,
        "midi_humanize",
        &[
            I,
            def("timing_ms", Kind::Number { min: 0.0, max: 500.0 }, "15", "largest shift"),
            def("velocity_amount", Kind::Int { min: 0, max: 64 }, "8", "largest change"),
            def("seed", Kind::Int { min: 0, max: 2_147_483_646 }, "1", "the same seed gives the same notes"),
        ],
        "Shifts notes and velocities at random; no note leaves the item.",
        "note_count, changed",
    )
    .undo(Undo::Items),
];
