//! `VSTi: ReaSynDr (4 out, Cockos)`: drums from synthesis.
//!
//! REAPER's instrument is a four-voice drum synthesiser whose parameters and
//! state we do not know. This is an approximation of our own with another aim:
//! a General MIDI drum kit, so that a drum part sounds like one. It has no
//! parameters, keeps a saved state as it is, and plays everything on its first
//! stereo pair. Keys without a drum are silent.

use std::collections::BTreeMap;

use super::float_list;
use super::instrument::{Instrument, SampleLoader};
use super::model::{FxError, Kind, Model, Plug};
use super::param::Param;
use super::player::{ENDED, Player, Voices, falling};
use super::processor::Setup;
use crate::dsp::noise::Noise;
use crate::dsp::onepole::low_pass_coef;
use crate::dsp::poly::sin_turns;
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VSTi: ReaSynDr (4 out) (Cockos)",
    file: "reasyndr.dll",
    id: Some(1_919_251_300),
    kind: Kind::Instrument,
    type_text: "VSTi",
    pins_in: 0,
    pins_out: 4,
    plug: &ReaSynDr,
};

struct ReaSynDr;

impl Plug for ReaSynDr {
    fn param_count(&self, _fx: &Fx) -> usize {
        0
    }

    fn param(&self, _fx: &Fx, _index: usize) -> Option<Param> {
        None
    }

    fn own_chunk(&self) -> bool {
        false
    }

    fn decode(&self, _state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        Some((Vec::new(), BTreeMap::new()))
    }

    fn encode(&self, _fx: &Fx, old: Option<&[u8]>) -> Vec<u8> {
        // A list without values leaves REAPER's defaults.
        old.map_or_else(|| float_list::encode(&[], &[], None), <[u8]>::to_vec)
    }

    fn instrument(
        &self,
        setup: Setup,
        fx: &Fx,
        _samples: &dyn SampleLoader,
    ) -> Result<Option<Box<dyn Instrument>>, FxError> {
        Ok(Player::boxed(Kit::new(setup), fx))
    }
}

/// How a drum sounds. Decays are times to -60 dB.
#[derive(Debug, Clone, Copy)]
struct Drum {
    /// A sine that falls from `start_hz` to `end_hz`.
    body: f64,
    start_hz: f64,
    end_hz: f64,
    sweep_s: f64,
    body_decay_s: f64,
    /// Filtered noise, in `bursts` strokes 11 ms apart.
    noise: f64,
    noise_band_hz: (f64, f64),
    noise_decay_s: f64,
    bursts: u32,
    /// Six square waves without a common pitch, high-passed.
    metal: f64,
    metal_hz: f64,
    metal_decay_s: f64,
    /// -1 left to 1 right.
    pan: f64,
    /// Silences the open hi-hat.
    chokes: bool,
    choked: bool,
}

const SILENT: Drum = Drum {
    body: 0.0,
    start_hz: 100.0,
    end_hz: 100.0,
    sweep_s: 0.01,
    body_decay_s: 0.1,
    noise: 0.0,
    noise_band_hz: (1000.0, 10_000.0),
    noise_decay_s: 0.1,
    bursts: 1,
    metal: 0.0,
    metal_hz: 7000.0,
    metal_decay_s: 0.1,
    pan: 0.0,
    chokes: false,
    choked: false,
};

const fn tom(hz: f64, pan: f64) -> Drum {
    Drum {
        body: 0.8,
        start_hz: 1.6 * hz,
        end_hz: hz,
        sweep_s: 0.12,
        body_decay_s: 0.55,
        noise: 0.12,
        noise_band_hz: (300.0, 3000.0),
        noise_decay_s: 0.06,
        pan,
        ..SILENT
    }
}

const fn hat(decay_s: f64) -> Drum {
    Drum {
        metal: 0.3,
        metal_hz: 7500.0,
        metal_decay_s: decay_s,
        noise: 0.12,
        noise_band_hz: (8000.0, 16_000.0),
        noise_decay_s: decay_s,
        pan: 0.2,
        chokes: true,
        ..SILENT
    }
}

const fn cymbal(decay_s: f64, pan: f64) -> Drum {
    Drum {
        metal: 0.22,
        metal_hz: 4500.0,
        metal_decay_s: decay_s,
        noise: 0.3,
        noise_band_hz: (3500.0, 15_000.0),
        noise_decay_s: 0.8 * decay_s,
        pan,
        ..SILENT
    }
}

