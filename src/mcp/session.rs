//! What the server holds between calls. Everything here blocks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::params;
use super::results::{
    Answer, Checked, Done, JobDone, Mastered, Mixed, Opened, ProjectDone, Rendered, StyleFacts,
    Styles,
};
use super::server::ServeOptions;
use crate::compose;
use crate::diag;
use crate::job::{
    self, BitDepth, Format, MasterOptions, MixOptions, ProjectPlan, RenderOptions, Source, Stem,
    Vocabulary,
};
use crate::mix::catalogue;
use crate::qc::{self, Spec, Status};
use crate::report;
use crate::runner::{self, Control, Event, Listener, RunOptions, StepError, Workbench};

/// Receives progress, 0 to 1, with what is being done.
pub(super) type Progress = Box<dyn FnMut(f64, &str) + Send>;

/// Failures are sentences for the client's model: they name the thing and the fix.
pub(super) type Outcome<T> = Result<T, String>;

/// The open project and the last job report.
pub(super) struct Session {
    options: RunOptions,
    control: Control,
    vocabulary: fn() -> Vocabulary,
    bench: Option<Workbench>,
    /// The project was opened empty: all its tracks are from a score or a mix.
    may_compose: bool,
    last_report: Option<Value>,
}

impl Session {
    pub(super) fn new(serve: ServeOptions) -> Self {
        Self {
            options: serve.run,
            control: serve.control,
            vocabulary: serve.vocabulary,
            bench: None,
            may_compose: false,
            last_report: None,
        }
    }

