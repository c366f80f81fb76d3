//! Measuring a file and its regions in one pass.
//!
//! What the numbers mean: K-weighting, gates and channel weights of ITU-R
//! BS.1770-5 (surrounds 1.41, LFE not counted, mono counts once); loudness
//! range of EBU Tech 3342; true peak by eightfold oversampling (fourfold from
//! 80 kHz, twofold from 160 kHz). A region is read in place: filters are warm
//! and its ends are rounded to 10 ms.

use super::{
    FileFacts, Measurements, Span,
    gather::{Gatherer, Places, step_of},
    kweight::LOWEST_RATE_HZ,
    steps::{Step, StepSink, Stepper},
};
use crate::audio::{Layout, Planar, ReadError, Reader, Truncation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Frames read at a time; the block stays in the second-level cache.
const BLOCK_FRAMES: usize = 4096;

/// Everything read from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileReport {
    /// What the file is; `frames` is what was decoded.
    pub file: FileFacts,
    /// Frames that the header promised, if it did.
    pub declared_frames: Option<u64>,
    pub measurements: Measurements,
    pub places: Places,
    pub regions: Vec<(Span, Measurements)>,
    /// Places of each region, in seconds from the start of the file.
    pub region_places: Vec<Places>,
}

impl FileReport {
    /// Whether the file ends before its header says so.
    pub fn truncation(&self) -> Option<Truncation> {
        let declared_frames = self.declared_frames?;
        (self.file.frames < declared_frames).then_some(Truncation {
            declared_frames,
            decoded_frames: self.file.frames,
        })
    }
}

/// Why a file could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error(transparent)]
    Read(#[from] ReadError),
    /// [`measure_while`] was told not to go on.
    #[error("measuring was stopped")]
    Stopped,
    #[error(
        "region `{name}` goes from {start_s} s to {end_s} s: it must start at 0 or later and end after its start"
    )]
    Region {
        name: String,
        start_s: f64,
        end_s: f64,
    },
}

/// Measures a file and the regions `spans` in one pass. `progress` is told the
/// frames done after each block. Memory: a few blocks, and 160 bytes for each
/// second of the file and of every region.
///
/// # Errors
/// The file can't be opened or decoded, or a region has no length.
pub fn measure(
    path: impl AsRef<Path>,
    spans: &[Span],
    progress: &mut dyn FnMut(u64),
) -> Result<FileReport, MeasureError> {
    measure_while(path, spans, &mut |frames| {
        progress(frames);
        true
    })
}

/// As [`measure`], as long as `go_on`, told the frames done after each block,
/// says so.
///
/// # Errors
/// As [`measure`], and [`MeasureError::Stopped`].
pub fn measure_while(
    path: impl AsRef<Path>,
    spans: &[Span],
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<FileReport, MeasureError> {
    let mut reader = Reader::open(path)?;
    let mut meter = Meter::new(reader.facts().sample_rate, reader.layout(), spans)?;
    let mut block = Planar::new(reader.facts().channels as usize, BLOCK_FRAMES);
    while reader.read(&mut block)? > 0 {
        meter.push(&block);
        if !go_on(reader.position()) {
            return Err(MeasureError::Stopped);
        }
    }
    let mut file = reader.facts().clone();
    file.frames = reader.position();
    file.duration_s = file.frames as f64 / f64::from(file.sample_rate);
    Ok(meter.finish(file, reader.declared_frames()))
}

/// The same readings for audio that is not in a file yet.
pub struct Meter {
    stepper: Stepper,
    takers: Takers,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter")
            .field("step", &self.takers.index)
            .finish_non_exhaustive()
    }
}

impl Meter {
    /// A meter for blocks with the channels of `layout`.
    ///
    /// # Errors
    /// A region has no length.
    pub fn new(sample_rate_hz: u32, layout: &Layout, spans: &[Span]) -> Result<Self, MeasureError> {
        let weighs = sample_rate_hz >= LOWEST_RATE_HZ;
        let gatherer = Gatherer::new(sample_rate_hz, layout.speakers().len(), weighs);
        let regions = spans
            .iter()
            .map(|span| {
                // A NaN fails the comparison too.
                if span.start_s >= 0.0 && span.end_s > span.start_s {
                    Ok(Region {
                        span: span.clone(),
                        first: step_of(span.start_s),
                        end: step_of(span.end_s),
                        gatherer: gatherer.clone(),
                    })
                } else {
                    Err(MeasureError::Region {
                        name: span.name.clone(),
                        start_s: span.start_s,
                        end_s: span.end_s,
                    })
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            stepper: Stepper::new(sample_rate_hz, layout),
            takers: Takers {
                index: 0,
                file: gatherer,
                regions,
            },
        })
    }

    /// Takes the next block, of any size: readings do not depend on it.
    pub fn push(&mut self, block: &Planar) {
        self.stepper.push(block, &mut self.takers);
    }

    /// The readings of everything pushed. `file` is what it was, as far as
    /// that is known already.
    pub fn finish(mut self, file: FileFacts, declared_frames: Option<u64>) -> FileReport {
        self.stepper.finish(&mut self.takers);
        let mut takers = self.takers;
        takers.file.set_last(self.stepper.last_energy());
        FileReport {
            file,
            declared_frames,
            measurements: takers.file.measurements(),
            places: takers.file.places(),
            region_places: takers.regions.iter().map(|r| r.gatherer.places()).collect(),
            regions: takers
                .regions
                .into_iter()
                .map(|region| (region.span, region.gatherer.measurements()))
                .collect(),
        }
    }
}

struct Region {
    span: Span,
    first: u64,
    end: u64,
    gatherer: Gatherer,
}

/// The file and its regions, all fed with the same steps.
struct Takers {
    index: u64,
    file: Gatherer,
    regions: Vec<Region>,
}

impl StepSink for Takers {
    fn known_true_peak(&self, _step: &Step) -> f32 {
        let inside = |region: &&Region| (region.first..region.end).contains(&self.index);
        self.regions
            .iter()
            .filter(inside)
            .map(|region| region.gatherer.true_peak())
            .fold(self.file.true_peak(), f32::min)
    }

    fn take(&mut self, step: &Step) {
        self.file.take(step);
        for region in &mut self.regions {
            if (region.first..region.end).contains(&self.index) {
                region.gatherer.take(step);
            }
        }
        self.index += 1;
    }
}
