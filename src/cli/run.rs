//! `run`: a whole job.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::RunArgs;
use super::exit::of_report;
use super::signals::Signals;
use super::{Exit, Ui, engine, plan, progress};
use crate::diag::suggest;
use crate::job::Job;
use crate::report::{self, Report};
use crate::runner;

pub(super) fn run(args: RunArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(mut job) = plan::load(&args.job, ui)? else {
        return Ok(Exit::Usage);
    };
    if !args.only.is_empty() && !select(&mut job, &args.only, ui) {
        return Ok(Exit::Nothing);
    }
    let out = match &args.out {
        Some(out) => out.clone(),
        None => Path::new("out").join(&job.name),
    };
    let out = std::path::absolute(&out)?;
    let options = run_options(&args, out.clone())?;
    std::fs::create_dir_all(&out).map_err(|error| {
        anyhow::anyhow!(
            "cannot make output folder `{}`: {error}; choose another one with --out",
            out.display()
        )
    })?;

    let control = runner::Control::default();
    let signals = {
        let (cancel, kill) = (control.clone(), control.clone());
        Signals::listen(move || cancel.cancel(), move || kill.kill())?
    };
    let listener = progress::listener(ui);
    let report = start(&job, &options, &control, &listener);
    listener.finish();

    let written = report::write_all(&report, &out);
    show(&report, &args.job, ui)?;
    written?;
    ui.remark(&format!("reports are in {}", out.display()));
    let exit = of_report(&report);
    if exit == Exit::Nothing {
        ui.remark("nothing was checked, which is not the same as passed");
    }
    Ok(if exit == Exit::Interrupted && control.is_cancelled() {
        signals.exit()
    } else {
        exit
    })
}

fn run_options(args: &RunArgs, out: PathBuf) -> anyhow::Result<runner::RunOptions> {
    let mut options = engine::run_options(&args.engine, out)?;
    if let Some(jobs) = args.jobs {
        options.jobs = usize::from(jobs);
    }
    if let Some(threads) = args.threads {
        options.threads = usize::from(threads);
    }
    options.overwrite = args.overwrite;
    options.fail_fast = args.fail_fast;
    Ok(options)
}

/// The one place that knows how the runner is called.
fn start(
    job: &Job,
    options: &runner::RunOptions,
    control: &runner::Control,
    listener: &Arc<dyn progress::Listener>,
) -> Report {
    let listener = Arc::clone(listener);
    let listener: runner::Listener = Arc::new(move |event| listener.event(&event));
    runner::run(job, options, control, &listener)
}

/// Keeps the projects that a pattern names; `false` when none is left.
fn select(job: &mut Job, patterns: &[String], ui: &Ui) -> bool {
    for pattern in patterns {
        if job
            .projects
            .iter()
            .any(|project| crate::job::matches_name(pattern, &project.name))
        {
            continue;
        }
        let names = job.projects.iter().map(|project| project.name.as_str());
        let hint = match suggest(pattern, names) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        ui.remark(&format!("--only: no project is called `{pattern}`{hint}"));
    }
    job.projects.retain(|project| {
        patterns
            .iter()
            .any(|pattern| crate::job::matches_name(pattern, &project.name))
    });
    !job.projects.is_empty()
}

fn show(report: &Report, job_path: &Path, ui: &Ui) -> anyhow::Result<()> {
    if !ui.is_json() {
        ui.result(&report::console(report, ui.color_out))?;
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            ui.result(&report::github(report, &job_path.to_string_lossy()))?;
        }
    }
    if let Some(summary) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        use std::io::Write as _;
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&summary);
        let written = file.and_then(|mut file| file.write_all(report::markdown(report).as_bytes()));
        if let Err(error) = written {
            ui.remark(&format!("cannot write the step summary: {error}"));
        }
    }
    Ok(())
}
