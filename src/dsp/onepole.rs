//! First-order filters, one per lane.

use super::{Frame, SILENCE, flush};
use std::f64::consts::PI;

/// Coefficient of a low pass `y += c (x - y)` with a corner frequency; 1
/// (a wire) at or above half the sample rate.
pub fn low_pass_coef(frequency_hz: f64, sample_rate_hz: f64) -> f64 {
    if frequency_hz >= 0.5 * sample_rate_hz {
        1.0
    } else {
        -(-2.0 * PI * frequency_hz.max(0.0) / sample_rate_hz).exp_m1()
    }
}

/// Coefficient of a smoother that has gone 63 % of a step after `time_s`; 1
/// (at once) for no time.
pub fn smoothing_coef(time_s: f64, sample_rate_hz: f64) -> f64 {
    let frames = time_s * sample_rate_hz;
    if frames > 1e-9 {
        -(-1.0 / frames).exp_m1()
    } else {
        1.0
    }
}

/// `y += c (x - y)` per lane.
#[derive(Debug, Clone)]
pub struct OnePole {
    coef: Frame,
    state: Frame,
}

impl OnePole {
    /// The same coefficient in all lanes.
    pub fn new(coef: f64) -> Self {
        Self {
            coef: [coef; super::LANES],
            state: SILENCE,
        }
    }

    /// Sets the coefficient of one lane.
    pub fn set(&mut self, lane: usize, coef: f64) {
        self.coef[lane] = coef;
    }

    /// Coefficients by lane.
    pub fn coefs(&self) -> &Frame {
        &self.coef
    }

    /// The low part of a frame.
    #[inline(always)]
    pub fn low(&mut self, x: Frame) -> Frame {
        for lane in 0..super::LANES {
            self.state[lane] += self.coef[lane] * (x[lane] - self.state[lane]);
        }
        self.state
    }

    /// What the low pass leaves: the high part.
    #[inline(always)]
    pub fn high(&mut self, x: Frame) -> Frame {
        let low = self.low(x);
        let mut high = SILENCE;
        for lane in 0..super::LANES {
            high[lane] = x[lane] - low[lane];
        }
        high
    }

    /// Forgets the signal.
    pub fn reset(&mut self) {
        self.state = SILENCE;
    }

    /// See [`super::TINY`].
    pub fn flush(&mut self) {
        flush(&mut self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoother_reaches_63_percent_in_its_time() {
        let mut pole = OnePole::new(smoothing_coef(0.01, 48_000.0));
        let mut y = SILENCE;
        for _ in 0..480 {
            y = pole.low([1.0; super::super::LANES]);
        }
        assert!((y[3] - (1.0 - (-1.0_f64).exp())).abs() < 1e-9, "{}", y[3]);
    }

    #[test]
    fn the_ends_are_wires() {
        assert_eq!(low_pass_coef(24_000.0, 48_000.0), 1.0);
        assert_eq!(low_pass_coef(0.0, 48_000.0), 0.0);
        assert_eq!(smoothing_coef(0.0, 48_000.0), 1.0);
    }
}
