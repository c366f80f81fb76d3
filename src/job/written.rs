//! The job file as it is written. The JSON Schema, the check of the shape and
//! the reading all come from these types.
//!
//! Everything is optional here, so that one missing key hides no other
//! problem; `resolve` knows what is needed. Untagged enums of serde lose the
//! places of values, so "this or that" is read by hand.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_spanned::Spanned;

use super::MasterOptions;
use crate::compose::ComposeSource;

type At<T> = Option<Spanned<T>>;

/// A batch of songs: how each is mixed, mastered, rendered and judged.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JobFile {
    /// Name of the job; the output folder is called like it. Left out: the name
    /// of the job file without its extension.
    #[schemars(with = "Option<String>")]
    pub(super) name: At<String>,
    /// Style of all projects that name none: one of `reaper-batch styles`, or
    /// the path of a style file.
    #[schemars(with = "Option<String>")]
    pub(super) style: At<String>,
    /// What the files are judged against: `style` for the style's own targets,
    /// one of `reaper-batch specs`, or the path of a spec file.
    #[schemars(with = "Option<String>", extend("default" = "style"))]
    pub(super) spec: At<String>,
    /// Quarter notes per minute; left out, projects keep theirs.
    #[schemars(with = "Option<f64>", range(min = 20, max = 960))]
    pub(super) tempo: At<f64>,
    /// How files are rendered.
    pub(super) render: Option<RenderTable>,
    /// The songs, in order.
    #[schemars(with = "Option<Vec<ProjectTable>>")]
    pub(super) project: Option<Vec<Spanned<ProjectTable>>>,
}

/// How files are rendered; a project's table overrides the job's key by key.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenderTable {
    /// File format.
    #[schemars(with = "Option<FormatName>", extend("default" = "wav"))]
    pub(super) format: At<FormatName>,
    /// 16 and 24 are integers, with dither where REAPER would; 32 is floating
    /// point and only for WAV.
    #[schemars(with = "Option<u32>", extend("enum" = [16, 24, 32], "default" = 24))]
    pub(super) bit_depth: At<u32>,
    /// In Hz.
    #[schemars(with = "Option<u32>", range(min = 8000, max = 384000), extend("default" = 48000))]
    pub(super) sample_rate: At<u32>,
    /// File name without extension: REAPER's wildcards, and `$job` and `$style`.
    #[schemars(with = "Option<String>", length(min = 1), extend("default" = "$project"))]
    pub(super) pattern: At<String>,
    /// Seconds rendered past the end of the project.
    #[schemars(with = "Option<f64>", range(min = 0, max = 600), extend("default" = 1.0))]
    pub(super) tail: At<f64>,
    /// Also renders every track to a file of its own.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) stems: At<bool>,
    /// Lets a render replace a file that is there.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) overwrite: At<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum FormatName {
    Wav,
    Flac,
}

/// A song.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectTable {
    /// Name of the song, and of its folder in the output.
    #[schemars(with = "Option<String>")]
    pub(super) name: At<String>,
    /// Audio files that become tracks: a folder, a glob, a list of files, or a
    /// table `track = file`.
    #[schemars(with = "Option<StemsValue>")]
    pub(super) stems: At<StemsValue>,
    /// An existing REAPER project (`.rpp`). It is never written to.
    #[schemars(with = "Option<String>")]
    pub(super) project: At<String>,
    /// A score, or the path of a score file.
    #[schemars(with = "Option<ComposeSource>")]
    pub(super) compose: At<ComposeSource>,
    /// Overrides the job's style.
    #[schemars(with = "Option<String>")]
    pub(super) style: At<String>,
    /// Overrides the job's spec.
    #[schemars(with = "Option<String>")]
    pub(super) spec: At<String>,
    /// Overrides the job's tempo.
    #[schemars(with = "Option<f64>", range(min = 20, max = 960))]
    pub(super) tempo: At<f64>,
    /// Overrides keys of the job's `[render]`.
    pub(super) render: Option<RenderTable>,
    /// A track that no role is found for fails the project.
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) require_roles: At<bool>,
    /// What is done, in order. Left out: `configure_tracks`, `compose` (with a
    /// score), `engine_mix`, `engine_master`, `render`, `check`.
    #[schemars(with = "Option<Vec<StepTable>>")]
    pub(super) step: Option<Vec<Spanned<StepTable>>>,
}

/// A step: exactly one key, which names it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub(super) struct StepTable {
    /// Imports the stems, or opens a copy of the project.
    #[schemars(with = "Option<Toggle<NoOptions>>")]
    pub(super) configure_tracks: At<Toggle<NoOptions>>,
    /// Turns the project's score into tracks.
    #[schemars(with = "Option<Toggle<NoOptions>>")]
    pub(super) compose: At<Toggle<NoOptions>>,
    /// Mixes by the style.
    #[schemars(with = "Option<Toggle<MixTable>>")]
    pub(super) engine_mix: At<Toggle<MixTable>>,
    /// Builds the master chain and drives it to the target.
    #[schemars(with = "Option<Toggle<MasterTable>>")]
    pub(super) engine_master: At<Toggle<MasterTable>>,
    /// Renders the files.
    #[schemars(with = "Option<Toggle<NoOptions>>")]
    pub(super) render: At<Toggle<NoOptions>>,
    /// Measures the rendered files and judges them.
    #[schemars(with = "Option<Toggle<NoOptions>>")]
    pub(super) check: At<Toggle<NoOptions>>,
    /// A single bridge command: `name`, and its parameters beside it.
    #[schemars(with = "Option<CommandTable>")]
    pub(super) command: At<CommandTable>,
}

