//! `VST: ReaDelay (Cockos)`: one or more taps with feedback.
//!
//! The state is measured; the scales of length, width and the level range are
//! guesses and the order of the stages is ours: see `docs/fx-models.md`.
//! The resolution of a tap is kept but has no effect.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::bytes::Reader;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::Param;
use super::processor::{Processor, SLOTS, Setup};
use crate::dsp::delay::Ring;
use crate::dsp::onepole::low_pass_coef;
use crate::dsp::{Frame, TINY};
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaDelay (Cockos)",
    file: "readelay.dll",
    id: Some(1_919_247_468),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 2,
    pins_out: 2,
    plug: &ReaDelay,
};

/// Parameters before the taps, and of each tap.
const GLOBALS: usize = 2;
const PER_TAP: usize = 10;

const ENABLED: usize = 0;
const TIME: usize = 1;
const MUSICAL: usize = 2;
const FEEDBACK: usize = 3;
const LOWPASS: usize = 4;
const HIPASS: usize = 5;
const WIDTH: usize = 7;
const VOLUME: usize = 8;
const PAN: usize = 9;

/// Full scale of the two lengths (guesses).
const MAX_TIME_S: f64 = 10.0;
const MAX_EIGHTHS: f64 = 256.0;

/// Longest delay we hold; longer ones are cut.
const LONGEST_S: f64 = 20.0;

static GLOBAL_PARAMS: [Param; GLOBALS] =
    [Param::gain("Wet", 1.0, 2.0), Param::gain("Dry", 1.0, 2.0)];

static TAP_PARAMS: [Param; PER_TAP] = [
    Param::switch("Enabled", 1.0),
    Param::scaled("Length (time)", 0.0, MAX_TIME_S * 1e3, 1),
    Param::scaled("Length (musical)", 4.0 / MAX_EIGHTHS, MAX_EIGHTHS, 2),
    Param::gain("Feedback", 0.0, 1.0),
    Param::scaled("Lowpass", 1.0, 20_000.0, 0),
    Param::scaled("Hipass", 0.0, 20_000.0, 0),
    Param::scaled("Resolution", 1.0, 24.0, 0),
    Param::scaled("Stereo width", 1.0, 1.0, 2).shown(|x| format!("{:.2}", 2.0 * x - 1.0)),
    Param::gain("Volume", 1.0, 2.0),
    Param::scaled("Pan", 0.5, 1.0, 2).shown(|x| format!("{:.2}", 2.0 * x - 1.0)),
];

/// More taps than anyone has.
const MAX_TAPS: usize = 256;
/// Bytes before the two levels, and of a tap.
const HEAD: usize = 24;
const RECORD: usize = 44;

fn tap_count(params: &[f64]) -> usize {
    match params.len() {
        0 => 1,
        length => (length.saturating_sub(GLOBALS) / PER_TAP).min(MAX_TAPS),
    }
}

struct ReaDelay;

impl Plug for ReaDelay {
    fn param_count(&self, fx: &Fx) -> usize {
        GLOBALS + PER_TAP * tap_count(&fx.params)
    }

    fn param(&self, fx: &Fx, index: usize) -> Option<Param> {
        if index < GLOBALS {
            return GLOBAL_PARAMS.get(index).cloned();
        }
        let (tap, offset) = ((index - GLOBALS) / PER_TAP, (index - GLOBALS) % PER_TAP);
        if tap >= tap_count(&fx.params) {
            return None;
        }
        let mut param = TAP_PARAMS[offset].clone();
        param.name = Cow::Owned(format!("{}: {}", tap + 1, param.name));
        Some(param)
    }

    fn decode(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        let mut reader = Reader::new(state);
        reader.take(12)?;
        if reader.u32()? as usize != RECORD {
            return None;
        }
        reader.take(8)?;
        let mut params = vec![
            f64::from(reader.finite_f32()?),
            f64::from(reader.finite_f32()?),
        ];
        while reader.rest().len() >= RECORD && params.len() < GLOBALS + PER_TAP * MAX_TAPS {
            reader.u32()?;
            for _ in 0..PER_TAP {
                params.push(f64::from(reader.finite_f32()?));
            }
        }
        Some((params, BTreeMap::new()))
    }

