//! Transport, tempo and time selection.

use super::{CommandSpec, Kind, SECONDS, Undo, def, opt, read, req};

const D: &str = "Transport";
const T: &str = "Tempo";
const STATE: &str = "play_state, playing, paused, recording, position, bpm, time_sig_num, time_sig_den, repeating, playrate, project_length";
const BPM: Kind = Kind::Number {
    min: 20.0,
    max: 999.0,
};

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(D, "transport_play", &[], "Starts playback.", STATE),
    read(D, "transport_stop", &[], "Stops.", STATE),
    read(D, "transport_pause", &[], "Pauses or goes on.", STATE),
    read(D, "transport_record", &[], "Starts recording.", STATE),
    read(D, "transport_get_state", &[], "Reads the transport.", STATE),
    read(
        D,
        "transport_set_position",
        &[req("seconds", SECONDS, "new place of the edit cursor")],
        "Moves the edit cursor.",
        STATE,
    ),
    read(
        D,
        "transport_set_bpm",
        &[req("bpm", BPM, "quarter notes per minute")],
        "Sets the tempo: of the project, or of the tempo marker in force at the cursor.",
        STATE,
    )
    .undo(Undo::Project),
    read(
        D,
        "transport_set_time_signature",
        &[
            req(
                "numerator",
                Kind::Int { min: 1, max: 255 },
                "beats per measure",
            ),
            req(
                "denominator",
                Kind::Int { min: 1, max: 64 },
                "note value of a beat, a power of two",
            ),
        ],
        "Sets the metre at the start, in the marker there or in a new one.",
        STATE,
    )
    .undo(Undo::Project),
    read(D, "transport_toggle_repeat", &[], "Toggles repeat.", STATE),
    read(
        D,
        "transport_toggle_metronome",
        &[],
        "Toggles the metronome.",
        "the transport state and metronome_enabled",
    ),
    read(
        D,
        "transport_set_playrate",
        &[req(
            "rate",
            Kind::Number {
                min: 0.25,
                max: 4.0,
            },
            "1 is normal",
        )],
        "Sets the project's play rate.",
        STATE,
    ),
    read(
        T,
        "tempo_list_markers",
        &[],
        "Lists tempo and metre markers.",
        "count, markers[{index, time, measure, beat, bpm, time_sig_num, time_sig_denom, linear}]",
    ),
    read(
        T,
        "tempo_add_marker",
        &[
            req("position", SECONDS, "where"),
            def(
                "bpm",
                Kind::Number {
                    min: 0.0,
                    max: 999.0,
                },
                "0",
                "0 keeps the tempo in force there",
            ),
            def(
                "time_sig_num",
                Kind::Int { min: 0, max: 255 },
                "0",
                "0 keeps the metre",
            ),
            def(
                "time_sig_denom",
                Kind::Int { min: 0, max: 64 },
                "0",
                "0 keeps the metre",
            ),
            def(
                "linear",
                Kind::Bool,
                "false",
                "move linearly to the next marker",
            ),
        ],
        "Adds a tempo or metre marker.",
        "the marker, count",
    )
    .undo(Undo::Project),
    read(
        T,
        "tempo_delete_marker",
        &[req("index", Kind::Index, "index of the marker")],
        "Deletes a tempo marker.",
        "deleted, count",
    )
    .undo(Undo::Project),
    read(
        T,
        "tempo_clear_all",
        &[],
        "Deletes all tempo markers.",
        "deleted, count",
    )
    .undo(Undo::Project),
    read(
        T,
        "tempo_time_map",
        &[
            opt(
                "beats",
                Kind::List { max: 10_000 },
                "positions in quarter notes",
            ),
            opt("times", Kind::List { max: 10_000 }, "positions in seconds"),
        ],
        "Converts between quarter notes and seconds by the tempo map.",
        "times[] for `beats`, beats[] for `times`",
    ),
];
