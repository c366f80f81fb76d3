//! A sound file as a signal at a given sample rate, readable at any place.

use super::{FileFacts, Layout, Planar, ReadError, Reader, Resampler, resampled_frames};
use std::path::Path;

/// Frames decoded at a time where the rate stays as it is.
const DIRECT_FRAMES: usize = 4096;

/// A sound file at a target sample rate. Samples do not depend on the order or
/// the sizes of the requests; reading on where the last one ended is cheapest.
#[derive(Debug)]
pub struct Source {
    reader: Reader,
    frames: u64,
    target_rate_hz: u32,
    resampler: Option<Resampler>,
    block: Planar,
    /// Which block is decoded: the file's or the resampler's, by number.
    current: Option<u64>,
    /// The block that the resampler's state continues with.
    next: u64,
}

impl Source {
    /// Opens a file to be heard at `target_rate_hz`.
    ///
    /// # Errors
    /// The file can't be read, or its rate can't be converted.
    pub fn open(path: impl AsRef<Path>, target_rate_hz: u32) -> Result<Source, ReadError> {
        let path = path.as_ref();
        let reader = Reader::open(path)?;
        let facts = reader.facts();
        let channels = facts.channels as usize;
        let resampler = if facts.sample_rate == target_rate_hz {
            None
        } else {
            let built = Resampler::new(channels, facts.sample_rate, target_rate_hz);
            Some(built.map_err(|error| ReadError::Malformed {
                path: path.to_owned(),
                format: "resampled sound",
                problem: error.to_string(),
            })?)
        };
        let frames = resampled_frames(facts.frames, facts.sample_rate, target_rate_hz);
        let capacity = resampler
            .as_ref()
            .map_or(DIRECT_FRAMES, Resampler::input_frames);
        Ok(Source {
            block: Planar::new(channels, capacity),
            reader,
            frames,
            target_rate_hz,
            resampler,
            current: None,
            next: 0,
        })
    }

    /// What the file is, at its own rate.
    pub fn facts(&self) -> &FileFacts {
        self.reader.facts()
    }

    /// The loudspeaker of each channel.
    pub fn layout(&self) -> &Layout {
        self.reader.layout()
    }

    /// Frames that the header of the file promises, at the file's own rate.
    pub fn declared_frames(&self) -> Option<u64> {
        self.reader.declared_frames()
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.block.channels()
    }

    /// Length in frames at the target rate.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The rate that [`Source::read_at`] speaks of.
    pub fn target_rate_hz(&self) -> u32 {
        self.target_rate_hz
    }

    /// Writes `frames` frames from `position` on (both at the target rate) into
    /// `out`, silence beyond the end. Returns how many lie within the file.
    ///
    /// # Errors
    /// The file can't be read on, or its data is damaged.
    ///
    /// # Panics
    /// If `out` has another number of channels or holds fewer frames.
    pub fn read_at(
        &mut self,
        position: u64,
        frames: usize,
        out: &mut Planar<f64>,
    ) -> Result<usize, ReadError> {
        assert!(
            out.channels() == self.channels() && out.capacity() >= frames,
            "the block fits the request"
        );
        out.set_frames(frames);
        let within = self.frames.saturating_sub(position).min(frames as u64) as usize;
        let (block_frames, delay) = match &self.resampler {
            Some(resampler) => (resampler.output_frames() as u64, resampler.delay() as u64),
            None => (DIRECT_FRAMES as u64, 0),
        };
        let mut done = 0;
        while done < within {
            let at = position + delay + done as u64;
            let (number, from) = (at / block_frames, (at % block_frames) as usize);
            self.load(number)?;
            let count = (within - done).min(block_frames as usize - from);
            for channel in 0..out.channels() {
                let target = &mut out.channel_mut(channel)[done..done + count];
                match &self.resampler {
                    Some(resampler) => {
                        target.copy_from_slice(&resampler.output()[channel][from..from + count]);
                    }
                    None => {
                        // A truncated file is silent from where it ends.
                        let samples = self.block.channel(channel);
                        let there = samples.get(from..).unwrap_or_default();
                        let copied = there.len().min(count);
                        for (sample, &value) in target.iter_mut().zip(there) {
                            *sample = f64::from(value);
                        }
                        target[copied..].fill(0.0);
                    }
                }
            }
            done += count;
        }
        for channel in 0..out.channels() {
            out.channel_mut(channel)[within..].fill(0.0);
        }
        Ok(within)
    }

    fn load(&mut self, number: u64) -> Result<(), ReadError> {
        if self.current == Some(number) {
            return Ok(());
        }
        self.current = None;
        if self.resampler.is_none() {
            self.read_block(number)?;
        } else {
            // The state reaches back one block: run that one in first.
            if self.next != number || number == 0 {
                self.next = number.saturating_sub(1);
                if let Some(resampler) = &mut self.resampler {
                    resampler.reset();
                }
            }
            while self.next <= number {
                self.read_block(self.next)?;
                if let Some(resampler) = &mut self.resampler {
                    let there = self.block.frames();
                    resampler.fill_input(&self.block, 0);
                    resampler.silence_input(there);
                    resampler.process().map_err(|error| ReadError::Malformed {
                        path: self.reader.path().to_owned(),
                        format: "resampled sound",
                        problem: error.to_string(),
                    })?;
                }
                self.next += 1;
            }
        }
        self.current = Some(number);
        Ok(())
    }

    fn read_block(&mut self, number: u64) -> Result<(), ReadError> {
        let start = number * self.block.capacity() as u64;
        if self.reader.position() != start {
            self.reader.seek(start)?;
        }
        self.block.set_frames(0);
        // A seek beyond the end leaves the reader at the end.
        if self.reader.position() == start {
            self.reader.read(&mut self.block)?;
        }
        Ok(())
    }
}
