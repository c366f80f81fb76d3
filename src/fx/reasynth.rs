//! `VSTi: ReaSynth (Cockos)`: a polyphonic mix of plain waveforms.
//!
//! Parameter order, attack, release, decay, volume and the state are
//! measured. How the waveforms are mixed, the tuning scales, the envelope
//! curves and the response to velocity are guesses; the oscillators are our
//! own (band-limited by polynomial steps). Portamento and the legacy switches
//! have no effect. See `docs/fx-models.md`.

use super::float_list::float_list;
use super::instrument::{Instrument, SampleLoader};
use super::model::{FxError, Kind, Model, Plug};
use super::param::Param;
use super::player::{Envelope, Player, Shape, Voices, release_frames};
use super::processor::Setup;
use crate::dsp::poly::sin_turns;
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VSTi: ReaSynth (Cockos)",
    file: "reasynth.dll",
    id: Some(1_919_251_321),
    kind: Kind::Instrument,
    type_text: "VSTi",
    pins_in: 0,
    pins_out: 2,
    plug: &ReaSynth,
};

const ATTACK: usize = 0;
const RELEASE: usize = 1;
const SQUARE: usize = 2;
const SAW: usize = 3;
const TRIANGLE: usize = 4;
const VOLUME: usize = 5;
const DECAY: usize = 6;
const EXTRA_MIX: usize = 7;
const EXTRA_TUNE: usize = 8;
const SUSTAIN: usize = 9;
const PULSE_WIDTH: usize = 10;
const TUNING: usize = 11;

static PARAMS: [Param; 15] = [
    Param::scaled("Attack", 0.006, 500.0, 1).ranging(0.0, 10.0, 5.0),
    Param::scaled("Release", 0.0016, 5000.0, 1),
    Param::scaled("Square mix", 0.0, 1.0, 2),
    Param::scaled("Saw mix", 0.0, 1.0, 2),
    Param::scaled("Triangle mix", 0.0, 1.0, 2),
    Param::gain("Volume", 0.501_187_26, 2.0),
    Param::scaled("Decay", 0.0666, 15_000.0, 1),
    Param::scaled("Extra sine mix", 0.0, 1.0, 2),
    Param::scaled("Extra sine tune", 0.5, 1.0, 2).shown(cents_text),
    Param::gain("Sustain", 1.0, 1.0),
    Param::scaled("Pulse width", 1.0, 50.0, 1),
    Param::scaled("Detune", 0.5, 1.0, 2).shown(cents_text),
    Param::switch("Legacy oscillator", 0.0),
    Param::scaled("Portamento", 0.0, 1.0, 2),
    Param::switch("Old glide", 0.0),
];

/// Tuning parameters span an octave to each side (a guess).
fn cents(x: f64) -> f64 {
    (x - 0.5) * 2400.0
}

fn cents_text(x: f64) -> String {
    format!("{:.0}", cents(x))
}

struct ReaSynth;

impl Plug for ReaSynth {
    float_list!(PARAMS);

    fn instrument(
        &self,
        setup: Setup,
        fx: &Fx,
        _samples: &dyn SampleLoader,
    ) -> Result<Option<Box<dyn Instrument>>, FxError> {
        Ok(Player::boxed(Synth::new(setup), fx))
    }
}

/// Notes at once; the quietest one makes room.
const POLYPHONY: usize = 32;

/// Reach of the pitch wheel, General MIDI's default.
const BEND_SEMITONES: f64 = 2.0;

#[derive(Clone, Copy)]
struct Voice {
    channel: u8,
    key: u8,
    level: f64,
    envelope: Envelope,
    /// Positions in the cycle, in turns, of the tone and of the extra sine.
    phase: f64,
    extra_phase: f64,
    step: f64,
    extra_step: f64,
}

impl Voice {
    const OFF: Self = Self {
        channel: 0,
        key: 0,
        level: 0.0,
        envelope: Envelope::OFF,
        phase: 0.0,
        extra_phase: 0.0,
        step: 0.0,
        extra_step: 0.0,
    };
}

struct Synth {
    sample_rate_hz: f64,
    shape: Shape,
    release_s: f64,
    sine: f64,
    square: f64,
    saw: f64,
    triangle: f64,
    extra: f64,
    pulse_width: f64,
    volume: f64,
    /// Ratios of the tone and of the extra sine to the key's frequency.
    tuning: f64,
    extra_tuning: f64,
    bend: [f64; 16],
    voices: [Voice; POLYPHONY],
}

