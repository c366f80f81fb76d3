//! From render settings to a plan: bounds, targets, format. Pure, reads no
//! file and no clock.

use std::path::{Path, PathBuf};

use crate::project::{Project, RenderSettings, Track};

use super::names::{self, NameContext};
use super::{RenderError, RenderFormat};

/// What a plan needs beside the project.
#[derive(Debug, Clone, Copy)]
pub struct PlanInputs<'a> {
    /// `$project` while the project has no file.
    pub project_name: &'a str,
    /// Folder that a relative `RENDER_FILE` and relative media start from,
    /// while the project has no file.
    pub folder: &'a Path,
}

/// Everything that is decided before the first sample.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderPlan {
    pub sample_rate_hz: u32,
    pub format: RenderFormat,
    /// One pass through the project a range, in time order.
    pub passes: Vec<Pass>,
}

/// A range of the project and the files made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// First frame on the project's time line at the render rate.
    pub start_frame: u64,
    /// Frames per file, tail included.
    pub frames: u64,
    /// Frames of `frames` after the end of the range; items are silent there.
    pub tail_frames: u64,
    pub targets: Vec<Target>,
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub path: PathBuf,
    pub source: TargetSource,
    pub channels: u32,
}

/// Where a target listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSource {
    /// The master after its fader.
    Master,
    /// A track by index after its fader, receives included.
    Track(usize),
    /// The same before its fader.
    TrackPreFader(usize),
}

impl RenderPlan {
    /// Paths of all targets in the order of `RENDER_TARGETS`.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.passes
            .iter()
            .flat_map(|pass| pass.targets.iter().map(|target| target.path.as_path()))
    }
}

/// Bits of `RENDER_SETTINGS` that change nothing of the sound: transients,
/// metadata, take markers, second pass, keeping of source facts, delayed start.
const HARMLESS_SETTINGS: u32 =
    256 | 512 | 1024 | 2048 | 32_768 | 65_536 | 131_072 | 524_288 | 16_777_216;
const MULTICHANNEL: u32 = 4;
const PRE_FADER: u32 = 8192;

/// `RENDER_NORMALIZE` bits that act on the file: normalise, limit, fades,
/// trimming, padding. Bit 262144 switches them all off.
const POST_PROCESSING: u32 = 1 | 64 | 512 | 1024 | 16_384 | 32_768 | 65_536 | 131_072;
const POST_PROCESSING_OFF: u32 = 262_144;

/// Plans what action 42230 renders.
///
/// The low bits of `RENDER_SETTINGS` choose the source: 0 the master mix,
/// 1 the master mix and stems of the selected tracks, 2 and 3 the stems of
/// the selected tracks alone (REAPER's own dialog writes 3 for "stems").
///
/// Dither settings are not read: 16-bit files are always dithered.
///
/// # Errors
///
/// Settings outside of what is built, empty ranges, missing or clashing names.
pub fn plan(project: &Project, inputs: &PlanInputs<'_>) -> Result<RenderPlan, RenderError> {
    let settings = &project.render;
    check_supported(settings)?;
    let sample_rate_hz = sample_rate(project)?;
    let format = RenderFormat::from_sink(&settings.format)?;
    let sources = sources(project)?;
    let ranges = ranges(project)?;
    let tail_frames = tail_frames(settings, sample_rate_hz)?;
    let folder = folder(project, inputs);

    let mut file_number = 0;
    let mut taken = Vec::new();
    let mut passes = Vec::with_capacity(ranges.len());
    for (range_index, range) in ranges.iter().enumerate() {
        let frame = |time_s: f64| (time_s * f64::from(sample_rate_hz)).round() as u64;
        let (start_frame, end_frame) = (frame(range.start_s), frame(range.end_s));
        if end_frame <= start_frame {
            return Err(RenderError::EmptyRange {
                reason: range.describe(),
            });
        }
        let mut targets = Vec::with_capacity(sources.len());
        for &source in &sources {
            file_number += 1;
            let name = names::expand(
                &settings.pattern,
                &NameContext {
                    project,
                    inputs,
                    source,
                    region: range.region,
                    start_s: range.start_s,
                    end_s: range.end_s,
                    sample_rate_hz,
                    file_number,
                    range_number: range_index + 1,
                },
            )?;
            // Some file systems ignore case, so names that differ in case clash.
            let key = name.to_lowercase();
            if taken.contains(&key) {
                return Err(RenderError::NameClash {
                    pattern: settings.pattern.clone(),
                    name,
                });
            }
            taken.push(key);
            targets.push(Target {
                path: folder.join(format!("{name}.{}", format.extension())),
                source,
                channels: channels(project, source)?,
            });
        }
        passes.push(Pass {
            start_frame,
            frames: end_frame - start_frame + tail_frames,
            tail_frames,
            targets,
        });
    }
    Ok(RenderPlan {
        sample_rate_hz,
        format,
        passes,
    })
}

struct Range {
    start_s: f64,
    end_s: f64,
    /// Index into the markers.
    region: Option<usize>,
}

impl Range {
    fn describe(&self) -> String {
        format!("the range is {} s to {} s", self.start_s, self.end_s)
    }
}

