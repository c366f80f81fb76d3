//! `JS: Stereo Enhancer`: width of the lows and of the highs apart.

use super::group::Core;
use super::js::script;
use super::model::{Kind, Model};
use super::param::Param;
use super::processor::{SLOTS, Setup};
use crate::dsp::onepole::{OnePole, low_pass_coef};
use crate::dsp::{Frame, LANES};
use crate::project::Fx;

static SLIDERS: [Param; 3] = [
    Param::slider("Width Low (%)", 100.0, (0.0, 200.0), 1.0),
    Param::slider("Crossover (Hz)", 500.0, (0.0, 20_000.0), 1.0),
    Param::slider("Width High (%)", 100.0, (0.0, 200.0), 1.0),
];

pub(super) static MODEL: Model = Model {
    name: "JS: Stereo Enhancer",
    file: "loser/stereoEnhancer",
    id: None,
    kind: Kind::Effect,
    type_text: "JS",
    pins_in: 2,
    pins_out: 2,
    plug: &StereoEnhancerPlug,
};

script!(StereoEnhancerPlug, SLIDERS, StereoEnhancer);

struct StereoEnhancer {
    sample_rate_hz: f64,
    split: OnePole,
    /// Factors on the full difference left minus right, with its sign.
    low: Frame,
    high: Frame,
}

impl StereoEnhancer {
    fn new(setup: Setup) -> Self {
        let neutral = [0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5];
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            split: OnePole::new(1.0),
            low: neutral,
            high: neutral,
        }
    }
}

impl Core for StereoEnhancer {
    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| SLIDERS[index].value(fx, index);
        let coef = low_pass_coef(value(1), self.sample_rate_hz);
        for (lane, sign) in [(2 * slot, 1.0), (2 * slot + 1, -1.0)] {
            self.split.set(lane, coef);
            // 200 % is a factor of 1, so the script's division by the larger
            // of 1 and the factor never acts.
            self.low[lane] = sign * value(0) / 200.0;
            self.high[lane] = sign * value(2) / 200.0;
        }
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        for frame in main {
            let x = *frame;
            let low = self.split.low(x);
            let mut mid = [0.0; LANES];
            let mut low_side = [0.0; LANES];
            let mut high_side = [0.0; LANES];
            for slot in 0..SLOTS {
                let (left, right) = (2 * slot, 2 * slot + 1);
                let side = x[left] - x[right];
                let lows = low[left] - low[right];
                for lane in [left, right] {
                    mid[lane] = 0.5 * (x[left] + x[right]);
                    low_side[lane] = lows;
                    high_side[lane] = side - lows;
                }
            }
            for lane in 0..LANES {
                frame[lane] = mid[lane]
                    + (self.low[lane] * low_side[lane] + self.high[lane] * high_side[lane]);
            }
        }
    }

    fn flush(&mut self) {
        self.split.flush();
    }

    fn reset(&mut self) {
        self.split.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::{noise, run};

    #[test]
    fn a_hundred_percent_is_neutral_and_zero_is_mono() {
        let mut fx = MODEL.instantiate();
        let input = noise(1, 400);
        for (wet, dry) in run(&MODEL, &fx, &input).iter().zip(&input) {
            assert!((wet[0] - dry[0]).abs() < 1e-15 && (wet[1] - dry[1]).abs() < 1e-15);
        }
        fx.params[0] = 0.0;
        fx.params[2] = 0.0;
        for (wet, dry) in run(&MODEL, &fx, &input).iter().zip(&input) {
            assert_eq!(wet[0], wet[1]);
            assert_eq!(wet[0], 0.5 * (dry[0] + dry[1]));
        }
    }
}
