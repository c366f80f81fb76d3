//! Cutting a signal into steps of 10 ms and reading everything that needs
//! samples. What comes after works on steps alone.

use super::{
    kweight::{Coefficients, LOWEST_RATE_HZ, PairFilter},
    spectrum::{BandEnergies, Spectrum},
    true_peak::{Interpolator, TAPS, larger},
};
use crate::audio::{Layout, Planar};

/// Steps in a second.
pub(super) const STEPS_PER_SECOND: u64 = 100;
/// A sample at or above this is at full scale: the highest 16-bit value.
pub(super) const FULL_SCALE: f32 = 32767.0 / 32768.0;
/// Consecutive full-scale samples that make clipping.
const CLIPPED_RUN: u64 = 3;
/// Below this is silence: -60 dBFS.
pub(super) const SILENCE: f32 = 0.001;
/// Partial sums kept side by side; their order is fixed, so sums are too.
const LANES: usize = 8;

/// What one step of 10 ms holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// Position of the first frame.
    pub(super) start: u64,
    pub(super) frames: u64,
    /// The step is 10 ms long, not the rest at the end.
    pub(super) whole: bool,
    /// Weighted channel energies, summed.
    pub(super) weighted_energy: f64,
    /// Sum and sum of squares of each channel.
    pub(super) sums: Vec<f64>,
    pub(super) squares: Vec<f64>,
    /// Sum of left times right, for two channels.
    pub(super) product: f64,
    pub(super) sample_peak: f32,
    /// At least [`Step::sample_peak`]; exact if above the threshold given.
    pub(super) true_peak: f32,
    pub(super) clipped_runs: u64,
    pub(super) non_finite: u64,
    /// First and last frame above -60 dBFS, counted from the start of the step.
    pub(super) first_loud: Option<u64>,
    pub(super) last_loud: Option<u64>,
    pub(super) bands: Option<BandEnergies>,
}

/// Who takes the steps.
pub(super) trait StepSink {
    /// The true peak that every taker of this step has already seen: below it
    /// the exact value does not matter. The step's own is not known yet.
    fn known_true_peak(&self, step: &Step) -> f32;

    /// The next step.
    fn take(&mut self, step: &Step);
}

/// Turns blocks of any size into steps.
pub(super) struct Stepper {
    sample_rate_hz: u64,
    weights: Vec<f64>,
    filters: Vec<PairFilter>,
    interpolator: Interpolator,
    spectrum: Spectrum,
    /// Per channel: `history` frames of the past, then the step being filled.
    buffers: Vec<Vec<f32>>,
    history: usize,
    filled: usize,
    index: u64,
    start: u64,
    /// Full-scale samples in a row, per channel.
    runs: Vec<u64>,
    past_peak: Vec<f32>,
    /// Largest sample that the interpolator can reach, per channel.
    reach: Vec<f32>,
    non_finite: u64,
    step: Step,
}

impl Stepper {
    pub(super) fn new(sample_rate_hz: u32, layout: &Layout) -> Self {
        let channels = layout.speakers().len();
        let longest = (u64::from(sample_rate_hz) / STEPS_PER_SECOND + 1) as usize;
        let history = longest.max(TAPS - 1);
        let filters = if sample_rate_hz < LOWEST_RATE_HZ {
            Vec::new()
        } else {
            let coefficients = Coefficients::new(f64::from(sample_rate_hz));
            vec![PairFilter::new(coefficients); channels.div_ceil(2)]
        };
        Self {
            sample_rate_hz: u64::from(sample_rate_hz),
            weights: layout.loudness_weights(),
            filters,
            interpolator: Interpolator::new(sample_rate_hz),
            spectrum: Spectrum::new(sample_rate_hz, channels),
            buffers: vec![vec![0.0; history + longest.max(TAPS)]; channels],
            history,
            filled: 0,
            index: 0,
            start: 0,
            runs: vec![0; channels],
            past_peak: vec![0.0; channels],
            reach: vec![0.0; channels],
            non_finite: 0,
            step: Step {
                sums: vec![0.0; channels],
                squares: vec![0.0; channels],
                ..Step::default()
            },
        }
    }

