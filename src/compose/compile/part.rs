//! One part through all sections.

use serde_spanned::Spanned;

use super::form::{BySection, Form};
use super::performance::Played;
use super::text::{Errors, known, span_of};
use crate::compose::chords::Progression;
use crate::compose::generate::{self, Ground};
use crate::compose::notation::{self, Event};
use crate::compose::patterns::{self, Grid, VOICES};
use crate::compose::{Content, Instrument, InstrumentSource, Note, Part, PartSource, instruments};
use crate::diag::suggest;
use crate::units::decimal_text;

/// General MIDI's drum channel, counted from 0.
const DRUM_CHANNEL: u8 = 9;
/// A drum stroke never sounds longer than an eighth note.
const MAX_STROKE_QN: f64 = 0.5;

/// A track without its notes.
pub(super) struct Track {
    name: String,
    instrument: Instrument,
}

impl Track {
    pub(super) fn with(self, notes: Vec<Note>) -> Part {
        Part {
            name: self.name,
            instrument: self.instrument,
            notes,
        }
    }
}

/// Plays a part: one track, or one per group of drum voices.
pub(super) fn play(
    source: &Spanned<PartSource>,
    form: &Form,
    harmony: &BySection<Progression>,
    errors: &mut Errors,
) -> Vec<(Track, Vec<Played>)> {
    let part = source.get_ref();
    let mut player = Player {
        part,
        path: format!("part.{}", part.name.get_ref()),
        form,
        harmony,
        errors,
    };
    player.check(source);
    let instrument = player.instrument();
    let mut played = Vec::new();
    if let Some(content) = &part.drums {
        played.extend(player.drums(content));
    }
    if let Some(content) = &part.notes {
        played.extend(player.notes(content));
    }
    for (key, content, signs) in [
        ("chords", &part.chords, generate::CHORD_STEPS),
        ("arp", &part.arp, generate::ARP_STEPS),
        ("bass", &part.bass, generate::BASS_STEPS),
    ] {
        if let Some(content) = content {
            played.extend(player.generated(key, content, signs));
        }
    }
    let Some(instrument) = instrument else {
        return Vec::new();
    };
    if part.split {
        return split(&instrument, played);
    }
    let name = part.name.get_ref().clone();
    vec![(Track { name, instrument }, played)]
}

/// One track per group that plays, in the order of the kit.
fn split(instrument: &Instrument, played: Vec<Played>) -> Vec<(Track, Vec<Played>)> {
    let mut groups: Vec<&str> = VOICES.iter().map(|voice| voice.group).collect();
    groups.dedup();
    groups
        .into_iter()
        .filter_map(|group| {
            let mine: Vec<Played> = played
                .iter()
                .filter(|p| {
                    VOICES
                        .iter()
                        .any(|v| v.note == p.event.pitch && v.group == group)
                })
                .copied()
                .collect();
            let track = Track {
                name: group.to_owned(),
                instrument: instrument.clone(),
            };
            (!mine.is_empty()).then_some((track, mine))
        })
        .collect()
}

struct Player<'a> {
    part: &'a PartSource,
    path: String,
    form: &'a Form,
    harmony: &'a BySection<Progression>,
    errors: &'a mut Errors,
}