/// The drum on a key of the General MIDI percussion map.
fn drum(key: u8) -> Option<Drum> {
    const KICK: Drum = Drum {
        body: 1.0,
        start_hz: 190.0,
        end_hz: 48.0,
        sweep_s: 0.13,
        body_decay_s: 0.5,
        noise: 0.18,
        noise_band_hz: (1500.0, 7000.0),
        noise_decay_s: 0.025,
        ..SILENT
    };
    const SNARE: Drum = Drum {
        body: 0.5,
        start_hz: 290.0,
        end_hz: 185.0,
        sweep_s: 0.06,
        body_decay_s: 0.2,
        noise: 0.75,
        noise_band_hz: (1200.0, 9000.0),
        noise_decay_s: 0.25,
        ..SILENT
    };
    let drum = match key {
        35 => Drum {
            end_hz: 43.0,
            body_decay_s: 0.65,
            ..KICK
        },
        36 => KICK,
        37 => Drum {
            body: 0.5,
            start_hz: 1900.0,
            end_hz: 1650.0,
            body_decay_s: 0.045,
            noise: 0.25,
            noise_band_hz: (2500.0, 9000.0),
            noise_decay_s: 0.03,
            ..SILENT
        },
        38 => SNARE,
        40 => Drum {
            start_hz: 340.0,
            end_hz: 215.0,
            noise_band_hz: (1800.0, 11_000.0),
            noise_decay_s: 0.2,
            ..SNARE
        },
        39 => Drum {
            noise: 0.9,
            noise_band_hz: (900.0, 3500.0),
            noise_decay_s: 0.22,
            bursts: 3,
            ..SILENT
        },
        41 => tom(78.0, 0.35),
        43 => tom(92.0, 0.25),
        45 => tom(110.0, 0.1),
        47 => tom(131.0, -0.05),
        48 => tom(156.0, -0.2),
        50 => tom(185.0, -0.3),
        42 => hat(0.09),
        44 => hat(0.12),
        46 => Drum {
            choked: true,
            ..hat(0.7)
        },
        49 => cymbal(2.4, -0.3),
        57 => cymbal(2.0, 0.35),
        52 => cymbal(1.6, 0.3),
        55 => cymbal(0.9, -0.15),
        51 | 59 => Drum {
            metal: 0.26,
            noise: 0.07,
            ..cymbal(1.6, 0.3)
        },
        53 => Drum {
            body: 0.25,
            start_hz: 3150.0,
            end_hz: 3150.0,
            body_decay_s: 0.9,
            noise: 0.05,
            ..cymbal(1.2, 0.3)
        },
        54 => Drum {
            noise_decay_s: 0.18,
            ..hat(0.2)
        },
        56 => Drum {
            body: 0.45,
            start_hz: 810.0,
            end_hz: 800.0,
            body_decay_s: 0.3,
            metal: 0.12,
            metal_hz: 900.0,
            metal_decay_s: 0.15,
            ..SILENT
        },
        69 | 70 | 82 => Drum {
            noise: 0.4,
            noise_band_hz: (5000.0, 14_000.0),
            noise_decay_s: 0.09,
            pan: -0.25,
            ..SILENT
        },
        75 | 76 => Drum {
            body: 0.5,
            start_hz: 2500.0,
            end_hz: 2500.0,
            body_decay_s: 0.06,
            ..SILENT
        },
        _ => return None,
    };
    Some(drum)
}

/// Pitches of the metal tones, those of a well-known analogue drum machine.
const METAL_HZ: [f64; 6] = [205.3, 304.4, 369.6, 522.7, 540.0, 800.0];

/// They stand higher here, so that the high pass leaves enough of them.
const METAL_SCALE: f64 = 2.3;

/// Distance between the strokes of a clap.
const BURST_S: f64 = 0.011;

const POLYPHONY: usize = 24;

/// Longest ringing of any drum (a crash), to -100 dB.
const LONGEST_S: f64 = 2.4 * 100.0 / 60.0;

/// One stroke that rings.
#[derive(Clone)]
struct Stroke {
    active: bool,
    choked: bool,
    level: [f64; 2],
    body: f64,
    body_decay: f64,
    phase: f64,
    end_step: f64,
    extra_step: f64,
    sweep: f64,
    noise: Noise,
    noise_level: f64,
    noise_decay: f64,
    noise_coefs: (f64, f64),
    noise_state: [f64; 3],
    /// Strokes of a clap still to come, frames until the next, frames between.
    bursts: u32,
    next_burst: u32,
    burst_frames: u32,
    metal: f64,
    metal_decay: f64,
    metal_coef: f64,
    metal_phase: [f64; 6],
    metal_step: [f64; 6],
    metal_state: [f64; 2],
}

