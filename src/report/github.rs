//! The report as annotations of GitHub Actions, on the lines of the job file.

use super::{Outcome, Report};
use crate::qc::Status;

/// GitHub shows at most so many annotations of a kind per step.
const MOST: usize = 10;

/// Longest message, in characters; GitHub cuts at 4 KB.
const LONGEST: usize = 1000;

/// Workflow commands, one a line: errors for what failed, warnings for what
/// was warned of. The last one of a kind sums up what does not fit.
pub fn github(report: &Report, job_path: &str) -> String {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for project in &report.projects {
        if let Some(error) = &project.error {
            errors.push((project, error.code.as_str(), error.message.as_str()));
        } else if project.outcome == Outcome::Incomplete {
            warnings.push((project, "incomplete", "the project was not finished"));
        }
        for render in &project.renders {
            let regions = render.regions.iter().flat_map(|region| &region.findings);
            for check in render.checks.iter().chain(regions) {
                let entry = (project, check.id.as_str(), check.message.as_str());
                match check.status {
                    Status::Failed => errors.push(entry),
                    Status::Warned => warnings.push(entry),
                    Status::Passed | Status::Skipped => {}
                }
            }
        }
    }

    let mut text = String::new();
    for (kind, entries) in [("error", errors), ("warning", warnings)] {
        let shown = if entries.len() > MOST { MOST - 1 } else { MOST };
        for (project, id, message) in entries.iter().take(shown) {
            let title = format!("{}: {id}", project.name);
            text.push_str(&command(kind, job_path, project.line, &title, message));
        }
        if let Some(rest) = entries.len().checked_sub(shown).filter(|&rest| rest > 0) {
            let message = format!("and {rest} more, see the step summary");
            text.push_str(&command(kind, job_path, 1, "reaper-batch", &message));
        }
    }
    text
}

fn command(kind: &str, path: &str, line: u64, title: &str, message: &str) -> String {
    let message: String = message.chars().take(LONGEST).collect();
    format!(
        "::{kind} file={},line={line},title={}::{}\n",
        property(path),
        property(title),
        data(&message)
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
