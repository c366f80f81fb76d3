//! What a run tells its listeners while it goes on.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::report;

/// Receives events, from several threads.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    RunStarted {
        job: String,
        projects: Vec<String>,
        out: PathBuf,
    },
    ProjectStarted {
        project: String,
    },
    StepStarted {
        project: String,
        step: String,
    },
    /// Progress of the step, 0 to 1, and what is being done.
    StepProgress {
        project: String,
        step: String,
        fraction: f64,
        detail: String,
    },
    StepFinished {
        project: String,
        step: String,
        took: Duration,
        summary: String,
    },
    Note {
        project: String,
        text: String,
    },
    ProjectFinished {
        project: Box<report::Project>,
    },
    RunFinished {
        report: Box<report::Report>,
    },
}
