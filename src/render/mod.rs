//! Renders a project to audio files, offline and without REAPER.
//!
//! [`plan`] turns the render settings of a project into bounds, targets and a
//! file format; it is pure. [`run`] builds the signal graph of the project
//! and streams it through in segments, writing all targets of a range at
//! once. What a render here cannot do is an error that names the thing.
//!
//! Left out: hardware outputs, take effects and take envelopes, region render
//! matrix, render-time normalising, time stretching, pin mappings other than a
//! plug-in's own.

mod chain;
mod delay;
mod engine;
pub mod envelope;
mod error;
mod fader;
mod format;
mod graph;
mod interpolate;
mod item;
mod media;
mod midi;
mod names;
mod pan;
mod plan;
mod premix;
mod run;
mod schedule;
#[cfg(test)]
mod tests;

pub use error::RenderError;
pub use format::RenderFormat;
pub use names::file_name;
pub use plan::{Pass, PlanInputs, RenderPlan, Target, TargetSource, plan};
pub use run::{RenderedFile, RunOptions, run};