impl Stroke {
    fn off() -> Self {
        Self {
            active: false,
            choked: false,
            level: [0.0; 2],
            body: 0.0,
            body_decay: 0.0,
            phase: 0.0,
            end_step: 0.0,
            extra_step: 0.0,
            sweep: 0.0,
            noise: Noise::new(0),
            noise_level: 0.0,
            noise_decay: 0.0,
            noise_coefs: (1.0, 0.0),
            noise_state: [0.0; 3],
            bursts: 0,
            next_burst: 0,
            burst_frames: 0,
            metal: 0.0,
            metal_decay: 0.0,
            metal_coef: 0.0,
            metal_phase: [0.0; 6],
            metal_step: [0.0; 6],
            metal_state: [0.0; 2],
        }
    }

    fn new(drum: &Drum, velocity: u8, seed: u64, fs: f64) -> Self {
        // Between linear and square: soft strokes stay audible.
        let level = (f64::from(velocity) / 127.0).powf(1.5);
        let burst_frames = (BURST_S * fs) as u32;
        Self {
            active: true,
            choked: drum.choked,
            level: [
                level * (1.0 - drum.pan.max(0.0)),
                level * (1.0 + drum.pan.min(0.0)),
            ],
            body: drum.body,
            body_decay: falling(drum.body_decay_s, fs),
            end_step: (drum.end_hz / fs).min(0.49),
            extra_step: ((drum.start_hz - drum.end_hz) / fs).min(0.4),
            sweep: falling(drum.sweep_s, fs),
            noise: Noise::new(seed),
            noise_level: drum.noise,
            noise_decay: falling(drum.noise_decay_s, fs),
            noise_coefs: (
                low_pass_coef(drum.noise_band_hz.1, fs),
                low_pass_coef(drum.noise_band_hz.0, fs),
            ),
            bursts: drum.bursts.saturating_sub(1),
            next_burst: burst_frames,
            burst_frames,
            metal: drum.metal,
            metal_decay: falling(drum.metal_decay_s, fs),
            metal_coef: low_pass_coef(drum.metal_hz, fs),
            // Not in phase, or every stroke would start with a click.
            metal_phase: [0.0, 0.17, 0.39, 0.53, 0.71, 0.88],
            metal_step: METAL_HZ.map(|hz| hz * METAL_SCALE / fs),
            ..Self::off()
        }
    }

    fn next(&mut self) -> f64 {
        let mut out = 0.0;
        if self.body > ENDED {
            out += self.body * sin_turns(self.phase);
            self.phase += self.end_step + self.extra_step;
            if self.phase >= 1.0 {
                self.phase -= 1.0;
            }
            self.extra_step *= self.sweep;
            self.body *= self.body_decay;
        }
        if self.noise_level > ENDED {
            // A gentle band: low pass, then a high pass twice.
            let [low, first, second] = &mut self.noise_state;
            *low += self.noise_coefs.0 * (self.noise.sample() - *low);
            *first += self.noise_coefs.1 * (*low - *first);
            let high = *low - *first;
            *second += self.noise_coefs.1 * (high - *second);
            let mut level = self.noise_level;
            if self.bursts > 0 {
                // Strokes of a clap before the last: each a short fall.
                level *= f64::from(self.next_burst) / f64::from(self.burst_frames.max(1));
                self.next_burst -= 1;
                if self.next_burst == 0 {
                    self.bursts -= 1;
                    self.next_burst = self.burst_frames;
                }
            } else {
                self.noise_level *= self.noise_decay;
            }
            out += level * (high - *second);
        }
        if self.metal > ENDED {
            let mut tone = 0.0;
            for (phase, step) in self.metal_phase.iter_mut().zip(self.metal_step) {
                // Plain squares: their aliases are part of the noise of metal.
                tone += if *phase < 0.5 { 1.0 } else { -1.0 };
                *phase += step;
                if *phase >= 1.0 {
                    *phase -= 1.0;
                }
            }
            let [first, second] = &mut self.metal_state;
            *first += self.metal_coef * (tone - *first);
            let high = tone - *first;
            *second += self.metal_coef * (high - *second);
            out += self.metal * 0.5 * (high - *second);
            self.metal *= self.metal_decay;
        }
        self.active = self.body > ENDED || self.noise_level > ENDED || self.metal > ENDED;
        out
    }
}

struct Kit {
    sample_rate_hz: f64,
    strokes: Vec<Stroke>,
    /// Strokes so far, which seed the noise.
    count: u64,
}

