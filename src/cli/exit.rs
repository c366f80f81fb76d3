//! Exit codes: a stable surface.

use std::process::ExitCode;

use crate::qc::Status;
use crate::report::{Outcome, Report};
use crate::runner;

/// How the program ended. When several apply, the worst one wins:
/// interrupted, a bug, broken, failed, nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything passed.
    Passed = 0,
    /// A check missed its target.
    Failed = 1,
    /// The command line or the job file is wrong; nothing ran.
    Usage = 2,
    /// An engine, a render or a file failed.
    Broken = 3,
    /// Nothing was selected, or nothing was checked.
    Nothing = 4,
    /// A bug of ours.
    Bug = 70,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
    /// Stopped by a termination signal.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The command line asks for something that is not there or makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// The one place where an error becomes a code.
pub(super) fn of_error(error: &anyhow::Error) -> Exit {
    if error.is::<Usage>() {
        Exit::Usage
    } else {
        Exit::Broken
    }
}

/// The code of a finished run. A run that checked nothing has not passed.
pub(super) fn of_report(report: &Report) -> Exit {
    let is_bug = |code: &str| code == runner::PANIC;
    let errors = report.projects.iter().flat_map(|project| &project.error);
    match report.outcome {
        Outcome::Errored if errors.map(|error| error.code.as_str()).any(is_bug) => Exit::Bug,
        Outcome::Incomplete => Exit::Interrupted,
        Outcome::Errored => Exit::Broken,
        Outcome::Failed if only_unchecked(report) => Exit::Nothing,
        Outcome::Failed => Exit::Failed,
        Outcome::Passed if checks(report) == 0 => Exit::Nothing,
        Outcome::Passed => Exit::Passed,
    }
}

/// Whether projects fail for nothing but having checked nothing.
fn only_unchecked(report: &Report) -> bool {
    let mut failed = (report.projects.iter()).filter(|p| p.outcome == Outcome::Failed);
    failed.all(|project| {
        let error = project.error.as_ref();
        error.is_some_and(|error| error.code == runner::NOTHING_CHECKED)
    })
}

/// Checks that were carried out.
fn checks(report: &Report) -> usize {
    report
        .projects
        .iter()
        .flat_map(|project| &project.renders)
        .flat_map(|render| {
            let regions = render.regions.iter().flat_map(|region| &region.findings);
            render.checks.iter().chain(regions)
        })
        .filter(|check| check.status != Status::Skipped)
        .count()
}
