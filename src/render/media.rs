//! Audio sources of takes as one virtual signal: sections, reversed sections
//! and loops, read at any frame.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::audio::{Planar, Reader};
use crate::project::Source;

use super::RenderError;
use super::interpolate::Interpolator;

/// Frames that are read from a file at once.
const READ_FRAMES: usize = 4096;

/// What a file is, found before the first sample is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) sample_rate_hz: u32,
    pub(super) channels: usize,
    pub(super) frames: u64,
}

/// What the items of a render share: facts of files, each opened once, and
/// kernels.
#[derive(Debug, Default)]
pub(super) struct Library {
    facts: BTreeMap<PathBuf, Facts>,
    /// By source rate, render rate and the bits of the play rate.
    interpolators: BTreeMap<(u32, u32, u64), Arc<Interpolator>>,
}

/// Whom to name when a file is missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) track: &'a str,
    /// Counted from 1.
    pub(super) item: usize,
}

impl Library {
    pub(super) fn interpolator(
        &mut self,
        source_rate_hz: u32,
        output_rate_hz: u32,
        play_rate: f64,
    ) -> Arc<Interpolator> {
        let key = (source_rate_hz, output_rate_hz, play_rate.to_bits());
        let entry = self.interpolators.entry(key);
        Arc::clone(entry.or_insert_with(|| {
            Arc::new(Interpolator::new(source_rate_hz, output_rate_hz, play_rate))
        }))
    }

    pub(super) fn facts(&mut self, path: &Path, place: Place<'_>) -> Result<Facts, RenderError> {
        if let Some(facts) = self.facts.get(path) {
            return Ok(*facts);
        }
        if !path.is_file() {
            return Err(RenderError::OfflineMedia {
                track: place.track.to_owned(),
                item: place.item,
                file: path.to_owned(),
            });
        }
        let unreadable = |reason: String| RenderError::UnreadableAudio {
            track: place.track.to_owned(),
            file: path.to_owned(),
            reason,
        };
        let reader = Reader::open(path).map_err(|error| unreadable(error.to_string()))?;
        let found = reader.facts();
        let facts = Facts {
            sample_rate_hz: found.sample_rate,
            channels: found.channels as usize,
            frames: found.frames,
        };
        if facts.channels == 0 || facts.sample_rate_hz == 0 {
            return Err(unreadable(
                "it has no channels or no sample rate".to_owned(),
            ));
        }
        self.facts.insert(path.to_owned(), facts);
        Ok(facts)
    }
}

/// Path of a source file: as written when absolute, else from the project's folder.
pub(super) fn resolve(file: &str, folder: &Path) -> PathBuf {
    let path = Path::new(file);
    if path.is_absolute() {
        return path.to_owned();
    }
    folder.join(file.replace('\\', "/"))
}

/// A source flattened to a stretch of one file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub(super) file: String,
    pub(super) start_s: f64,
    /// `None` runs to the end of the file.
    pub(super) length_s: Option<f64>,
    pub(super) reversed: bool,
}

/// The file behind a source and the part of it that plays; `None` when the
/// source is silent, `Err` names a kind without a model.
pub(super) fn flatten(source: &Source) -> Result<Option<Stretch>, String> {
    match source {
        Source::Empty => Ok(None),
        Source::Audio { file, .. } => Ok(Some(Stretch {
            file: file.clone(),
            start_s: 0.0,
            length_s: None,
            reversed: false,
        })),
        Source::Section {
            start_s,
            length_s,
            reversed,
            source,
        } => {
            let Some(inner) = flatten(source)? else {
                return Ok(None);
            };
            if inner.reversed {
                return Err("a section of a reversed section".to_owned());
            }
            let length_s = (*length_s > 0.0).then_some(*length_s);
            let rest = inner.length_s.map(|length| (length - start_s).max(0.0));
            Ok(Some(Stretch {
                file: inner.file,
                start_s: inner.start_s + start_s.max(0.0),
                length_s: match (length_s, rest) {
                    (Some(length), Some(rest)) => Some(length.min(rest)),
                    (length, rest) => length.or(rest),
                },
                reversed: *reversed,
            }))
        }
        Source::Midi(_) => Err("a section of MIDI".to_owned()),
        Source::Other { kind, .. } => Err(format!("a source of kind {kind}")),
    }
}

/// An open file as a virtual signal from frame 0 on.
#[derive(Debug)]
pub(super) struct Media {
    reader: Reader,
    /// The last piece that was read and its first frame.
    block: Planar,
    block_start: u64,
    /// First file frame of the stretch and its length.
    start: u64,
    frames: u64,
    reversed: bool,
    looped: bool,
}

