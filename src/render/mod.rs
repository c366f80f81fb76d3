//! Renders a project to audio files, offline and without REAPER.
//!
//! [`plan`] turns the render settings of a project into bounds, targets and a
//! file format; it is pure. [`run`] builds the signal graph of the project
//! and streams it through in segments, writing all targets of a range at
//! once. What a render here cannot do is an error that names the thing.
//!
//! Left out: hardware outputs, take effects and take envelopes, MIDI sends,
//! region render matrix, render-time normalising, freezing.

mod error;
mod format;
mod names;
mod plan;
mod run;

pub use error::RenderError;
pub use format::{FileKind, RenderFormat};
pub use plan::{Pass, PlanInputs, RenderPlan, Target, TargetSource, plan};
pub use run::{RenderedFile, RunOptions, run};
