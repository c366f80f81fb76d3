//! `VSTi: ReaSamplOmatic5000 (Cockos)`: plays a sample at the pitch of notes.
//!
//! Parameter order and most scales come from scripts that drive it; defaults,
//! curves and the modes are guesses. Only the first sample (`FILE0`) plays,
//! `MODE` and `RSMODE` are kept without effect. REAPER's own state is not
//! known: it is kept untouched, but an instance that has nothing else is
//! refused rather than played silently; ours is a form that only this program
//! reads. See `docs/fx-models.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bytes::Reader;
use super::instrument::{Instrument, Sample, SampleLoader};
use super::model::{FxError, Kind, Model, Plug};
use super::param::{Param, plain_number};
use super::player::{Envelope, Player, Shape, Voices, release_frames};
use super::processor::Setup;
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VSTi: ReaSamplOmatic5000 (Cockos)",
    file: "reasamplomatic.dll",
    id: Some(1_920_167_789),
    kind: Kind::Instrument,
    type_text: "VSTi",
    pins_in: 0,
    pins_out: 2,
    plug: &Rs5k,
};

const VOLUME: usize = 0;
const PAN: usize = 1;
const MIN_VELOCITY_GAIN: usize = 2;
const NOTE_START: usize = 3;
const NOTE_END: usize = 4;
const PITCH_START: usize = 5;
const PITCH_END: usize = 6;
const CHANNEL: usize = 7;
const MAX_VOICES: usize = 8;
const ATTACK: usize = 9;
const RELEASE: usize = 10;
const OBEY_NOTE_OFFS: usize = 11;
const LOOP: usize = 12;
const START: usize = 13;
const END: usize = 14;
const PITCH_OFFSET: usize = 15;
const MIN_VELOCITY: usize = 17;
const MAX_VELOCITY: usize = 18;
const LOOP_START: usize = 23;
const DECAY: usize = 24;
const SUSTAIN: usize = 25;

static PARAMS: [Param; 26] = [
    Param::gain("Volume", 1.0, 2.0),
    Param::scaled("Pan", 0.5, 1.0, 2).shown(|x| plain_number(200.0 * x - 100.0)),
    Param::gain("Gain for minimum velocity", 0.0, 1.0),
    Param::scaled("Note range start", 0.0, 127.0, 0),
    Param::scaled("Note range end", 1.0, 127.0, 0),
    Param::scaled("Pitch for start note", 0.5, 1.0, 2).shown(semitones_text),
    Param::scaled("Pitch for end note", 0.5, 1.0, 2).shown(semitones_text),
    Param::scaled("MIDI channel", 0.0, 16.0, 0),
    Param::scaled("Max voices", 15.0 / 63.0, 63.0, 0).shown(|x| format!("{:.0}", 1.0 + 63.0 * x)),
    Param::scaled("Attack", 0.0, 2000.0, 1),
    Param::scaled("Release", 0.0, 2000.0, 1),
    Param::switch("Obey note-offs", 1.0),
    Param::switch("Loop", 0.0),
    Param::scaled("Sample start offset", 0.0, 1.0, 4),
    Param::scaled("Sample end offset", 1.0, 1.0, 4),
    Param::scaled("Pitch offset", 0.5, 1.0, 2).shown(semitones_text),
    Param::scaled("16", 0.0, 1.0, 2),
    Param::scaled("Min velocity", 0.0, 127.0, 0),
    Param::scaled("Max velocity", 1.0, 127.0, 0),
    Param::scaled("19", 0.0, 1.0, 2),
    Param::scaled("20", 0.0, 1.0, 2),
    Param::scaled("21", 0.0, 1.0, 2),
    Param::scaled("22", 0.0, 1.0, 2),
    Param::scaled("Loop start offset", 0.0, 1.0, 4),
    Param::scaled("Decay", 1.0, 15_000.0, 1),
    Param::gain("Sustain", 1.0, 1.0),
];

fn semitones(x: f64) -> f64 {
    160.0 * (x - 0.5)
}

fn semitones_text(x: f64) -> String {
    format!("{:.2}", semitones(x))
}

/// First bytes of our own state.
const MAGIC: &[u8; 8] = b"RBRS5K\x00\x01";
/// Longest text in a state.
const MAX_TEXT: usize = 65_536;
/// Most named values in a state.
const MAX_CONFIG: u32 = 1024;

struct Rs5k;

impl Plug for Rs5k {
    fn param_count(&self, _fx: &Fx) -> usize {
        PARAMS.len()
    }

    fn param(&self, _fx: &Fx, index: usize) -> Option<Param> {
        PARAMS.get(index).cloned()
    }

