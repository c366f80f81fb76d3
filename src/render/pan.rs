//! Gains of pan, width and pan law as 2 × 2 matrices.
//!
//! Balance with the 0 dB law is REAPER's own; tapers of the other laws, of
//! stereo pan and of dual pan are models, since REAPER does not publish them.

use crate::project::{PanMode, Settings, Track};

/// `out = matrix * in`, rows are outputs.
pub(super) type Matrix = [[f64; 2]; 2];

pub(super) const IDENTITY: Matrix = [[1.0, 0.0], [0.0, 1.0]];

/// A pan position and how it is to be read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pan {
    pub(super) mode: PanMode,
    pub(super) law: f64,
    /// 0 sine, 1 and 3 hybrid, 2 linear.
    pub(super) taper: i32,
    pub(super) pan: f64,
    pub(super) width: f64,
    pub(super) dual: (f64, f64),
}

impl Pan {
    pub(super) fn of_track(track: &Track, settings: &Settings) -> Self {
        Self {
            mode: track.pan_mode.unwrap_or(settings.pan_mode),
            law: track.pan_law.unwrap_or(settings.pan_law),
            taper: settings.pan_law_flags,
            pan: track.pan,
            width: track.width,
            dual: track.dual_pan,
        }
    }

    /// Plain balance, as sends and takes have it.
    pub(super) fn balance(pan: f64, law: f64, taper: i32) -> Self {
        Self {
            mode: PanMode::StereoBalance,
            law,
            taper,
            pan,
            width: 1.0,
            dual: (-1.0, 1.0),
        }
    }

    pub(super) fn matrix(&self) -> Matrix {
        let pan = unit(self.pan);
        match self.mode {
            PanMode::OldBalance | PanMode::StereoBalance => {
                let (left, right) = balance_gains(pan, self.law, self.taper);
                [[left, 0.0], [0.0, right]]
            }
            PanMode::StereoPan => {
                // The image narrows as it moves, so that a hard pan is one side.
                let spread = unit(self.width) * (1.0 - pan.abs());
                scaled(
                    positions(pan - spread, pan + spread),
                    law_gain(pan, self.law),
                )
            }
            PanMode::DualPan => positions(unit(self.dual.0), unit(self.dual.1)),
        }
    }
}

/// Gains of the left and right side of a balance control.
fn balance_gains(pan: f64, law: f64, taper: i32) -> (f64, f64) {
    let law = if law.is_finite() && law > 0.0 {
        law
    } else {
        1.0
    };
    if law > 1.0 {
        let (left, right) = balance_gains(pan, 1.0 / law, taper);
        return (left * law, right * law);
    }
    if law == 1.0 {
        return (1.0 - pan.max(0.0), 1.0 + pan.min(0.0));
    }
    let linear = |towards: f64| {
        if towards >= 0.0 {
            law + (1.0 - law) * towards
        } else {
            law * (1.0 + towards)
        }
    };
    // The exponent makes the centre of the sine taper meet the law.
    let exponent = law.ln() / std::f64::consts::FRAC_1_SQRT_2.ln();
    let sine = |towards: f64| {
        ((1.0 + towards) * std::f64::consts::FRAC_PI_4)
            .sin()
            .max(0.0)
            .powf(exponent)
    };
    let gain = |towards: f64| match taper {
        0 => sine(towards),
        2 => linear(towards),
        _ => 0.5 * (sine(towards) + linear(towards)),
    };
    (gain(-pan), gain(pan))
}

fn law_gain(pan: f64, law: f64) -> f64 {
    if law > 1.0 {
        1.0 + (law - 1.0) * pan.abs()
    } else {
        law + (1.0 - law) * pan.abs()
    }
}

/// Each input channel at its own position, -1 left to 1 right.
fn positions(left: f64, right: f64) -> Matrix {
    let left_share = |position: f64| 0.5 * (1.0 - position);
    let right_share = |position: f64| 0.5 * (1.0 + position);
    [
        [left_share(left), left_share(right)],
        [right_share(left), right_share(right)],
    ]
}

/// A matrix with all gains times `gain`.
pub(super) fn scaled(matrix: Matrix, gain: f64) -> Matrix {
    matrix.map(|row| row.map(|cell| cell * gain))
}

fn unit(value: f64) -> f64 {
    if value.is_finite() {
        value.clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mode: PanMode, law: f64, pan: f64, width: f64) -> Matrix {
        Pan {
            mode,
            law,
            taper: 3,
            pan,
            width,
            dual: (-1.0, 1.0),
        }
        .matrix()
    }

    #[test]
    fn balance_at_0_db_attenuates_the_far_side_linearly() {
        let mode = PanMode::StereoBalance;
        assert_eq!(at(mode, 1.0, 0.0, 1.0), IDENTITY);
        assert_eq!(at(mode, 1.0, 0.25, 1.0), [[0.75, 0.0], [0.0, 1.0]]);
        assert_eq!(at(mode, 1.0, -1.0, 1.0), [[1.0, 0.0], [0.0, 0.0]]);
    }

    #[test]
    fn a_law_lowers_the_centre_and_leaves_the_side() {
        for taper in [0, 2, 3] {
            let gains = |pan| balance_gains(pan, 0.5, taper);
            let (left, right) = gains(0.0);
            assert!((left - 0.5).abs() < 1e-12 && (right - 0.5).abs() < 1e-12);
            let (left, right) = gains(1.0);
            assert!(left.abs() < 1e-12 && (right - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_compensated_law_raises_the_side() {
        let (left, right) = balance_gains(0.0, 2.0, 3);
        assert!((left - 1.0).abs() < 1e-12 && (right - 1.0).abs() < 1e-12);
        assert!((balance_gains(-1.0, 2.0, 3).0 - 2.0).abs() < 1e-12);
    }

    #[test]
    fn width_scales_the_side_and_minus_one_swaps() {
        let mode = PanMode::StereoPan;
        assert_eq!(at(mode, 1.0, 0.0, 1.0), IDENTITY);
        assert_eq!(at(mode, 1.0, 0.0, 0.0), [[0.5, 0.5], [0.5, 0.5]]);
        assert_eq!(at(mode, 1.0, 0.0, -1.0), [[0.0, 1.0], [1.0, 0.0]]);
        assert_eq!(at(mode, 1.0, 1.0, 1.0), [[0.0, 0.0], [1.0, 1.0]]);
    }

    #[test]
    fn values_that_are_no_numbers_pan_nowhere() {
        assert_eq!(
            at(PanMode::StereoBalance, f64::NAN, f64::NAN, 1.0),
            IDENTITY
        );
    }
}
