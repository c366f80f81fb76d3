//! A line per step, and a sign of life when nothing happens for long: CI
//! systems kill what is silent.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Listener, outcome};
use crate::runner::Event;

/// Longest silence.
const SILENCE: Duration = Duration::from_secs(30);

pub(super) struct Plain {
    state: Arc<Mutex<State>>,
    /// Dropped at the end, which ends the watch.
    _watch: mpsc::Sender<()>,
}

struct State {
    spoke: Instant,
    /// What each project is at.
    running: BTreeMap<String, String>,
}

impl Plain {
    pub(super) fn new() -> Self {
        let state = Arc::new(Mutex::new(State {
            spoke: Instant::now(),
            running: BTreeMap::new(),
        }));
        let (watch, ended) = mpsc::channel::<()>();
        let watched = Arc::clone(&state);
        let spawned = std::thread::Builder::new()
            .name("sign of life".to_owned())
            .spawn(move || {
                while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                    sign_of_life(&watched);
                }
            });
        if let Err(error) = spawned {
            tracing::warn!("no signs of life will be given: {error}");
        }
        Self {
            state,
            _watch: watch,
        }
    }
}

impl Listener for Plain {
    fn event(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::RunStarted { job, projects, out } => {
                let count = crate::diag::plural(projects.len(), "project");
                state.say(&format!("{job}: {count}, output in {}", out.display()));
            }
            Event::ProjectStarted { project } => {
                state.running.insert(project.clone(), "starting".to_owned());
                state.say(&format!("{project}: started"));
            }
            Event::StepStarted { project, step } => {
                state.running.insert(project.clone(), step.clone());
            }
            Event::StepProgress {
                project,
                step,
                fraction,
                detail,
            } => {
                let text = format!("{step} {:.0} % {detail}", fraction * 100.0);
                state.running.insert(project.clone(), text);
            }
            Event::StepFinished {
                project,
                step,
                took,
                summary,
            } => {
                let took = took.as_secs_f64();
                state.say(&format!("{project}: {step}: {summary} ({took:.1} s)"));
            }
            Event::Note { project, text } => state.say(&format!("{project}: note: {text}")),
            Event::ProjectFinished { project } => {
                state.running.remove(&project.name);
                let took = project.duration_s;
                state.say(&format!(
                    "{}: {} ({took:.1} s)",
                    project.name,
                    outcome(project)
                ));
            }
            Event::RunFinished { .. } => {}
        }
    }
}

impl State {
    fn say(&mut self, line: &str) {
        self.spoke = Instant::now();
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        // When stderr is gone there is no one to tell.
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
}

fn sign_of_life(state: &Mutex<State>) {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if state.spoke.elapsed() < SILENCE {
        return;
    }
    let running: Vec<String> = state
        .running
        .iter()
        .map(|(project, what)| format!("{project} ({what})"))
        .collect();
    let line = if running.is_empty() {
        "still working".to_owned()
    } else {
        format!("still working: {}", running.join(", "))
    };
    state.say(&line);
}
