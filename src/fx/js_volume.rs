//! `JS: Volume Adjustment`: gain and a hard clamp.

use super::group::Core;
use super::js::script;
use super::model::{Kind, Model};
use super::param::Param;
use super::processor::Setup;
use super::ramp::Ramp;
use crate::dsp::{Frame, LANES};
use crate::project::Fx;

static SLIDERS: [Param; 2] = [
    Param::slider("Adjustment (dB)", 6.0, (-150.0, 150.0), 0.1),
    Param::slider("Max Volume (dB)", 0.0, (-150.0, 150.0), 0.1),
];

pub(super) static MODEL: Model = Model {
    name: "JS: Volume Adjustment",
    file: "utility/volume",
    id: None,
    kind: Kind::Effect,
    type_text: "JS",
    pins_in: 2,
    pins_out: 2,
    plug: &VolumePlug,
};

script!(VolumePlug, SLIDERS, Volume);

struct Volume {
    gain: Ramp,
    limit: Frame,
}

impl Volume {
    fn new(_setup: Setup) -> Self {
        Self {
            gain: Ramp::new(),
            limit: [f64::INFINITY; LANES],
        }
    }
}

impl Core for Volume {
    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| SLIDERS[index].value(fx, index);
        // The script takes 6 dB as exactly a factor of 2.
        self.gain.set(slot, [(value(0) / 6.0).exp2(); 2]);
        self.limit[2 * slot..2 * slot + 2].fill((value(1) / 6.0).exp2());
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        for frame in main {
            let gain = self.gain.next();
            for lane in 0..LANES {
                let value = frame[lane] * gain[lane];
                let value = if value > self.limit[lane] {
                    self.limit[lane]
                } else {
                    value
                };
                frame[lane] = if value < -self.limit[lane] {
                    -self.limit[lane]
                } else {
                    value
                };
            }
        }
    }

    fn reset(&mut self) {
        self.gain.finish();
    }
}
