//! One JSON object per event on stdout. `docs/reports.md` lists the types;
//! keys may be added, none is renamed.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::Listener;
use crate::runner::Event;

/// Version of the lines.
const FORMAT_VERSION: u32 = 1;

pub(super) struct Json {
    /// Of the next line.
    seq: Mutex<u64>,
}

impl Json {
    pub(super) fn new() -> Self {
        Self { seq: Mutex::new(0) }
    }
}

impl Listener for Json {
    fn event(&self, event: &Event) {
        // Held while writing, so that lines are in the order of their numbers.
        let mut seq = self.seq.lock().unwrap_or_else(PoisonError::into_inner);
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut line = json!({
            "type": kind(event),
            "format_version": FORMAT_VERSION,
            "seq": *seq,
            "time": (time.as_secs_f64() * 1000.0).round() / 1000.0,
        });
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields(event)) {
            line.extend(fields);
        }
        *seq += 1;
        let mut stdout = io::stdout().lock();
        // Someone who stopped reading does not stop the run.
        let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    }
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::RunStarted { .. } => "run_started",
        Event::ProjectStarted { .. } => "project_started",
        Event::StepStarted { .. } => "step_started",
        Event::StepProgress { .. } => "step_progress",
        Event::StepFinished { .. } => "step_finished",
        Event::Note { .. } => "note",
        Event::ProjectFinished { .. } => "project_finished",
        Event::RunFinished { .. } => "run_finished",
    }
}

fn fields(event: &Event) -> Value {
    match event {
        Event::RunStarted { job, projects, out } => {
            json!({ "job": job, "projects": projects, "out": out.to_string_lossy() })
        }
        Event::ProjectStarted { project } => json!({ "project": project }),
        Event::StepStarted { project, step } => json!({ "project": project, "step": step }),
        Event::StepProgress {
            project,
            step,
            fraction,
            detail,
        } => json!({ "project": project, "step": step, "fraction": fraction, "detail": detail }),
        Event::StepFinished {
            project,
            step,
            took,
            summary,
        } => json!({
            "project": project,
            "step": step,
            "took_s": took.as_secs_f64(),
            "summary": summary,
        }),
        Event::Note { project, text } => json!({ "project": project, "text": text }),
        Event::ProjectFinished { project } => json!({ "project": project.name, "result": project }),
        Event::RunFinished { report } => json!({ "report": report }),
    }
}
