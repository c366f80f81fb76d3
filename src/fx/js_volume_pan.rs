//! `JS: Volume/Pan Smoother`: gain and balance without zipper noise.

use super::group::Core;
use super::js::script;
use super::model::{Kind, Model};
use super::param::Param;
use super::processor::Setup;
use super::ramp::Ramp;
use crate::dsp::{Frame, LANES};
use crate::project::Fx;

static SLIDERS: [Param; 3] = [
    Param::slider("Volume (dB)", 0.0, (-60.0, 12.0), 0.1),
    Param::slider("Pan", 0.0, (-100.0, 100.0), 0.1),
    Param::slider("Pan Law (dB)", 0.0, (-6.0, 6.0), 0.5),
];

pub(super) static MODEL: Model = Model {
    name: "JS: Volume/Pan Smoother",
    file: "utility/volume_pan",
    id: None,
    kind: Kind::Effect,
    type_text: "JS",
    pins_in: 2,
    pins_out: 2,
    plug: &VolumePanPlug,
};

script!(VolumePanPlug, SLIDERS, VolumePan);

struct VolumePan {
    gain: Ramp,
}

impl VolumePan {
    fn new(_setup: Setup) -> Self {
        Self { gain: Ramp::new() }
    }
}

impl Core for VolumePan {
    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| SLIDERS[index].value(fx, index);
        // 20 / ln 10, as the script has it.
        let gain = (value(0) / 8.68589).exp();
        let pan = value(1) / 100.0;
        // How the pan law shapes the way from centre to side is our guess:
        // its full amount at the centre, none at the sides.
        let law = (value(2) / 8.68589 * (1.0 - pan.abs())).exp();
        let left = gain * law * (1.0 - pan.max(0.0));
        let right = gain * law * (1.0 + pan.min(0.0));
        self.gain.set(slot, [left, right]);
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        for frame in main {
            let gain = self.gain.next();
            for lane in 0..LANES {
                frame[lane] *= gain[lane];
            }
        }
    }

    fn reset(&mut self) {
        self.gain.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::run;

    #[test]
    fn panning_takes_from_the_other_side() {
        let mut fx = MODEL.instantiate();
        fx.params = vec![-6.0, 25.0, 0.0];
        let out = run(&MODEL, &fx, &[[1.0; LANES]]);
        let gain = 10f64.powf(-6.0 / 20.0);
        // The script's constant for 20 / ln 10 is good for six digits.
        assert!((out[0][0] - 0.75 * gain).abs() < 1e-6 && (out[0][1] - gain).abs() < 1e-6);
    }
}
