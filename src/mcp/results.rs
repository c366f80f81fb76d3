//! What the tools return, as structured content.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::qc::{Check, FileFacts, Measurements};
use crate::report::{MasterPass, Outcome, RoleMatch};

/// A step that was done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Done {
    /// What was done, for people.
    pub summary: String,
    /// Remarks that a person should see.
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Opened {
    /// Working copy of the project.
    pub project_file: String,
    /// Name and version of the host.
    pub engine: String,
    pub tracks: u64,
}

/// Whatever a bridge command answers: its keys are those of the command.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    #[serde(flatten)]
    pub data: BTreeMap<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Mixed {
    pub summary: String,
    pub roles: Vec<RoleMatch>,
    /// Tracks without a role; give them one with `roles`.
    pub unmatched: Vec<String>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Mastered {
    pub summary: String,
    pub passes: Vec<MasterPass>,
    pub notes: Vec<String>,
}

/// Files rendered and judged.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rendered {
    pub files: Vec<Checked>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Checked {
    pub path: String,
    pub passed: bool,
    /// Format, channels, rate and length.
    #[schemars(with = "BTreeMap<String, Value>")]
    pub file: FileFacts,
    /// Readings; the names end in their units. `missing` says why one is null.
    #[schemars(with = "BTreeMap<String, Value>")]
    pub measurements: Measurements,
    /// Verdicts: `id`, `status` (passed, skipped, warned, failed), `message`.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    pub checks: Vec<Check>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JobDone {
    pub outcome: Outcome,
    /// Projects by name.
    pub projects: BTreeMap<String, ProjectDone>,
    /// Folder with `report.json`, `junit.xml` and the renders.
    pub out: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProjectDone {
    pub outcome: Outcome,
    /// Why it could not be finished.
    pub error: Option<String>,
    /// Sentences of the checks that failed.
    pub failed: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Styles {
    pub names: Vec<String>,
    /// Targets and roles of the style that was asked for.
    pub style: Option<StyleFacts>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StyleFacts {
    pub name: String,
    pub integrated_lufs: f64,
    pub true_peak_max_dbtp: f64,
    pub tempo_bpm: (f64, f64),
    pub roles: Vec<String>,
}
