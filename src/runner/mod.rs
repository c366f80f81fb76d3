//! Runs a job: one host process per project, steps in order, time limits,
//! cancel, run folder; tells listeners what happens as typed events.
//!
//! Everything a person or a script reads about a run goes through
//! [`crate::report::Report`]; verdicts come from the files on disk.

mod error;
mod event;
mod folder;
mod journal;
mod measure;
mod options;
mod project;
mod run;
mod sources;
mod steps;
mod targets;
mod workbench;

pub use error::StepError;
pub use event::{Event, Listener};
pub use folder::{check_folder, working_copy};
pub use options::{Control, Limits, RunOptions};
pub use project::NOTHING_CHECKED;
pub use run::{PANIC, run};
pub use sources::check as check_sources;
pub use targets::{STYLE_TOLERANCE_LU, style_spec};
pub use workbench::Workbench;
