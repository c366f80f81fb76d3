//! `JS: Stereo Width`: side and mid added on top of the dry signal, so that
//! even at its defaults it changes the sound: the mid doubles, the side grows
//! by 1 + √2.

use super::group::Core;
use super::js::script;
use super::model::{Kind, Model};
use super::param::Param;
use super::processor::{SLOTS, Setup};
use super::ramp::Ramp;
use crate::dsp::Frame;
use crate::project::Fx;
use std::f64::consts::{FRAC_PI_4, PI};

static SLIDERS: [Param; 5] = [
    Param::slider("Width Boost (dB)", 0.0, (-20.0, 20.0), 0.0),
    Param::slider("Center Boost (dB)", 0.0, (-20.0, 20.0), 0.0),
    Param::slider("Gain (dB)", 0.0, (-20.0, 20.0), 0.0),
    Param::slider("Width Balance (%)", 0.0, (-100.0, 100.0), 0.0),
    Param::slider("Width Rotation (deg)", 0.0, (-90.0, 90.0), 0.0),
];

pub(super) static MODEL: Model = Model {
    name: "JS: Stereo Width",
    file: "sstillwell/stereowidth",
    id: None,
    kind: Kind::Effect,
    type_text: "JS",
    pins_in: 2,
    pins_out: 2,
    plug: &StereoWidthPlug,
};

script!(StereoWidthPlug, SLIDERS, StereoWidth);

/// The effect is linear: each output channel is a mix of both inputs.
struct StereoWidth {
    /// Share of the channel itself and of the other channel.
    own: Ramp,
    other: Ramp,
}

impl StereoWidth {
    fn new(_setup: Setup) -> Self {
        let mut other = Ramp::new();
        (0..SLOTS).for_each(|slot| other.set(slot, [0.0; 2]));
        Self {
            own: Ramp::new(),
            other,
        }
    }
}

/// Output left and right for an input.
fn apply(fx: &Fx, left: f64, right: f64) -> [f64; 2] {
    let value = |index: usize| SLIDERS[index].value(fx, index);
    let amplitude = |db: f64| 10f64.powf(db / 20.0);
    let mid = (left + right) / 2.0;
    // Equal-power balance, √2 for both sides at the centre: that explains the
    // √2 of the script; its course away from the centre is our guess.
    let angle = (value(3) / 100.0 + 1.0) * FRAC_PI_4;
    let width = 2.0 * amplitude(value(0));
    let center = amplitude(value(1));
    let gain = amplitude(value(2));
    let wide_left = left + width * angle.cos() * (left - mid) + center * mid;
    let wide_right = right + width * angle.sin() * (right - mid) + center * mid;
    let (sin, cos) = (value(4) * PI / 180.0).sin_cos();
    [
        gain * (wide_left * cos - wide_right * sin),
        gain * (wide_left * sin + wide_right * cos),
    ]
}

impl Core for StereoWidth {
    fn set(&mut self, slot: usize, fx: &Fx) {
        let [left_left, left_right] = apply(fx, 1.0, 0.0);
        let [right_left, right_right] = apply(fx, 0.0, 1.0);
        self.own.set(slot, [left_left, right_right]);
        self.other.set(slot, [right_left, left_right]);
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        for frame in main {
            let (own, other) = (self.own.next(), self.other.next());
            let x = *frame;
            for slot in 0..SLOTS {
                let (left, right) = (2 * slot, 2 * slot + 1);
                frame[left] = own[left] * x[left] + other[left] * x[right];
                frame[right] = own[right] * x[right] + other[right] * x[left];
            }
        }
    }

    fn reset(&mut self) {
        self.own.finish();
        self.other.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_not_neutral() {
        let fx = MODEL.instantiate();
        let mid = apply(&fx, 0.5, 0.5);
        let side = apply(&fx, 0.5, -0.5);
        assert!((mid[0] - 1.0).abs() < 1e-12 && (mid[1] - 1.0).abs() < 1e-12);
        let grown = 0.5 * (1.0 + 2f64.sqrt());
        assert!((side[0] - grown).abs() < 1e-12 && (side[1] + grown).abs() < 1e-12);
    }
}
