//! The level detector that the dynamics effects share: main or side-chain
//! input, look-ahead, filters, mean power; one reading per slot.
//!
//! Not published by REAPER; ours is an approximation (`docs/fx-models.md`).

use super::processor::{BLOCK, SLOTS, Setup};
use crate::dsp::delay::Ring;
use crate::dsp::envelope::Follower;
use crate::dsp::onepole::{OnePole, low_pass_coef, smoothing_coef};
use crate::dsp::{Frame, LANES, SILENCE, max};

/// Values per slot: the two channels of a slot share one detector.
pub(crate) type Slots = [f64; SLOTS];

/// Raw distance between two detector inputs; input 2 is "auxiliary 1+2".
pub(crate) const INPUTS: f64 = 1084.0;

/// Text of a detector input.
pub(crate) fn input_text(x: f64) -> String {
    match (x * INPUTS).round() as i64 {
        0 => "Main Input L+R".to_owned(),
        2 => "Auxiliary Input L+R".to_owned(),
        input => input.to_string(),
    }
}

/// Raw values of the detector's parameters.
pub(crate) struct Settings {
    pub look_ahead_s: f64,
    pub sign_in: f64,
    pub lowpass: f64,
    pub hipass: f64,
    pub rms_s: f64,
}

pub(crate) struct Detector {
    sample_rate_hz: f64,
    key_delay: KeyDelay,
    use_aux: [bool; SLOTS],
    any_aux: bool,
    low_pass: OnePole,
    high_pass: OnePole,
    filtered: bool,
    power: Follower<SLOTS>,
    key: Box<[Frame; BLOCK]>,
}

impl Detector {
    /// `latency` is that of the group; what a slot's own look-ahead lacks to
    /// it delays its detector.
    pub(crate) fn new(setup: Setup, latency: usize) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            key_delay: KeyDelay::new(latency),
            use_aux: [false; SLOTS],
            any_aux: false,
            low_pass: OnePole::new(1.0),
            high_pass: OnePole::new(0.0),
            filtered: false,
            power: Follower::new(),
            key: Box::new([SILENCE; BLOCK]),
        }
    }

    pub(crate) fn set(&mut self, slot: usize, settings: &Settings) {
        let fs = self.sample_rate_hz;
        let own_latency = (settings.look_ahead_s * fs).round() as usize;
        self.key_delay.set(slot, own_latency);
        self.use_aux[slot] = (settings.sign_in * INPUTS).round() == 2.0;
        self.any_aux = self.use_aux.contains(&true);
        for lane in [2 * slot, 2 * slot + 1] {
            let coef = if settings.lowpass >= 1.0 {
                1.0
            } else {
                low_pass_coef(20_000.0 * settings.lowpass, fs)
            };
            self.low_pass.set(lane, coef);
            self.high_pass
                .set(lane, low_pass_coef(20_000.0 * settings.hipass, fs));
        }
        self.filtered =
            self.low_pass.coefs() != &[1.0; LANES] || self.high_pass.coefs() != &SILENCE;
        // A window of T seconds has the mean age T/2, as a one-pole mean with
        // that time constant.
        let rms = smoothing_coef(0.5 * settings.rms_s, fs);
        self.power.set(slot, rms, rms);
    }

    /// Mean power of each slot, of the louder channel, for a block.
    #[inline(always)]
    pub(crate) fn power(&mut self, main: &[Frame], aux: Option<&[Frame]>, power: &mut [Slots]) {
        let key = &mut self.key[..main.len()];
        key.copy_from_slice(main);
        if self.any_aux {
            for (index, frame) in key.iter_mut().enumerate() {
                let aux = aux.map_or(SILENCE, |aux| aux[index]);
                for lane in 0..LANES {
                    frame[lane] = if self.use_aux[lane / 2] {
                        aux[lane]
                    } else {
                        frame[lane]
                    };
                }
            }
        }
        self.key_delay.process(key);
        if self.filtered {
            for frame in key.iter_mut() {
                *frame = self.high_pass.high(self.low_pass.low(*frame));
            }
        }
        let mut mean = self.power.clone();
        for (frame, power) in key.iter().zip(power.iter_mut()) {
            let mut loudest = [0.0; SLOTS];
            for slot in 0..SLOTS {
                let (left, right) = (frame[2 * slot], frame[2 * slot + 1]);
                loudest[slot] = max(left * left, right * right);
            }
            *power = mean.next(loudest);
        }
        self.power = mean;
    }

    pub(crate) fn flush(&mut self) {
        self.low_pass.flush();
        self.high_pass.flush();
        self.power.flush();
    }

    pub(crate) fn reset(&mut self) {
        self.key_delay.reset();
        self.low_pass.reset();
        self.high_pass.reset();
        self.power.reset();
    }
}

/// Delays the detector of a slot by what its own look-ahead lacks to the
/// latency of the group.
struct KeyDelay {
    latency: usize,
    lag: [usize; SLOTS],
    ring: Ring<Frame>,
    active: bool,
}

impl KeyDelay {
    fn new(latency: usize) -> Self {
        Self {
            latency,
            lag: [latency; SLOTS],
            ring: Ring::new(latency + 1),
            active: false,
        }
    }

    fn set(&mut self, slot: usize, own_latency: usize) {
        self.lag[slot] = self.latency - own_latency.min(self.latency);
        self.active = self.lag != [0; SLOTS];
    }

    #[inline(always)]
    fn process(&mut self, key: &mut [Frame]) {
        if self.latency == 0 {
            return;
        }
        for frame in key {
            self.ring.push(*frame);
            if self.active {
                for slot in 0..SLOTS {
                    let back = self.ring.back(1 + self.lag[slot]);
                    frame[2 * slot] = back[2 * slot];
                    frame[2 * slot + 1] = back[2 * slot + 1];
                }
            }
        }
    }

    fn reset(&mut self) {
        self.ring.reset();
    }
}
