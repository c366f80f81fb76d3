//! Measuring and judging a rendered file: loudness, true peak, levels, stereo,
//! defects, regions; delivery specs as data; verdicts.

mod model;

pub use model::*;
