//! `VST: ReaComp (Cockos)`: a feed-forward compressor with a side-chain.
//!
//! Parameter laws are measured. The static curve, the ballistics and the
//! detector filters are not published; ours are an approximation: see
//! `docs/fx-models.md`. Auto release, the filter preview, the detector listen
//! switch and detector inputs other than main and auxiliary 1+2 have no effect.

use super::detector::{Detector, INPUTS, Settings, Slots, input_text};
use super::float_list::float_list;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::Param;
use super::processor::{BLOCK, Processor, SLOTS, Setup};
use crate::dsp::delay::Delay;
use crate::dsp::envelope::Follower;
use crate::dsp::onepole::smoothing_coef;
use crate::dsp::{Frame, LANES, SILENCE, max, poly};
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaComp (Cockos)",
    file: "reacomp.dll",
    id: Some(1_919_247_213),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 4,
    pins_out: 2,
    plug: &ReaComp,
};

const THRESHOLD: usize = 0;
const RATIO: usize = 1;
const ATTACK: usize = 2;
const RELEASE: usize = 3;
const PRE_COMP: usize = 4;
const LOWPASS: usize = 6;
const HIPASS: usize = 7;
const SIGN_IN: usize = 8;
const DRY: usize = 10;
const WET: usize = 11;
const RMS_SIZE: usize = 13;
const KNEE: usize = 14;
const AUTO_MAKE_UP: usize = 15;

static PARAMS: [Param; 21] = [
    Param::gain("Threshold", 1.0, 2.0),
    Param::scaled("Ratio", 0.0303, 99.0, 2).shown(ratio_text),
    Param::scaled("Attack", 0.006, 500.0, 1),
    Param::scaled("Release", 0.02, 5000.0, 1),
    Param::scaled("Pre-comp", 0.0, 250.0, 1),
    Param::scaled("resvd", 0.0, 1.0, 1),
    Param::scaled("Lowpass", 1.0, 20_000.0, 1),
    Param::scaled("Hipass", 0.0, 20_000.0, 1),
    Param::scaled("SignIn", 0.0, INPUTS, 0).shown(input_text),
    Param::scaled("AudIn", 0.0, 1.0, 0),
    Param::gain("Dry", 0.0, 2.0),
    Param::gain("Wet", 1.0, 4.0).ranging(0.0, 4.0, 1.0),
    Param::switch("Filter Preview", 0.0),
    Param::scaled("RMS size", 0.05, 100.0, 1).ranging(0.0, 10.0, 0.5),
    Param::scaled("Knee", 0.0, 24.0, 1),
    Param::switch("Auto Make Up Gain", 0.0),
    Param::switch("Auto Release", 0.0),
    Param::scaled("Legacy", 0.25, 1.0, 2),
    Param::scaled("Deprecated Broken Anti-Alias", 0.0, 13.0, 0),
    Param::scaled("Multichannel", 0.0, 1.0, 2),
    Param::scaled("Metering", 0.0, 1.0, 2),
];

fn ratio_text(x: f64) -> String {
    if x >= 1.0 {
        "inf".to_owned()
    } else {
        format!("{:.2}", 1.0 + 99.0 * x)
    }
}

struct ReaComp;

impl Plug for ReaComp {
    float_list!(PARAMS);

    fn latency_frames(&self, fx: &Fx, setup: Setup) -> usize {
        let ms = 250.0 * PARAMS[PRE_COMP].value(fx, PRE_COMP);
        (ms * 1e-3 * setup.sample_rate_hz).round() as usize
    }

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        let latency = self.group_latency_frames(setup, slots);
        processor(Comp::new(setup, latency), slots)
    }
}

/// Power (-300 dB) below which nothing is heard; it keeps logarithms finite.
const FLOOR: f64 = 1e-30;

/// A compressor for each slot. A block takes three passes — level, smoothing,
/// gain — because all of it at once needs more registers than there are.
struct Comp {
    sample_rate_hz: f64,
    main_delay: Delay<Frame>,
    detector: Detector,
    /// Levels here are log2 of power: 1 is 3.01 dB.
    threshold: Slots,
    half_knee: Slots,
    /// Reduction per level above the knee, and its quadratic part inside.
    slope: Slots,
    knee_factor: Slots,
    reduction: Follower<SLOTS>,
    wet: Frame,
    dry: Frame,
    level: Box<[Slots; BLOCK]>,
}

