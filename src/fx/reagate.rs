//! `VST: ReaGate (Cockos)`: a gate with hysteresis, hold and a side-chain.
//!
//! Parameter order and the main scales are measured; the gain law and the
//! scales of pre-open and hold are guesses: see `docs/fx-models.md`. Noise,
//! MIDI, preview, invert and detector listening have no effect.

use super::detector::{Detector, INPUTS, Settings, Slots, input_text};
use super::float_list::float_list;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::Param;
use super::processor::{BLOCK, Processor, SLOTS, Setup};
use crate::dsp::delay::Delay;
use crate::dsp::envelope::Follower;
use crate::dsp::onepole::smoothing_coef;
use crate::dsp::{Frame, LANES, SILENCE, max};
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaGate (Cockos)",
    file: "reagate.dll",
    id: Some(1_919_248_244),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 4,
    pins_out: 2,
    plug: &ReaGate,
};

const THRESHOLD: usize = 0;
const ATTACK: usize = 1;
const RELEASE: usize = 2;
const PRE_OPEN: usize = 3;
const HOLD: usize = 4;
const LOWPASS: usize = 5;
const HIPASS: usize = 6;
const SIGN_IN: usize = 7;
const DRY: usize = 9;
const WET: usize = 10;
const HYSTERESIS: usize = 12;
const RMS_SIZE: usize = 14;

static PARAMS: [Param; 21] = [
    Param::gain("Threshold", 0.0, 2.0),
    Param::scaled("Attack", 0.006, 500.0, 1),
    Param::scaled("Release", 0.02, 5000.0, 1),
    Param::scaled("Pre-open", 0.0, 250.0, 1),
    Param::scaled("Hold", 0.0, 1000.0, 1),
    Param::scaled("Lowpass", 1.0, 20_000.0, 1),
    Param::scaled("Hipass", 0.0, 20_000.0, 1),
    Param::scaled("SignIn", 0.0, INPUTS, 0).shown(input_text),
    Param::scaled("AudIn", 0.0, 1.0, 0),
    Param::gain("Dry", 0.0, 2.0),
    Param::gain("Wet", 1.0, 4.0),
    Param::gain("Noise", 0.0, 1.0),
    Param::gain("Hysteresis", 1.0, 2.0),
    Param::switch("Preview filter", 0.0),
    Param::scaled("RMS size", 0.0, 100.0, 1).ranging(0.0, 10.0, 0.5),
    Param::switch("Send MIDI", 0.0),
    Param::scaled("MIDI note", 0.543_31, 127.0, 0),
    Param::scaled("MIDI channel", 0.0, 16.0, 0),
    Param::switch("Invert wet", 0.0),
    Param::scaled("Multichannel", 0.0, 1.0, 2),
    Param::scaled("Metering", 0.0, 1.0, 2),
];

struct ReaGate;

impl Plug for ReaGate {
    float_list!(PARAMS);

    fn latency_frames(&self, fx: &Fx, setup: Setup) -> usize {
        let seconds = 0.25 * PARAMS[PRE_OPEN].value(fx, PRE_OPEN);
        (seconds * setup.sample_rate_hz).round() as usize
    }

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        let latency = self.group_latency_frames(setup, slots);
        processor(Gate::new(setup, latency), slots)
    }
}

struct Gate {
    sample_rate_hz: f64,
    main_delay: Delay<Frame>,
    detector: Detector,
    /// Power at which a closed gate opens and below which an open one closes.
    opens: Slots,
    closes: Slots,
    hold_frames: Slots,
    /// Frames that the gate stays open; above zero it is open.
    open_for: Slots,
    gain: Follower<SLOTS>,
    wet: Frame,
    dry: Frame,
    level: Box<[Slots; BLOCK]>,
}

impl Gate {
    fn new(setup: Setup, latency: usize) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            main_delay: Delay::new(latency),
            detector: Detector::new(setup, latency),
            opens: [0.0; SLOTS],
            closes: [0.0; SLOTS],
            hold_frames: [0.0; SLOTS],
            open_for: [0.0; SLOTS],
            gain: Follower::new(),
            wet: [1.0; LANES],
            dry: SILENCE,
            level: Box::new([[0.0; SLOTS]; BLOCK]),
        }
    }
}

