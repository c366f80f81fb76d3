//! Runs a plan: builds the engine of each pass and streams it into files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::audio::{WriteError, WriteSpec, Writer};
use crate::fx::BLOCK;
use crate::project::Project;

use super::engine::{Engine, EngineSetup, Outlet, Ring};
use super::media::Library;
use super::{Pass, RenderError, RenderPlan, Target, TargetSource};

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
    /// Where relative media start from while the project has no file.
    pub folder: &'a Path,
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

/// Frames per segment unless asked otherwise: long enough that a step costs
/// little, short enough that the segments in flight stay in the cache.
const SEGMENT_FRAMES: usize = 4096;
const MAX_SEGMENT_FRAMES: usize = 1 << 16;

/// Renders all targets of a plan. Files appear under their names only when
/// all of them are complete.
///
/// # Errors
///
/// See [`RenderError`]; no file is left behind.
pub fn run(
    project: &Project,
    plan: &RenderPlan,
    options: &RunOptions<'_>,
) -> Result<Vec<RenderedFile>, RenderError> {
    if project.settings.play_rate != 1.0 {
        return Err(RenderError::Unsupported {
            what: format!("project play rate {}", project.settings.play_rate),
            place: "project settings".to_owned(),
        });
    }
    if !options.overwrite
        && let Some(path) = plan.paths().find(|path| path.symlink_metadata().is_ok())
    {
        return Err(RenderError::TargetExists {
            path: path.to_owned(),
        });
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RenderError::Threads {
            threads: options.threads,
            reason: error.to_string(),
        })?;
    pool.install(|| run_passes(project, plan, options))
}

fn run_passes(
    project: &Project,
    plan: &RenderPlan,
    options: &RunOptions<'_>,
) -> Result<Vec<RenderedFile>, RenderError> {
    let total: u64 = plan.passes.iter().map(|pass| pass.frames).sum();
    let mut library = Library::default();
    let mut targets = Vec::new();
    let mut done = 0;
    for pass in &plan.passes {
        let progress = |frames: u64| {
            let share = (done + frames.min(pass.frames)) as f64 / total.max(1) as f64;
            (options.progress)(share);
        };
        targets.extend(run_pass(
            project,
            plan,
            pass,
            options,
            &mut library,
            &progress,
        )?);
        done += pass.frames;
    }
    finish(targets)
}

fn run_pass(
    project: &Project,
    plan: &RenderPlan,
    pass: &Pass,
    options: &RunOptions<'_>,
    library: &mut Library,
    progress: &dyn Fn(u64),
) -> Result<Vec<TargetRun>, RenderError> {
    let segment_frames = match options.segment_frames {
        0 => SEGMENT_FRAMES,
        frames => frames.clamp(1, MAX_SEGMENT_FRAMES).next_multiple_of(BLOCK),
    };
    let project_folder = project.settings.path.as_deref().and_then(Path::parent);
    let mut engine = Engine::new(
        &EngineSetup {
            project,
            pass,
            sample_rate_hz: plan.sample_rate_hz,
            folder: project_folder.unwrap_or(options.folder),
            segment_frames,
        },
        library,
    )?;
    let mut targets = pass
        .targets
        .iter()
        .map(|target| {
            let outlet = engine.outlet(project, target.source);
            TargetRun::new(
                target,
                outlet,
                plan,
                pass,
                segment_frames,
                options.overwrite,
            )
        })
        .collect::<Result<Vec<_>, _>>()?;
    let latest = targets.iter().map(|target| target.skip).max().unwrap_or(0);
    let segments = (pass.frames + latest).div_ceil(segment_frames as u64) as usize;
    // Files are written one step after the last level.
    let steps = segments + engine.max_level + 1;
    for step in 0..steps {
        if options.cancel.load(Ordering::Relaxed) {
            return Err(RenderError::Cancelled);
        }
        let write = |ring: &Ring| {
            targets
                .par_iter_mut()
                .with_max_len(1)
                .try_for_each(|target| target.write(step, ring))
        };
        engine.step(step, segments, write)??;
        progress(((step + 1) * segment_frames) as u64);
    }
    Ok(targets)
}