impl Kit {
    fn new(setup: Setup) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            strokes: vec![Stroke::off(); POLYPHONY],
            count: 0,
        }
    }
}

impl Voices for Kit {
    fn set(&mut self, _fx: &Fx) {}

    fn note_on(&mut self, _channel: u8, key: u8, velocity: u8) {
        let Some(drum) = drum(key) else { return };
        if drum.chokes {
            // A closing hi-hat ends the open one within 20 ms.
            let fall = falling(0.02, self.sample_rate_hz);
            for stroke in self.strokes.iter_mut().filter(|stroke| stroke.choked) {
                stroke.metal_decay = fall;
                stroke.noise_decay = fall;
            }
        }
        self.count += 1;
        let seed = self.count << 8 | u64::from(key);
        let stroke = Stroke::new(&drum, velocity, seed, self.sample_rate_hz);
        let energy = |stroke: &Stroke| {
            if stroke.active {
                stroke.body + stroke.noise_level + stroke.metal
            } else {
                0.0
            }
        };
        let quietest = self
            .strokes
            .iter_mut()
            .min_by(|a, b| energy(a).total_cmp(&energy(b)));
        if let Some(place) = quietest {
            *place = stroke;
        }
    }

    fn note_off(&mut self, _channel: u8, _key: u8) {}

    fn render(&mut self, gain: f64, out: &mut [[f64; 2]]) {
        for stroke in &mut self.strokes {
            for frame in out.iter_mut() {
                if !stroke.active {
                    break;
                }
                let sample = 0.7 * gain * stroke.next();
                frame[0] += sample * stroke.level[0];
                frame[1] += sample * stroke.level[1];
            }
        }
    }

    fn reset(&mut self) {
        self.strokes.fill(Stroke::off());
        self.count = 0;
    }

    fn tail_frames(&self) -> u64 {
        (LONGEST_S * self.sample_rate_hz).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::play;

    fn hit(key: u8) -> Vec<[f64; 2]> {
        play(
            &MODEL,
            &MODEL.instantiate(),
            &[(0, [0x99, key, 110])],
            48_000,
        )
    }

    /// Share of the energy that a first-order low pass lets through.
    fn share_below(out: &[[f64; 2]], hz: f64) -> f64 {
        let coef = low_pass_coef(hz, 48_000.0);
        let (mut low, mut low_energy, mut energy) = (0.0, 0.0, 1e-30);
        for frame in out {
            low += coef * (frame[0] - low);
            low_energy += low * low;
            energy += frame[0] * frame[0];
        }
        low_energy / energy
    }

    #[test]
    fn the_kit_covers_the_usual_keys() {
        for key in [
            35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
        ] {
            let peak = hit(key)
                .iter()
                .fold(0.0, |peak, frame| f64::max(peak, frame[0].abs()));
            assert!((0.03..1.0).contains(&peak), "key {key}: peak {peak}");
        }
        assert!(hit(10).iter().all(|frame| *frame == [0.0; 2]));
    }

    #[test]
    fn drums_sit_where_drums_sit() {
        assert!(
            share_below(&hit(36), 200.0) > 0.6,
            "kick {}",
            share_below(&hit(36), 200.0)
        );
        assert!(
            share_below(&hit(42), 2000.0) < 0.1,
            "hat {}",
            share_below(&hit(42), 2000.0)
        );
        let snare = share_below(&hit(38), 600.0);
        assert!((0.2..0.9).contains(&snare), "snare {snare}");
    }

    #[test]
    fn a_closed_hat_chokes_the_open_one() {
        let fx = MODEL.instantiate();
        let open = play(&MODEL, &fx, &[(0, [0x99, 46, 127])], 24_000);
        let choked = play(
            &MODEL,
            &fx,
            &[(0, [0x99, 46, 127]), (4800, [0x99, 42, 1])],
            24_000,
        );
        let energy = |out: &[[f64; 2]]| {
            out[9600..]
                .iter()
                .map(|frame| frame[0] * frame[0])
                .sum::<f64>()
        };
        assert!(energy(&choked) < 0.01 * energy(&open));
    }

    #[test]
    fn every_drum_ends_within_the_tail() {
        let frames = (LONGEST_S * 48_000.0) as usize + 1;
        for key in 0..128 {
            let out = play(
                &MODEL,
                &MODEL.instantiate(),
                &[(0, [0x99, key, 127])],
                frames + 100,
            );
            assert!(
                out[frames..].iter().all(|frame| *frame == [0.0; 2]),
                "key {key}"
            );
        }
    }
}