fn check_supported(settings: &RenderSettings) -> Result<(), RenderError> {
    let unsupported = |what: &str| {
        Err(RenderError::Unsupported {
            what: what.to_owned(),
            place: "render settings".to_owned(),
        })
    };
    let bits = settings.settings & !(3 | MULTICHANNEL | PRE_FADER | HARMLESS_SETTINGS);
    if bits & 8 != 0 {
        return unsupported("region render matrix");
    }
    if bits & 128 != 0 {
        return unsupported("rendering tracks through the master");
    }
    if bits & (32 | 64) != 0 {
        return unsupported("rendering of selected items");
    }
    if bits != 0 {
        return unsupported(&format!("RENDER_SETTINGS bits {bits}"));
    }
    let post = settings
        .other
        .get("RENDER_NORMALIZE")
        .map_or(0, |&value| value as u32);
    if post & POST_PROCESSING_OFF == 0 && post & POST_PROCESSING != 0 {
        return unsupported(&format!(
            "render-time post-processing (RENDER_NORMALIZE {post})"
        ));
    }
    Ok(())
}

fn sample_rate(project: &Project) -> Result<u32, RenderError> {
    let rate = match project.render.sample_rate_hz {
        0 => project.settings.sample_rate_hz,
        rate => rate,
    };
    if (8_000..=384_000).contains(&rate) {
        Ok(rate)
    } else {
        Err(RenderError::OutOfRange {
            what: "sample rate",
            value: f64::from(rate),
            range: "8000 to 384000 Hz",
        })
    }
}

fn sources(project: &Project) -> Result<Vec<TargetSource>, RenderError> {
    let bits = project.render.settings;
    let mut sources = Vec::new();
    if matches!(bits & 3, 0 | 1) {
        sources.push(TargetSource::Master);
    }
    if bits & 3 != 0 {
        let selected = project
            .tracks
            .iter()
            .enumerate()
            .filter(|(_, t)| t.selected);
        sources.extend(selected.map(|(index, _)| {
            if bits & PRE_FADER != 0 {
                TargetSource::TrackPreFader(index)
            } else {
                TargetSource::Track(index)
            }
        }));
        if bits & 3 != 1 && sources.is_empty() {
            return Err(RenderError::EmptyRange {
                reason: "stems are asked for, but no track is selected".to_owned(),
            });
        }
    }
    Ok(sources)
}

fn channels(project: &Project, source: TargetSource) -> Result<u32, RenderError> {
    let track: Option<&Track> = match source {
        TargetSource::Master => None,
        TargetSource::Track(index) | TargetSource::TrackPreFader(index) => {
            project.tracks.get(index).map(|track| &**track)
        }
    };
    match (track, project.render.settings & MULTICHANNEL != 0) {
        (Some(track), true) => Ok(track.channels.clamp(2, 128)),
        _ if (1..=64).contains(&project.render.channels) => Ok(project.render.channels),
        _ => Err(RenderError::OutOfRange {
            what: "channel count",
            value: f64::from(project.render.channels),
            range: "1 to 64",
        }),
    }
}

fn ranges(project: &Project) -> Result<Vec<Range>, RenderError> {
    let settings = &project.render;
    let single = |start_s: f64, end_s: f64| {
        vec![Range {
            start_s,
            end_s,
            region: None,
        }]
    };
    let ranges = match settings.bounds {
        0 => single(settings.start_s, settings.end_s),
        1 => {
            let limit = |name: &str| {
                let marker = project
                    .markers
                    .iter()
                    .find(|m| m.end_s.is_none() && m.name == name);
                marker.map(|marker| marker.position_s)
            };
            single(
                limit("=START").unwrap_or(0.0),
                limit("=END").unwrap_or_else(|| project.length_s()),
            )
        }
        2 => single(project.time_selection_s.0, project.time_selection_s.1),
        // The model keeps no selection of regions; without one, REAPER takes all.
        3 | 5 => {
            let regions: Vec<Range> = project
                .markers
                .iter()
                .enumerate()
                .filter_map(|(index, marker)| {
                    Some(Range {
                        start_s: marker.position_s,
                        end_s: marker.end_s?,
                        region: Some(index),
                    })
                })
                .collect();
            if regions.is_empty() {
                return Err(RenderError::EmptyRange {
                    reason: "the project has no regions".to_owned(),
                });
            }
            regions
        }
        other => {
            return Err(RenderError::Unsupported {
                what: format!("RENDER_BOUNDSFLAG {other}"),
                place: "render settings".to_owned(),
            });
        }
    };
    for range in &ranges {
        // Longer than a week is a broken project, not music.
        let sound = range.start_s >= 0.0 && range.end_s > range.start_s && range.end_s < 604_800.0;
        if !sound {
            return Err(RenderError::EmptyRange {
                reason: range.describe(),
            });
        }
    }
    Ok(ranges)
}

fn tail_frames(settings: &RenderSettings, sample_rate_hz: u32) -> Result<u64, RenderError> {
    let bit = match settings.bounds {
        0 => 1,
        1 => 2,
        2 => 4,
        3 => 8,
        _ => 32,
    };
    if settings.tail_flags & bit == 0 {
        return Ok(0);
    }
    if !(0.0..=3_600_000.0).contains(&settings.tail_ms) {
        return Err(RenderError::OutOfRange {
            what: "tail",
            value: settings.tail_ms,
            range: "0 to 3600000 ms",
        });
    }
    Ok((settings.tail_ms / 1000.0 * f64::from(sample_rate_hz)).round() as u64)
}

fn folder(project: &Project, inputs: &PlanInputs<'_>) -> PathBuf {
    let base = project
        .settings
        .path
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(inputs.folder);
    // A relative folder may be written with either separator.
    let folder = project.render.folder.as_str();
    if Path::new(folder).is_absolute() {
        PathBuf::from(folder)
    } else {
        base.join(folder.replace('\\', "/"))
    }
}