    pub(super) fn open(
        &mut self,
        args: params::OpenProject,
        progress: Progress,
    ) -> Outcome<Opened> {
        let folder = std::path::absolute(&args.folder)
            .map_err(|error| format!("`{}`: {error}", args.folder.display()))?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(format!("`{}` cannot be an output folder", folder.display()));
        };
        let left = runner::working_copy(&folder);
        let source = match (args.project, args.stems.is_empty()) {
            (Some(_), false) => return Err("give `project` or `stems`, not both".to_owned()),
            (Some(path), true) => Source::Project(absolute(path)),
            (None, true) => left.map_or(Source::Empty, Source::Project),
            (None, false) => Source::Stems(args.stems.into_iter().map(stem).collect()),
        };
        if let Some(bpm) = args.tempo_bpm
            && !(20.0..=960.0).contains(&bpm)
        {
            return Err(format!("`tempo_bpm` {bpm} is not 20 to 960"));
        }
        let plan = ProjectPlan {
            name: name.to_string_lossy().into_owned(),
            line: 0,
            source,
            style: known_style(args.style.as_deref().unwrap_or("modern_pop"))?,
            spec: "style".to_owned(),
            tempo_bpm: args.tempo_bpm,
            render: render_options(&params::Render::default())?,
            steps: Vec::new(),
            require_roles: false,
        };
        // What can be wrong is found while the old project is still open.
        let remarks = runner::check_sources(&plan).map_err(told)?;
        runner::check_folder(parent, &plan).map_err(told)?;
        // One project at a time, and maybe in the same folder.
        if let Some(old) = self.bench.take() {
            old.finish();
        }
        self.last_report = None;
        self.may_compose = plan.source == Source::Empty;
        let opened = self.start(&plan, parent, progress)?;
        let bench = self.bench()?;
        remarks.into_iter().for_each(|text| bench.remark(text));
        Ok(opened)
    }

    /// Starts a host and opens what the plan names.
    fn start(&mut self, plan: &ProjectPlan, out: &Path, progress: Progress) -> Outcome<Opened> {
        let options = RunOptions {
            out: out.to_owned(),
            ..self.options.clone()
        };
        let threads = options.threads;
        let mut bench =
            Workbench::start(plan, &plan.name, &options, &self.control, threads).map_err(told)?;
        bench.on_progress(progress);
        let engine = bench.open().map_err(told)?;
        bench.configure_tracks().map_err(told)?;
        bench.save().map_err(told)?;
        let overview = bench.call("project_get_info", json!({})).map_err(told)?;
        let opened = Opened {
            project_file: bench.project_file().display().to_string(),
            engine,
            tracks: overview["track_count"].as_u64().unwrap_or(0),
        };
        self.bench = Some(bench);
        Ok(opened)
    }

    pub(super) fn look(&mut self) -> Outcome<Answer> {
        answer(self.command("project_get_overview", json!({}))?)
    }

    pub(super) fn configure_tracks(&mut self, args: &params::ConfigureTracks) -> Outcome<Answer> {
        answer(self.change("configure_tracks", json!({ "tracks": args.tracks }))?)
    }

    pub(super) fn compose(&mut self, args: &params::Compose, progress: Progress) -> Outcome<Done> {
        let source: compose::ScoreSource =
            toml::from_str(&args.score).map_err(|error| format!("score: {error}"))?;
        let score = compose::compile(&source).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            format!("score: {}", lines.join("; "))
        })?;
        if !self.may_compose && self.bench.is_some() {
            return Err(
                "this project was not opened empty, and composing would rename its tracks; open \
                 a new folder without `project` and `stems`"
                    .to_owned(),
            );
        }
        self.step(progress, "compose", |bench| bench.compose(&score))
    }

    pub(super) fn mix(&mut self, args: &params::Mix, progress: Progress) -> Outcome<Mixed> {
        self.restyle(args.style.as_deref())?;
        let options = MixOptions {
            roles: args.roles.clone(),
            measured: !args.fixed,
        };
        let done = self.step(progress, "mix", |bench| bench.mix(&options))?;
        let entry = self.bench()?.entry();
        Ok(Mixed {
            summary: done.summary,
            roles: entry.roles.clone(),
            unmatched: entry.unmatched.clone(),
            notes: done.notes,
        })
    }

    pub(super) fn master(
        &mut self,
        args: &params::Master,
        progress: Progress,
    ) -> Outcome<Mastered> {
        self.restyle(args.style.as_deref())?;
        let options = MasterOptions {
            target_lufs: args.target_lufs,
            ceiling_dbtp: args.ceiling_dbtp,
            ..MasterOptions::default()
        };
        let spec = match &args.spec {
            Some(spec) => known_spec(spec)?.name,
            None => "style".to_owned(),
        };
        let bench = self.bench()?;
        // The verdict of a later render goes by what the master was told.
        let mut plan = bench.plan().clone();
        plan.spec = spec;
        plan.steps = vec![job::Step::EngineMaster(options.clone())];
        bench.set_plan(plan).map_err(told)?;
        let done = self.step(progress, "master", |bench| bench.master(&options))?;
        Ok(Mastered {
            summary: done.summary,
            passes: self.bench()?.entry().master_passes.clone(),
            notes: done.notes,
        })
    }

    pub(super) fn render(
        &mut self,
        args: &params::Render,
        progress: Progress,
    ) -> Outcome<Rendered> {
        let render = render_options(args)?;
        let spec = match &args.spec {
            Some(spec) => Some(known_spec(spec)?.name),
            None => None,
        };
        let bench = self.bench()?;
        let before = bench.plan().clone();
        let mut plan = before.clone();
        plan.render = render;
        plan.spec = spec.unwrap_or(plan.spec);
        bench.set_plan(plan).map_err(told)?;
        bench.check_target().map_err(told)?;
        bench.forget_renders();
        self.step(progress, "render", |bench| {
            bench.render()?;
            bench.check()
        })?;
        let bench = self.bench()?;
        let project_file = bench.project_file();
        let out = project_file.parent().and_then(Path::parent);
        let files = bench.entry().renders.iter();
        let files = files.map(|render| checked(render, out)).collect();
        // The spec was for this render alone.
        bench.set_plan(before).map_err(told)?;
        Ok(Rendered { files })
    }

    pub(super) fn check_file(args: &params::CheckFile) -> Outcome<Checked> {
        let spec = match (&args.spec, &args.style) {
            (Some(_), Some(_)) => return Err("give `spec` or `style`, not both".to_owned()),
            (Some(spec), None) => known_spec(spec)?,
            (None, Some(style)) => {
                let name = known_style(style)?;
                let style = catalogue::find(&name).ok_or_else(|| unknown_style(&name))?;
                runner::style_spec(style, None, None)
            }
            (None, None) => Spec::default(),
        };
        let measured = qc::measure(&args.path, &[], &mut |_| ()).map_err(text)?;
        let checks = qc::judge(&measured.measurements, &measured.file, &spec, None);
        Ok(Checked {
            path: args.path.display().to_string(),
            passed: checks.iter().all(|check| check.status != Status::Failed),
            file: measured.file,
            measurements: measured.measurements,
            checks,
        })
    }

    pub(super) fn run_job(
        &mut self,
        args: &params::RunJob,
        progress: Progress,
    ) -> Outcome<JobDone> {
        let mut job = job::load(&args.job, &(self.vocabulary)())
            .map_err(|(source, found)| diag::short(&source, &found))?;
        for name in &args.only {
            let names = || job.projects.iter().map(|plan| plan.name.as_str());
            if !names().any(|known| known == name) {
                let near = diag::suggest(name, names());
                let all = names().collect::<Vec<_>>().join(", ");
                return Err(match near {
                    Some(near) => {
                        format!("the job has no project `{name}`; did you mean `{near}`?")
                    }
                    None => format!("the job has no project `{name}`; it has {all}"),
                });
            }
        }
        if !args.only.is_empty() {
            job.projects.retain(|plan| args.only.contains(&plan.name));
        }
        let out = std::path::absolute(&args.out).map_err(text)?;
        let opened = self.bench.as_ref().map(Workbench::project_file);
        let opened = opened.as_deref().and_then(Path::parent);
        if job
            .projects
            .iter()
            .any(|plan| opened == Some(&out.join(&plan.name)))
        {
            return Err(format!(
                "the open project lies in `{}`, where this job writes; give another `out`",
                out.display()
            ));
        }
        let options = RunOptions {
            out: out.clone(),
            overwrite: args.overwrite,
            ..self.options.clone()
        };
        let listener = job_progress(&job, progress);
        let report = runner::run(&job, &options, &self.control, &listener);
        report::write_all(&report, &out).map_err(text)?;
        let done = JobDone {
            outcome: report.outcome,
            projects: report
                .projects
                .iter()
                .map(|project| (project.name.clone(), project_done(project)))
                .collect(),
            out: out.display().to_string(),
        };
        self.last_report = serde_json::to_value(&report).ok();
        Ok(done)
    }

    pub(super) fn undo(&mut self, args: &params::Undo) -> Outcome<Answer> {
        let steps = args.steps.unwrap_or(1);
        if !(1..=100).contains(&steps) {
            return Err(format!("`steps` is {steps}, it must be 1 to 100"));
        }
        let bench = self.bench()?;
        let mut undo = || {
            let mut last = Value::Null;
            for _ in 0..steps {
                // A mix is many steps of the host, but one of the client's.
                last = bench
                    .call("project_undo_group", json!({}))
                    .or_else(|_| bench.call("project_undo", json!({ "steps": 1 })))?;
            }
            bench.save()?;
            Ok(last)
        };
        let undone = undo();
        answer(self.or_recover(undone)?)
    }

    pub(super) fn styles(args: &params::ListStyles) -> Outcome<Styles> {
        let style = match &args.name {
            None => None,
            Some(name) => {
                let style = catalogue::find(name).ok_or_else(|| unknown_style(name))?;
                Some(StyleFacts {
                    name: style.name.clone(),
                    integrated_lufs: style.master.integrated_lufs,
                    true_peak_max_dbtp: style.master.true_peak_max_dbtp,
                    tempo_bpm: style.tempo_bpm,
                    roles: style.roles.keys().cloned().collect(),
                })
            }
        };
        Ok(Styles {
            names: catalogue::names().map(str::to_owned).collect(),
            style,
        })
    }

    /// Content of a resource, `None` for an unknown one.
    pub(super) fn resource(&mut self, uri: &str) -> Option<Outcome<Value>> {
        match uri {
            super::server::PROJECT_URI => Some(
                self.command("project_get_info", json!({}))
                    .and_then(|mut data| {
                        data["working_copy"] = json!(self.bench()?.project_file());
                        Ok(data)
                    }),
            ),
            super::server::TRACKS_URI => Some(self.command("track_get_all", json!({}))),
            super::server::REPORT_URI => Some(match (&self.last_report, &self.bench) {
                (Some(report), _) => Ok(report.clone()),
                (None, Some(bench)) => serde_json::to_value(bench.entry()).map_err(text),
                (None, None) => Err("no job was run and no project is open".to_owned()),
            }),
            _ => None,
        }
    }

    /// Ends the host, if one runs.
    pub(super) fn close(&mut self) {
        if let Some(bench) = self.bench.take() {
            bench.finish();
        }
    }

    fn bench(&mut self) -> Outcome<&mut Workbench> {
        self.bench
            .as_mut()
            .ok_or_else(|| "no project is open; call `open_project` first".to_owned())
    }

    fn restyle(&mut self, style: Option<&str>) -> Outcome<()> {
        let Some(style) = style else { return Ok(()) };
        let style = known_style(style)?;
        let bench = self.bench()?;
        let mut plan = bench.plan().clone();
        plan.style = style;
        bench.set_plan(plan).map_err(told)
    }

    /// One bridge command that changes nothing.
    fn command(&mut self, name: &str, params: Value) -> Outcome<Value> {
        let result = self.bench()?.call(name, params);
        self.or_recover(result)
    }

    /// One bridge command, and the project is saved.
    fn change(&mut self, name: &str, params: Value) -> Outcome<Value> {
        let bench = self.bench()?;
        let result = bench
            .call(name, params)
            .and_then(|data| bench.save().map(|_| data));
        self.or_recover(result)
    }

    /// A step of a job, which `undo` takes back as one; the project is saved.
    fn step(
        &mut self,
        progress: Progress,
        name: &str,
        work: impl FnOnce(&mut Workbench) -> Result<String, StepError>,
    ) -> Outcome<Done> {
        let bench = self.bench()?;
        bench.on_progress(progress);
        let notes = bench.entry().notes.len();
        let grouped = |bench: &mut Workbench| {
            bench.call("undo_group_begin", json!({ "name": name }))?;
            let result = work(bench);
            let ended = bench.call("undo_group_end", json!({}));
            let summary = result?;
            ended?;
            Ok(summary)
        };
        let result = grouped(bench).and_then(|summary| bench.save().map(|_| summary));
        let notes = bench.entry().notes[notes..].to_vec();
        let summary = self.or_recover(result)?;
        // The report resource is the project's from here on.
        self.last_report = None;
        Ok(Done { summary, notes })
    }

    /// After a failure that leaves the host in an unknown state, such as in
    /// the middle of a render that was cancelled, the last saved state of the
    /// project is opened on a new host.
    fn or_recover<T>(&mut self, result: Result<T, StepError>) -> Outcome<T> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let message = told(&error);
        if !error.host_is_unusable() {
            return Err(message);
        }
        let Some(bench) = self.bench.take() else {
            return Err(message);
        };
        let mut plan = bench.plan().clone();
        let file = bench.project_file();
        // Dropping does not ask a busy host first.
        drop(bench);
        self.control.reset();
        plan.source = Source::Project(file.clone());
        plan.tempo_bpm = None;
        let out = file.parent().and_then(Path::parent).unwrap_or(&file);
        Err(match self.start(&plan, out, Box::new(|_, _| ())) {
            Ok(_) => format!("{message}; the project is as it was before this call"),
            Err(again) => format!("{message}; the project was closed, since {again}"),
        })
    }
}

