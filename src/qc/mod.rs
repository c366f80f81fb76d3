//! Measuring and judging a rendered file: loudness, true peak, levels, stereo,
//! defects, regions; delivery specs as data; verdicts.
//!
//! [`measure`] reads a file once and gives every reading of the file and of its
//! regions; [`judge_report`] turns readings and a [`Spec`] into [`Check`]s;
//! [`specs`] holds the delivery targets. Nothing here changes audio.

mod gather;
mod judge;
mod kweight;
mod loudness;
mod measure;
mod model;
pub mod specs;
mod spectrum;
mod steps;
mod true_peak;

pub use gather::Places;
pub use judge::{judge, judge_report};
pub use measure::{FileReport, MeasureError, Meter, measure, measure_while};
pub use model::*;

#[cfg(test)]
mod tests;
