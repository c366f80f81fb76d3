//! Items and takes.

use super::{
    CommandSpec, ENTRIES, Kind, LABEL, LEVEL_DB, Param, SECONDS, TRACK, Undo, def, opt, read, req,
};

const D: &str = "Items";
const INFO: &str = "ItemInfo: index, guid, track_index, position, length, volume, volume_db, name, source_file, source_filename, selected, mute, is_midi, pitch, playrate, fade_in, fade_out, color";
const I: Param = req("item_index", Kind::Item, "which item");
const FADE: Kind = Kind::Number {
    min: -1.0,
    max: 60.0,
};
const SEMITONES: Kind = Kind::Number {
    min: -60.0,
    max: 60.0,
};
const RATE: Kind = Kind::Number {
    min: 0.05,
    max: 16.0,
};

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "item_get_all",
        &[
            def("track_index", Kind::Int { min: -1, max: 100_000 }, "-1", "only this track; -1 is all"),
            def("max_results", Kind::Int { min: 1, max: 2000 }, "200", "at most so many"),
        ],
        "Lists items.",
        "items[ItemInfo], total_items, returned, truncated",
    ),
    read(D, "item_get_info", &[I], "Reads one item.", INFO),
    read(
        D,
        "item_select",
        &[
            I,
            def("selected", Kind::Bool, "true", "select or unselect"),
            def("exclusive", Kind::Bool, "false", "unselect all others"),
        ],
        "Selects an item.",
        INFO,
    ),
    read(
        D,
        "item_insert_media",
        &[
            req("track_index", TRACK, "which track"),
            req("path", Kind::Path, "an existing media file"),
            def("position", SECONDS, "0", "start"),
            opt("name", LABEL, "take name; left out is the file's name"),
        ],
        "Puts a media file on a track; cursor and selection stay.",
        INFO,
    )
    .undo(Undo::Items),
    read(
        D,
        "item_create_midi",
        &[
            req("track_index", TRACK, "which track"),
            def("position", SECONDS, "0", "start"),
            def("length", Kind::Number { min: 0.001, max: 1e6 }, "60", "in seconds"),
        ],
        "Makes an empty MIDI item.",
        INFO,
    )
    .undo(Undo::Items),
    read(
        D,
        "item_split",
        &[I, req("position", SECONDS, "where")],
        "Splits an item.",
        "left_item, right_item (ItemInfo each)",
    )
    .undo(Undo::Items),
    read(
        D,
        "item_delete",
        &[I],
        "Deletes an item.",
        "deleted_index, remaining_items, deleted{position, length, track_index, track_name}",
    )
    .undo(Undo::Items),
    read(D, "item_move", &[I, req("new_position", SECONDS, "start")], "Moves an item in time.", INFO).undo(Undo::Items),
    read(
        D,
        "item_set_length",
        &[I, req("length", Kind::Number { min: 0.000_001, max: 1e6 }, "in seconds")],
        "Sets the length.",
        INFO,
    )
    .undo(Undo::Items),
    read(D, "item_set_volume", &[I, req("volume_db", LEVEL_DB, "gain")], "Sets the item's gain.", INFO).undo(Undo::Items),
    read(D, "item_set_mute", &[I, req("mute", Kind::Bool, "muted")], "Mutes or unmutes.", INFO).undo(Undo::Items),
    read(
        D,
        "item_set_fade",
        &[
            I,
            def("fade_in", FADE, "-1", "in seconds; below 0 keeps it"),
            def("fade_out", FADE, "-1", "in seconds; below 0 keeps it"),
        ],
        "Sets the fades.",
        INFO,
    )
    .undo(Undo::Items),
    read(
        D,
        "item_move_to_track",
        &[I, req("dest_track_index", TRACK, "target")],
        "Moves an item to another track.",
        INFO,
    )
    .undo(Undo::Items),
    read(
        D,
        "items_apply",
        &[req("entries", ENTRIES, "objects with `item_index` or `item_guid` and position, length, volume_db, mute, fade_in, fade_out, or `delete`")],
        "Edits in order, then deletes; indices are those before the command.",
        "applied, errors[]",
    )
    .undo(Undo::Items),
    read(
        D,
        "item_split_at_positions",
        &[I, req("positions", Kind::List { max: 500 }, "times of the project")],
        "Splits an item at several places.",
        "splits_requested, splits_made, chops_total, chops[{item_index, item_guid, position, length, offset_in_original_sec}]",
    )
    .undo(Undo::Items),
    read(
        D,
        "item_split_at_transients",
        &[I],
        "Splits an item at the transients that REAPER's action 40375 finds.",
        "chops_created, chops_total, chops[]",
    )
    .undo(Undo::Items)
    .long(),
    read(
        D,
        "item_duplicate",
        &[
            I,
            req("count", Kind::Int { min: 1, max: 100 }, "copies"),
            def("spacing_sec", Kind::Number { min: -1.0, max: 1e6 }, "0", "from start to start; up to 0 is the item's length"),
        ],
        "Makes copies with GUIDs of their own.",
        "copies_created, clones[ItemInfo]",
    )
    .undo(Undo::Items),
    read(
        D,
        "item_clone_to_position",
        &[
            req("source_item_index", Kind::Item, "which item"),
            req("target_position_sec", SECONDS, "start of the copy"),
            opt("target_track_index", TRACK, "left out is the same track"),
        ],
        "Copies an item to a place.",
        "new_item_index, new_item_guid, position, length",
    )
    .undo(Undo::Items),
    read(
        D,
        "item_get_source_info",
        &[I],
        "Reads the active take's source.",
        "source_file, source_length_sec, source_sample_rate, source_channels, source_type, take_start_offset_sec, take_pitch_semis, take_playrate, item_position_sec, item_length_sec, track_index",
    ),
    read(
        D,
        "chops_create_virtual_slice",
        &[
            req("source_item_index", Kind::Item, "which item"),
            req("target_track_index", TRACK, "target"),
            req("target_position_sec", SECONDS, "start"),
            req("source_offset_sec", SECONDS, "place in the source"),
            req("length_sec", Kind::Number { min: 0.000_001, max: 1e6 }, "length"),
            def("pitch_semis", SEMITONES, "0", "pitch"),
            def("playrate", RATE, "1", "rate"),
            def("fade_len_sec", Kind::Number { min: 0.0, max: 60.0 }, "0.005", "fade at both ends"),
        ],
        "Makes an item that plays a part of another item's source.",
        "new_item_index, new_item_guid and the parameters",
    )
    .undo(Undo::Items),
    read(
        D,
        "take_set_pitch",
        &[
            I,
            req("semitones", SEMITONES, "pitch"),
            def("take_index", Kind::Int { min: -1, max: 1000 }, "-1", "-1 is the active take"),
        ],
        "Sets the pitch of a take.",
        "item_index, take_index, semitones (as read back)",
    )
    .undo(Undo::Items),
    read(
        D,
        "take_set_playrate",
        &[I, req("rate", RATE, "1 is normal"), def("preserve_pitch", Kind::Bool, "true", "keep the pitch")],
        "Sets the active take's rate; the item's length stays.",
        "item_index, rate, preserve_pitch (as read back)",
    )
    .undo(Undo::Items),
    read(D, "take_set_reversed", &[I], "Reverses the item into a new take by REAPER's action 40270.", "item_index, take_count").undo(Undo::Items),
    read(D, "item_take_list", &[I], "Lists takes.", "count, takes[{index, name, is_active, is_midi}]"),
    read(D, "item_take_set_active", &[I, req("take_index", Kind::Index, "which take")], "Chooses the active take.", "item_index, take_index").undo(Undo::Items),
    read(D, "item_take_add", &[I], "Adds an empty take.", "item_index, take_index, take_count").undo(Undo::Items),
    read(D, "item_take_delete_active", &[I], "Deletes the active take by REAPER's action 40129.", "item_index, take_count").undo(Undo::Items),
];
