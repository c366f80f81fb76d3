//! Tracks.

use super::{
    BYTE, CommandSpec, ENTRIES, Kind, LABEL, LEVEL_DB, PAN, TRACK, TRACK_OR_MASTER, Undo, def, opt,
    read, req,
};

const D: &str = "Tracks";
const INFO: &str = "TrackInfo: index, guid, name, volume, volume_db, pan, width, mute, solo, armed, selected, fx_count, item_count, sample_filenames[], send_count, receive_count, channel_count, folder_depth, main_send, color_r, color_g, color_b, input_index, phase_invert, automation_mode";

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "track_get_all",
        &[],
        "Lists all tracks.",
        "track_count, tracks[TrackInfo]",
    ),
    read(
        D,
        "track_get_info",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Reads one track and its effects.",
        "TrackInfo, fx_chain[{index, guid, name, enabled, preset, param_count}]",
    ),
    read(
        D,
        "track_create",
        &[
            def(
                "index",
                Kind::Int {
                    min: -1,
                    max: 100_000,
                },
                "-1",
                "place in the list, -1 is the end",
            ),
            def("name", LABEL, "\"\"", "its name"),
        ],
        "Inserts a track.",
        INFO,
    )
    .undo(Undo::Block),
    read(
        D,
        "track_delete_batch",
        &[req(
            "entries",
            ENTRIES,
            "objects with `all`, `track_index`, `track_indices` or `track_guid`",
        )],
        "Deletes tracks; indices are those before the command.",
        "deleted, deleted_tracks[{track_index, name}], remaining_tracks, errors[]",
    )
    .undo(Undo::Block),
    read(
        D,
        "track_rename",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("name", LABEL, "new name"),
        ],
        "Renames a track.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_volume",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("volume_db", LEVEL_DB, "fader in dB"),
        ],
        "Sets the fader.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_pan",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("pan", PAN, "-1 left, 1 right"),
            opt("width", PAN, "stereo width; a negative one swaps the sides"),
        ],
        "Sets the pan and, when given, the width.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_mute",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("mute", Kind::Bool, "muted"),
        ],
        "Mutes or unmutes.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_solo",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("solo", Kind::Bool, "soloed"),
        ],
        "Solos or unsolos.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_phase",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("invert", Kind::Bool, "polarity inverted"),
        ],
        "Inverts the polarity.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_color",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("r", BYTE, "red"),
            req("g", BYTE, "green"),
            req("b", BYTE, "blue"),
        ],
        "Sets the colour.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_record_arm",
        &[
            req("track_index", TRACK, "which track"),
            req("arm", Kind::Bool, "armed"),
        ],
        "Arms or disarms recording.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_input",
        &[
            req("track_index", TRACK, "which track"),
            req(
                "input_index",
                Kind::Int { min: -1, max: 8191 },
                "REAPER's input number; -1 is all MIDI inputs",
            ),
        ],
        "Chooses the record input.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_folder",
        &[
            req("track_index", TRACK, "which track"),
            req(
                "folder_depth",
                Kind::Int { min: -64, max: 1 },
                "1 opens a folder, -n closes n levels",
            ),
        ],
        "Sets the folder depth.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_main_send",
        &[
            req("track_index", TRACK, "which track"),
            req("enabled", Kind::Bool, "sends to its parent or the master"),
        ],
        "Connects the track to its parent or the master, or takes it away.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_channels",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req("channels", Kind::Int { min: 2, max: 128 }, "an even number"),
        ],
        "Sets the number of channels.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "track_set_ext",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req(
                "key",
                Kind::Text { max_len: 64 },
                "letters, digits, `_`, `-` and `.`",
            ),
            req(
                "value",
                Kind::Text { max_len: 65_536 },
                "empty text deletes it",
            ),
        ],
        "Stores a text with the track, in the project file.",
        "track_index, key, value (as read back)",
    )
    .undo(Undo::Project),
    read(
        D,
        "track_get_ext",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            req(
                "key",
                Kind::Text { max_len: 64 },
                "the key it was stored under",
            ),
        ],
        "Reads a text stored with the track.",
        "track_index, key, value (empty text when there is none)",
    ),
    read(
        D,
        "track_select",
        &[
            req("track_index", TRACK_OR_MASTER, "which track"),
            def("selected", Kind::Bool, "true", "select or unselect"),
            def("exclusive", Kind::Bool, "false", "unselect all others"),
        ],
        "Selects a track.",
        INFO,
    ),
    read(
        D,
        "track_get_mixer_state",
        &[],
        "Reads the mixer in a short form.",
        "track_count, tracks[{i, name, vol_db, pan, mute, solo, fx_bypassed}]",
    ),
    read(
        D,
        "track_get_peak",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Reads the live meter; it is silent while stopped.",
        "peak_l_linear, peak_r_linear, peak_l_db, peak_r_db, peak_max_db (not below -144)",
    ),
    read(
        D,
        "track_freeze",
        &[req("track_index", TRACK, "which track")],
        "Freezes the track to stereo by REAPER's action 41223.",
        "track_index, action",
    )
    .long(),
    read(
        D,
        "track_unfreeze",
        &[req("track_index", TRACK, "which track")],
        "Unfreezes the track by REAPER's action 41644.",
        "track_index, action",
    )
    .long(),
    read(
        D,
        "track_get_state_chunk",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Reads the track as text of the project file.",
        "chunk",
    ),
    read(
        D,
        "track_set_state_chunk",
        &[
            req("track_index", TRACK, "which track"),
            req(
                "chunk",
                Kind::Text { max_len: 16 << 20 },
                "text of the project file",
            ),
        ],
        "Replaces the track; it gets a new GUID.",
        INFO,
    )
    .undo(Undo::Items),
];
