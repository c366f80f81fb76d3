//! The life of one project: folder, host, steps, report entry.

use std::time::{Duration, Instant};

use super::folder::{self, ProjectFolder};
use super::journal::Journal;
use super::steps::Session;
use super::{Control, Event, Listener, RunOptions, StepError, targets};
use crate::bridge;
use crate::engine::{Engine, Host, LaunchOptions, Worker};
use crate::job::{Job, ProjectPlan, Source, Step};
use crate::report::{self, EngineKind, EngineRef, Outcome};

/// A host that shows no sign of life for so long, outside of long work, is
/// taken for frozen. REAPER ticks thirty times a second.
const FROZEN_AFTER: Duration = Duration::from_secs(30);

/// Longest render or save.
const LONG_TIMEOUT: Duration = Duration::from_secs(3600);

/// What all projects of a run share.
pub(super) struct Context<'a> {
    pub job: &'a Job,
    pub options: &'a RunOptions,
    pub control: &'a Control,
    pub listener: &'a Listener,
    /// Render threads of one host.
    pub threads: usize,
}

/// Runs one project. Failures are part of the entry it returns.
pub(super) fn run(context: &Context<'_>, plan: &ProjectPlan) -> report::Project {
    (context.listener)(Event::ProjectStarted {
        project: plan.name.clone(),
    });
    let mut entry = blank(plan, Outcome::Passed);
    let mut stage = "prepare".to_owned();
    if let Err(error) = life(context, plan, &mut entry, &mut stage) {
        entry.outcome = error.outcome().max(entry.outcome);
        entry.error = Some(error.failure(&stage));
    }
    let failed = entry
        .renders
        .iter()
        .flat_map(|render| {
            let regions = render.regions.iter().flat_map(|region| &region.findings);
            render.checks.iter().chain(regions)
        })
        .any(|check| check.status == crate::qc::Status::Failed);
    if failed {
        entry.outcome = entry.outcome.max(Outcome::Failed);
    }
    entry
}

/// An entry with nothing done yet.
pub(super) fn blank(plan: &ProjectPlan, outcome: Outcome) -> report::Project {
    report::Project {
        name: plan.name.clone(),
        line: plan.line as u64,
        style: plan.style.clone(),
        spec: plan.spec.clone(),
        engine: None,
        outcome,
        duration_s: 0.0,
        error: None,
        roles: Vec::new(),
        unmatched: Vec::new(),
        master_passes: Vec::new(),
        notes: Vec::new(),
        renders: Vec::new(),
    }
}

fn life(
    context: &Context<'_>,
    plan: &ProjectPlan,
    entry: &mut report::Project,
    stage: &mut String,
) -> Result<(), StepError> {
    let style = targets::style(plan)?;
    check_sources(plan)?;
    let folder = ProjectFolder::create(&context.options.out, plan)?;
    let overwrite = plan.render.overwrite || context.options.overwrite;
    let renders = plan.steps.contains(&Step::Render);
    if let Some(target) = folder.known_target(plan, &context.job.name)
        && renders
        && target.exists()
        && !overwrite
    {
        return Err(StepError::TargetExists { path: target });
    }
    *stage = "start".to_owned();
    let worker = Worker::create(&folder.work(), context.options.user_resources.as_deref())
        .map_err(StepError::io("cannot prepare", folder.work()))?;
    let mut host = start(context, &worker, &folder)?;
    let hello = host.client().hello().clone();
    entry.engine = Some(EngineRef {
        kind: match context.options.engine {
            Engine::Embedded { .. } => EngineKind::Embedded,
            Engine::Reaper { .. } => EngineKind::Reaper,
        },
        version: hello.host_version.clone(),
    });
    let result = {
        let mut journal = Journal::new(host.client(), &folder.journal())?;
        let mut session = Session {
            plan,
            style: &style,
            job: &context.job.name,
            folder: &folder,
            renders: worker.renders(),
            overwrite,
            bridge: &mut journal,
            entry,
            mix_reading: None,
            rendered: Vec::new(),
        };
        steps(context, &mut session, stage)
    };
    host.stop();
    result
}

