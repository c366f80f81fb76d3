//! Writing notes on many tracks.

use super::{CommandSpec, Kind, SECONDS, Undo, def, opt, read, req};

const D: &str = "Compose";
const TRACK_DATA: &str = "track_index or track_guid, track_name, position, length, notes[{pitch, velocity, start, end, channel}] (seconds, or start_qn and end_qn), ccs[{cc, value or pitch_bend, position or position_qn, channel}]";
const RESULT: &str = "track_index, item_index, item_guid, position, length, notes_inserted, ccs_inserted, notes_earliest, notes_latest, coverage_pct, warning";
/// -1 is the end of the project.
const END: Kind = Kind::Number {
    min: -1.0,
    max: 1e6,
};

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "compose_ensure_tracks",
        &[req("max_track_index", Kind::Int { min: 0, max: 10_000 }, "highest index that must exist")],
        "Makes the tracks that are missing.",
        "tracks_ensured, created",
    )
    .undo(Undo::Project),
    read(
        D,
        "compose_single_track",
        &[
            req("track_data", Kind::Object, TRACK_DATA),
            def("clear_existing", Kind::Bool, "false", "first delete the track's MIDI items; audio stays"),
        ],
        "Writes one MIDI item.",
        RESULT,
    )
    .undo(Undo::Items)
    .long(),
    read(
        D,
        "compose_arrangement",
        &[
            req("tracks", Kind::List { max: 200 }, TRACK_DATA),
            def("clear_existing", Kind::Bool, "false", "first delete the tracks' MIDI items; audio stays"),
        ],
        "Writes one MIDI item on each of several tracks.",
        "tracks[], with the keys of compose_single_track",
    )
    .undo(Undo::Items)
    .long(),
    read(
        D,
        "wipe_all_midi",
        &[opt("tracks", Kind::List { max: 1000 }, "only these track indices")],
        "Deletes the items whose active take is MIDI.",
        "items_deleted, tracks_wiped",
    )
    .undo(Undo::Items),
    read(
        D,
        "edit_section",
        &[
            req("tracks", Kind::Any, "`all`, or a list of {track_index, notes[], ccs[]} or track indices"),
            req("start_time", SECONDS, "first"),
            req("end_time", SECONDS, "after the last"),
            def("mode", Kind::OneOf(&["all", "notes_only", "ccs_only"]), "\"all\"", "what is deleted"),
            def("trim_item", Kind::Bool, "false", "shorten the item to its last event"),
        ],
        "Deletes the events that begin in a range and writes others into the first item there.",
        "tracks[{track_index, notes_deleted, ccs_deleted, notes_inserted, ccs_inserted}]",
    )
    .undo(Undo::Items)
    .long(),
    read(
        D,
        "analyze_score",
        &[
            def("tracks", Kind::Any, "\"all\"", "`all`, or a list of track indices"),
            def("start_time", SECONDS, "0", "first"),
            def("end_time", END, "-1", "-1 is the end"),
        ],
        "Sums up the notes of each track.",
        "tracks[{track_index, name, note_count, pitch_range[low, high], avg_pitch, vel_range[low, high], avg_vel, avg_dur, time_span[start, end], gaps[{start, end}]}]",
    )
    .long(),
];