    fn encode(&self, fx: &Fx, old: Option<&[u8]>) -> Vec<u8> {
        let old = old.filter(|old| self.decode(old).is_some());
        let mut bytes = match old {
            Some(old) => old[..HEAD].to_vec(),
            // As a new instance is saved.
            None => [0u32, 0, 2, RECORD as u32, 2, 0]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect(),
        };
        let float = |index: usize| fx.params.get(index).copied().unwrap_or(1.0) as f32;
        bytes.extend(float(0).to_le_bytes());
        bytes.extend(float(1).to_le_bytes());
        for tap in 0..tap_count(&fx.params) {
            let start = bytes.len();
            let unknown = old.and_then(|old| old.get(start..start + 4));
            bytes.extend(unknown.unwrap_or(&[0; 4]));
            for offset in 0..PER_TAP {
                bytes.extend(float(GLOBALS + PER_TAP * tap + offset).to_le_bytes());
            }
        }
        bytes
    }

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        processor(Delays::new(setup, slots), slots)
    }
}

/// Taps of one slot. Lengths differ by slot, so there is nothing to share
/// between lanes: slots run one after the other.
#[derive(Default)]
struct Slot {
    taps: Vec<Tap>,
    wet: f64,
    dry: f64,
}

struct Tap {
    ring: Ring<[f64; 2]>,
    frames: usize,
    enabled: bool,
    feedback: f64,
    low_coef: f64,
    high_coef: f64,
    low: [f64; 2],
    high: [f64; 2],
    /// Gains from the tap's left and right into the output's.
    mix: [[f64; 2]; 2],
}

struct Delays {
    setup: Setup,
    slots: [Slot; SLOTS],
}

impl Delays {
    fn new(setup: Setup, slots: &[Option<&Fx>]) -> Self {
        let mut delays = Self {
            setup,
            slots: Default::default(),
        };
        for slot in &mut delays.slots {
            slot.dry = 1.0;
        }
        for (slot, fx) in slots.iter().enumerate() {
            if let Some(fx) = fx {
                delays.set(slot, fx);
            }
        }
        delays
    }
}

fn tap_frames(setup: Setup, time: f64, musical: f64) -> usize {
    let eighth_s = 30.0 / setup.bpm.clamp(1.0, 1000.0);
    let seconds = MAX_TIME_S * time + MAX_EIGHTHS * musical * eighth_s;
    (seconds.min(LONGEST_S) * setup.sample_rate_hz).round() as usize
}

impl Core for Delays {
    fn tail_frames(&self) -> u64 {
        let tap_tail = |tap: &Tap| {
            let turns = if tap.feedback > 0.0 {
                // Until the repeats are 60 dB down; full feedback never ends,
                // ten minutes stand for that.
                (-3.0 / tap.feedback.min(0.9999).log10()).max(1.0)
            } else {
                1.0
            };
            (tap.frames as f64 * turns).min(600.0 * self.setup.sample_rate_hz) as u64
        };
        let taps = self.slots.iter().flat_map(|slot| &slot.taps);
        taps.filter(|tap| tap.enabled)
            .map(tap_tail)
            .max()
            .unwrap_or(0)
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        let setup = self.setup;
        let taps = tap_count(&fx.params);
        let slot = &mut self.slots[slot];
        slot.wet = GLOBAL_PARAMS[0].value(fx, 0);
        slot.dry = GLOBAL_PARAMS[1].value(fx, 1);
        slot.taps.truncate(taps);
        for tap in 0..taps {
            let value =
                |offset: usize| TAP_PARAMS[offset].value(fx, GLOBALS + PER_TAP * tap + offset);
            let frames = tap_frames(setup, value(TIME), value(MUSICAL));
            if tap == slot.taps.len() {
                slot.taps.push(Tap::new(frames, setup));
            }
            let tap = &mut slot.taps[tap];
            tap.frames = frames.min(tap.ring.reach() - 1);
            tap.enabled = value(ENABLED) >= 0.5;
            tap.feedback = value(FEEDBACK);
            tap.low_coef = if value(LOWPASS) >= 1.0 {
                1.0
            } else {
                low_pass_coef(20_000.0 * value(LOWPASS), setup.sample_rate_hz)
            };
            tap.high_coef = low_pass_coef(20_000.0 * value(HIPASS), setup.sample_rate_hz);
            let width = 2.0 * value(WIDTH) - 1.0;
            let pan = 2.0 * value(PAN) - 1.0;
            let (near, far) = (0.5 + 0.5 * width, 0.5 - 0.5 * width);
            let left = value(VOLUME) * (1.0 - pan.max(0.0));
            let right = value(VOLUME) * (1.0 + pan.min(0.0));
            tap.mix = [[left * near, left * far], [right * far, right * near]];
        }
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            for frame in main.iter_mut() {
                let x = [frame[2 * index], frame[2 * index + 1]];
                let mut wet = [0.0; 2];
                for tap in slot.taps.iter_mut().filter(|tap| tap.enabled) {
                    let out = tap.next(x);
                    for side in 0..2 {
                        wet[side] += tap.mix[side][0] * out[0] + tap.mix[side][1] * out[1];
                    }
                }
                for side in 0..2 {
                    frame[2 * index + side] = slot.dry * x[side] + slot.wet * wet[side];
                }
            }
        }
    }

    fn flush(&mut self) {
        for tap in self.slots.iter_mut().flat_map(|slot| &mut slot.taps) {
            crate::dsp::flush(&mut tap.low);
            crate::dsp::flush(&mut tap.high);
        }
    }

    fn reset(&mut self) {
        for tap in self.slots.iter_mut().flat_map(|slot| &mut slot.taps) {
            tap.ring.reset();
            tap.low = [0.0; 2];
            tap.high = [0.0; 2];
        }
    }
}