    fn get_config(&self, fx: &Fx, key: &str) -> Option<String> {
        match key {
            "MODE" | "RSMODE" => Some(
                fx.config
                    .get(key)
                    .cloned()
                    .unwrap_or_else(|| "0".to_owned()),
            ),
            "FILE0" => fx.config.get(key).cloned(),
            _ => None,
        }
    }

    fn set_config(&self, fx: &mut Fx, key: &str, value: &str) -> bool {
        match key {
            "FILE0" | "+FILE0" => {
                fx.config.insert("FILE0".to_owned(), value.to_owned());
                true
            }
            "-FILE*" | "-FILE0" => {
                fx.config.remove("FILE0");
                true
            }
            "MODE" | "RSMODE" => {
                fx.config.insert(key.to_owned(), value.to_owned());
                true
            }
            // Ends a list of file changes.
            "DONE" => true,
            _ => false,
        }
    }

    fn decode(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        let mut reader = Reader::new(state.strip_prefix(MAGIC)?);
        let mut params = Vec::with_capacity(PARAMS.len());
        for _ in 0..PARAMS.len() {
            params.push(reader.finite()?);
        }
        let count = reader.u32()?;
        if count > MAX_CONFIG {
            return None;
        }
        let mut config = BTreeMap::new();
        for _ in 0..count {
            let mut text = || {
                let length = reader.u32()? as usize;
                let bytes = (length <= MAX_TEXT).then(|| reader.take(length))??;
                String::from_utf8(bytes.to_vec()).ok()
            };
            config.insert(text()?, text()?);
        }
        Some((params, config))
    }

