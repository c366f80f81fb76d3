//! Runs a plan: builds the engine of each pass and streams it into files.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::project::Project;

use super::{RenderError, RenderPlan, TargetSource};

/// How a plan is run. Nothing here changes the bytes of a file.
pub struct RunOptions<'a> {
    /// Worker threads; 0 is one per core.
    pub threads: usize,
    /// Replace targets that exist.
    pub overwrite: bool,
    /// Set by another thread to stop; the render ends within one segment.
    pub cancel: &'a AtomicBool,
    /// Told how far the render is, 0 to 1, in rising order from one thread.
    pub progress: &'a (dyn Fn(f64) + Sync),
    /// Frames per segment, rounded up to whole blocks; 0 is the default of 4096.
    pub segment_frames: usize,
    /// Folder of the project, for media with relative paths; `None` takes the
    /// folder of [`crate::project::Settings::path`].
    pub project_folder: Option<&'a Path>,
}

/// A file that a render has written.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderedFile {
    pub path: PathBuf,
    pub source: TargetSource,
    pub sample_rate_hz: u32,
    pub channels: u32,
    /// Frames per channel in the file.
    pub frames: u64,
    /// Samples beyond full scale that a fixed-point file could not hold.
    pub clipped_samples: u64,
    /// Largest absolute sample before conversion to the file's format.
    pub peak: f64,
}

/// Renders all targets of a plan. Files appear under their names only when
/// they are complete.
///
/// # Errors
///
/// See [`RenderError`]; nothing is left behind.
pub fn run(
    project: &Project,
    plan: &RenderPlan,
    options: RunOptions<'_>,
) -> Result<Vec<RenderedFile>, RenderError> {
    let _ = (project, options);
    Err(RenderError::Unsupported {
        what: format!("rendering of {} passes", plan.passes.len()),
        place: "not built yet".to_owned(),
    })
}