impl Tap {
    /// Room for the length it starts with, and a second for automation.
    fn new(frames: usize, setup: Setup) -> Self {
        Self {
            ring: Ring::new(frames.max(setup.sample_rate_hz as usize) + 1),
            frames,
            enabled: true,
            feedback: 0.0,
            low_coef: 1.0,
            high_coef: 0.0,
            low: [0.0; 2],
            high: [0.0; 2],
            mix: [[1.0, 0.0], [0.0, 1.0]],
        }
    }

    /// Delays, filters, feeds back.
    #[inline(always)]
    fn next(&mut self, x: [f64; 2]) -> [f64; 2] {
        // A length of zero lets the input through; its feedback would have
        // no delay, so it takes that of one frame.
        let delayed = if self.frames == 0 {
            x
        } else {
            self.ring.back(self.frames)
        };
        let mut out = [0.0; 2];
        for side in 0..2 {
            self.low[side] += self.low_coef * (delayed[side] - self.low[side]);
            self.high[side] += self.high_coef * (self.low[side] - self.high[side]);
            out[side] = self.low[side] - self.high[side];
        }
        let mut back = [0.0; 2];
        for side in 0..2 {
            let fed = x[side] + self.feedback * out[side];
            // Repeats that have died away do not turn denormal.
            back[side] = if fed.abs() < TINY { 0.0 } else { fed };
        }
        self.ring.push(back);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::LANES;
    use crate::fx::tests::run;

    #[test]
    fn repeats_come_at_the_length_with_the_feedback() {
        let mut fx = MODEL.instantiate();
        fx.params[GLOBALS + TIME] = 0.005; // 50 ms
        fx.params[GLOBALS + MUSICAL] = 0.0;
        fx.params[GLOBALS + FEEDBACK] = 0.5;
        let mut impulse = vec![[0.0; LANES]; 10_000];
        impulse[0] = [1.0; LANES];
        let out = run(&MODEL, &fx, &impulse);
        for (frame, level) in [(0, 1.0), (2400, 1.0), (4800, 0.5), (7200, 0.25)] {
            assert!(
                (out[frame][1] - level).abs() < 1e-12,
                "{frame}: {}",
                out[frame][1]
            );
        }
    }

    #[test]
    fn the_default_is_half_a_note() {
        // Four eighths at 120 bpm are one second.
        let setup = crate::fx::tests::SETUP;
        assert_eq!(tap_frames(setup, 0.0, 0.015_625), 48_000);
    }

    #[test]
    fn taps_are_counted_from_the_state() {
        let mut fx = MODEL.instantiate();
        let tap = fx.params[GLOBALS..].to_vec();
        fx.params.extend(tap);
        assert_eq!(MODEL.param_count(&fx), 22);
        assert_eq!(MODEL.param_name(&fx, 13), "2: Length (time)");
        let (params, _) = MODEL.decode_state(&MODEL.encode_state(&fx)).unwrap();
        assert_eq!(params, fx.params);
    }
}