impl Player<'_> {
    fn fault(
        &mut self,
        key: &str,
        span: Option<std::ops::Range<usize>>,
        message: &str,
        help: &str,
    ) {
        let path = if key.is_empty() {
            self.path.clone()
        } else {
            format!("{}.{key}", self.path)
        };
        self.errors
            .push(&path, span, message, (!help.is_empty()).then_some(help));
    }

    fn check(&mut self, source: &Spanned<PartSource>) {
        let part = self.part;
        let place = || span_of(&part.name).or_else(|| span_of(source));
        let name = part.name.get_ref();
        if name.trim().is_empty() {
            self.fault(
                "name",
                place(),
                "a part has no name",
                "the name tells the mixer the role",
            );
        }
        let melodic = [&part.notes, &part.chords, &part.arp, &part.bass]
            .iter()
            .any(|content| content.is_some());
        if !melodic && part.drums.is_none() {
            let message = format!("part `{name}` plays nothing");
            self.fault(
                "",
                place(),
                &message,
                "give it `notes`, `chords`, `arp`, `bass` or `drums`",
            );
        }
        if melodic && part.drums.is_some() {
            let message = format!("part `{name}` has `drums` beside other notes");
            self.fault("drums", place(), &message, "make two parts of it");
        }
        if part.split && part.drums.is_none() {
            self.fault(
                "split",
                place(),
                "`split` needs `drums`",
                "take `split` away",
            );
        }
        if part.octave != 0 && part.drums.is_some() {
            self.fault(
                "octave",
                place(),
                "`octave` has no meaning for drums",
                "take `octave` away",
            );
        }
        if part.voicing.is_some() && part.chords.is_none() {
            self.fault(
                "voicing",
                place(),
                "`voicing` needs `chords`",
                "take `voicing` away",
            );
        }
        if let Some(velocity) = part.velocity
            && !(1..=127).contains(&velocity)
        {
            let message = format!("`velocity` is {velocity}, outside 1 to 127");
            self.fault("velocity", place(), &message, "");
        }
        if let Some(gate) = &part.gate
            && !(0.05..=1.0).contains(gate.get_ref())
        {
            let message = format!(
                "`gate` is {}, outside 0.05 to 1",
                decimal_text(*gate.get_ref(), 3)
            );
            self.fault(
                "gate",
                span_of(gate),
                &message,
                "1 lets notes sound to their end",
            );
        }
        for section in part.sections.iter().flatten() {
            let path = format!("{}.sections", self.path);
            self.form.section_exists(section, &path, self.errors);
        }
    }

    fn instrument(&mut self) -> Option<Instrument> {
        let name = match &self.part.instrument {
            Some(source) => match source.get_ref() {
                InstrumentSource::Fx(fx) => {
                    return Some(Instrument {
                        fx: fx.fx.clone(),
                        params: fx.params.iter().map(|(k, v)| (k.clone(), *v)).collect(),
                        config: fx
                            .config
                            .iter()
                            .map(|(k, v)| (k.clone(), v.clone()))
                            .collect(),
                    });
                }
                InstrumentSource::Preset(name) => name.as_str(),
            },
            None if self.part.drums.is_some() => "drums",
            None => self.part.name.get_ref().as_str(),
        };
        if let Some(preset) = instruments::preset(name) {
            return Some(preset.instrument());
        }
        let names: Vec<&str> = instruments::PRESETS
            .iter()
            .map(|preset| preset.name)
            .collect();
        let help = match suggest(name, names.iter().copied()) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!(
                "presets are {}; or write {{ fx = \"…\" }}",
                names.join(", ")
            ),
        };
        let span = match &self.part.instrument {
            Some(source) => span_of(source),
            None => span_of(&self.part.name),
        };
        let message = format!("there is no instrument preset `{name}`");
        self.fault("instrument", span, &message, &help);
        None
    }

    fn drums(&mut self, content: &Content) -> Vec<Played> {
        let bar_qn = self.form.bar_qn;
        let path = format!("{}.drums", self.path);
        let only = self.part.sections.as_deref();
        let read = self.form.read(content, &path, only, self.errors, |text| {
            let drums = patterns::drums(text, bar_qn)?;
            let bars = drums.bars;
            Ok((drums, bars))
        });
        let mut played = Vec::new();
        for (index, section) in self.form.sections.iter().enumerate() {
            let Some(drums) = read.get(index) else {
                continue;
            };
            for repeat in 0..section.bars / drums.bars.max(1) {
                let offset = section.start_qn + f64::from(repeat * drums.bars) * bar_qn;
                for stroke in &drums.strokes {
                    let length_qn = stroke.length_qn.min(MAX_STROKE_QN) * self.gate(0.9);
                    played.push(Played {
                        event: Event {
                            start_qn: offset + stroke.start_qn,
                            length_qn,
                            pitch: stroke.voice.note,
                            stress: stroke.stress,
                        },
                        velocity: self.part.velocity.unwrap_or(96),
                        channel: DRUM_CHANNEL,
                        maybe: stroke.maybe,
                    });
                }
            }
        }
        played
    }

    fn notes(&mut self, content: &Content) -> Vec<Played> {
        let bar_qn = self.form.bar_qn;
        let path = format!("{}.notes", self.path);
        let only = self.part.sections.as_deref();
        let read = self.form.read(content, &path, only, self.errors, |text| {
            let melody = notation::melody(text, bar_qn)?;
            let bars = melody.bars;
            Ok((melody, bars))
        });
        let mut events = Vec::new();
        for (index, section) in self.form.sections.iter().enumerate() {
            let Some(melody) = read.get(index) else {
                continue;
            };
            for repeat in 0..section.bars / melody.bars.max(1) {
                let offset = section.start_qn + f64::from(repeat * melody.bars) * bar_qn;
                events.extend(melody.events.iter().map(|event| Event {
                    start_qn: offset + event.start_qn,
                    ..*event
                }));
            }
        }
        self.melodic("notes", content, events)
    }

    fn generated(&mut self, key: &str, content: &Content, signs: &str) -> Vec<Played> {
        let path = format!("{}.{key}", self.path);
        let only = self.part.sections.as_deref();
        let read: BySection<Grid> = self.form.read(content, &path, only, self.errors, |text| {
            let grid = patterns::grid(text, signs)?;
            let bars = u32::try_from(grid.bars.len()).unwrap_or(u32::MAX);
            Ok((grid, bars))
        });
        let mut events = Vec::new();
        for (index, section) in self.form.sections.iter().enumerate() {
            let Some(grid) = read.get(index) else {
                continue;
            };
            let Some(harmony) = self.harmony.get(index) else {
                let message = format!(
                    "`{key}` in section `{}` has no harmony to play over",
                    section.name
                );
                self.fault(
                    key,
                    known(content.span()),
                    &message,
                    "give the section a progression in `harmony`",
                );
                continue;
            };
            let ground = Ground {
                harmony,
                bar_qn: self.form.bar_qn,
                bars: section.bars,
                voicing: self.part.voicing.unwrap_or_default(),
            };
            let section_events = match key {
                "chords" => generate::chords(grid, &ground),
                "arp" => generate::arp(grid, &ground),
                _ => generate::bass(grid, &ground),
            };
            events.extend(section_events.into_iter().map(|event| Event {
                start_qn: section.start_qn + event.start_qn,
                ..event
            }));
        }
        self.melodic(key, content, events)
    }

    /// Applies octave and gate.
    fn melodic(&mut self, key: &str, content: &Content, events: Vec<Event>) -> Vec<Played> {
        let shift = i32::from(self.part.octave) * 12;
        let mut played = Vec::with_capacity(events.len());
        for event in events {
            let pitch = i32::from(event.pitch) + shift;
            let Some(pitch) = u8::try_from(pitch).ok().filter(|pitch| *pitch <= 127) else {
                let message = format!("`octave` moves a note to {pitch}, outside 0 to 127");
                self.fault(
                    key,
                    known(content.span()),
                    &message,
                    "use a smaller `octave`",
                );
                return Vec::new();
            };
            played.push(Played {
                event: Event {
                    pitch,
                    length_qn: event.length_qn * self.gate(1.0),
                    ..event
                },
                velocity: self.part.velocity.unwrap_or(96),
                channel: 0,
                maybe: false,
            });
        }
        played
    }

    fn gate(&self, otherwise: f64) -> f64 {
        self.part
            .gate
            .as_ref()
            .map_or(otherwise, |gate| *gate.get_ref())
    }
}