    /// Takes a block and hands over every step that it completes.
    pub(super) fn push(&mut self, block: &Planar, sink: &mut impl StepSink) {
        let mut done = 0;
        while done < block.frames() {
            let wanted = self.step_frames() - self.filled;
            let frames = wanted.min(block.frames() - done);
            let at = self.history + self.filled;
            for (buffer, channel) in self.buffers.iter_mut().zip(block.iter()) {
                let target = &mut buffer[at..at + frames];
                target.copy_from_slice(&channel[done..done + frames]);
                self.non_finite += silence_non_finite(target);
            }
            self.filled += frames;
            done += frames;
            if frames == wanted {
                self.complete(true, sink);
                sink.take(&self.step);
                self.advance();
            }
        }
    }

    /// The rest after the last whole step, with the tail of the interpolator.
    pub(super) fn finish(&mut self, sink: &mut impl StepSink) {
        self.complete(false, sink);
        sink.take(&self.step);
    }

    /// Energy of the last 10 ms, summed over channels, and its sample count.
    /// Valid after [`Stepper::finish`].
    pub(super) fn last_energy(&self) -> (f64, u64) {
        let frames = (self.sample_rate_hz / STEPS_PER_SECOND).max(1);
        let frames = frames.min(self.start + self.filled as u64) as usize;
        let end = self.history + self.filled;
        let energy = self.buffers.iter().map(|buffer| {
            let last = buffer[end - frames..end].iter();
            last.map(|&x| f64::from(x) * f64::from(x)).sum::<f64>()
        });
        (energy.sum(), (frames * self.buffers.len()) as u64)
    }

    fn step_frames(&self) -> usize {
        let boundary = |index: u64| index * self.sample_rate_hz / STEPS_PER_SECOND;
        (boundary(self.index + 1) - boundary(self.index)) as usize
    }

    fn complete(&mut self, whole: bool, sink: &impl StepSink) {
        let (from, to) = (self.history, self.history + self.filled);
        let step = &mut self.step;
        step.start = self.start;
        step.frames = self.filled as u64;
        step.whole = whole;
        step.non_finite = std::mem::take(&mut self.non_finite);
        step.weighted_energy = 0.0;
        step.clipped_runs = 0;
        step.sample_peak = 0.0;
        step.product = 0.0;
        for (channel, buffer) in self.buffers.iter().enumerate() {
            let reading = read(&buffer[from..to]);
            step.sums[channel] = reading.sum;
            step.squares[channel] = reading.squares;
            step.sample_peak = larger(step.sample_peak, reading.peak);
            self.reach[channel] = if self.filled < TAPS && whole {
                // A short step reaches back beyond the one before it.
                f32::INFINITY
            } else {
                larger(reading.peak, self.past_peak[channel])
            };
            self.past_peak[channel] = reading.peak;
            if reading.peak >= FULL_SCALE {
                step.clipped_runs += count_runs(&buffer[from..to], &mut self.runs[channel]);
            } else if self.filled > 0 {
                self.runs[channel] = 0;
            }
        }
        if let [left, right] = self.buffers.as_slice() {
            step.product = product(&left[from..to], &right[from..to]);
        }
        self.step.true_peak = self.step.sample_peak;
        self.find_loud(from, to);
        self.weigh(from, to);
        let parts: Vec<&[f32]> = self.buffers.iter().map(|b| &b[from..to]).collect();
        self.step.bands = self.spectrum.push(&parts);
        if !whole {
            self.step.bands = self.step.bands.or_else(|| self.spectrum.finish());
        }
        self.find_true_peak(from, to, sink.known_true_peak(&self.step));
    }

    /// Interpolates the channels that could hold more than what is known.
    fn find_true_peak(&mut self, from: usize, to: usize, known: f32) {
        let end = if self.step.whole { to } else { to + TAPS - 1 };
        for (buffer, &reach) in self.buffers.iter_mut().zip(&self.reach) {
            if self.interpolator.bound(reach) <= larger(known, self.step.true_peak) {
                continue;
            }
            if !self.step.whole {
                buffer.resize(end.max(buffer.len()), 0.0);
                buffer[to..end].fill(0.0);
            }
            let between = self.interpolator.peak(&buffer[from + 1 - TAPS..end]);
            self.step.true_peak = larger(self.step.true_peak, between);
        }
    }

