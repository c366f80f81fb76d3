//! Peaks between the samples: four-fold interpolation by a windowed sinc.
//!
//! ITU-R BS.1770-4, annex 2 asks for at least four-fold oversampling. The
//! filter here is longer than the one of its example, so that a level it
//! calls safe is not found higher by another meter.

use std::f64::consts::PI;

/// Taps of each interpolating phase.
pub const TAPS: usize = 24;

/// Frames between a sample and the reading that covers it and the three
/// points after it.
pub const DELAY: usize = TAPS / 2;

/// Interpolating phases, without the samples themselves.
const PHASES: usize = 3;

/// Largest magnitude of each frame's sample and of the three points between
/// it and the next one, side by side.
#[derive(Debug, Clone)]
pub struct TruePeak<const N: usize> {
    taps: [[f64; TAPS]; PHASES],
    /// Each value stands here twice, `TAPS` apart: the last `TAPS` values are
    /// always in one piece.
    history: [[f64; N]; 2 * TAPS],
    position: usize,
}

impl<const N: usize> TruePeak<N> {
    /// Silence before the first frame.
    pub fn new() -> Self {
        let mut taps = [[0.0; TAPS]; PHASES];
        for (phase, taps) in taps.iter_mut().enumerate() {
            let fraction = (phase + 1) as f64 / (PHASES + 1) as f64;
            for (index, tap) in taps.iter_mut().enumerate() {
                let x = index as f64 - (DELAY as f64 - 1.0) - fraction;
                *tap = sinc(x) * kaiser(x / DELAY as f64);
            }
            let sum: f64 = taps.iter().sum();
            taps.iter_mut().for_each(|tap| *tap /= sum);
        }
        Self {
            taps,
            history: [[0.0; N]; 2 * TAPS],
            position: 0,
        }
    }

    /// Takes a frame; gives the peaks of the one [`DELAY`] frames ago.
    #[inline(always)]
    pub fn next(&mut self, x: [f64; N]) -> [f64; N] {
        self.history[self.position] = x;
        self.history[self.position + TAPS] = x;
        self.position = (self.position + 1) % TAPS;
        let window = &self.history[self.position..self.position + TAPS];
        let mut peak = [0.0; N];
        for lane in 0..N {
            peak[lane] = window[DELAY - 1][lane].abs();
        }
        for taps in &self.taps {
            let mut sum = [0.0; N];
            for (tap, frame) in taps.iter().zip(window) {
                for lane in 0..N {
                    sum[lane] += tap * frame[lane];
                }
            }
            for lane in 0..N {
                peak[lane] = super::max(peak[lane], sum[lane].abs());
            }
        }
        peak
    }

    /// Forgets the signal.
    pub fn reset(&mut self) {
        self.history = [[0.0; N]; 2 * TAPS];
        self.position = 0;
    }
}

impl<const N: usize> Default for TruePeak<N> {
    fn default() -> Self {
        Self::new()
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else {
        (PI * x).sin() / (PI * x)
    }
}

/// Kaiser window of shape 6 (side lobes under -60 dB) on -1 to 1.
fn kaiser(x: f64) -> f64 {
    const SHAPE: f64 = 6.0;
    bessel_i0(SHAPE * (1.0 - x * x).max(0.0).sqrt()) / bessel_i0(SHAPE)
}

/// Modified Bessel function of the first kind, order 0, by its series.
fn bessel_i0(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..40 {
        term *= (x / (2.0 * f64::from(k))).powi(2);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_rate_tone_between_the_samples_is_found() {
        // fs/4 at 45 degrees: every sample is 0.7071, the true peak is 1.
        let mut peak = TruePeak::<1>::new();
        let found = (0..400)
            .map(|n| peak.next([(f64::from(n) * PI / 2.0 + PI / 4.0).sin()])[0])
            .skip(100)
            .fold(0.0, f64::max);
        // Within 0.01 dB.
        assert!((found - 1.0).abs() < 0.0012, "{found}");
    }

    #[test]
    fn tones_read_their_amplitude() {
        for hz in [100.0, 997.0, 5000.0, 12_000.1] {
            let mut peak = TruePeak::<1>::new();
            let found = (0..48_000)
                .map(|n| peak.next([0.5 * (2.0 * PI * hz * f64::from(n) / 48_000.0).sin()])[0])
                .skip(100)
                .fold(0.0, f64::max);
            let db = 20.0 * (found / 0.5).log10();
            assert!(db.abs() < 0.05, "{hz} Hz: {db} dB");
        }
    }
}