impl Comp {
    fn new(setup: Setup, latency: usize) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            main_delay: Delay::new(latency),
            detector: Detector::new(setup, latency),
            threshold: [0.0; SLOTS],
            half_knee: [0.0; SLOTS],
            slope: [0.0; SLOTS],
            knee_factor: [0.0; SLOTS],
            reduction: Follower::new(),
            wet: [1.0; LANES],
            dry: SILENCE,
            level: Box::new([[0.0; SLOTS]; BLOCK]),
        }
    }
}

/// Level in log2 of power for decibels.
fn level_of_db(db: f64) -> f64 {
    db / (10.0 * std::f64::consts::LOG10_2)
}

impl Core for Comp {
    fn latency_frames(&self) -> usize {
        self.main_delay.frames()
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| PARAMS[index].value(fx, index);
        let fs = self.sample_rate_hz;
        let lanes = [2 * slot, 2 * slot + 1];

        self.detector.set(
            slot,
            &Settings {
                look_ahead_s: 0.25 * value(PRE_COMP),
                sign_in: value(SIGN_IN),
                lowpass: value(LOWPASS),
                hipass: value(HIPASS),
                rms_s: 0.1 * value(RMS_SIZE),
            },
        );

        let ratio = 1.0 + 99.0 * value(RATIO);
        let slope = if value(RATIO) >= 1.0 {
            1.0
        } else {
            1.0 - 1.0 / ratio
        };
        let threshold_db = 20.0 * value(THRESHOLD).max(1e-15).log10();
        let knee_db = 24.0 * value(KNEE);
        self.threshold[slot] = level_of_db(threshold_db);
        self.half_knee[slot] = level_of_db(knee_db) / 2.0;
        self.slope[slot] = slope;
        // The parabola through the ends of the knee (Giannoulis, Massberg and
        // Reiss, "Digital Dynamic Range Compressor Design", 2012).
        self.knee_factor[slot] = if knee_db > 0.0 {
            slope / (2.0 * level_of_db(knee_db))
        } else {
            0.0
        };
        self.reduction.set(
            slot,
            smoothing_coef(0.5 * value(ATTACK), fs),
            smoothing_coef(5.0 * value(RELEASE), fs),
        );

        let make_up_db = if value(AUTO_MAKE_UP) >= 0.5 {
            // Half of the reduction at 0 dB, a common description.
            0.5 * slope * (-threshold_db).clamp(0.0, 60.0)
        } else {
            0.0
        };
        let wet = value(WET) * 10f64.powf(make_up_db / 20.0);
        for lane in lanes {
            self.wet[lane] = wet;
            self.dry[lane] = value(DRY);
        }
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>) {
        let level = &mut self.level[..main.len()];
        self.detector.power(main, aux, level);
        self.main_delay.process(main);

        for level in level.iter_mut() {
            let mut audible = *level;
            for slot in 0..SLOTS {
                audible[slot] = max(audible[slot], FLOOR);
            }
            let log = poly::log2(audible);
            for slot in 0..SLOTS {
                let over = log[slot] - self.threshold[slot];
                let into_knee = max(over + self.half_knee[slot], 0.0);
                let inside = self.knee_factor[slot] * into_knee * into_knee;
                let above = self.slope[slot] * over;
                let beyond = if over < 0.0 { 0.0 } else { above };
                level[slot] = if over.abs() < self.half_knee[slot] {
                    inside
                } else {
                    beyond
                };
            }
        }

        let mut reduction = self.reduction.clone();
        for level in level.iter_mut() {
            *level = reduction.next(*level);
        }
        self.reduction = reduction;

        for (frame, level) in main.iter_mut().zip(level.iter()) {
            // Half: from power to amplitude.
            let gain = poly::exp2(level.map(|reduction| -0.5 * reduction));
            for lane in 0..LANES {
                frame[lane] *= gain[lane / 2] * self.wet[lane] + self.dry[lane];
            }
        }
    }

