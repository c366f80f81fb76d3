//! What the server holds between calls. Everything here blocks.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::params;
use super::results::{
    Answer, Checked, Done, JobDone, Mastered, Mixed, Opened, Rendered, StyleFacts, Styles,
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
use crate::runner::{self, Control, Event, Listener, RunOptions, Workbench};

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
    last_report: Option<Value>,
}

impl Session {
    pub(super) fn new(serve: ServeOptions) -> Self {
        Self {
            options: serve.run,
            control: serve.control,
            vocabulary: serve.vocabulary,
            bench: None,
            last_report: None,
        }
    }

    pub(super) fn open(
        &mut self,
        args: params::OpenProject,
        progress: Progress,
    ) -> Outcome<Opened> {
        let source = match (args.project, args.stems.is_empty()) {
            (Some(_), false) => return Err("give `project` or `stems`, not both".to_owned()),
            (Some(path), true) => Source::Project(path),
            (None, true) => Source::Empty,
            (None, false) => Source::Stems(args.stems.into_iter().map(stem).collect()),
        };
        let folder = std::path::absolute(&args.folder)
            .map_err(|error| format!("`{}`: {error}", args.folder.display()))?;
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(format!("`{}` cannot be an output folder", folder.display()));
        };
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
        // One project at a time: the old host goes first.
        if let Some(old) = self.bench.take() {
            old.finish();
        }
        let options = RunOptions {
            out: parent.to_owned(),
            ..self.options.clone()
        };
        let threads = options.threads;
        let mut bench =
            Workbench::start(&plan, &plan.name, &options, &self.control, threads).map_err(text)?;
        bench.on_progress(progress);
        let engine = bench.open().map_err(text)?;
        bench.configure_tracks().map_err(text)?;
        bench.save().map_err(text)?;
        let overview = bench
            .call("project_get_overview", json!({}))
            .map_err(text)?;
        let opened = Opened {
            project_file: bench.project_file().display().to_string(),
            engine,
            tracks: overview["track_count"].as_u64().unwrap_or(0),
        };
        self.bench = Some(bench);
        Ok(opened)
    }

    pub(super) fn look(&mut self) -> Outcome<Answer> {
        let data = self
            .bench()?
            .call("project_get_overview", json!({}))
            .map_err(text)?;
        answer(data)
    }

    pub(super) fn configure_tracks(&mut self, args: &params::ConfigureTracks) -> Outcome<Answer> {
        let bench = self.bench()?;
        let data = bench
            .call("configure_tracks", json!({ "tracks": args.tracks }))
            .map_err(text)?;
        bench.save().map_err(text)?;
        answer(data)
    }

    pub(super) fn compose(&mut self, args: &params::Compose, progress: Progress) -> Outcome<Done> {
        let source: compose::ScoreSource =
            toml::from_str(&args.score).map_err(|error| format!("score: {error}"))?;
        let score = compose::compile(&source).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            format!("score: {}", lines.join("; "))
        })?;
        self.step(progress, |bench| bench.compose(&score))
    }

    pub(super) fn mix(&mut self, args: &params::Mix, progress: Progress) -> Outcome<Mixed> {
        self.restyle(args.style.as_deref())?;
        let options = MixOptions {
            roles: args.roles.clone(),
            measured: !args.fixed,
        };
        let done = self.step(progress, |bench| bench.mix(&options))?;
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
        let bench = self.bench()?;
        // The verdict of a later render goes by what the master was told.
        let mut plan = bench.plan().clone();
        plan.steps = vec![job::Step::EngineMaster(options.clone())];
        bench.set_plan(plan).map_err(text)?;
        let done = self.step(progress, |bench| bench.master(&options))?;
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
        let bench = self.bench()?;
        let mut plan = bench.plan().clone();
        plan.render = render;
        if let Some(spec) = &args.spec {
            plan.spec = known_spec(spec)?.name;
        }
        bench.set_plan(plan).map_err(text)?;
        let before = bench.entry().renders.len();
        self.step(progress, |bench| {
            bench.forget_renders();
            bench.render()?;
            bench.check()
        })?;
        let renders = &self.bench()?.entry().renders;
        Ok(Rendered {
            files: renders[before.min(renders.len())..]
                .iter()
                .map(checked)
                .collect(),
        })
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
        if !args.only.is_empty() {
            job.projects.retain(|plan| args.only.contains(&plan.name));
        }
        if job.projects.is_empty() {
            return Err("the job has no such project".to_owned());
        }
        let out = std::path::absolute(&args.out).map_err(text)?;
        let options = RunOptions {
            out: out.clone(),
            overwrite: args.overwrite,
            ..self.options.clone()
        };
        let listener = job_progress(job.projects.len(), progress);
        let report = runner::run(&job, &options, &self.control, &listener);
        report::write_all(&report, &out).map_err(text)?;
        let done = JobDone {
            outcome: report.outcome,
            projects: report
                .projects
                .iter()
                .map(|project| (project.name.clone(), project.outcome))
                .collect(),
            out: out.display().to_string(),
        };
        self.last_report = serde_json::to_value(&report).ok();
        Ok(done)
    }

    pub(super) fn undo(&mut self, args: &params::Undo) -> Outcome<Answer> {
        let steps = args.steps.unwrap_or(1);
        let bench = self.bench()?;
        let data = bench
            .call("project_undo", json!({ "steps": steps }))
            .map_err(text)?;
        bench.save().map_err(text)?;
        answer(data)
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
            super::server::PROJECT_URI => Some(self.bench().and_then(|bench| {
                let mut data = bench.call("project_get_info", json!({})).map_err(text)?;
                data["working_copy"] = json!(bench.project_file());
                Ok(data)
            })),
            super::server::TRACKS_URI => Some(
                self.bench()
                    .and_then(|bench| bench.call("track_get_all", json!({})).map_err(text)),
            ),
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
        bench.set_plan(plan).map_err(text)
    }

    fn step(
        &mut self,
        progress: Progress,
        work: impl FnOnce(&mut Workbench) -> Result<String, runner::StepError>,
    ) -> Outcome<Done> {
        let bench = self.bench()?;
        bench.on_progress(progress);
        let notes = bench.entry().notes.len();
        let summary = work(bench).map_err(text)?;
        bench.save().map_err(text)?;
        Ok(Done {
            summary,
            notes: bench.entry().notes[notes..].to_vec(),
        })
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

fn stem(file: PathBuf) -> Stem {
    Stem {
        track: file
            .file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        file: std::path::absolute(&file).unwrap_or(file),
    }
}

fn known_style(name: &str) -> Outcome<String> {
    catalogue::find(name)
        .map(|style| style.name.clone())
        .ok_or_else(|| unknown_style(name))
}

fn unknown_style(name: &str) -> String {
    match catalogue::nearest(name) {
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
    Ok(RenderOptions {
        format,
        bit_depth,
        sample_rate_hz,
        pattern: args
            .pattern
            .clone()
            .unwrap_or_else(|| "$project".to_owned()),
        tail_s: args.tail_s.unwrap_or(0.0).clamp(0.0, 600.0),
        stems: args.stems,
        overwrite: args.overwrite,
    })
}

fn checked(render: &report::Render) -> Checked {
    Checked {
        path: render.path.clone(),
        passed: render
            .checks
            .iter()
            .all(|check| check.status != Status::Failed),
        file: render.file.clone(),
        measurements: render.measurements.clone(),
        checks: render.checks.clone(),
    }
}

/// Progress of a whole job: projects done, and the fraction of those under way.
fn job_progress(projects: usize, progress: Progress) -> Listener {
    let state = std::sync::Mutex::new((0usize, progress));
    std::sync::Arc::new(move |event| {
        let Ok(mut guard) = state.lock() else { return };
        let (done, progress) = &mut *guard;
        let count = projects.max(1) as f64;
        match event {
            Event::ProjectFinished { project } => {
                *done += 1;
                progress(*done as f64 / count, &project.name);
            }
            Event::StepStarted { project, step } => {
                progress(*done as f64 / count, &format!("{project}: {step}"));
            }
            _ => {}
        }
    })
}