    fn find_loud(&mut self, from: usize, to: usize) {
        let step = &mut self.step;
        step.first_loud = None;
        step.last_loud = None;
        if step.sample_peak <= SILENCE {
            return;
        }
        for buffer in &self.buffers {
            let samples = &buffer[from..to];
            let loud = |x: &f32| x.abs() > SILENCE;
            let first = samples.iter().position(loud).map(|at| at as u64);
            let last = samples.iter().rposition(loud).map(|at| at as u64);
            step.first_loud = match (step.first_loud, first) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            step.last_loud = step.last_loud.max(last);
        }
    }

    fn weigh(&mut self, from: usize, to: usize) {
        let pairs = self.buffers.chunks(2).zip(self.weights.chunks(2));
        for (filter, (buffers, weights)) in self.filters.iter_mut().zip(pairs) {
            let left = &buffers[0][from..to];
            match (buffers.get(1), weights) {
                (Some(right), [left_weight, right_weight]) => {
                    let [a, b] = filter.energy(left, &right[from..to]);
                    self.step.weighted_energy += left_weight * a + right_weight * b;
                }
                _ => {
                    let [a, _] = filter.energy(left, left);
                    self.step.weighted_energy += weights[0] * a;
                }
            }
        }
    }

    /// Keeps the end of the step as the past of the next one.
    fn advance(&mut self) {
        for buffer in &mut self.buffers {
            buffer.copy_within(self.filled..self.filled + self.history, 0);
        }
        self.start += self.filled as u64;
        self.index += 1;
        self.filled = 0;
    }
}

/// Replaces NaN and infinities by silence, so that they can't spread, and
/// counts them.
fn silence_non_finite(samples: &mut [f32]) -> u64 {
    let count = samples
        .iter()
        .map(|x| u32::from(!x.is_finite()))
        .sum::<u32>();
    if count > 0 {
        for sample in samples.iter_mut().filter(|x| !x.is_finite()) {
            *sample = 0.0;
        }
    }
    u64::from(count)
}

struct Reading {
    sum: f64,
    squares: f64,
    peak: f32,
}

fn read(samples: &[f32]) -> Reading {
    let mut sums = [0.0f64; LANES];
    let mut squares = [0.0f64; LANES];
    let mut peaks = [0.0f32; LANES];
    let mut chunks = samples.chunks_exact(LANES);
    for chunk in &mut chunks {
        for lane in 0..LANES {
            let x = f64::from(chunk[lane]);
            sums[lane] += x;
            squares[lane] += x * x;
            peaks[lane] = larger(peaks[lane], chunk[lane].abs());
        }
    }
    for (lane, &sample) in chunks.remainder().iter().enumerate() {
        let x = f64::from(sample);
        sums[lane] += x;
        squares[lane] += x * x;
        peaks[lane] = larger(peaks[lane], sample.abs());
    }
    Reading {
        sum: sums.iter().sum(),
        squares: squares.iter().sum(),
        peak: peaks.into_iter().fold(0.0, larger),
    }
}

fn product(left: &[f32], right: &[f32]) -> f64 {
    let mut sums = [0.0f64; LANES];
    for (left, right) in left.chunks(LANES).zip(right.chunks(LANES)) {
        for ((sum, &l), &r) in sums.iter_mut().zip(left).zip(right) {
            *sum += f64::from(l) * f64::from(r);
        }
    }
    sums.iter().sum()
}

/// Runs that reach their third sample here.
fn count_runs(samples: &[f32], run: &mut u64) -> u64 {
    let mut found = 0;
    for sample in samples {
        *run = if sample.abs() >= FULL_SCALE {
            *run + 1
        } else {
            0
        };
        found += u64::from(*run == CLIPPED_RUN);
    }
    found
}
