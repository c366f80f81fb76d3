//! The written form of a score: a `[project.compose]` table of a job, or a
//! score file of its own.
//!
//! This is what was typed, with the place of every text. What it means is
//! worked out by [`compile`](super::compile).

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_spanned::Spanned;

/// The value of a project's `compose` key: a score file's path, or the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ComposeSource {
    /// Path of a TOML file that holds a [`ScoreSource`], as written.
    File(String),
    Inline(Box<ScoreSource>),
}

/// A score as people write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreSource {
    /// Quarter notes per minute, 20 to 999; the project's `tempo` or 120 when
    /// left out.
    #[schemars(with = "Option<f64>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bpm: Option<Spanned<f64>>,
    /// Beats per bar and beat unit, such as `4/4`.
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Spanned<String>>,
    /// Tonic and mode, such as `A minor`; Roman numerals in `harmony` need it.
    #[schemars(with = "Option<String>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Spanned<String>>,
    /// Where the second of two sixteenth notes falls: 0.5 straight, 0.66 triplet.
    #[schemars(with = "Option<f64>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing: Option<Spanned<f64>>,
    /// Seeded deviations of time and velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub humanize: Option<Humanize>,
    /// The song's sections in playing order; they become regions.
    #[schemars(with = "Vec<SectionSource>")]
    pub sections: Vec<Spanned<SectionSource>>,
    /// Chord progression, such as `Am | F | C | G`, for all sections or by section.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harmony: Option<Content>,
    /// The parts, each of which becomes a track.
    #[schemars(with = "Vec<PartSource>")]
    #[serde(default, rename = "part")]
    pub parts: Vec<Spanned<PartSource>>,
}

/// How far a seeded hand is off the grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Humanize {
    /// Largest shift of a note, in quarter notes, 0 to 0.1.
    #[serde(default)]
    pub timing: f64,
    /// Largest change of a velocity, 0 to 40.
    #[serde(default)]
    pub velocity: u8,
    /// The same seed gives the same deviations.
    #[serde(default)]
    pub seed: u64,
}

/// A stretch of the song.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSource {
    pub name: String,
    /// Length in bars; may be left out beside `like`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bars: Option<u32>,
    /// Plays what the named earlier section plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
}

/// One part: an instrument and what it plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartSource {
    /// Track name; the mixer reads the role from it.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// A preset's name, or an effect with its parameters. Left out: `drums`
    /// for drum patterns, else the preset that is called like the part.
    #[schemars(with = "Option<InstrumentSource>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instrument: Option<Spanned<InstrumentSource>>,
    /// A melody in notation.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Content>,
    /// A rhythm in which the harmony is played as chords.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chords: Option<Content>,
    /// A row of chord-tone numbers, played over the harmony.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arp: Option<Content>,
    /// A row of bass steps, played over the harmony.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bass: Option<Content>,
    /// A drum grid, one line per voice.
    #[schemars(with = "Option<ContentKind>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drums: Option<Content>,
    /// Sections in which a text for all sections plays; all when left out.
    #[schemars(with = "Option<Vec<String>>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Spanned<String>>>,
    /// Octaves up or down.
    #[serde(default)]
    pub octave: i8,
    /// Velocity of a plain note, 1 to 127; 96 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<u8>,
    /// Sounding part of a note's length, above 0 to 1; 1 when left out.
    #[schemars(with = "Option<f64>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Spanned<f64>>,
    /// How the tones of `chords` are laid out; `smooth` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voicing: Option<super::Voicing>,
    /// Gives every group of drum voices (Kick, Snare, Hats, …) its own track.
    #[serde(default)]
    pub split: bool,
}

/// The instrument of a part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum InstrumentSource {
    /// Name of one of our presets.
    Preset(String),
    /// An effect by name, with parameters.
    Fx(FxSource),
}

/// An instrument plug-in written out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FxSource {
    /// As REAPER's browser shows it, such as `ReaSynth`.
    pub fx: String,
    /// Raw parameter values by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, f64>")]
    pub params: IndexMap<String, f64>,
    /// Named configuration values.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub config: IndexMap<String, String>,
}

/// A text for all sections or one per section, with its place.
pub type Content = Spanned<ContentKind>;

/// See [`Content`].
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ContentKind {
    /// The same in every section.
    All(String),
    /// By section name, in the order written.
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    Sections(#[serde(serialize_with = "as_map")] Vec<(Spanned<String>, Spanned<String>)>),
}

fn as_map<S: serde::Serializer>(
    pairs: &[(Spanned<String>, Spanned<String>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        pairs
            .iter()
            .map(|(key, text)| (key.get_ref(), text.get_ref())),
    )
}

// The three "text or table" types are read by hand: serde's untagged enums
// buffer their input and lose the places.

impl<'de> Deserialize<'de> for ContentKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = ContentKind;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a text, or a table of texts by section name")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ContentKind, E> {
                Ok(ContentKind::All(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ContentKind, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(ContentKind::Sections(pairs))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for InstrumentSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = InstrumentSource;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an instrument preset's name, or a table with `fx`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<InstrumentSource, E> {
                Ok(InstrumentSource::Preset(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<InstrumentSource, A::Error> {
                FxSource::deserialize(de::value::MapAccessDeserializer::new(map))
                    .map(InstrumentSource::Fx)
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for ComposeSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = ComposeSource;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a score file's path, or a score table")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ComposeSource, E> {
                Ok(ComposeSource::File(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ComposeSource, A::Error> {
                ScoreSource::deserialize(de::value::MapAccessDeserializer::new(map))
                    .map(|score| ComposeSource::Inline(Box::new(score)))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl JsonSchema for ComposeSource {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ComposeSource".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let score = generator.subschema_for::<ScoreSource>();
        schemars::json_schema!({
            "description": "Path of a score file, or the score.",
            "anyOf": [{ "type": "string" }, score],
        })
    }
}
