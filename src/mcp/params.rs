//! Arguments of the tools. Field docs are what a client's model reads.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenProject {
    /// Output folder: gets the working copy `project.rpp` and all renders.
    pub folder: PathBuf,
    /// Existing REAPER project to start from; it is never written to.
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

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfigureTracks {
    /// One object per track: `track_index` (from 0, -1 is the master; an index
    /// past the end makes tracks) and any of `name`, `volume_db`, `pan` (-1 to
    /// 1), `mute`, `solo`, `color` ([r, g, b]), `folder_depth`.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    pub tracks: Vec<Value>,
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
    /// Seconds to render past the end of the project.
    #[serde(default)]
    pub tail_s: Option<f64>,
    /// Also render every track to a file of its own.
    #[serde(default)]
    pub stems: bool,
    /// Replace files that exist.
    #[serde(default)]
    pub overwrite: bool,
    /// Delivery spec to judge against; the style's targets when left out.
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
