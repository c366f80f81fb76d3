//! All projects of a job: order, workers, cancel, the report.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::project::{self, Context};
use super::{Control, Event, Listener, RunOptions};
use crate::job::{Job, ProjectPlan};
use crate::report::{self, Failure, JobRef, Outcome, Report, SCHEMA_VERSION, Tool, Totals};

/// Code of the failure of a project whose worker panicked.
pub const PANIC: &str = "internal.panic";

/// Runs all projects of a job and returns what came of them, in the order of
/// the job file whatever the number of workers.
///
/// A project that fails, or whose worker panics, does not stop the others.
pub fn run(job: &Job, options: &RunOptions, control: &Control, listener: &Listener) -> Report {
    listener(Event::RunStarted {
        job: job.name.clone(),
        projects: job.projects.iter().map(|plan| plan.name.clone()).collect(),
        out: options.out.clone(),
    });
    let workers = options.jobs.clamp(1, job.projects.len().max(1));
    let context = Context {
        job,
        options,
        control,
        listener,
        threads: (options.threads / workers).max(1),
    };
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let results: Vec<Mutex<Option<report::Project>>> =
        job.projects.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = job.projects.get(index) else {
                        return;
                    };
                    if control.is_cancelled() || stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    let project = run_caught(&context, plan);
                    if options.fail_fast && project.outcome != Outcome::Passed {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    listener(Event::ProjectFinished {
                        project: Box::new(project.clone()),
                    });
                    if let Ok(mut slot) = results[index].lock() {
                        *slot = Some(project);
                    }
                }
            });
        }
    });
    let projects: Vec<report::Project> = job
        .projects
        .iter()
        .zip(results)
        .map(|(plan, slot)| {
            let done = slot.into_inner().ok().flatten();
            done.unwrap_or_else(|| not_run(plan, control.is_cancelled()))
        })
        .collect();
    let report = assemble(job, projects, control.is_cancelled());
    listener(Event::RunFinished {
        report: Box::new(report.clone()),
    });
    report
}

/// A panic is a bug of ours, but costs one project only.
fn run_caught(context: &Context<'_>, plan: &ProjectPlan) -> report::Project {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| project::run(context, plan)));
    let mut project = outcome.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        let mut project = project::blank(plan, Outcome::Errored);
        project.error = Some(Failure {
            code: PANIC.to_owned(),
            stage: "runner".to_owned(),
            message: format!(
                "this is a bug of reaper-batch, please report it with the job file: {text}"
            ),
        });
        project
    });
    project.duration_s = started.elapsed().as_secs_f64();
    project
}

fn not_run(plan: &ProjectPlan, cancelled: bool) -> report::Project {
    let mut project = project::blank(plan, Outcome::Incomplete);
    project.notes.push(
        if cancelled {
            "not run: the run was interrupted"
        } else {
            "not run: an earlier project did not pass"
        }
        .to_owned(),
    );
    project
}

fn assemble(job: &Job, projects: Vec<report::Project>, cancelled: bool) -> Report {
    let count = |outcome| {
        let all = projects.iter().filter(|project| project.outcome == outcome);
        u32::try_from(all.count()).unwrap_or(u32::MAX)
    };
    let totals = Totals {
        projects: u32::try_from(projects.len()).unwrap_or(u32::MAX),
        passed: count(Outcome::Passed),
        failed: count(Outcome::Failed),
        errored: count(Outcome::Errored),
        skipped: count(Outcome::Incomplete),
    };
    // Projects that `fail_fast` has left out say nothing of the run.
    let outcome = projects
        .iter()
        .map(|project| project.outcome)
        .filter(|&outcome| cancelled || outcome != Outcome::Incomplete)
        .max()
        .unwrap_or(Outcome::Incomplete);
    Report {
        schema: SCHEMA_VERSION,
        tool: Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        job: JobRef {
            name: job.name.clone(),
            path: job
                .path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            sha256: job.sha256.clone(),
        },
        outcome,
        totals,
        projects,
    }
}
