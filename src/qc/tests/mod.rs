//! The meters on signals whose readings are known beforehand.

mod corpus;
mod ebu;
mod oracle;
mod properties;
mod verdicts;

use super::{FileReport, Measurements, Meter, Span};
use crate::audio::{FileFacts, Layout, Planar};
use std::f64::consts::PI;

/// A signal under construction, all channels of one length.
#[derive(Debug, Clone)]
struct Signal {
    rate: u32,
    channels: Vec<Vec<f32>>,
}

impl Signal {
    fn new(rate: u32, channels: usize) -> Self {
        Self {
            rate,
            channels: vec![Vec::new(); channels],
        }
    }

    fn stereo() -> Self {
        Self::new(48_000, 2)
    }

    /// Appends the same sine to all channels, starting at phase 0.
    fn tone(self, seconds: f64, hz: f64, db: f64) -> Self {
        let levels = vec![db; self.channels.len()];
        self.tones(seconds, hz, &levels)
    }

    /// Appends a sine with a level per channel; minus infinity is silence.
    fn tones(mut self, seconds: f64, hz: f64, db: &[f64]) -> Self {
        let frames = (seconds * f64::from(self.rate)).round() as usize;
        for (channel, db) in self.channels.iter_mut().zip(db) {
            let amplitude = 10f64.powf(db / 20.0);
            let turn = 2.0 * PI * hz / f64::from(self.rate);
            channel.extend((0..frames).map(|n| (amplitude * (turn * n as f64).sin()) as f32));
        }
        self
    }

    fn silence(self, seconds: f64) -> Self {
        self.tone(seconds, 1000.0, f64::NEG_INFINITY)
    }

    /// Appends seeded noise at a level, different in each channel.
    fn noise(mut self, seconds: f64, amplitude: f32, seed: u32) -> Self {
        let frames = (seconds * f64::from(self.rate)).round() as usize;
        for (index, channel) in self.channels.iter_mut().enumerate() {
            let mut state = seed
                .wrapping_mul(2_654_435_761)
                .wrapping_add(index as u32 + 1);
            channel.extend((0..frames).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 * amplitude - amplitude
            }));
        }
        self
    }

    fn frames(&self) -> usize {
        self.channels[0].len()
    }

    fn map(mut self, change: impl Fn(usize, f32) -> f32) -> Self {
        for channel in &mut self.channels {
            for (n, sample) in channel.iter_mut().enumerate() {
                *sample = change(n, *sample);
            }
        }
        self
    }

    fn facts(&self) -> FileFacts {
        FileFacts {
            format: "wav".to_owned(),
            sample_rate: self.rate,
            bit_depth: Some(32),
            float: true,
            channels: self.channels.len() as u32,
            frames: self.frames() as u64,
            duration_s: self.frames() as f64 / f64::from(self.rate),
        }
    }

    fn report(&self, spans: &[Span], block_frames: usize) -> FileReport {
        let layout = Layout::from_count(self.channels.len());
        let mut meter = Meter::new(self.rate, &layout, spans).expect("valid spans");
        let mut block = Planar::new(self.channels.len(), block_frames);
        for start in (0..self.frames()).step_by(block_frames) {
            let end = (start + block_frames).min(self.frames());
            block.set_frames(end - start);
            for (index, channel) in self.channels.iter().enumerate() {
                block
                    .channel_mut(index)
                    .copy_from_slice(&channel[start..end]);
            }
            meter.push(&block);
        }
        meter.finish(self.facts(), Some(self.frames() as u64))
    }

    fn read(&self) -> Measurements {
        self.report(&[], 4096).measurements
    }
}

fn span(name: &str, start_s: f64, end_s: f64) -> Span {
    Span {
        name: name.to_owned(),
        start_s,
        end_s,
    }
}

#[track_caller]
fn close(value: Option<f64>, expected: f64, tolerance: f64, what: &str) {
    let value = value.unwrap_or(f64::NAN);
    assert!(
        (value - expected).abs() <= tolerance,
        "{what}: {value}, expected {expected} ± {tolerance}"
    );
}
