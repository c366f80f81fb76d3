//! A job after all defaults, overrides and checks: what will be done.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::mix::{MasterOptions, MixOptions};

/// A whole job. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    pub name: String,
    pub path: PathBuf,
    /// Of the job file's bytes, hexadecimal.
    pub sha256: String,
    pub projects: Vec<ProjectPlan>,
}

/// What is done with one song.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProjectPlan {
    pub name: String,
    /// Line of its `[[project]]` header in the job file, from 1.
    pub line: usize,
    pub source: Source,
    /// Name in the catalogue, or the user's own style file.
    pub style: String,
    /// `style`, a preset's name, or a spec file.
    pub spec: String,
    /// Quarter notes per minute; `None` keeps the project's.
    pub tempo_bpm: Option<f64>,
    pub render: RenderOptions,
    pub steps: Vec<Step>,
    /// A track without a role fails the project.
    pub require_roles: bool,
}

/// What a song is made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Audio files, one track each, in order.
    Stems(Vec<Stem>),
    /// An existing REAPER project, never written to.
    Project(PathBuf),
    /// Nothing but what the steps compose.
    Empty,
}

/// An audio file that becomes a track.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stem {
    pub track: String,
    pub file: PathBuf,
}

/// How files are rendered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RenderOptions {
    pub format: Format,
    pub bit_depth: BitDepth,
    pub sample_rate_hz: u32,
    /// REAPER's wildcards, and `$job` and `$style`.
    pub pattern: String,
    /// Seconds rendered past the end of the project.
    pub tail_s: f64,
    /// Stems of all tracks beside the mix.
    pub stems: bool,
    /// An existing file may be replaced.
    pub overwrite: bool,
}

/// File formats that can be rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Wav,
    Flac,
}

/// Sample formats that can be rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BitDepth {
    Int16,
    Int24,
    Float32,
}

/// One step of a project's life.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    ConfigureTracks,
    /// A score to be turned into MIDI items (see `compose`).
    Compose(crate::compose::Score),
    EngineMix(MixOptions),
    EngineMaster(MasterOptions),
    Render,
    Check,
    /// Any single bridge command. A text `track` stands for the `track_index`
    /// of the track of that name, which is looked up when the step is run.
    Command {
        name: String,
        params: Map<String, Value>,
    },
}

impl Step {
    /// As the job file writes it: `engine_mix`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ConfigureTracks => "configure_tracks",
            Self::Compose(_) => "compose",
            Self::EngineMix(_) => "engine_mix",
            Self::EngineMaster(_) => "engine_master",
            Self::Render => "render",
            Self::Check => "check",
            Self::Command { .. } => "command",
        }
    }
}

impl Format {
    /// `wav` or `flac`: name and file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }
}