/// The message of a failed step, in terms of the tools' arguments.
fn told(error: impl std::borrow::Borrow<StepError>) -> String {
    match error.borrow() {
        StepError::MediaGone { path } => format!("there is no file `{}`", path.display()),
        StepError::ForeignFolder { path } => format!(
            "`{}` holds files that this program did not write; choose another folder",
            path.display()
        ),
        StepError::FolderInUse { path } => format!(
            "another run is writing to `{}`; wait for it, or choose another folder",
            path.display()
        ),
        StepError::TargetExists { path } => format!(
            "`{}` exists already; choose another `pattern` or set `overwrite`",
            path.display()
        ),
        error => error.to_string(),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn answer(data: Value) -> Outcome<Answer> {
    match data {
        Value::Object(map) => Ok(Answer {
            data: map.into_iter().collect(),
        }),
        other => Err(format!("the bridge answered {other} instead of an object")),
    }
}

fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn stem(file: PathBuf) -> Stem {
    Stem {
        track: file
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        file: absolute(file),
    }
}

fn known_style(name: &str) -> Outcome<String> {
    catalogue::find(name)
        .map(|style| style.name.clone())
        .ok_or_else(|| unknown_style(name))
}

fn unknown_style(name: &str) -> String {
    let part = || catalogue::names().find(|known| known.contains(name));
    match catalogue::nearest(name).or_else(part) {
        Some(near) => format!("there is no style `{name}`; did you mean `{near}`?"),
        None => format!("there is no style `{name}`; `list_styles` names all"),
    }
}

fn known_spec(name: &str) -> Outcome<Spec> {
    qc::specs::find(name).ok_or_else(|| match qc::specs::nearest(name) {
        Some(near) => format!("there is no spec `{name}`; did you mean `{near}`?"),
        None => format!("there is no spec `{name}`"),
    })
}

fn render_options(args: &params::Render) -> Outcome<RenderOptions> {
    let format = match args.format {
        Some(params::Format::Flac) => Format::Flac,
        Some(params::Format::Wav) | None => Format::Wav,
    };
    let bit_depth = match (args.bit_depth, format) {
        (Some(16), _) => BitDepth::Int16,
        (Some(24) | None, _) => BitDepth::Int24,
        (Some(32), Format::Wav) => BitDepth::Float32,
        (Some(32), Format::Flac) => return Err("FLAC holds 16 or 24 bit, not 32".to_owned()),
        (Some(other), _) => return Err(format!("bit depth {other} is not 16, 24 or 32")),
    };
    let sample_rate_hz = args.sample_rate.unwrap_or(48_000);
    if !(8_000..=384_000).contains(&sample_rate_hz) {
        return Err(format!(
            "sample rate {sample_rate_hz} is not 8000 to 384000 Hz"
        ));
    }
    let tail_s = args.tail_s.unwrap_or(1.0);
    if !(0.0..=600.0).contains(&tail_s) {
        return Err(format!("`tail_s` {tail_s} is not 0 to 600"));
    }
    Ok(RenderOptions {
        format,
        bit_depth,
        sample_rate_hz,
        pattern: args
            .pattern
            .clone()
            .unwrap_or_else(|| "$project".to_owned()),
        tail_s,
        stems: args.stems,
        overwrite: args.overwrite,
    })
}

/// A render of the report, whose paths are relative to `out`.
fn checked(render: &report::Render, out: Option<&Path>) -> Checked {
    let path = out.map_or_else(|| PathBuf::from(&render.path), |out| out.join(&render.path));
    Checked {
        path: path.display().to_string(),
        passed: render
            .checks
            .iter()
            .all(|check| check.status != Status::Failed),
        file: render.file.clone(),
        measurements: render.measurements.clone(),
        checks: render.checks.clone(),
    }
}

fn project_done(project: &report::Project) -> ProjectDone {
    let failed = project.renders.iter().flat_map(|render| {
        let regions = render.regions.iter().flat_map(|region| &region.findings);
        let all = render.checks.iter().chain(regions);
        all.filter(|check| check.status == Status::Failed)
    });
    ProjectDone {
        outcome: project.outcome,
        error: project.error.as_ref().map(|error| error.message.clone()),
        failed: failed.map(|check| check.message.clone()).collect(),
    }
}

/// Progress of a whole job: the mean of its projects, each by its steps.
fn job_progress(job: &job::Job, progress: Progress) -> Listener {
    // Opening and saving are steps of their own.
    let steps = job.projects.iter();
    let steps: BTreeMap<String, f64> = steps
        .map(|plan| (plan.name.clone(), plan.steps.len() as f64 + 2.0))
        .collect();
    let done: BTreeMap<String, f64> = BTreeMap::new();
    let state = Mutex::new((done, 0.0_f64, progress));
    Arc::new(move |event| {
        let Ok(mut guard) = state.lock() else { return };
        let (done, shown, progress) = &mut *guard;
        let share = |project: &String| steps.get(project).map_or(0.0, |count| 1.0 / count);
        let (detail, within) = match event {
            Event::StepStarted { project, step } => (format!("{project}: {step}"), 0.0),
            Event::StepProgress {
                project,
                step,
                fraction,
                ..
            } => (format!("{project}: {step}"), fraction * share(&project)),
            Event::StepFinished { project, step, .. } => {
                *done.entry(project.clone()).or_default() += share(&project);
                (format!("{project}: {step}"), 0.0)
            }
            Event::ProjectFinished { project } => {
                done.insert(project.name.clone(), 1.0);
                (project.name.clone(), 0.0)
            }
            _ => return,
        };
        let sum = done.values().sum::<f64>() + within;
        // A step of several renders begins anew; progress does not.
        *shown = shown.max(sum / steps.len() as f64);
        progress(*shown, &detail);
    })
}
