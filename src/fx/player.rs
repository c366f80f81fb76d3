//! What all instruments share: cutting blocks at events, reading MIDI, the
//! sustain pedal, wet and bypass, and the shape of a note's loudness.

use super::instrument::{Instrument, NoteEvent};
use crate::project::Fx;

/// The instrument proper: notes in, sound out.
pub(crate) trait Voices: std::marker::Send {
    fn set(&mut self, fx: &Fx);
    fn note_on(&mut self, channel: u8, key: u8, velocity: u8);
    fn note_off(&mut self, channel: u8, key: u8);

    /// Bend from -1 to 1.
    fn pitch_bend(&mut self, _channel: u8, _bend: f64) {}

    /// Adds `gain` times the sound to `out`. Frame by frame, so that cutting
    /// it up changes nothing.
    fn render(&mut self, gain: f64, out: &mut [[f64; 2]]);

    fn reset(&mut self);
    fn tail_frames(&self) -> u64;
}

/// An [`Instrument`] around [`Voices`].
pub(crate) struct Player<V> {
    voices: V,
    gain: f64,
    /// Channels with the sustain pedal down, and keys let go meanwhile.
    pedal: [bool; 16],
    held_back: [u128; 16],
}

impl<V: Voices + 'static> Player<V> {
    pub(crate) fn boxed(voices: V, fx: &Fx) -> Option<Box<dyn Instrument>> {
        let mut player = Self {
            voices,
            gain: 1.0,
            pedal: [false; 16],
            held_back: [0; 16],
        };
        player.set(fx);
        Some(Box::new(player))
    }

    fn message(&mut self, [status, data1, data2]: [u8; 3]) {
        let channel = status & 0x0f;
        let (key, value) = (data1 & 0x7f, data2 & 0x7f);
        match (status & 0xf0, key) {
            (0x90, key) if value > 0 => {
                self.held_back[usize::from(channel)] &= !(1 << key);
                self.voices.note_on(channel, key, value);
            }
            (0x80 | 0x90, key) => self.release(channel, key),
            (0xe0, low) => {
                let bend = (i32::from(value) << 7 | i32::from(low)) - 8192;
                self.voices.pitch_bend(channel, f64::from(bend) / 8192.0);
            }
            // Sustain pedal.
            (0xb0, 64) => {
                self.pedal[usize::from(channel)] = value >= 64;
                if value < 64 {
                    let keys = std::mem::take(&mut self.held_back[usize::from(channel)]);
                    (0..128)
                        .filter(|key| keys >> key & 1 == 1)
                        .for_each(|key| self.voices.note_off(channel, key));
                }
            }
            // All sound off.
            (0xb0, 120) => self.voices.reset(),
            // All notes off and the mode messages that imply it.
            (0xb0, 123..=127) => (0..128).for_each(|key| self.release(channel, key)),
            _ => {}
        }
    }

    fn release(&mut self, channel: u8, key: u8) {
        if self.pedal[usize::from(channel)] {
            self.held_back[usize::from(channel)] |= 1 << key;
        } else {
            self.voices.note_off(channel, key);
        }
    }
}

impl<V: Voices + 'static> Instrument for Player<V> {
    fn set(&mut self, fx: &Fx) {
        let wet = if fx.wet.is_finite() {
            fx.wet.clamp(0.0, 1.0)
        } else {
            1.0
        };
        self.gain = if fx.bypassed || fx.offline { 0.0 } else { wet };
        self.voices.set(fx);
    }

    fn process(&mut self, events: &[NoteEvent], out: &mut [[f64; 2]]) {
        let mut from = 0;
        for event in events {
            let at = event.frame.clamp(from, out.len());
            self.voices.render(self.gain, &mut out[from..at]);
            self.message(event.message);
            from = at;
        }
        self.voices.render(self.gain, &mut out[from..]);
    }

    fn reset(&mut self) {
        self.voices.reset();
        self.pedal = [false; 16];
        self.held_back = [0; 16];
    }

    fn tail_frames(&self) -> u64 {
        self.voices.tail_frames()
    }
}

/// Times and level of an envelope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    attack_step: f64,
    decay: f64,
    sustain: f64,
    release: f64,
}

impl Shape {
    /// Linear attack; decay and release fall by 60 dB in their time.
    pub(crate) fn new(
        [attack_s, decay_s, release_s]: [f64; 3],
        sustain: f64,
        sample_rate_hz: f64,
    ) -> Self {
        Self {
            attack_step: 1.0 / (attack_s * sample_rate_hz).max(1.0),
            decay: falling(decay_s, sample_rate_hz),
            sustain,
            release: falling(release_s, sample_rate_hz),
        }
    }
}

/// Factor per frame that falls by 60 dB in a time.
pub(crate) fn falling(seconds: f64, sample_rate_hz: f64) -> f64 {
    10f64.powf(-3.0 / (seconds * sample_rate_hz).max(1.0))
}

/// Level (-100 dB) at which a note has ended.
pub(crate) const ENDED: f64 = 1e-5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Attack,
    Decay,
    Release,
    Off,
}

/// Loudness of one note over time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope {
    stage: Stage,
    level: f64,
}

impl Envelope {
    pub(crate) const OFF: Self = Self {
        stage: Stage::Off,
        level: 0.0,
    };

    pub(crate) const START: Self = Self {
        stage: Stage::Attack,
        level: 0.0,
    };

    pub(crate) fn is_off(&self) -> bool {
        self.stage == Stage::Off
    }

    pub(crate) fn is_held(&self) -> bool {
        matches!(self.stage, Stage::Attack | Stage::Decay)
    }

    pub(crate) fn level(&self) -> f64 {
        self.level
    }

    pub(crate) fn release(&mut self) {
        if self.is_held() {
            self.stage = Stage::Release;
        }
    }

    /// Level of the next frame.
    #[inline(always)]
    pub(crate) fn next(&mut self, shape: &Shape) -> f64 {
        match self.stage {
            Stage::Attack => {
                self.level += shape.attack_step;
                if self.level >= 1.0 {
                    self.level = 1.0;
                    self.stage = Stage::Decay;
                }
            }
            Stage::Decay => {
                self.level = shape.sustain + (self.level - shape.sustain) * shape.decay;
                if shape.sustain < ENDED && self.level < ENDED {
                    *self = Self::OFF;
                }
            }
            Stage::Release => {
                self.level *= shape.release;
                if self.level < ENDED {
                    *self = Self::OFF;
                }
            }
            Stage::Off => {}
        }
        self.level
    }
}

/// Frames that a note sounds on after its end, for a release time.
pub(crate) fn release_frames(release_s: f64, sample_rate_hz: f64) -> u64 {
    // -100 dB at 60 dB per release time.
    (release_s * sample_rate_hz * 100.0 / 60.0).ceil() as u64 + 1
}
