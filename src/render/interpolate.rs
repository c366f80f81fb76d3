//! Band-limited reading of a signal at any position: sample rate conversion
//! and varispeed in one.
//!
//! Stateless: an output frame depends on its position alone, so no split of
//! the work changes bits. The kernel is a windowed sinc, 64 zero crossings
//! wide, Kaiser β = 10 (stop band below -100 dB).

use std::f64::consts::PI;

/// Zero crossings on each side of the kernel.
const HALF_CROSSINGS: f64 = 32.0;
const KAISER_BETA: f64 = 10.0;
/// Phases when a ratio is no small fraction; weights are then interpolated,
/// with an error of (π / 1024)² / 8 of a sample, below -118 dB.
const MAX_PHASES: u64 = 1024;

/// A ratio of source frames per output frame and its kernel.
#[derive(Debug, Clone)]
pub(super) struct Interpolator {
    ratio: f64,
    /// Numerator and denominator when the ratio is exact.
    fraction: Option<(u64, u64)>,
    phases: usize,
    taps: usize,
    /// `phases + 1` rows of `taps` weights.
    table: Vec<f64>,
}

impl Interpolator {
    /// `play_rate` source seconds pass in one output second.
    pub(super) fn new(source_rate_hz: u32, output_rate_hz: u32, play_rate: f64) -> Self {
        let divisor = gcd(u64::from(source_rate_hz), u64::from(output_rate_hz));
        let (up, down) = (
            u64::from(source_rate_hz) / divisor,
            u64::from(output_rate_hz) / divisor,
        );
        let fraction = (play_rate == 1.0 && down <= MAX_PHASES).then_some((up, down));
        let ratio = f64::from(source_rate_hz) / f64::from(output_rate_hz) * play_rate;
        let phases = fraction.map_or(MAX_PHASES, |(_, down)| down) as usize;
        // Going down, the kernel widens to the output's own Nyquist frequency.
        let cutoff = 0.98 / ratio.max(1.0);
        let half = (HALF_CROSSINGS / cutoff).ceil() as usize;
        let taps = (2 * half).next_multiple_of(4);
        let mut table = Vec::with_capacity((phases + 1) * taps);
        for phase in 0..=phases {
            let shift = phase as f64 / phases as f64;
            let row = table.len();
            for tap in 0..taps {
                // Tap `taps / 2 - 1` stands on the frame at the position's floor.
                let x = tap as f64 - (taps / 2 - 1) as f64 - shift;
                table.push(sinc(x * cutoff) * kaiser(x / (taps / 2) as f64));
            }
            let sum: f64 = table[row..].iter().sum();
            for weight in &mut table[row..] {
                *weight /= sum;
            }
        }
        Self {
            ratio,
            fraction,
            phases,
            taps,
            table,
        }
    }

    /// Frames needed before the floor of a position, and after it.
    pub(super) fn reach(&self) -> (usize, usize) {
        (self.taps / 2 - 1, self.taps / 2)
    }

    /// Source frames that so many output frames in a row need at the most.
    pub(super) fn window_frames(&self, outputs: usize) -> usize {
        (outputs as f64 * self.ratio).ceil() as usize + self.taps + 2
    }

    /// Position of output frame `n`, counted from the source's frame 0, as a
    /// whole frame and a share of the next.
    pub(super) fn position(&self, n: u64) -> (i64, f64) {
        match self.fraction {
            Some((up, down)) => {
                let scaled = u128::from(n) * u128::from(up);
                let (down, whole) = (u128::from(down), scaled / u128::from(down));
                (whole as i64, (scaled % down) as f64 / down as f64)
            }
            None => {
                let position = n as f64 * self.ratio;
                let whole = position.floor();
                (whole as i64, position - whole)
            }
        }
    }

    /// Weighted sum of `taps` samples that start `reach().0` frames before the
    /// floor of the position.
    pub(super) fn sample(&self, window: &[f64], share: f64) -> f64 {
        let at = share * self.phases as f64;
        if self.fraction.is_some() {
            return dot(self.row(at.round() as usize), window);
        }
        let low = (at.floor() as usize).min(self.phases - 1);
        let part = at - low as f64;
        let (a, b) = (dot(self.row(low), window), dot(self.row(low + 1), window));
        a + (b - a) * part
    }

    fn row(&self, phase: usize) -> &[f64] {
        &self.table[phase * self.taps..][..self.taps]
    }
}

/// Four sums side by side; the order never depends on the caller.
fn dot(weights: &[f64], window: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (w, x) in weights.chunks_exact(4).zip(window.chunks_exact(4)) {
        for lane in 0..4 {
            sums[lane] += w[lane] * x[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-12 {
        1.0
    } else {
        (PI * x).sin() / (PI * x)
    }
}

fn kaiser(x: f64) -> f64 {
    if x.abs() >= 1.0 {
        return 0.0;
    }
    bessel_i0(KAISER_BETA * (1.0 - x * x).sqrt()) / bessel_i0(KAISER_BETA)
}

/// Modified Bessel function of the first kind, order 0, by its series.
fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..64 {
        term *= quarter / f64::from(k * k);
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error against a sine of `hz` read at the converted positions.
    fn sine_error(source_rate: u32, output_rate: u32, play_rate: f64, hz: f64) -> f64 {
        let interpolator = Interpolator::new(source_rate, output_rate, play_rate);
        let (before, after) = interpolator.reach();
        let sine = |frame: f64| (2.0 * PI * hz * frame / f64::from(source_rate)).sin();
        let mut worst = 0.0_f64;
        for n in 500..700 {
            let (whole, share) = interpolator.position(n);
            let window: Vec<f64> = (whole - before as i64..=whole + after as i64)
                .map(|frame| sine(frame as f64))
                .collect();
            let expected = sine(whole as f64 + share);
            worst = worst.max((interpolator.sample(&window, share) - expected).abs());
        }
        worst
    }

    #[test]
    fn sines_below_the_transition_pass_within_minus_90_db() {
        for (source, output, play_rate, hz) in [
            (44_100, 48_000, 1.0, 440.0),
            (44_100, 48_000, 1.0, 18_000.0),
            (48_000, 44_100, 1.0, 15_000.0),
            (96_000, 48_000, 1.0, 10_000.0),
            (48_000, 48_000, 1.2345, 5_000.0),
        ] {
            let error = sine_error(source, output, play_rate, hz);
            assert!(error < 3.2e-5, "{source} to {output} at {hz} Hz: {error}");
        }
    }
}