impl Synth {
    fn new(setup: Setup) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            shape: Shape::new([0.0; 3], 1.0, setup.sample_rate_hz),
            release_s: 0.0,
            sine: 1.0,
            square: 0.0,
            saw: 0.0,
            triangle: 0.0,
            extra: 0.0,
            pulse_width: 0.5,
            volume: 1.0,
            tuning: 1.0,
            extra_tuning: 1.0,
            bend: [1.0; 16],
            voices: [Voice::OFF; POLYPHONY],
        }
    }

    fn tune(&mut self, index: usize) {
        let voice = &mut self.voices[index];
        let hz = 440.0 * ((f64::from(voice.key) - 69.0) / 12.0).exp2();
        let step = hz * self.bend[usize::from(voice.channel)] / self.sample_rate_hz;
        // Above half the rate there is no tone.
        voice.step = (step * self.tuning).min(0.49);
        voice.extra_step = (step * self.tuning * self.extra_tuning).min(0.49);
    }
}

impl Voices for Synth {
    fn set(&mut self, fx: &Fx) {
        let value = |index: usize| PARAMS[index].value(fx, index);
        self.release_s = 5.0 * value(RELEASE);
        self.shape = Shape::new(
            [0.5 * value(ATTACK), 15.0 * value(DECAY), self.release_s],
            value(SUSTAIN),
            self.sample_rate_hz,
        );
        let sum: f64 = [SQUARE, SAW, TRIANGLE].into_iter().map(value).sum();
        let scale = 1.0 / sum.max(1.0);
        self.square = value(SQUARE) * scale;
        self.saw = value(SAW) * scale;
        self.triangle = value(TRIANGLE) * scale;
        self.sine = 1.0 - sum * scale;
        self.extra = value(EXTRA_MIX);
        self.pulse_width = (0.5 * value(PULSE_WIDTH)).clamp(0.02, 0.5);
        self.volume = value(VOLUME);
        self.tuning = (cents(value(TUNING)) / 1200.0).exp2();
        self.extra_tuning = (cents(value(EXTRA_TUNE)) / 1200.0).exp2();
        (0..POLYPHONY).for_each(|index| self.tune(index));
    }

    fn note_on(&mut self, channel: u8, key: u8, velocity: u8) {
        let index = (0..POLYPHONY)
            .min_by(|&a, &b| {
                let rank = |index: usize| {
                    let envelope = &self.voices[index].envelope;
                    (!envelope.is_off(), envelope.is_held())
                };
                let loudness = |index: usize| self.voices[index].envelope.level();
                rank(a)
                    .cmp(&rank(b))
                    .then(loudness(a).total_cmp(&loudness(b)))
            })
            .unwrap_or(0);
        self.voices[index] = Voice {
            channel,
            key,
            level: f64::from(velocity) / 127.0,
            envelope: Envelope::START,
            ..Voice::OFF
        };
        self.tune(index);
    }

    fn note_off(&mut self, channel: u8, key: u8) {
        for voice in &mut self.voices {
            if voice.key == key && voice.channel == channel {
                voice.envelope.release();
            }
        }
    }

    fn pitch_bend(&mut self, channel: u8, bend: f64) {
        self.bend[usize::from(channel)] = (bend * BEND_SEMITONES / 12.0).exp2();
        (0..POLYPHONY).for_each(|index| self.tune(index));
    }

    fn render(&mut self, gain: f64, out: &mut [[f64; 2]]) {
        for voice in &mut self.voices {
            if voice.envelope.is_off() {
                continue;
            }
            let level = gain * self.volume * voice.level;
            for frame in out.iter_mut() {
                let envelope = voice.envelope.next(&self.shape);
                let (phase, step) = (voice.phase, voice.step);
                let mut tone = self.sine * sin_turns(phase);
                if self.square > 0.0 {
                    let later = wrap(phase + self.pulse_width);
                    tone += self.square * (saw(later, step) - saw(phase, step));
                }
                if self.saw > 0.0 {
                    tone += self.saw * saw(phase, step);
                }
                if self.triangle > 0.0 {
                    tone += self.triangle * triangle(phase, step);
                }
                if self.extra > 0.0 {
                    tone += self.extra * sin_turns(voice.extra_phase);
                }
                voice.phase = wrap(phase + step);
                voice.extra_phase = wrap(voice.extra_phase + voice.extra_step);
                let sample = level * envelope * tone;
                frame[0] += sample;
                frame[1] += sample;
            }
        }
    }

    fn reset(&mut self) {
        self.voices = [Voice::OFF; POLYPHONY];
        self.bend = [1.0; 16];
    }

    fn tail_frames(&self) -> u64 {
        release_frames(self.release_s, self.sample_rate_hz)
    }
}

fn wrap(phase: f64) -> f64 {
    if phase >= 1.0 { phase - 1.0 } else { phase }
}

/// Rising saw from -1 to 1 whose step is smoothed over two frames by a
/// quadratic (the "PolyBLEP" of Välimäki and Huovilainen, 2007).
fn saw(phase: f64, step: f64) -> f64 {
    let residual = if phase < step {
        let t = phase / step;
        2.0 * t - t * t - 1.0
    } else if phase > 1.0 - step {
        let t = (phase - 1.0) / step;
        t * t + 2.0 * t + 1.0
    } else {
        0.0
    };
    2.0 * phase - 1.0 - residual
}

