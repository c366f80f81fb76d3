//! Second-order filters: coefficients after the "Cookbook formulae for audio
//! EQ biquad filter coefficients" (Robert Bristow-Johnson), and a bank that
//! runs one filter per lane.

use super::{Frame, LANES, SILENCE, flush};
use std::f64::consts::{LN_2, PI};

/// Coefficients, divided by `a0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefs {
    pub b0: f64,
    pub b1: f64,
    pub b2: f64,
    pub a1: f64,
    pub a2: f64,
}

/// How wide a filter is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Width {
    Q(f64),
    /// Bandwidth in octaves, corrected for the warping near Nyquist.
    Octaves(f64),
    /// Shelf slope; 1 is the steepest without overshoot.
    Slope(f64),
}

/// Shape of a filter. Gains are amplitudes at the centre or in the shelf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    LowShelf(f64),
    HighShelf(f64),
    Bell(f64),
    LowPass,
    HighPass,
    AllPass,
    Notch,
    /// Unity at the centre.
    BandPass,
}

impl Coefs {
    /// A wire.
    pub const IDENTITY: Self = Self {
        b0: 1.0,
        b1: 0.0,
        b2: 0.0,
        a1: 0.0,
        a2: 0.0,
    };

    /// Designs a filter. The frequency is limited to 1 Hz … 0.495 of the
    /// sample rate, gains to -120 dB and more; all results are stable.
    pub fn new(shape: Shape, frequency_hz: f64, width: Width, sample_rate_hz: f64) -> Self {
        let frequency = frequency_hz.clamp(1.0, 0.495 * sample_rate_hz);
        let w0 = 2.0 * PI * frequency / sample_rate_hz;
        let (sin, cos) = w0.sin_cos();
        let a = match shape {
            Shape::LowShelf(gain) | Shape::HighShelf(gain) | Shape::Bell(gain) => {
                gain.max(1e-6).sqrt()
            }
            _ => 1.0,
        };
        let alpha = match width {
            Width::Q(q) => sin / (2.0 * q.max(1e-3)),
            // The argument is limited because the formula explodes at Nyquist.
            Width::Octaves(octaves) => {
                sin * (LN_2 / 2.0 * octaves.max(1e-3) * w0 / sin).min(12.0).sinh()
            }
            Width::Slope(slope) => {
                let slope = slope.clamp(1e-3, 1.0);
                sin / 2.0 * ((a + 1.0 / a) * (1.0 / slope - 1.0) + 2.0).sqrt()
            }
        };
        let (b0, b1, b2, a0, a1, a2) = match shape {
            Shape::Bell(_) => (
                1.0 + alpha * a,
                -2.0 * cos,
                1.0 - alpha * a,
                1.0 + alpha / a,
                -2.0 * cos,
                1.0 - alpha / a,
            ),
            Shape::LowShelf(_) | Shape::HighShelf(_) => {
                // The high shelf is the low shelf with the sign of cos turned.
                let sign = if matches!(shape, Shape::LowShelf(_)) {
                    1.0
                } else {
                    -1.0
                };
                let cos = sign * cos;
                let root = 2.0 * a.sqrt() * alpha;
                (
                    a * ((a + 1.0) - (a - 1.0) * cos + root),
                    sign * 2.0 * a * ((a - 1.0) - (a + 1.0) * cos),
                    a * ((a + 1.0) - (a - 1.0) * cos - root),
                    (a + 1.0) + (a - 1.0) * cos + root,
                    sign * -2.0 * ((a - 1.0) + (a + 1.0) * cos),
                    (a + 1.0) + (a - 1.0) * cos - root,
                )
            }
            Shape::LowPass => {
                let b = (1.0 - cos) / 2.0;
                (b, 2.0 * b, b, 1.0 + alpha, -2.0 * cos, 1.0 - alpha)
            }
            Shape::HighPass => {
                let b = (1.0 + cos) / 2.0;
                (b, -2.0 * b, b, 1.0 + alpha, -2.0 * cos, 1.0 - alpha)
            }
            Shape::AllPass => (
                1.0 - alpha,
                -2.0 * cos,
                1.0 + alpha,
                1.0 + alpha,
                -2.0 * cos,
                1.0 - alpha,
            ),
            Shape::Notch => (1.0, -2.0 * cos, 1.0, 1.0 + alpha, -2.0 * cos, 1.0 - alpha),
            Shape::BandPass => (alpha, 0.0, -alpha, 1.0 + alpha, -2.0 * cos, 1.0 - alpha),
        };
        Self {
            b0: b0 / a0,
            b1: b1 / a0,
            b2: b2 / a0,
            a1: a1 / a0,
            a2: a2 / a0,
        }
    }

    /// The filter whose output is `dry` times the input plus `wet` times the
    /// output of this one.
    pub fn mixed(self, dry: f64, wet: f64) -> Self {
        Self {
            b0: dry + wet * self.b0,
            b1: dry * self.a1 + wet * self.b1,
            b2: dry * self.a2 + wet * self.b2,
            ..self
        }
    }

    /// Magnitude of the response at a frequency.
    pub fn magnitude(&self, frequency_hz: f64, sample_rate_hz: f64) -> f64 {
        let w = 2.0 * PI * frequency_hz / sample_rate_hz;
        let power = |c0: f64, c1: f64, c2: f64| {
            let re = c0 + c1 * w.cos() + c2 * (2.0 * w).cos();
            let im = c1 * w.sin() + c2 * (2.0 * w).sin();
            re * re + im * im
        };
        (power(self.b0, self.b1, self.b2) / power(1.0, self.a1, self.a2)).sqrt()
    }
}

