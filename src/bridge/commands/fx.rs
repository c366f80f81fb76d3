//! Effects of one track; building whole chains is in `setup`.

use super::{CommandSpec, ENTRIES, Kind, LABEL, Param, TRACK_OR_MASTER, Undo, def, read, req};

const D: &str = "FX";
const CHAIN: &str = "FxChain: track_index, fx_count, instrument_index, fx_chain[{index, guid, name, enabled, offline, preset, param_count}]";
const PRESET: &str = "fx_name, preset, preset_index, total_presets";
const T: Param = req("track_index", TRACK_OR_MASTER, "which track");
const F: Param = req("fx_index", Kind::Index, "which effect");
const VALUE: Param = req(
    "value",
    Kind::Number {
        min: -1e9,
        max: 1e9,
    },
    "normalised 0 to 1, or native with `raw`",
);
const RAW: Param = def(
    "raw",
    Kind::Bool,
    "false",
    "`value` is in the parameter's own range",
);

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "fx_add",
        &[
            T,
            req(
                "fx_name",
                LABEL,
                "name as REAPER shows it, with or without `VST:`, `JS:` and so on",
            ),
            def(
                "add_mode",
                Kind::OneOf(&["add", "find_or_add", "find_only"]),
                "\"add\"",
                "whether one that is there will do",
            ),
        ],
        "Adds an effect at the end of the chain.",
        "FxChain and fx_index",
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_remove_batch",
        &[req(
            "entries",
            ENTRIES,
            "objects with `track_index` and `all`, `fx_index` or `fx_indices`",
        )],
        "Removes effects; indices are those before the command.",
        "removed, tracks[{track_index, fx_count}], errors[]",
    )
    .undo(Undo::Block),
    read(D, "fx_get_chain", &[T], "Reads the chain.", CHAIN),
    read(
        D,
        "fx_get_params",
        &[
            T,
            F,
            def(
                "max_results",
                Kind::Int { min: 1, max: 2000 },
                "300",
                "at most so many",
            ),
            def(
                "include_hidden",
                Kind::Bool,
                "false",
                "also MIDI, internal and placeholder parameters",
            ),
        ],
        "Reads parameters; hides those that carry nothing to mix with.",
        "fx_name, preset, enabled, param_count, params_shown, params_skipped, truncated, params[{index, name, value, raw, min, max, display}]",
    ),
    read(
        D,
        "fx_set_param",
        &[
            T,
            F,
            req("param_index", Kind::Index, "which parameter"),
            VALUE,
            RAW,
        ],
        "Sets a parameter and reads it back.",
        "param_index, name, value, raw, display, fx_name",
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_set_param_by_name",
        &[
            T,
            F,
            req("param_name", LABEL, "the exact name, or part of one"),
            VALUE,
            RAW,
        ],
        "Sets the parameter with this name, else the first that contains it.",
        "param_index, name, value, raw, display, fx_name",
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_scan_params",
        &[
            T,
            F,
            def(
                "max_params",
                Kind::Int { min: 1, max: 200 },
                "200",
                "at most so many",
            ),
        ],
        "Samples what parameters display over their range; writes and restores each value.",
        "fx_name, truncated, params[{index, name, step_count, samples[{normalized, formatted}]}]",
    )
    .long(),
    read(
        D,
        "fx_set_named_config",
        &[
            T,
            F,
            req("key", LABEL, "such as `BANDTYPE0`"),
            req("value", Kind::Text { max_len: 1 << 20 }, "new value"),
        ],
        "Sets a named value of an effect, which is no parameter.",
        "key, value (as read back), ok (it is the one asked for), fx_name",
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_get_named_config",
        &[T, F, req("key", LABEL, "such as `fx_type`")],
        "Reads a named value of an effect.",
        "key, value, found, fx_name",
    ),
    read(D, "fx_enable", &[T, F], "Switches an effect on.", CHAIN).undo(Undo::Project),
    read(D, "fx_disable", &[T, F], "Bypasses an effect.", CHAIN).undo(Undo::Project),
    read(
        D,
        "fx_show_ui",
        &[T, F],
        "Opens the effect's window.",
        "index, guid, name, enabled, preset, param_count",
    ),
    read(D, "fx_get_preset", &[T, F], "Reads the preset.", PRESET),
    read(
        D,
        "fx_set_preset",
        &[
            T,
            F,
            req("preset_name", LABEL, "its name"),
            def(
                "include_params",
                Kind::Bool,
                "false",
                "also list the parameters",
            ),
        ],
        "Loads a preset, and checks that it is the active one.",
        PRESET,
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_navigate_preset",
        &[
            T,
            F,
            req("direction", Kind::Int { min: -1, max: 1 }, "-1 or 1"),
        ],
        "Goes to the next or previous preset.",
        PRESET,
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_get_instrument",
        &[T],
        "Reads the track's instrument.",
        "fx_name, preset, enabled, param_count, instrument_index, params[]; or instrument_index -1 and message",
    ),
    read(
        D,
        "fx_move",
        &[T, F, req("new_index", Kind::Index, "its place afterwards")],
        "Moves an effect within the chain.",
        CHAIN,
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_rename",
        &[
            T,
            F,
            req("new_name", LABEL, "shown name; empty text removes it"),
        ],
        "Renames an effect.",
        "track_index, fx_index, new_name (as read back)",
    )
    .undo(Undo::Project),
    read(
        D,
        "fx_list_installed",
        &[],
        "Lists installed effects.",
        "count, plugins[{name, ident}]",
    ),
    read(
        D,
        "fx_get_pin_mappings",
        &[T, F],
        "Reads how pins are wired to track channels.",
        "inputs[], outputs[]: {pin, track_channels[] (from 1), low32_raw, high32_raw}",
    ),
];
