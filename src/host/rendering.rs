//! Action 42230: render by the project's settings, and say how far it is.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::render::{self, PlanInputs, RenderPlan, RenderedFile, RunOptions};

use super::lua::Fail;
use super::state::Host;

/// Least time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

impl Host {
    /// Renders all targets. Existing files are replaced when the new ones are
    /// complete; a failure leaves them as they are and is an error, where
    /// REAPER would show a dialog.
    pub(super) fn render(&mut self) -> Result<(), Fail> {
        let plan = self.plan()?;
        let folder = self.project_folder();
        let files: Vec<&Path> = plan.paths().collect();
        for folder in files.iter().filter_map(|file| file.parent()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                Fail::Other(format!("cannot make `{}`: {error}", folder.display()))
            })?;
        }
        let cancel = Arc::clone(&self.end_renders);
        let progress = Progress::new(self.ipc.as_deref(), files.first().copied());
        let rendered = render::run(
            &self.project,
            &plan,
            &RunOptions {
                threads: self.threads,
                overwrite: true,
                cancel: &cancel,
                progress: &|fraction| progress.report(fraction),
                segment_frames: 0,
                premix_cache: self.premix_cache.as_deref(),
                folder: &folder,
            },
        );
        progress.end();
        let rendered = rendered.map_err(|error| Fail::Other(error.to_string()))?;
        self.render_stats = stats(&rendered);
        Ok(())
    }

    /// `RENDER_TARGETS`: what a render would write, separated by semicolons.
    pub(super) fn render_targets(&self) -> Result<String, Fail> {
        let plan = self.plan()?;
        let paths: Vec<String> = plan
            .paths()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        Ok(paths.join(";"))
    }

    fn plan(&self) -> Result<RenderPlan, Fail> {
        let inputs = PlanInputs {
            project_name: "untitled",
            folder: &self.project_folder(),
        };
        render::plan(&self.project, &inputs).map_err(|error| Fail::Other(error.to_string()))
    }
}

/// `RENDER_STATS`: one record after the other, each starting with its file.
fn stats(files: &[RenderedFile]) -> String {
    let records: Vec<String> = files
        .iter()
        .map(|file| {
            let peak_db = if file.peak > 0.0 {
                format!("{:.2}", 20.0 * file.peak.log10())
            } else {
                "-inf".to_owned()
            };
            let rate = u64::from(file.sample_rate_hz.max(1));
            let ms = file.frames * 1000 / rate;
            format!(
                "FILE:{};PEAK:{peak_db};CLIP:{};LENGTH:{}:{:02}:{:02}.{:03}",
                file.path.display(),
                file.clipped_samples,
                ms / 3_600_000,
                ms / 60_000 % 60,
                ms / 1000 % 60,
                ms % 1000
            )
        })
        .collect();
    records.join(";")
}

/// `host_progress.json` in the bridge's folder, where there is one.
struct Progress<'a> {
    ipc: Option<&'a Path>,
    file: Option<&'a Path>,
    last: Mutex<Option<Instant>>,
}

const PROGRESS_FILE: &str = "host_progress.json";

impl<'a> Progress<'a> {
    fn new(ipc: Option<&'a Path>, file: Option<&'a Path>) -> Self {
        Self {
            ipc,
            file,
            last: Mutex::new(None),
        }
    }

    fn report(&self, fraction: f64) {
        let (Some(ipc), Ok(mut last)) = (self.ipc, self.last.lock()) else {
            return;
        };
        if last.is_some_and(|last| last.elapsed() < PROGRESS_INTERVAL) {
            return;
        }
        *last = Some(Instant::now());
        let text = serde_json::json!({
            "progress": fraction,
            "stage": "rendering",
            "file": self.file.map(|file| file.to_string_lossy()),
        })
        .to_string();
        // Progress is a courtesy; a render does not fail for it.
        if let Err(error) = crate::files::exchange(&ipc.join(PROGRESS_FILE), text.as_bytes()) {
            tracing::debug!("cannot report progress: {error}");
        }
    }

    /// Nothing renders any more.
    fn end(&self) {
        if let Some(ipc) = self.ipc {
            // It is not there when the render was short.
            let _ = std::fs::remove_file(ipc.join(PROGRESS_FILE));
        }
    }
}
