//! Automation.

use super::{CommandSpec, Kind, LABEL, Param, SECONDS, TRACK_OR_MASTER, Undo, def, read, req};

const D: &str = "Envelopes";
const INDEX_OR_NONE: Kind = Kind::Int {
    min: -1,
    max: 100_000,
};
const T: Param = req("track_index", TRACK_OR_MASTER, "which track");
const E: Param = def(
    "envelope_name",
    LABEL,
    "\"Volume\"",
    "Volume, Pan, Mute, Width, or Volume, Pan, Width with ` (Pre-FX)`",
);
const F: Param = def(
    "fx_index",
    INDEX_OR_NONE,
    "-1",
    "with `param_index`: the envelope of a parameter",
);
const P: Param = def("param_index", INDEX_OR_NONE, "-1", "which parameter");

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "envelope_get_points",
        &[T, E, F, P, def("max_results", Kind::Int { min: 1, max: 20_000 }, "2000", "at most so many")],
        "Reads points: Volume and Width as linear gain, Pan as -1 left to 1 right, Mute 0 or 1, parameters 0 to 1.",
        "total_points, returned, truncated, points[{index, time, value, shape, tension, selected}]",
    ),
    read(
        D,
        "envelope_add_points",
        &[
            T,
            req("points", Kind::List { max: 50_000 }, "objects with time, value, shape (0 linear, 1 square, 2 slow, 3 fast start, 4 fast end, 5 bezier), tension"),
            E,
            F,
            P,
            def("create", Kind::Bool, "true", "make the envelope when there is none"),
        ],
        "Adds points; the fader stays where it is.",
        "points_added, total_points",
    )
    .undo(Undo::Project),
    read(
        D,
        "envelope_clear_range",
        &[T, req("start_time", SECONDS, "first"), req("end_time", SECONDS, "after the last"), E, F, P],
        "Deletes the points from the start up to, not at, the end.",
        "cleared_range{start, end}, points_removed, total_points",
    )
    .undo(Undo::Project),
];