    fn encode(&self, fx: &Fx, _old: Option<&[u8]>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (index, param) in PARAMS.iter().enumerate() {
            let value = fx.params.get(index).copied().unwrap_or(param.default);
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend((fx.config.len() as u32).to_le_bytes());
        for text in fx.config.iter().flat_map(|(key, value)| [key, value]) {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    fn instrument(
        &self,
        setup: Setup,
        fx: &Fx,
        samples: &dyn SampleLoader,
    ) -> Result<Option<Box<dyn Instrument>>, FxError> {
        let file = fx.config.get("FILE0").filter(|file| !file.is_empty());
        let sample = match file {
            Some(file) => samples.load(file).map_err(|source| FxError::Sample {
                fx: MODEL.name,
                file: file.clone(),
                source,
            })?,
            None => {
                let foreign = MODEL
                    .plugin_state(fx)
                    .is_some_and(|state| self.decode(&state).is_none());
                if foreign {
                    return Err(FxError::UnknownState { fx: MODEL.name });
                }
                Arc::new(Sample {
                    sample_rate_hz: setup.sample_rate_hz,
                    frames: Vec::new(),
                })
            }
        };
        Ok(Player::boxed(Sampler::new(setup, sample), fx))
    }
}

/// Most voices that the parameter allows.
const POLYPHONY: usize = 64;

#[derive(Clone, Copy)]
struct Voice {
    channel: u8,
    key: u8,
    envelope: Envelope,
    level: [f64; 2],
    /// Position in frames of the sample, and its step per output frame.
    position: f64,
    step: f64,
    age: u64,
}

impl Voice {
    const OFF: Self = Self {
        channel: 0,
        key: 0,
        envelope: Envelope::OFF,
        level: [0.0; 2],
        position: 0.0,
        step: 0.0,
        age: 0,
    };
}

struct Sampler {
    sample_rate_hz: f64,
    sample: Arc<Sample>,
    shape: Shape,
    release_s: f64,
    level: [f64; 2],
    min_gain: f64,
    notes: (f64, f64),
    pitches: (f64, f64),
    offset: f64,
    velocities: (f64, f64),
    /// `None` is all channels.
    channel: Option<u8>,
    max_voices: usize,
    obey_note_offs: bool,
    looped: bool,
    start: f64,
    end: f64,
    loop_start: f64,
    slowest_step: f64,
    voices: [Voice; POLYPHONY],
    count: u64,
}

impl Sampler {
    fn new(setup: Setup, sample: Arc<Sample>) -> Self {
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            sample,
            shape: Shape::new([0.0; 3], 1.0, setup.sample_rate_hz),
            release_s: 0.0,
            level: [1.0; 2],
            min_gain: 0.0,
            notes: (0.0, 127.0),
            pitches: (0.0, 0.0),
            offset: 0.0,
            velocities: (0.0, 127.0),
            channel: None,
            max_voices: POLYPHONY,
            obey_note_offs: true,
            looped: false,
            start: 0.0,
            end: 0.0,
            loop_start: 0.0,
            slowest_step: 1.0,
            voices: [Voice::OFF; POLYPHONY],
            count: 0,
        }
    }

    fn step_at(&self, semitones: f64) -> f64 {
        let rate = if self.sample.sample_rate_hz > 0.0 {
            self.sample.sample_rate_hz / self.sample_rate_hz
        } else {
            1.0
        };
        rate * (semitones / 12.0).exp2()
    }

    fn semitones_of(&self, key: u8) -> f64 {
        let (low, high) = self.notes;
        let share = if high > low {
            (f64::from(key) - low) / (high - low)
        } else {
            0.0
        };
        self.pitches.0 + share * (self.pitches.1 - self.pitches.0) + self.offset
    }
}

impl Voices for Sampler {
    fn set(&mut self, fx: &Fx) {
        let value = |index: usize| PARAMS[index].value(fx, index);
        let pan = 2.0 * value(PAN) - 1.0;
        self.level = [
            value(VOLUME) * (1.0 - pan.max(0.0)),
            value(VOLUME) * (1.0 + pan.min(0.0)),
        ];
        self.min_gain = value(MIN_VELOCITY_GAIN);
        self.notes = (
            (127.0 * value(NOTE_START)).round(),
            (127.0 * value(NOTE_END)).round(),
        );
        self.pitches = (semitones(value(PITCH_START)), semitones(value(PITCH_END)));
        self.offset = semitones(value(PITCH_OFFSET));
        self.velocities = (
            (127.0 * value(MIN_VELOCITY)).round(),
            (127.0 * value(MAX_VELOCITY)).round(),
        );
        let channel = (16.0 * value(CHANNEL)).round();
        self.channel = (channel >= 1.0).then(|| channel as u8 - 1);
        self.max_voices = (1.0 + 63.0 * value(MAX_VOICES)).round() as usize;
        self.obey_note_offs = value(OBEY_NOTE_OFFS) >= 0.5;
        self.looped = value(LOOP) >= 0.5;
        let frames = self.sample.frames.len() as f64;
        self.start = (value(START) * frames).floor();
        self.end = (value(END) * frames).floor();
        self.loop_start = (value(LOOP_START) * frames).floor().max(self.start);
        self.release_s = 2.0 * value(RELEASE);
        self.shape = Shape::new(
            [2.0 * value(ATTACK), 15.0 * value(DECAY), self.release_s],
            value(SUSTAIN),
            self.sample_rate_hz,
        );
        let lowest = self.pitches.0.min(self.pitches.1) + self.offset;
        self.slowest_step = self.step_at(lowest);
    }

    fn note_on(&mut self, channel: u8, key: u8, velocity: u8) {
        let (low, high) = self.notes;
        let (soft, hard) = self.velocities;
        let inside = (low..=high).contains(&f64::from(key))
            && (soft..=hard).contains(&f64::from(velocity))
            && self.channel.is_none_or(|wanted| wanted == channel)
            && self.end > self.start;
        if !inside {
            return;
        }
        let voices = self.max_voices.clamp(1, POLYPHONY);
        let index = (0..voices)
            .min_by_key(|&index| {
                let voice = &self.voices[index];
                (!voice.envelope.is_off(), voice.age)
            })
            .unwrap_or(0);
        let gain = self.min_gain + (1.0 - self.min_gain) * f64::from(velocity) / 127.0;
        self.count += 1;
        self.voices[index] = Voice {
            channel,
            key,
            envelope: Envelope::START,
            level: self.level.map(|level| gain * level),
            position: self.start,
            step: self.step_at(self.semitones_of(key)),
            age: self.count,
        };
    }

    fn note_off(&mut self, channel: u8, key: u8) {
        if self.obey_note_offs {
            for voice in &mut self.voices {
                if voice.key == key && voice.channel == channel {
                    voice.envelope.release();
                }
            }
        }
    }

    fn render(&mut self, gain: f64, out: &mut [[f64; 2]]) {
        let loop_length = self.end - self.loop_start;
        for voice in &mut self.voices {
            if voice.envelope.is_off() {
                continue;
            }
            for frame in out.iter_mut() {
                if voice.position >= self.end {
                    if self.looped && loop_length >= 1.0 {
                        voice.position =
                            self.loop_start + (voice.position - self.end) % loop_length;
                    } else {
                        voice.envelope = Envelope::OFF;
                        break;
                    }
                }
                let envelope = gain * voice.envelope.next(&self.shape);
                let sample = interpolate(&self.sample.frames, voice.position);
                for side in 0..2 {
                    frame[side] += envelope * voice.level[side] * sample[side];
                }
                voice.position += voice.step;
                if voice.envelope.is_off() {
                    break;
                }
            }
        }
    }

    fn reset(&mut self) {
        self.voices = [Voice::OFF; POLYPHONY];
        self.count = 0;
    }

    fn tail_frames(&self) -> u64 {
        let rest = if self.obey_note_offs {
            u64::MAX
        } else if self.looped {
            // Never ends by itself: the same bound as for a note-off.
            0
        } else {
            ((self.end - self.start) / self.slowest_step).ceil() as u64
        };
        let release = release_frames(self.release_s, self.sample_rate_hz);
        if self.obey_note_offs {
            rest.min(release)
        } else {
            rest.max(release)
        }
    }
}

/// A frame between frames: third-order Hermite over four points.
fn interpolate(frames: &[[f32; 2]], position: f64) -> [f64; 2] {
    let index = position as usize;
    let t = position - index as f64;
    let at = |offset: isize| {
        index
            .checked_add_signed(offset)
            .and_then(|index| frames.get(index))
            .map_or([0.0; 2], |frame| frame.map(f64::from))
    };
    if t == 0.0 {
        return at(0);
    }
    let (before, now, next, after) = (at(-1), at(0), at(1), at(2));
    std::array::from_fn(|side| {
        let c1 = 0.5 * (next[side] - before[side]);
        let c2 = before[side] - 2.5 * now[side] + 2.0 * next[side] - 0.5 * after[side];
        let c3 = 0.5 * (after[side] - before[side]) + 1.5 * (now[side] - next[side]);
        now[side] + t * (c1 + t * (c2 + t * c3))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::{NoSamples, SETUP, play_with};
    use std::error::Error;

    /// A ramp of 1000 frames from 0 to 1 at the project's rate.
    struct Ramp;

    impl SampleLoader for Ramp {
        fn load(&self, file: &str) -> Result<Arc<Sample>, Box<dyn Error + Send + Sync>> {
            assert_eq!(file, "ramp.wav");
            Ok(Arc::new(Sample {
                sample_rate_hz: 48_000.0,
                frames: (0..1000).map(|n| [n as f32 / 1000.0; 2]).collect(),
            }))
        }
    }

    fn sampler(set: &[(usize, f64)]) -> Fx {
        let mut fx = MODEL.instantiate();
        assert!(MODEL.set_config(&mut fx, "FILE0", "ramp.wav"));
        for &(index, value) in set {
            fx.params[index] = value;
        }
        fx
    }

    fn play(fx: &Fx, events: &[(usize, [u8; 3])]) -> Vec<[f64; 2]> {
        play_with(&MODEL, fx, &Ramp, events, 3000)
    }

    #[test]
    fn a_note_plays_the_sample_and_ends_with_it() {
        let out = play(&sampler(&[]), &[(100, [0x90, 60, 127])]);
        assert!((out[100 + 500][0] - 0.5).abs() < 1e-6);
        assert_eq!(out[1100], [0.0; 2]);
    }

    #[test]
    fn pitch_follows_keys_over_the_range() {
        // 24 semitones over the keys 60 to 84: key 72 is an octave up.
        let fx = sampler(&[
            (NOTE_START, 60.0 / 127.0),
            (NOTE_END, 84.0 / 127.0),
            (PITCH_START, 0.5),
            (PITCH_END, 0.5 + 24.0 / 160.0),
        ]);
        let out = play(&fx, &[(0, [0x90, 72, 127])]);
        assert!((out[200][0] - 0.4).abs() < 1e-6);
        assert!(
            play(&fx, &[(0, [0x90, 59, 127])])
                .iter()
                .all(|frame| *frame == [0.0; 2])
        );
    }

    #[test]
    fn note_offs_count_only_when_obeyed() {
        let events = [(0, [0x90, 60, 127]), (300, [0x80, 60, 0])];
        assert_eq!(play(&sampler(&[]), &events)[400], [0.0; 2]);
        let out = play(&sampler(&[(OBEY_NOTE_OFFS, 0.0)]), &events);
        assert!((out[400][0] - 0.4).abs() < 1e-6);
    }

    #[test]
    fn loops_go_on_and_velocity_scales() {
        let out = play(&sampler(&[(LOOP, 1.0)]), &[(0, [0x90, 60, 64])]);
        assert!((out[2500][0] - 0.5 * 64.0 / 127.0).abs() < 1e-6);
    }

    #[test]
    fn missing_and_unknown_samples_are_errors() {
        let error = crate::fx::new_instrument(&MODEL, SETUP, &sampler(&[]), &NoSamples).err();
        assert!(matches!(error, Some(FxError::Sample { file, .. }) if file == "ramp.wav"));
        let mut foreign = MODEL.instantiate();
        let mut state = crate::fx::VstState::parse(&MODEL.whole_state(&foreign)).unwrap();
        state.state = vec![1, 2, 3];
        foreign.state = Some(Arc::new(state.to_bytes()));
        let error = crate::fx::new_instrument(&MODEL, SETUP, &foreign, &NoSamples).err();
        assert!(matches!(error, Some(FxError::UnknownState { .. })));
    }
}