/// Gives all files their names; takes back what is there when one fails.
fn finish(targets: Vec<TargetRun>) -> Result<Vec<RenderedFile>, RenderError> {
    let mut files: Vec<RenderedFile> = Vec::with_capacity(targets.len());
    for target in targets {
        let file = target.rendered();
        if let Err(error) = target.writer.finish() {
            for done in &files {
                // The first failure is the one to report.
                let _ = std::fs::remove_file(&done.path);
            }
            return Err(write_error(&file.path, error));
        }
        files.push(file);
    }
    Ok(files)
}

/// A file under construction.
struct TargetRun {
    target: Target,
    sample_rate_hz: u32,
    /// `None` is a silent track.
    outlet: Option<Outlet>,
    writer: Writer,
    /// Frames of latency still to drop.
    skip: u64,
    /// Frames still to write.
    left: u64,
    /// One vector a channel; never grows past a segment.
    channels: Vec<Vec<f64>>,
    segment_frames: usize,
    peak: f64,
}

impl TargetRun {
    fn new(
        target: &Target,
        outlet: Option<Outlet>,
        plan: &RenderPlan,
        pass: &Pass,
        segment_frames: usize,
        overwrite: bool,
    ) -> Result<Self, RenderError> {
        if let Some(folder) = target.path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| RenderError::Write {
                path: folder.to_owned(),
                reason: error.to_string(),
            })?;
        }
        let channels = target.channels as usize;
        let spec = WriteSpec {
            format: plan.format.kind,
            bit_depth: plan.format.bit_depth,
            sample_rate_hz: plan.sample_rate_hz,
            channels,
        };
        Ok(Self {
            sample_rate_hz: plan.sample_rate_hz,
            outlet,
            writer: Writer::create(&target.path, spec, overwrite)
                .map_err(|error| write_error(&target.path, error))?,
            skip: outlet.map_or(0, |outlet| outlet.latency),
            left: pass.frames,
            channels: vec![Vec::with_capacity(segment_frames); channels],
            segment_frames,
            peak: 0.0,
            target: target.clone(),
        })
    }

    /// Writes the segment that the step before has finished.
    fn write(&mut self, step: usize, ring: &Ring) -> Result<(), RenderError> {
        let level = self.outlet.map_or(0, |outlet| outlet.level);
        if step <= level || self.left == 0 {
            return Ok(());
        }
        let from = self.skip.min(self.segment_frames as u64) as usize;
        self.skip -= from as u64;
        let count = ((self.segment_frames - from) as u64).min(self.left) as usize;
        if count == 0 {
            return Ok(());
        }
        self.left -= count as u64;
        let source = self
            .outlet
            .map(|outlet| &ring[(step - 1) % ring.len()][outlet.bundle][outlet.slot][outlet.tap]);
        let mono = self.channels.len() == 1;
        for (index, channel) in self.channels.iter_mut().enumerate() {
            channel.clear();
            match source.and_then(|pairs| pairs.get(index / 2)) {
                // A mono file is the mean of both sides.
                Some(pair) if mono => {
                    let frames = pair[from..from + count].iter();
                    channel.extend(frames.map(|frame| 0.5 * (frame[0] + frame[1])));
                }
                Some(pair) => {
                    let frames = pair[from..from + count].iter();
                    channel.extend(frames.map(|frame| frame[index % 2]));
                }
                None => channel.resize(count, 0.0),
            }
            self.peak = channel.iter().fold(self.peak, |peak, x| peak.max(x.abs()));
        }
        self.writer
            .write(&self.channels)
            .map_err(|error| write_error(&self.target.path, error))
    }

    fn rendered(&self) -> RenderedFile {
        RenderedFile {
            path: self.target.path.clone(),
            source: self.target.source,
            sample_rate_hz: self.sample_rate_hz,
            channels: self.target.channels,
            frames: self.writer.frames(),
            clipped_samples: self.writer.clipped_samples(),
            peak: self.peak,
        }
    }
}

fn write_error(path: &Path, error: WriteError) -> RenderError {
    match error {
        WriteError::Exists { path } => RenderError::TargetExists { path },
        WriteError::DiskFull { path } => RenderError::DiskFull { path },
        error => RenderError::Write {
            path: path.to_owned(),
            reason: error.to_string(),
        },
    }
}