fn start(
    context: &Context<'_>,
    worker: &Worker,
    folder: &ProjectFolder,
) -> Result<Host, StepError> {
    let log = folder.engine_log();
    if log.exists() {
        std::fs::remove_file(&log).map_err(StepError::io("cannot replace", &log))?;
    }
    let embedded = matches!(context.options.engine, Engine::Embedded { .. });
    let host = Host::start(
        &context.options.engine,
        worker,
        context.control.hosts(),
        LaunchOptions {
            project: None,
            threads: context.threads,
            log: &log,
            client: bridge::Options {
                // A first start of REAPER scans plug-ins and may show the
                // evaluation notice.
                start_timeout: Duration::from_secs(if embedded { 30 } else { 120 }),
                long_timeout: LONG_TIMEOUT,
                frozen_after: FROZEN_AFTER,
                cancel: context.control.flag(),
                ..bridge::Options::default()
            },
        },
    )?;
    Ok(host)
}

fn steps(
    context: &Context<'_>,
    session: &mut Session<'_, '_>,
    stage: &mut String,
) -> Result<(), StepError> {
    let plan = session.plan;
    let mut timed = |name: &str,
                     session: &mut Session<'_, '_>,
                     work: &dyn Fn(&mut Session<'_, '_>) -> Result<String, StepError>|
     -> Result<(), StepError> {
        if context.control.is_cancelled() {
            return Err(StepError::Cancelled);
        }
        *stage = name.to_owned();
        let tell = |event| (context.listener)(event);
        tell(Event::StepStarted {
            project: plan.name.clone(),
            step: name.to_owned(),
        });
        session
            .bridge
            .on_progress(forward(context, &plan.name, name));
        let started = Instant::now();
        let notes = session.entry.notes.len();
        let summary = work(session)?;
        for text in &session.entry.notes[notes..] {
            tell(Event::Note {
                project: plan.name.clone(),
                text: text.clone(),
            });
        }
        tell(Event::StepFinished {
            project: plan.name.clone(),
            step: name.to_owned(),
            took: started.elapsed(),
            summary,
        });
        Ok(())
    };
    timed("open", session, &|session| session.open())?;
    for step in &plan.steps {
        match step {
            Step::ConfigureTracks => {
                timed("configure_tracks", session, &|s| s.configure_tracks())?;
            }
            Step::Compose(score) => timed("compose", session, &|s| s.compose(score))?,
            Step::EngineMix(options) => timed("engine_mix", session, &|s| s.mix(options))?,
            Step::EngineMaster(options) => {
                timed("engine_master", session, &|s| s.master(options))?;
            }
            Step::Render => timed("render", session, &|s| s.render())?,
            Step::Check => timed("check", session, &|s| s.check())?,
            Step::Command { name, params } => {
                timed(name, session, &|s| s.command(name, params))?;
            }
        }
    }
    timed("save", session, &|session| session.save())
}

/// Passes the client's progress on as events.
fn forward(context: &Context<'_>, project: &str, step: &str) -> Box<dyn FnMut(f64, &str) + Send> {
    let listener = Listener::clone(context.listener);
    let (project, step) = (project.to_owned(), step.to_owned());
    Box::new(move |fraction, detail| {
        listener(Event::StepProgress {
            project: project.clone(),
            step: step.clone(),
            fraction,
            detail: detail.to_owned(),
        });
    })
}

/// Media are looked at before a host starts: a broken stem costs seconds, not
/// a render.
fn check_sources(plan: &ProjectPlan) -> Result<(), StepError> {
    match &plan.source {
        Source::Empty => Ok(()),
        Source::Project(path) if path.is_file() => Ok(()),
        Source::Project(path) => Err(StepError::MediaGone { path: path.clone() }),
        Source::Stems(stems) => {
            for stem in stems {
                let path = stem.file.clone();
                if !path.is_file() {
                    return Err(StepError::MediaGone { path });
                }
                if let Err(source) = crate::audio::Reader::open(&path) {
                    return Err(StepError::Media { path, source });
                }
            }
            Ok(())
        }
    }
}

/// Re-exported for the steps.
pub(super) use folder::{extension, pattern, publish};
