//! The life of one project: folder, host, steps, report entry.

use std::time::Instant;

use super::folder::{ENGINE_LOG, known_target};
use super::workbench::Workbench;
use super::{Control, Event, Listener, RunOptions, StepError, sources};
use crate::bridge::OnProgress;
use crate::job::{Job, ProjectPlan, Step};
use crate::qc::Status;
use crate::report::{self, Failure, Outcome};

/// Code of the failure of a project that checked nothing.
pub const NOTHING_CHECKED: &str = "check.none";

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
        let mut outcome = error.outcome();
        // Who ends a whole process tree ends the hosts too, maybe first.
        if error.is_host_lost() && context.control.is_cancelled_soon() {
            outcome = Outcome::Incomplete;
        }
        entry.outcome = outcome.max(entry.outcome);
        let mut failure = error.failure(&stage);
        let log = context.options.out.join(&plan.name).join(ENGINE_LOG);
        if error.is_host_lost() && log.metadata().is_ok_and(|log| log.len() > 0) {
            let told = format!("; what it printed is in `{}`", log.display());
            failure.message.push_str(&told);
        }
        entry.error = Some(failure);
    }
    let checks = || {
        entry.renders.iter().flat_map(|render| {
            let regions = render.regions.iter().flat_map(|region| &region.findings);
            render.checks.iter().chain(regions)
        })
    };
    let failed = checks().any(|check| check.status == Status::Failed);
    let checked = checks().any(|check| check.status != Status::Skipped);
    if failed {
        entry.outcome = entry.outcome.max(Outcome::Failed);
    } else if !checked && entry.outcome == Outcome::Passed {
        // What was not checked has not passed.
        entry.outcome = Outcome::Failed;
        entry.error = Some(Failure {
            code: NOTHING_CHECKED.to_owned(),
            stage: "check".to_owned(),
            message: "nothing was checked: the project needs a `render` and a `check` step"
                .to_owned(),
        });
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
    let remarks = sources::check(plan)?;
    check_target(context, plan)?;
    *stage = "start".to_owned();
    let mut workbench = Workbench::start(
        plan,
        &context.job.name,
        context.options,
        context.control,
        context.threads,
    )?;
    for text in remarks {
        (context.listener)(Event::Note {
            project: plan.name.clone(),
            text: text.clone(),
        });
        workbench.remark(text);
    }
    let result = steps(context, plan, &mut workbench, stage);
    *entry = workbench.finish();
    result
}

type Work<'a> = &'a dyn Fn(&mut Workbench) -> Result<String, StepError>;

fn steps(
    context: &Context<'_>,
    plan: &ProjectPlan,
    workbench: &mut Workbench,
    stage: &mut String,
) -> Result<(), StepError> {
    let mut timed = |name: &str, work: Work<'_>| -> Result<(), StepError> {
        if context.control.is_cancelled() {
            return Err(StepError::Cancelled);
        }
        name.clone_into(stage);
        let tell = |event| (context.listener)(event);
        tell(Event::StepStarted {
            project: plan.name.clone(),
            step: name.to_owned(),
        });
        workbench.on_progress(forward(context, &plan.name, name));
        let started = Instant::now();
        let notes = workbench.entry().notes.len();
        let summary = work(workbench)?;
        for text in &workbench.entry().notes[notes..] {
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
    timed("open", &Workbench::open)?;
    for step in &plan.steps {
        match step {
            Step::ConfigureTracks => timed("configure_tracks", &Workbench::configure_tracks),
            Step::Compose(score) => timed("compose", &|bench| bench.compose(score)),
            Step::EngineMix(options) => timed("engine_mix", &|bench| bench.mix(options)),
            Step::EngineMaster(options) => timed("engine_master", &|bench| bench.master(options)),
            Step::Render => timed("render", &Workbench::render),
            Step::Check => timed("check", &Workbench::check),
            Step::Command { name, params } => timed(name, &|bench| bench.command(name, params)),
        }?;
    }
    timed("save", &Workbench::save)
}

/// Passes the client's progress on as events.
fn forward(context: &Context<'_>, project: &str, step: &str) -> OnProgress {
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

/// An existing target is found before the work, where its name is known.
fn check_target(context: &Context<'_>, plan: &ProjectPlan) -> Result<(), StepError> {
    let overwrite = plan.render.overwrite || context.options.overwrite;
    if overwrite || !plan.steps.contains(&Step::Render) {
        return Ok(());
    }
    match known_target(&context.options.out, plan, &context.job.name) {
        Some(path) if path.exists() => Err(StepError::TargetExists { path }),
        _ => Ok(()),
    }
}