/// Triangle that starts at 0 and rises, corners smoothed over two frames.
fn triangle(phase: f64, step: f64) -> f64 {
    // -1 at phase 0 of this one, hence the quarter turn.
    let phase = wrap(phase + 0.25);
    let plain = 1.0 - 4.0 * (phase - 0.5).abs();
    let corner = |phase: f64| {
        if phase < step {
            let t = phase / step - 1.0;
            -t * t * t / 3.0
        } else if phase > 1.0 - step {
            let t = (phase - 1.0) / step + 1.0;
            t * t * t / 3.0
        } else {
            0.0
        }
    };
    plain + 4.0 * step * (corner(phase) - corner(wrap(phase + 0.5)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::{SETUP, play};
    use std::f64::consts::PI;

    fn tone(set: &[(usize, f64)]) -> Vec<[f64; 2]> {
        let mut fx = MODEL.instantiate();
        for &(index, value) in set {
            fx.params[index] = value;
        }
        play(&MODEL, &fx, &[(0, [0x90, 69, 127])], 48_000)
    }

    /// Amplitude of one frequency in the second half of a second.
    fn amplitude(out: &[[f64; 2]], hz: f64) -> f64 {
        let (mut re, mut im) = (0.0, 0.0);
        for (n, frame) in out.iter().enumerate().skip(24_000) {
            let phase = 2.0 * PI * hz * n as f64 / SETUP.sample_rate_hz;
            re += frame[0] * phase.cos();
            im += frame[0] * phase.sin();
        }
        f64::hypot(re, im) / 12_000.0
    }

    #[test]
    fn a_new_instance_plays_a_sine_at_its_volume() {
        let out = tone(&[]);
        assert!((amplitude(&out, 440.0) - 0.501_187).abs() < 1e-4);
        assert!(amplitude(&out, 880.0) < 1e-6);
    }

    #[test]
    fn waveforms_have_their_harmonics() {
        // Fourier series: saw 2/(pi n), square 4/(pi n) odd, triangle 8/(pi n)^2 odd.
        let volume = 0.501_187;
        for (wave, expected) in [
            (SAW, [2.0 / PI, 1.0 / PI, 2.0 / (3.0 * PI)]),
            (SQUARE, [4.0 / PI, 0.0, 4.0 / (3.0 * PI)]),
            (TRIANGLE, [8.0 / (PI * PI), 0.0, 8.0 / (9.0 * PI * PI)]),
        ] {
            let out = tone(&[(wave, 1.0)]);
            for (n, expected) in (1..).zip(expected) {
                let found = amplitude(&out, 440.0 * f64::from(n)) / volume;
                // The smoothing takes a little from the harmonics.
                assert!(
                    (found - expected).abs() < 0.01,
                    "wave {wave} harmonic {n}: {found}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn aliases_of_a_high_saw_are_low() {
        let mut fx = MODEL.instantiate();
        fx.params[SAW] = 1.0;
        let out = play(&MODEL, &fx, &[(0, [0x90, 105, 127])], 48_000);
        // Note 105 is 3520 Hz; its 13th harmonic folds to 2240 Hz.
        let ratio = amplitude(&out, 48_000.0 - 13.0 * 3520.0) / amplitude(&out, 3520.0);
        assert!(20.0 * ratio.log10() < -35.0, "{} dB", 20.0 * ratio.log10());
    }

    #[test]
    fn a_note_ends_within_the_declared_tail() {
        let fx = MODEL.instantiate();
        let out = play(
            &MODEL,
            &fx,
            &[(0, [0x90, 60, 100]), (4800, [0x80, 60, 0])],
            9600,
        );
        let tail = crate::fx::new_instrument(&MODEL, SETUP, &fx, &crate::fx::tests::NoSamples)
            .unwrap()
            .tail_frames() as usize;
        assert!(out[4700..4800].iter().any(|frame| frame[0] != 0.0));
        assert!(out[4800 + tail..].iter().all(|frame| *frame == [0.0; 2]));
    }

    #[test]
    fn the_pedal_holds_notes() {
        let fx = MODEL.instantiate();
        let events = [
            (0, [0xb0, 64, 127]),
            (0, [0x90, 60, 100]),
            (100, [0x80, 60, 0]),
            (4800, [0xb0, 64, 0]),
        ];
        let out = play(&MODEL, &fx, &events, 9600);
        assert!(out[4700..4800].iter().any(|frame| frame[0].abs() > 0.1));
        assert!(out[9000..].iter().all(|frame| *frame == [0.0; 2]));
    }
}