/// The part of a file that a [`Media`] plays, in file frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) frames: u64,
    pub(super) reversed: bool,
    pub(super) looped: bool,
}

impl Extent {
    pub(super) fn of(stretch: &Stretch, facts: Facts, looped: bool) -> Self {
        let frame = |time_s: f64| (time_s * f64::from(facts.sample_rate_hz)).round() as u64;
        // Zero frames is an unknown length: then the file plays to its end.
        let total = if facts.frames == 0 {
            i64::MAX as u64 / 2
        } else {
            facts.frames
        };
        let start = frame(stretch.start_s).min(total);
        let frames = stretch
            .length_s
            .map_or(total - start, |length| frame(length).min(total - start));
        Self {
            start,
            frames,
            reversed: stretch.reversed && facts.frames > 0,
            looped: looped && facts.frames > 0,
        }
    }
}

impl Media {
    pub(super) fn open(path: &Path, extent: Extent) -> Result<Self, String> {
        let reader = Reader::open(path).map_err(|error| error.to_string())?;
        let channels = reader.facts().channels as usize;
        Ok(Self {
            reader,
            block: Planar::new(channels, READ_FRAMES),
            block_start: 0,
            start: extent.start,
            frames: extent.frames,
            reversed: extent.reversed,
            looped: extent.looped,
        })
    }

    /// Fills `out`, one slice per channel of the file, with the frames from
    /// `from` on; silence before, behind and in missing frames.
    pub(super) fn read(
        &mut self,
        from: i64,
        at: usize,
        count: usize,
        out: &mut [Vec<f64>],
    ) -> Result<(), String> {
        let mut done = 0;
        while done < count {
            let virtual_frame = from + done as i64;
            let left = count - done;
            let (run, file_frame) = self.run_at(virtual_frame, left);
            match file_frame {
                Some(frame) => self.read_run(frame, at + done, run, out)?,
                None => {
                    for channel in out.iter_mut() {
                        channel[at + done..][..run].fill(0.0);
                    }
                }
            }
            done += run;
        }
        Ok(())
    }

    /// How many frames follow each other in the file from here on, and the
    /// first of them in file order; `None` is silence.
    fn run_at(&self, frame: i64, left: usize) -> (usize, Option<u64>) {
        let frames = self.frames as i64;
        if frames == 0 {
            return (left, None);
        }
        let within = if self.looped {
            frame.rem_euclid(frames)
        } else if frame < 0 {
            return (left.min(frame.unsigned_abs() as usize), None);
        } else if frame >= frames {
            return (left, None);
        } else {
            frame
        };
        let run = left.min((frames - within) as usize).min(READ_FRAMES);
        let file_frame = if self.reversed {
            self.start + (frames - within) as u64 - run as u64
        } else {
            self.start + within as u64
        };
        (run, Some(file_frame))
    }

    /// Copies a run in file order and turns it around when the stretch is
    /// reversed.
    fn read_run(
        &mut self,
        file_frame: u64,
        at: usize,
        run: usize,
        out: &mut [Vec<f64>],
    ) -> Result<(), String> {
        let mut done = 0;
        while done < run {
            let frame = file_frame + done as u64;
            let held = self.block_start..self.block_start + self.block.frames() as u64;
            if !held.contains(&frame) && !self.load(frame, file_frame + run as u64)? {
                break;
            }
            let offset = (frame - self.block_start) as usize;
            let count = (run - done).min(self.block.frames() - offset);
            for (channel, samples) in out.iter_mut().zip(self.block.iter()) {
                let target = &mut channel[at + done..][..count];
                for (to, from) in target.iter_mut().zip(&samples[offset..]) {
                    *to = f64::from(*from);
                }
            }
            done += count;
        }
        for channel in out.iter_mut() {
            channel[at + done..at + run].fill(0.0);
            if self.reversed {
                channel[at..at + run].reverse();
            }
        }
        Ok(())
    }

    /// Reads the block that holds `frame`; false when the file ends before it.
    fn load(&mut self, frame: u64, run_end: u64) -> Result<bool, String> {
        let text = |error: crate::audio::ReadError| error.to_string();
        // A reversed stretch goes on below, so the block ends with the run.
        let start = if self.reversed {
            frame.min(run_end.saturating_sub(READ_FRAMES as u64))
        } else {
            frame
        };
        if self.reader.position() != start {
            self.reader.seek(start).map_err(text)?;
        }
        self.block_start = start;
        self.block.set_frames(0);
        let got = self.reader.read(&mut self.block).map_err(text)?;
        self.block.set_frames(got);
        Ok(frame < start + got as u64)
    }
}
