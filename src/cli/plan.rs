//! `plan`: what a job would do.

use std::path::Path;

use super::args::PlanArgs;
use super::{Exit, Ui, vocabulary::vocabulary};
use crate::job::{self, Job};

pub(super) fn run(args: &PlanArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(job) = load(&args.job, ui)? else {
        return Ok(Exit::Usage);
    };
    if ui.is_json() {
        let mut line = serde_json::json!({ "type": "plan", "format_version": 1 });
        line["job"] = serde_json::to_value(&job)?;
        ui.line(&line)?;
    } else {
        ui.result(&job::describe(&job))?;
    }
    Ok(Exit::Passed)
}

/// Reads a job and shows what is wrong with it; `None` when it is unusable.
pub(super) fn load(path: &Path, ui: &Ui) -> anyhow::Result<Option<Job>> {
    let loaded = job::read(path, &vocabulary());
    ui.diagnostics(&loaded.source, &loaded.diagnostics)?;
    if loaded.job.is_none() {
        let errors = loaded
            .diagnostics
            .iter()
            .filter(|found| found.is_error())
            .count();
        ui.remark(&format!(
            "{}: {}, nothing ran",
            path.display(),
            crate::diag::plural(errors, "error")
        ));
    }
    Ok(loaded.job)
}
