//! The average spectrum in seven bands, for a picture of the tonal balance.
//!
//! Hann windows of 4096 frames without overlap, power summed over channels: a
//! share of energy, not a calibrated analyser. Shares are rounded to 0.01 dB.

use super::Band;
use realfft::{RealFftPlanner, RealToComplex, num_complex::Complex};
use std::sync::Arc;

const SIZE: usize = 4096;

/// Names and edges in Hz.
const BANDS: [(&str, f64, f64); 7] = [
    ("sub", 20.0, 60.0),
    ("bass", 60.0, 250.0),
    ("low_mid", 250.0, 500.0),
    ("mid", 500.0, 2000.0),
    ("high_mid", 2000.0, 4000.0),
    ("presence", 4000.0, 6000.0),
    ("air", 6000.0, 20_000.0),
];

/// Energy of each band.
pub(super) type BandEnergies = [f64; BANDS.len()];

/// Analyses a stream.
pub(super) struct Spectrum {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    edges: [(usize, usize); BANDS.len()],
    pending: Vec<Vec<f32>>,
    filled: usize,
    blocks: u64,
    time: Vec<f32>,
    bins: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
}

impl Spectrum {
    pub(super) fn new(sample_rate_hz: u32, channels: usize) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(SIZE);
        let bin = |hz: f64| {
            let bin = (hz * SIZE as f64 / f64::from(sample_rate_hz)).round() as usize;
            bin.min(SIZE / 2 + 1)
        };
        let window = (0..SIZE)
            .map(|n| {
                let turn = 2.0 * std::f64::consts::PI * n as f64 / SIZE as f64;
                (0.5 - 0.5 * turn.cos()) as f32
            })
            .collect();
        Self {
            edges: BANDS.map(|(_, low, high)| (bin(low), bin(high))),
            pending: vec![vec![0.0; SIZE]; channels],
            filled: 0,
            blocks: 0,
            time: fft.make_input_vec(),
            bins: fft.make_output_vec(),
            scratch: fft.make_scratch_vec(),
            fft,
            window,
        }
    }

    /// Takes the next frames (at most one block) and returns the energies of
    /// the block that they complete.
    pub(super) fn push(&mut self, channels: &[&[f32]]) -> Option<BandEnergies> {
        let frames = channels.first().map_or(0, |channel| channel.len());
        let first = frames.min(SIZE - self.filled);
        for (pending, channel) in self.pending.iter_mut().zip(channels) {
            pending[self.filled..self.filled + first].copy_from_slice(&channel[..first]);
        }
        self.filled += first;
        if self.filled < SIZE {
            return None;
        }
        let energies = self.analyse();
        let rest = (frames - first).min(SIZE);
        for (pending, channel) in self.pending.iter_mut().zip(channels) {
            pending[..rest].copy_from_slice(&channel[first..first + rest]);
        }
        self.filled = rest;
        Some(energies)
    }

    /// What a signal shorter than one block holds.
    pub(super) fn finish(&mut self) -> Option<BandEnergies> {
        if self.blocks > 0 || self.filled == 0 {
            return None;
        }
        for pending in &mut self.pending {
            pending[self.filled..].fill(0.0);
        }
        Some(self.analyse())
    }

    fn analyse(&mut self) -> BandEnergies {
        self.blocks += 1;
        let mut energies = BandEnergies::default();
        for pending in &self.pending {
            for ((time, sample), window) in self.time.iter_mut().zip(pending).zip(&self.window) {
                *time = sample * window;
            }
            let done =
                self.fft
                    .process_with_scratch(&mut self.time, &mut self.bins, &mut self.scratch);
            debug_assert!(done.is_ok(), "the buffers come from the transform itself");
            for (energy, &(low, high)) in energies.iter_mut().zip(&self.edges) {
                let bins = self.bins.get(low..high).unwrap_or_default();
                *energy += bins
                    .iter()
                    .map(|bin| f64::from(bin.norm_sqr()))
                    .sum::<f64>();
            }
        }
        energies
    }
}

/// Bands with their share of the whole in dB; empty without energy.
pub(super) fn bands(energies: &BandEnergies) -> Vec<Band> {
    let total: f64 = energies.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let shares = energies
        .iter()
        .map(|&energy| (energy > 0.0).then(|| (1000.0 * (energy / total).log10()).round() / 100.0));
    BANDS
        .iter()
        .zip(shares)
        .map(|(&(name, low_hz, high_hz), level_db)| Band {
            name: name.to_owned(),
            low_hz,
            high_hz,
            level_db,
        })
        .collect()
}
