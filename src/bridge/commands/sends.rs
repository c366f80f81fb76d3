//! Sends and receives between tracks.

use super::{
    CommandSpec, Kind, LEVEL_DB, PAN, Param, TRACK, TRACK_OR_MASTER, Undo, def, opt, read, req,
};

const D: &str = "Sends";
const INFO: &str = "SendInfo: index, volume, volume_db, pan, mute, midi_source_channel, midi_dest_channel, midi_enabled, dest_track_index, dest_track_guid, dest_track_name, send_mode{raw, name}, audio{source_channel_raw, destination_channel_raw, interpreted}";
const T: Param = req("track_index", TRACK, "track that sends");
const S: Param = req("send_index", Kind::Index, "which send");
/// 0 is all channels, 31 is off.
const CHANNEL: Kind = Kind::Int { min: 0, max: 31 };

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "send_create",
        &[
            req("source_track", TRACK, "from"),
            req("dest_track", TRACK, "to, another one"),
            opt("midi_source_channel", CHANNEL, "0 is all, 31 is off"),
            opt("midi_dest_channel", CHANNEL, "0 is the same, 31 is off"),
            opt("volume_db", LEVEL_DB, "level; left out is REAPER's default"),
            opt("pan", PAN, "pan"),
            opt(
                "mode",
                Kind::OneOf(&["post_fader", "pre_fx", "pre_fader"]),
                "where it is tapped",
            ),
            def(
                "reuse",
                Kind::Bool,
                "false",
                "set the send that is there instead of making a second",
            ),
        ],
        "Makes a send.",
        "SendInfo, source_track_index, source_track_name, total_sends, created",
    )
    .undo(Undo::Project),
    read(
        D,
        "send_remove",
        &[T, S],
        "Removes a send.",
        "removed, remaining",
    )
    .undo(Undo::Project),
    read(
        D,
        "send_set_volume",
        &[T, S, req("volume_db", LEVEL_DB, "level")],
        "Sets the level.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "send_set_pan",
        &[T, S, req("pan", PAN, "pan")],
        "Sets the pan.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "send_set_mute",
        &[T, S, req("mute", Kind::Bool, "muted")],
        "Mutes or unmutes.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "send_set_midi_channel",
        &[
            T,
            S,
            req("midi_source_channel", CHANNEL, "0 is all, 31 is off"),
            req("midi_dest_channel", CHANNEL, "0 is the same, 31 is off"),
        ],
        "Sets the MIDI channels.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "send_set_mode",
        &[
            T,
            S,
            req(
                "mode",
                Kind::OneOf(&["post_fader", "pre_fx", "pre_fader"]),
                "where it is tapped",
            ),
        ],
        "Chooses where the send is tapped.",
        INFO,
    )
    .undo(Undo::Project),
    read(
        D,
        "send_get_all",
        &[req("track_index", TRACK_OR_MASTER, "which track")],
        "Lists sends and receives.",
        "send_count, receive_count, sends[SendInfo], receives[{index, volume_db, pan, mute, source_track_index, source_track_guid, source_track_name}]",
    ),
    read(
        D,
        "send_get_routing_diagram",
        &[],
        "Lists the sends and receives of all tracks.",
        "tracks[{index, name, sends[], receives[]}]",
    ),
];