/// A step without parameters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoOptions {}

/// Parameters of `engine_mix`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MixTable {
    /// `measured` stages gain by loudness, `static` takes the style's faders.
    #[schemars(with = "Option<MixMode>", extend("default" = "measured"))]
    pub(super) mode: At<MixMode>,
    /// Roles by track name, where the name does not tell.
    #[schemars(with = "Option<std::collections::BTreeMap<String, String>>")]
    pub(super) roles: Option<Pairs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum MixMode {
    Measured,
    Static,
}

/// Parameters of `engine_master`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MasterTable {
    /// Overrides the style's integrated loudness, in LUFS.
    #[schemars(with = "Option<f64>", range(min = -70, max = 0))]
    pub(super) target_lufs: At<f64>,
    /// Overrides the style's highest true peak, in dBTP.
    #[schemars(with = "Option<f64>", range(min = -20, max = 0))]
    pub(super) ceiling_dbtp: At<f64>,
    /// Most times the master is rendered and measured.
    #[schemars(with = "Option<u32>", range(min = 1, max = 20), extend("default" = MasterOptions::default().max_passes))]
    pub(super) max_passes: At<u32>,
    /// Most gain reduction of the limiter over the loudest 3 s, in dB. Beyond
    /// it the target counts as out of reach.
    #[schemars(with = "Option<f64>", range(min = 0, max = 24), extend("default" = MasterOptions::default().max_limiting_db))]
    pub(super) max_limiting_db: At<f64>,
}

/// Keys and texts with their places.
#[derive(Debug, Default)]
pub(super) struct Pairs(pub(super) Vec<(Spanned<String>, Spanned<String>)>);

/// The value of `stems`.
#[derive(Debug)]
pub(super) enum StemsValue {
    /// A folder or a glob.
    Path(String),
    Files(Vec<Spanned<String>>),
    Tracks(Pairs),
}

/// `true`, or a table of parameters.
#[derive(Debug)]
pub(super) enum Toggle<T> {
    On,
    Options(T),
}

/// A bridge command.
#[derive(Debug)]
pub(super) struct CommandTable {
    pub(super) name: Spanned<String>,
    pub(super) params: Vec<(Spanned<String>, toml::Value)>,
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pairs, A::Error> {
                pairs(map).map(Pairs)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl<'de> Deserialize<'de> for StemsValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = StemsValue;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a folder, a glob, a list of files, or a table `track = file`")
            }

            fn visit_str<E: de::Error>(self, path: &str) -> Result<StemsValue, E> {
                Ok(StemsValue::Path(path.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<StemsValue, A::Error> {
                let mut files = Vec::new();
                while let Some(file) = seq.next_element()? {
                    files.push(file);
                }
                Ok(StemsValue::Files(files))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StemsValue, A::Error> {
                pairs(map).map(|pairs| StemsValue::Tracks(Pairs(pairs)))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl JsonSchema for StemsValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stems".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            { "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 1 },
        ] })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Toggle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Read<T> {
            type Value = Toggle<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("`true` or a table")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<Toggle<T>, E> {
                if on {
                    Ok(Toggle::On)
                } else {
                    Err(E::custom("a step is left out by not listing it"))
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Toggle<T>, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Toggle::Options)
            }
        }
        deserializer.deserialize_any(Read(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Toggle<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Toggle{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        let table = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "boolean", "enum": [true] }, table] })
    }
}

impl<'de> Deserialize<'de> for CommandTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = CommandTable;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table with `name` and the command's parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CommandTable, A::Error> {
                let mut name = None;
                let mut params = Vec::new();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    if key.get_ref() == "name" {
                        name = Some(map.next_value()?);
                    } else {
                        params.push((key, map.next_value()?));
                    }
                }
                let name = name.ok_or_else(|| de::Error::missing_field("name"))?;
                Ok(CommandTable { name, params })
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl JsonSchema for CommandTable {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({
            "type": "object",
            "properties": { "name": {
                "type": "string",
                "description": "One of `reaper-batch commands`.",
            } },
            "required": ["name"],
            "additionalProperties": true,
        })
    }
}

/// A key and its text, each with its place in the file.
pub(super) type Pair = (Spanned<String>, Spanned<String>);

fn pairs<'de, A: MapAccess<'de>>(mut map: A) -> Result<Vec<Pair>, A::Error> {
    let mut pairs = Vec::new();
    while let Some(pair) = map.next_entry()? {
        pairs.push(pair);
    }
    Ok(pairs)
}
