//! Shows a run while it goes on: bars on a terminal, lines elsewhere, JSON
//! for programs.

mod bars;
mod json;
mod plain;

use std::sync::Arc;

use super::Ui;
use crate::runner::Event;

/// Takes the events of a run, from any thread.
pub(super) trait Listener: Send + Sync {
    fn event(&self, event: &Event);

    /// The run is over; what is shown for the moment goes away.
    fn finish(&self) {}
}

/// The listener that fits the place we run in.
pub(super) fn listener(ui: &Ui) -> Arc<dyn Listener> {
    if ui.is_json() {
        Arc::new(json::Json::new())
    } else if ui.quiet {
        Arc::new(Silent)
    } else if ui.bars {
        Arc::new(bars::Bars::new(ui.color_err))
    } else {
        Arc::new(plain::Plain::new())
    }
}

struct Silent;

impl Listener for Silent {
    fn event(&self, _: &Event) {}
}

/// `passed`, with the loudness and true peak of the first file, or the error.
fn outcome(project: &crate::report::Project) -> String {
    use crate::report::Outcome;
    let word = match project.outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Errored => "errored",
        Outcome::Incomplete => "incomplete",
    };
    let mut text = word.to_owned();
    if let Some(error) = &project.error {
        text.push_str(&format!(": {}", error.message));
    } else if let Some(render) = project.renders.first() {
        if let Some(lufs) = render.measurements.integrated_lufs {
            text.push_str(&format!(", {lufs:.1} LUFS"));
        }
        if let Some(peak) = render.measurements.true_peak_dbtp {
            text.push_str(&format!(", {peak:.1} dBTP"));
        }
    }
    text
}
