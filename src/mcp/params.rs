//! Arguments of the tools. Field docs are what a client's model reads.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenProject {
    /// Output folder: gets the working copy `project.rpp` and all renders.
    pub folder: PathBuf,
    /// Existing REAPER project to start from; it is never written to. With
    /// neither this nor `stems`: the working copy that is in the folder, or
    /// an empty project.
    #[serde(default)]
    pub project: Option<PathBuf>,
    /// Audio files to start from, one track each, named after the files.
    #[serde(default)]
    pub stems: Vec<PathBuf>,
    /// Style for mix and master; see `list_styles`.
    #[serde(default)]
    pub style: Option<String>,
    /// Quarter notes per minute.
    #[serde(default)]
    pub tempo_bpm: Option<f64>,
}

/// No arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LookAround {}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigureTracks {
    pub tracks: Vec<Track>,
}

/// What is left out stays as it is.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Track {
    /// From 0; -1 is the master; past the end makes tracks.
    pub track_index: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_db: Option<f64>,
    /// -1 left to 1 right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pan: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mute: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solo: Option<bool>,
    /// Red, green, blue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[u8; 3]>,
    /// 1 opens a folder, -1 ends one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_depth: Option<i32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Compose {
    /// Score as TOML: `bpm`, `sections`, `harmony`, `[[part]]`; see the
    /// project's docs/compose.md.
    pub score: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Mix {
    /// Style to mix in; the one of `open_project` when left out.
    #[serde(default)]
    pub style: Option<String>,
    /// Roles by track name, for names that do not tell.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// Take the catalogue's fixed faders instead of measuring the stems.
    #[serde(default)]
    pub fixed: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Master {
    /// Style whose chain is built; the one of `open_project` when left out.
    #[serde(default)]
    pub style: Option<String>,
    /// Integrated loudness target instead of the style's, in LUFS.
    #[serde(default)]
    pub target_lufs: Option<f64>,
    /// True-peak ceiling instead of the style's, in dBTP.
    #[serde(default)]
    pub ceiling_dbtp: Option<f64>,
    /// Delivery spec to aim at and to judge renders by: `spotify`, `ebu-r128`.
    #[serde(default)]
    pub spec: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Render {
    /// `wav` (default) or `flac`.
    #[serde(default)]
    pub format: Option<Format>,
    /// 16, 24 (default) or 32 (float, WAV only).
    #[serde(default)]
    pub bit_depth: Option<u32>,
    /// In Hz; 48000 when left out.
    #[serde(default)]
    pub sample_rate: Option<u32>,
    /// File name without extension; may hold REAPER's wildcards.
    #[serde(default)]
    pub pattern: Option<String>,
    /// Seconds to render past the end, 0 to 600; 1 when left out.
    #[serde(default)]
    pub tail_s: Option<f64>,
    /// Also render every track to a file of its own.
    #[serde(default)]
    pub stems: bool,
    /// Replace files that exist.
    #[serde(default)]
    pub overwrite: bool,
    /// Delivery spec to judge against; what `master` aimed at when left out.
    #[serde(default)]
    pub spec: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    Wav,
    Flac,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckFile {
    /// Audio file to measure.
    pub path: PathBuf,
    /// Delivery spec by name (`spotify`, `ebu-r128`, …) to judge against.
    #[serde(default)]
    pub spec: Option<String>,
    /// Style whose targets to judge against.
    #[serde(default)]
    pub style: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunJob {
    /// Job file (TOML).
    pub job: PathBuf,
    /// Output folder.
    pub out: PathBuf,
    /// Only these projects of the job.
    #[serde(default)]
    pub only: Vec<String>,
    /// Replace renders that exist.
    #[serde(default)]
    pub overwrite: bool,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Undo {
    /// How many steps, 1 to 100.
    #[serde(default)]
    pub steps: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListStyles {
    /// Show this style's targets and roles; all names when left out.
    #[serde(default)]
    pub name: Option<String>,
}
