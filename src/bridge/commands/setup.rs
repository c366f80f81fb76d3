//! Many settings in one command: tracks, routing, chains, side-chains.

use super::{
    CommandSpec, Kind, LABEL, LEVEL_DB, TRACK, TRACK_ENTRIES, TRACK_OR_MASTER, Undo, def, opt,
    read, req,
};

const D: &str = "Setup";

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "configure_tracks",
        &[req("tracks", TRACK_ENTRIES, "objects with track_index or track_guid and name, volume_db, pan, width, mute, solo, phase_invert, color[r, g, b], folder_depth, main_send, channels, ext{key: text}")],
        "Sets tracks; an index past the end makes the missing tracks.",
        "tracks[TrackInfo], created",
    )
    .undo(Undo::Block),
    read(
        D,
        "setup_routing",
        &[req("sends", Kind::List { max: 2000 }, "objects with source_track, dest_track (or their _guid), volume_db, pan, mode, reuse, source_channel, dest_channel")],
        "Makes sends.",
        "sends[{source_track, dest_track, send_index, volume_db, pan, created} or {error}], created, failed",
    )
    .undo(Undo::Block),
    read(
        D,
        "setup_fx_chain",
        &[req("tracks", TRACK_ENTRIES, "objects with track_index or track_guid and fx_chain[FxEntry]")],
        "Adds and sets effects. FxEntry: name or fx_index, add_mode (add, find_or_add, find_only), named_config{} first, then params{name: value}, params_by_index{}, raw (values in native range), preset, enabled, renamed_name, position. Every value is read back.",
        "tracks[{track_index, fx_added[{name, fx_index, fx_guid, params_set[{index, name, requested, value, raw, display, ok}], named_config_set[{key, requested, value, ok}], preset, errors[]}], errors[]}], added, failed",
    )
    .undo(Undo::Block)
    .long(),
    read(
        D,
        "setup_effect_bus",
        &[
            req("bus_name", LABEL, "name of the new track"),
            opt("fx_chain", Kind::List { max: 50 }, "FxEntry each, as for setup_fx_chain"),
            opt("sends_from", Kind::List { max: 1000 }, "objects with source_track or source_track_guid, volume_db, pan, mode"),
            def("bus_position", Kind::Int { min: -1, max: 100_000 }, "-1", "place in the list, -1 is the end; the sources are those before the command"),
            def("bus_volume_db", LEVEL_DB, "0", "its fader"),
            opt("bus_color", Kind::Any, "[r, g, b]"),
            def("reuse", Kind::Bool, "false", "set the track with this name instead of making a second"),
        ],
        "Makes a bus with effects and the sends that feed it.",
        "bus_track_index, bus_track_guid, created, fx_added[], sends_created[], errors[]",
    )
    .undo(Undo::Block)
    .long(),
    read(
        D,
        "setup_master_chain",
        &[
            req("fx_chain", Kind::List { max: 50 }, "FxEntry each, as for setup_fx_chain"),
            def("clean", Kind::Bool, "false", "first remove the effects whose name begins with `clean_prefix`"),
            def("clean_prefix", LABEL, "\"[MIX] \"", "tag of the effects that may be removed"),
        ],
        "Adds and sets effects of the master track.",
        "cleared, fx_added[], errors[]",
    )
    .undo(Undo::Block)
    .long(),
    read(
        D,
        "setup_sidechain",
        &[
            req("source_track", TRACK, "the key"),
            req("target_track", TRACK, "what is ducked"),
            def("amount", Kind::Number { min: 0.0, max: 1.0 }, "0.7", "threshold -10 - 20 * amount dB and ratio 2 + 10 * amount, unless they are given"),
            opt("threshold_db", Kind::Number { min: -150.0, max: 24.0 }, "threshold"),
            opt("ratio", Kind::Number { min: 0.0, max: 100.0 }, "ratio; 0 derives it"),
            def("attack_ms", Kind::Number { min: 0.0, max: 500.0 }, "5", "attack"),
            def("release_ms", Kind::Number { min: 0.0, max: 5000.0 }, "180", "release"),
            def("compressor_name", LABEL, "\"ReaComp\"", "which compressor"),
            def("fx_index", Kind::Int { min: -1, max: 10_000 }, "-1", "use this effect; -1 adds one, or finds the one with `renamed_name`"),
            def("send_db", LEVEL_DB, "0", "level of the key"),
            opt("renamed_name", LABEL, "shown name of the compressor; one with this name is used again"),
            opt("detector_highpass_hz", Kind::Number { min: 0.0, max: 20_000.0 }, "detector filter"),
            opt("detector_lowpass_hz", Kind::Number { min: 0.0, max: 20_000.0 }, "detector filter"),
        ],
        "Lets a compressor on the target listen to the source: four channels, a send to 3/4, detector input set and read back.",
        "send_index, send_created, fx_index, fx_guid, fx_added, target_channels, pin_mappings_set, detector_set, unmatched_params[], warnings[], params_set[], threshold_db, ratio, attack_ms, release_ms",
    )
    .undo(Undo::Block),
    read(
        D,
        "clean_tagged",
        &[
            req("fx_prefix", Kind::Text { max_len: 64 }, "tag of the effects to remove"),
            opt("track_prefix", Kind::Text { max_len: 64 }, "tag of the tracks to remove"),
            opt("track_indices", Kind::List { max: 1000 }, "only effects of these tracks; left out is all and the master"),
        ],
        "Removes what carries a tag: effects by shown name, tracks by name.",
        "fx_removed, tracks_removed, track_names[]",
    )
    .undo(Undo::Block),
    read(
        D,
        "get_track_instruments",
        &[],
        "Lists the instrument of each track.",
        "tracks[{track_index, guid, name, instrument, item_count}]",
    ),
    read(
        D,
        "track_find",
        &[
            req("name", LABEL, "a track name"),
            def("exact", Kind::Bool, "true", "the whole name, in any case; else part of it"),
        ],
        "Finds tracks by name.",
        "tracks[{track_index, guid, name}]",
    ),
    read(
        D,
        "track_measure_live",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Reads the gain reduction that effects of the track report now.",
        "fx[{index, name, gain_reduction_db}]",
    ),
];
