//! A project on a running host: what a batch run and an interactive session
//! both work with. The steps themselves are in `steps`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::folder::{ProjectFolder, known_target};
use super::journal::{Journal, Recorded};
use super::{Control, RunOptions, StepError, project, targets};
use crate::bridge::{self, Hello, OnProgress};
use crate::engine::{Engine, Host, LaunchOptions, Worker};
use crate::job::ProjectPlan;
use crate::mix::Style;
use crate::report::{self, EngineKind, EngineRef, Outcome};

/// A host that shows no sign of life for so long is taken for frozen. REAPER
/// ticks thirty times a second; the embedded host tells ten times a second how
/// far a render is.
const FROZEN_AFTER: Duration = Duration::from_secs(30);

/// Longest render or save.
const LONG_TIMEOUT: Duration = Duration::from_secs(3600);

/// What every report by the embedded engine says.
const APPROXIMATION: &str = "effects and instruments are models of REAPER's and sound only nearly \
     like them; docs/fx-models.md tells for each what is measured and what is a guess";

/// One project on its own host process. Dropping it ends the host and removes
/// the scratch folder; what was saved and rendered stays.
pub struct Workbench {
    pub(super) plan: ProjectPlan,
    pub(super) style: Option<Style>,
    /// Name of the job, for file names.
    pub(super) job: String,
    pub(super) folder: ProjectFolder,
    pub(super) overwrite: bool,
    pub(super) journal: Journal,
    pub(super) entry: report::Project,
    /// Files under their final names, mix first.
    pub(super) rendered: Vec<PathBuf>,
    // Order of dropping: the host must be gone before its folder is.
    pub(super) host: Host,
    worker: Worker,
    pub(super) cancel: Arc<AtomicBool>,
}

impl Workbench {
    /// Takes an output folder and starts a host. Nothing is opened yet.
    ///
    /// # Errors
    ///
    /// The style is unknown, the output folder is somebody else's, or the
    /// host does not start; nothing is left running then.
    pub fn start(
        plan: &ProjectPlan,
        job: &str,
        options: &RunOptions,
        control: &Control,
        threads: usize,
    ) -> Result<Self, StepError> {
        let style = targets::style(plan)?;
        let folder = ProjectFolder::create(&options.out, plan)?;
        let worker = Worker::create(&folder.work(), options.user_resources.as_deref())
            .map_err(StepError::io("cannot prepare", folder.work()))?;
        let journal = Journal::create(&folder.journal())?;
        let mut host = launch(options, control, threads, &worker, &folder.engine_log())?;
        let mut entry = project::blank(plan, Outcome::Passed);
        entry.engine = Some(EngineRef {
            kind: match options.engine {
                Engine::Embedded { .. } => EngineKind::Embedded,
                Engine::Reaper { .. } => EngineKind::Reaper,
            },
            version: host.client().hello().host_version.clone(),
            approximation: match options.engine {
                Engine::Embedded { .. } => Some(APPROXIMATION.to_owned()),
                Engine::Reaper { .. } => None,
            },
        });
        Ok(Self {
            style,
            folder,
            overwrite: plan.render.overwrite || options.overwrite,
            journal,
            entry,
            rendered: Vec::new(),
            host,
            worker,
            cancel: control.flag(),
            plan: plan.clone(),
            job: job.to_owned(),
        })
    }

    /// What the next steps go by: style, spec, render options.
    pub fn set_plan(&mut self, plan: ProjectPlan) -> Result<(), StepError> {
        self.style = targets::style(&plan)?;
        self.overwrite = plan.render.overwrite;
        self.entry.style.clone_from(&plan.style);
        self.entry.spec.clone_from(&plan.spec);
        self.plan = plan;
        Ok(())
    }

    pub fn plan(&self) -> &ProjectPlan {
        &self.plan
    }

    /// What is known of the project so far.
    pub fn entry(&self) -> &report::Project {
        &self.entry
    }

    /// Adds a remark to the entry.
    pub fn remark(&mut self, text: String) {
        self.entry.notes.push(text);
    }

    /// Leaves earlier renders out of the next check and of the entry.
    pub fn forget_renders(&mut self) {
        self.rendered.clear();
        self.entry.renders.clear();
    }

    /// Finds an existing target before a render, where its name is known.
    ///
    /// # Errors
    ///
    /// The target exists and may not be replaced.
    pub fn check_target(&self) -> Result<(), StepError> {
        let out = self.folder.root.parent().unwrap_or(&self.folder.root);
        match known_target(out, &self.plan, &self.job) {
            Some(path) if !self.overwrite && path.exists() => Err(StepError::TargetExists { path }),
            _ => Ok(()),
        }
    }

    /// Working copy of the project.
    pub fn project_file(&self) -> PathBuf {
        self.folder.project()
    }

    /// Whom to tell of progress from now on.
    pub fn on_progress(&mut self, receiver: OnProgress) {
        self.host.client().set_on_progress(Some(receiver));
    }

    /// Ends the host and returns the entry.
    pub fn finish(self) -> report::Project {
        let Self {
            host,
            worker,
            entry,
            cancel,
            ..
        } = self;
        host.stop(cancel.load(Ordering::Relaxed));
        drop(worker);
        entry
    }

    pub(super) fn hello(&mut self) -> Hello {
        self.host.client().hello().clone()
    }

    pub(super) fn bridge(&mut self) -> Recorded<'_> {
        Recorded {
            client: self.host.client(),
            journal: &mut self.journal,
        }
    }

    /// The project while it is worked on; it gets its place when it is saved.
    pub(super) fn draft(&self) -> PathBuf {
        self.worker.drafts().join("project.rpp")
    }

    /// Scratch folder for renders.
    pub(super) fn renders(&self) -> PathBuf {
        self.worker.renders()
    }
}

fn launch(
    options: &RunOptions,
    control: &Control,
    threads: usize,
    worker: &Worker,
    log: &Path,
) -> Result<Host, StepError> {
    if log.exists() {
        std::fs::remove_file(log).map_err(StepError::io("cannot replace", log))?;
    }
    let embedded = matches!(options.engine, Engine::Embedded { .. });
    let host =
        Host::start(
            &options.engine,
            worker,
            control.hosts(),
            LaunchOptions {
                project: None,
                threads,
                log,
                client: bridge::Options {
                    start_timeout: (options.limits.start)
                        .unwrap_or(Duration::from_secs(if embedded { 30 } else { 120 })),
                    long_timeout: LONG_TIMEOUT,
                    frozen_after: options.limits.frozen.unwrap_or(FROZEN_AFTER),
                    tells_progress: embedded,
                    cancel: control.flag(),
                    ..bridge::Options::default()
                },
            },
        )?;
    Ok(host)
}
