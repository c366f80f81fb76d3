//! A bar per running song on a terminal.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::{Listener, outcome};
use crate::report::Outcome;
use crate::runner::Event;

/// Parts of a bar.
const RESOLUTION: u64 = 1000;

pub(super) struct Bars {
    multi: MultiProgress,
    bars: Mutex<BTreeMap<String, ProgressBar>>,
    color: bool,
}

impl Bars {
    pub(super) fn new(color: bool) -> Self {
        Self {
            multi: MultiProgress::new(),
            bars: Mutex::default(),
            color,
        }
    }

    fn say(&self, line: &str) {
        let line: String = line
            .chars()
            .filter(|&c| !c.is_control() || (self.color && c == '\u{1b}'))
            .collect();
        // When stderr is gone there is no one to tell.
        let _ = self.multi.println(line);
    }

    fn with_bar(&self, project: &str, change: impl FnOnce(&ProgressBar)) {
        let bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = bars.get(project) {
            change(bar);
        }
    }
}

impl Listener for Bars {
    fn event(&self, event: &Event) {
        match event {
            Event::RunStarted { job, projects, out } => {
                let count = crate::diag::plural(projects.len(), "project");
                self.say(&format!("{job}: {count}, output in {}", out.display()));
            }
            Event::ProjectStarted { project } => {
                let bar = self.multi.add(ProgressBar::new(RESOLUTION));
                let template = "{spinner} {prefix} [{bar:24}] {wide_msg}";
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style.progress_chars("=> "));
                }
                bar.set_prefix(project.clone());
                bar.enable_steady_tick(Duration::from_millis(120));
                let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
                bars.insert(project.clone(), bar);
            }
            Event::StepStarted { project, step } => self.with_bar(project, |bar| {
                bar.set_position(0);
                bar.set_message(step.clone());
            }),
            Event::StepProgress {
                project,
                step,
                fraction,
                detail,
            } => self.with_bar(project, |bar| {
                // The cast saturates, and NaN becomes 0.
                bar.set_position((fraction.clamp(0.0, 1.0) * RESOLUTION as f64) as u64);
                bar.set_message(format!("{step}: {detail}"));
            }),
            Event::StepFinished {
                project,
                step,
                summary,
                ..
            } => self.with_bar(project, |bar| {
                bar.set_position(RESOLUTION);
                bar.set_message(format!("{step}: {summary}"));
            }),
            Event::Note { project, text } => self.say(&format!("{project}: note: {text}")),
            Event::ProjectFinished { project } => {
                let bar = {
                    let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
                    bars.remove(&project.name)
                };
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
                let style = match project.outcome {
                    Outcome::Passed => anstyle::AnsiColor::Green,
                    Outcome::Failed | Outcome::Errored => anstyle::AnsiColor::Red,
                    Outcome::Incomplete => anstyle::AnsiColor::Yellow,
                }
                .on_default();
                let text = outcome(project);
                if self.color {
                    self.say(&format!("{}: {style}{text}{style:#}", project.name));
                } else {
                    self.say(&format!("{}: {text}", project.name));
                }
            }
            Event::RunFinished { .. } => {}
        }
    }

    fn finish(&self) {
        // When stderr is gone there is nothing to clear.
        let _ = self.multi.clear();
    }
}