impl Core for Gate {
    fn latency_frames(&self) -> usize {
        self.main_delay.frames()
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| PARAMS[index].value(fx, index);
        let fs = self.sample_rate_hz;
        self.detector.set(
            slot,
            &Settings {
                look_ahead_s: 0.25 * value(PRE_OPEN),
                sign_in: value(SIGN_IN),
                lowpass: value(LOWPASS),
                hipass: value(HIPASS),
                rms_s: 0.1 * value(RMS_SIZE),
            },
        );
        let threshold = value(THRESHOLD);
        self.opens[slot] = threshold.powi(2);
        self.closes[slot] = (threshold * value(HYSTERESIS).min(1.0)).powi(2);
        self.hold_frames[slot] = (value(HOLD) * fs).round();
        // A gate without a threshold is open from the first frame on.
        let rise = if threshold > 0.0 {
            smoothing_coef(0.5 * value(ATTACK), fs)
        } else {
            1.0
        };
        self.gain
            .set(slot, rise, smoothing_coef(5.0 * value(RELEASE), fs));
        for lane in [2 * slot, 2 * slot + 1] {
            self.wet[lane] = value(WET);
            self.dry[lane] = value(DRY);
        }
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>) {
        let level = &mut self.level[..main.len()];
        self.detector.power(main, aux, level);
        self.main_delay.process(main);
        let mut open_for = self.open_for;
        let mut gain = self.gain.clone();
        for level in level.iter_mut() {
            let mut target = [0.0; SLOTS];
            for slot in 0..SLOTS {
                let needed = if open_for[slot] > 0.0 {
                    self.closes[slot]
                } else {
                    self.opens[slot]
                };
                // One frame more than the hold: a loud frame itself is open.
                open_for[slot] = if level[slot] >= needed {
                    self.hold_frames[slot] + 1.0
                } else {
                    max(open_for[slot] - 1.0, 0.0)
                };
                target[slot] = if open_for[slot] > 0.0 { 1.0 } else { 0.0 };
            }
            *level = gain.next(target);
        }
        self.gain = gain;
        self.open_for = open_for;
        for (frame, gain) in main.iter_mut().zip(level.iter()) {
            for lane in 0..LANES {
                frame[lane] *= gain[lane / 2] * self.wet[lane] + self.dry[lane];
            }
        }
    }

    fn flush(&mut self) {
        self.detector.flush();
        self.gain.flush();
    }

    fn reset(&mut self) {
        self.main_delay.reset();
        self.detector.reset();
        self.gain.reset();
        self.open_for = [0.0; SLOTS];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::run;

    #[test]
    fn quiet_parts_close_after_the_hold() {
        let mut fx = MODEL.instantiate();
        fx.params[THRESHOLD] = 0.1;
        fx.params[HOLD] = 0.1; // 100 ms
        fx.params[RELEASE] = 0.001; // 5 ms
        let input: Vec<Frame> = (0..24_000)
            .map(|n| [if n < 4800 { 0.5 } else { 0.01 }; LANES])
            .collect();
        let out = run(&MODEL, &fx, &input);
        assert!((out[4700][0] - 0.5).abs() < 1e-6, "open");
        assert!((out[9000][0] - 0.01).abs() < 1e-6, "held");
        assert!(out[16_000][0].abs() < 1e-6, "closed: {}", out[16_000][0]);
    }

    #[test]
    fn hysteresis_keeps_it_open() {
        let mut fx = MODEL.instantiate();
        fx.params[THRESHOLD] = 0.1;
        fx.params[HYSTERESIS] = 0.25;
        let level = |n: usize| if n < 4800 { 0.5 } else { 0.05 };
        let input: Vec<Frame> = (0..24_000).map(|n| [level(n); LANES]).collect();
        let out = run(&MODEL, &fx, &input);
        assert!((out[20_000][0] - 0.05).abs() < 1e-6);
    }
}