/// One second-order filter per lane, in transposed direct form II.
#[derive(Debug, Clone)]
pub struct Bank {
    b: [Frame; 3],
    a: [Frame; 2],
    state: [Frame; 2],
    identity: bool,
}

impl Bank {
    /// Wires in all lanes.
    pub const fn new() -> Self {
        Self {
            b: [[1.0; LANES], SILENCE, SILENCE],
            a: [SILENCE; 2],
            state: [SILENCE; 2],
            identity: true,
        }
    }

    /// Sets the filter of one lane; its state stays.
    pub fn set(&mut self, lane: usize, coefs: Coefs) {
        self.b[0][lane] = coefs.b0;
        self.b[1][lane] = coefs.b1;
        self.b[2][lane] = coefs.b2;
        self.a[0][lane] = coefs.a1;
        self.a[1][lane] = coefs.a2;
        self.identity = self.b == [[1.0; LANES], SILENCE, SILENCE] && self.a == [SILENCE; 2];
    }

    /// Filters one frame.
    #[inline(always)]
    pub fn next(&mut self, x: Frame) -> Frame {
        let mut y = SILENCE;
        for lane in 0..LANES {
            y[lane] = self.b[0][lane] * x[lane] + self.state[0][lane];
            self.state[0][lane] =
                (self.b[1][lane] * x[lane] + self.state[1][lane]) - self.a[0][lane] * y[lane];
            self.state[1][lane] = self.b[2][lane] * x[lane] - self.a[1][lane] * y[lane];
        }
        y
    }

    /// Forgets the signal.
    pub fn reset(&mut self) {
        self.state = [SILENCE; 2];
    }

    /// See [`super::TINY`].
    pub fn flush(&mut self) {
        self.state.iter_mut().for_each(flush);
    }
}

impl Default for Bank {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs banks one after the other over a block, two at a time: one recursion
/// alone would leave the CPU waiting on its own latency.
#[inline(always)]
pub fn cascade(banks: &mut [Bank], block: &mut [Frame]) {
    let mut live = banks.iter_mut().filter(|bank| !bank.identity);
    while let Some(first) = live.next() {
        // Copies live in registers; through the reference they would go
        // through memory at every frame.
        let mut a = first.clone();
        match live.next() {
            Some(second) => {
                let mut b = second.clone();
                for frame in block.iter_mut() {
                    *frame = b.next(a.next(*frame));
                }
                second.state = b.state;
            }
            None => {
                for frame in block.iter_mut() {
                    *frame = a.next(*frame);
                }
            }
        }
        first.state = a.state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn db(x: f64) -> f64 {
        20.0 * x.log10()
    }

    #[test]
    fn shapes_have_their_corner_values() {
        let fs = 48_000.0;
        let at =
            |shape, hz| Coefs::new(shape, 1000.0, Width::Q(0.5_f64.sqrt()), fs).magnitude(hz, fs);
        // Cookbook: 3.01 dB at the corner of a Butterworth pass filter.
        assert!((db(at(Shape::LowPass, 1000.0)) + 3.0103).abs() < 1e-3);
        assert!((db(at(Shape::HighPass, 1000.0)) + 3.0103).abs() < 1e-3);
        assert!((at(Shape::Bell(2.0), 1000.0) - 2.0).abs() < 1e-12);
        assert!((at(Shape::BandPass, 1000.0) - 1.0).abs() < 1e-12);
        assert!(at(Shape::Notch, 1000.0) < 1e-7);
        assert!((at(Shape::AllPass, 333.0) - 1.0).abs() < 1e-12);
        // Half the gain in decibels at the middle of a shelf.
        assert!((at(Shape::LowShelf(4.0), 1000.0) - 2.0).abs() < 1e-9);
        assert!((at(Shape::HighShelf(4.0), 1000.0) - 2.0).abs() < 1e-9);
        assert!((at(Shape::LowShelf(4.0), 1.0) - 4.0).abs() < 1e-3);
        assert!((at(Shape::HighShelf(4.0), 23_999.0) - 4.0).abs() < 1e-3);
    }

    #[test]
    fn a_bell_has_half_its_gain_at_the_edges_of_its_bandwidth() {
        let fs = 48_000.0;
        let bell = Coefs::new(Shape::Bell(4.0), 1000.0, Width::Octaves(2.0), fs);
        // Warping is corrected at the centre only, hence the tolerance.
        assert!((bell.magnitude(500.0, fs) - 2.0).abs() < 0.02);
        assert!((bell.magnitude(2000.0, fs) - 2.0).abs() < 0.02);
    }

    #[test]
    fn extreme_designs_are_stable() {
        for shape in [
            Shape::Bell(0.0),
            Shape::LowShelf(4.0),
            Shape::HighShelf(0.0),
            Shape::HighPass,
        ] {
            for hz in [0.0, 20.0, 21_000.0, 1e9] {
                for width in [
                    Width::Octaves(0.0),
                    Width::Octaves(4.0),
                    Width::Q(0.0),
                    Width::Slope(0.0),
                ] {
                    let c = Coefs::new(shape, hz, width, 44_100.0);
                    // Triangle of stability of a second-order denominator.
                    assert!(
                        c.a2.abs() < 1.0 && c.a1.abs() < 1.0 + c.a2,
                        "{shape:?} {hz} {width:?} {c:?}"
                    );
                }
            }
        }
    }
}