    fn flush(&mut self) {
        self.detector.flush();
        self.reduction.flush();
    }

    fn reset(&mut self) {
        self.main_delay.reset();
        self.detector.reset();
        self.reduction.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::{SETUP, sine, steady_gain_db};

    fn comp(threshold_db: f64, ratio: f64, knee_db: f64) -> Fx {
        let mut fx = MODEL.instantiate();
        fx.params[THRESHOLD] = 10f64.powf(threshold_db / 20.0);
        fx.params[RATIO] = (ratio - 1.0) / 99.0;
        fx.params[KNEE] = knee_db / 24.0;
        fx
    }

    #[test]
    fn texts_are_those_of_reaper() {
        let fx = MODEL.instantiate();
        for (index, raw, text) in [
            (THRESHOLD, 0.1585, "-16.0"),
            (RATIO, 0.0303, "4.00"),
            (RATIO, 1.0, "inf"),
            (ATTACK, 0.006, "3.0"),
            (RELEASE, 0.02, "100.0"),
            (RMS_SIZE, 0.05, "5.0"),
            (WET, 1.0, "0.0"),
        ] {
            assert_eq!(MODEL.format(&fx, index, raw), text, "{index}");
        }
    }

    #[test]
    fn the_static_curve_is_the_textbook_one() {
        // A square wave has its peak as RMS: the level is known exactly.
        for (level_db, threshold_db, ratio, knee_db) in [
            (-6.0, -18.0, 4.0, 0.0),
            (-20.0, -18.0, 4.0, 0.0),
            (0.0, -24.0, 2.0, 0.0),
            (-18.0, -18.0, 4.0, 12.0),
            (-15.0, -18.0, 4.0, 12.0),
            (-3.0, -12.0, 50.0, 6.0),
        ] {
            let over: f64 = level_db - threshold_db;
            let slope = 1.0 - 1.0 / ratio;
            let expected = if over.abs() < knee_db / 2.0 {
                -slope * (over + knee_db / 2.0).powi(2) / (2.0 * knee_db)
            } else {
                -slope * over.max(0.0)
            };
            let gain = steady_gain_db(&MODEL, &comp(threshold_db, ratio, knee_db), level_db);
            assert!(
                (gain - expected).abs() < 0.01,
                "{level_db} dB, threshold {threshold_db}, ratio {ratio}, knee {knee_db}: {gain}, expected {expected}"
            );
        }
    }

    #[test]
    fn the_side_chain_listens_to_channels_3_and_4() {
        let mut fx = comp(-20.0, 10.0, 0.0);
        fx.params[SIGN_IN] = 2.0 / 1084.0;
        let mut group = crate::fx::new_group(&MODEL, SETUP, &[Some(&fx)]).unwrap();
        let quiet = sine(1000.0, 0.01, 4800);
        let loud = sine(200.0, 1.0, 4800);
        let mut out = quiet.clone();
        group.process(&mut out, Some(&loud));
        let peak = |frames: &[Frame]| {
            frames[2400..]
                .iter()
                .fold(0.0, |peak, f| f64::max(peak, f[0].abs()))
        };
        assert!(peak(&out) < 0.3 * peak(&quiet), "ducked to {}", peak(&out));
        group.reset();
        let mut out = loud.clone();
        group.process(&mut out, None);
        assert_eq!(peak(&out), peak(&loud), "no key, no compression");
    }

    #[test]
    fn attack_has_gone_63_percent_in_its_time() {
        let mut fx = comp(-20.0, 1e9, 0.0);
        fx.params[RATIO] = 1.0;
        fx.params[ATTACK] = 20.0 / 500.0;
        fx.params[RMS_SIZE] = 0.0;
        let mut group = crate::fx::new_group(&MODEL, SETUP, &[Some(&fx)]).unwrap();
        let mut out = vec![[1.0; LANES]; 960];
        group.process(&mut out, None);
        let db = 20.0 * out[959][0].log10();
        assert!((db + 20.0 * (1.0 - (-1.0_f64).exp())).abs() < 0.02, "{db}");
    }
}
