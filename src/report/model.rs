//! `report.json`, version 1. Fields may be added; none is renamed or removed
//! without a new version.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::qc::{Check, FileFacts, Measurements};

/// Version of the model.
pub const SCHEMA_VERSION: u32 = 1;

/// A finished, or interrupted, run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub schema: u32,
    pub tool: Tool,
    pub job: JobRef,
    pub outcome: Outcome,
    pub totals: Totals,
    pub projects: Vec<Project>,
}

/// The program that made the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

/// The job that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobRef {
    pub name: String,
    /// File name of the job, without its folder.
    pub path: String,
    pub sha256: String,
}

/// How a run or a project ended. The worst of a run's projects is the run's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Passed,
    /// A check missed its target.
    Failed,
    /// An engine, a render or a file failed.
    Errored,
    /// The run was interrupted before the end.
    Incomplete,
}

/// Projects by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    pub projects: u32,
    pub passed: u32,
    pub failed: u32,
    pub errored: u32,
    /// Not run: interrupted, or left out by `--fail-fast`.
    pub skipped: u32,
}

/// One project of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Project {
    pub name: String,
    /// Line of the project in the job file.
    pub line: u64,
    pub style: String,
    pub spec: String,
    /// `None` when no engine was started.
    pub engine: Option<EngineRef>,
    pub outcome: Outcome,
    /// Wall time; a clock field.
    pub duration_s: f64,
    pub error: Option<Failure>,
    pub roles: Vec<RoleMatch>,
    /// Tracks that no role was found for.
    pub unmatched: Vec<String>,
    pub master_passes: Vec<MasterPass>,
    /// Remarks that are not checks: what the embedded engine only approximates,
    /// a target out of reach and by how much, a repaired input.
    pub notes: Vec<String>,
    pub renders: Vec<Render>,
}

/// The engine that did the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineRef {
    pub kind: EngineKind,
    pub version: String,
    /// What of this engine's sound is a model, in a sentence; `None` for REAPER.
    #[serde(default)]
    pub approximation: Option<String>,
}

/// Engines there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    Embedded,
    Reaper,
}

/// Why a project could not be finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// `media.unreadable`, `engine.died`, `render.target_exists`, …
    pub code: String,
    /// Step during which it happened.
    pub stage: String,
    pub message: String,
}

/// A track and what it was taken for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleMatch {
    pub track: String,
    pub role: String,
    /// 0 to 1; 1 was given by hand or matched the whole name.
    pub confidence: f64,
}

/// One pass of the mastering loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MasterPass {
    pub drive_db: f64,
    pub integrated_lufs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    /// Loudness lost to the limiter against the same drive without it, in dB.
    pub limiting_db: Option<f64>,
}

/// A rendered file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Render {
    /// Relative to the output folder, with forward slashes.
    pub path: String,
    pub sha256: String,
    #[serde(flatten)]
    pub file: FileFacts,
    pub measurements: Measurements,
    pub checks: Vec<Check>,
    pub regions: Vec<Region>,
}

/// A region of a rendered file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    pub name: String,
    pub start_s: f64,
    pub end_s: f64,
    pub measurements: Measurements,
    pub findings: Vec<Check>,
}
