//! The job file: spanned TOML, a resolved plan, checks, schema.
//!
//! [`load`] goes through four steps: syntax, shape (`shape`, driven by the
//! schema of the written types in `written`), meaning (`resolve`, `stems`),
//! plan. All problems of a step are reported together with those of the
//! steps that could still be done. `docs/job-file.md` is the reference.

mod describe;
mod load;
mod plan;
mod resolve;
mod schema;
mod shape;
mod stems;
mod vocabulary;
mod written;

#[cfg(test)]
mod tests;

pub use crate::mix::{MasterOptions, MixOptions};
pub use describe::describe;
pub use load::{Loaded, load, read};
pub use plan::*;
pub use schema::schema;
pub use stems::{AUDIO_EXTENSIONS, matches_name};
pub use vocabulary::{CheckCommand, CheckFile, Problem, Vocabulary};

/// Codes of the diagnostics about job files; `docs/job-file.md` explains them.
pub(crate) mod code {
    pub(crate) const SYNTAX: &str = "RB0101";
    pub(crate) const UNREADABLE: &str = "RB0102";
    pub(crate) const UNKNOWN_KEY: &str = "RB0103";
    pub(crate) const WRONG_TYPE: &str = "RB0104";
    pub(crate) const OUT_OF_RANGE: &str = "RB0105";
    pub(crate) const MISSING_KEY: &str = "RB0106";
    pub(crate) const UNKNOWN_VALUE: &str = "RB0107";
    pub(crate) const CONFLICT: &str = "RB0108";
    pub(crate) const UNKNOWN_STYLE: &str = "RB0110";
    pub(crate) const UNKNOWN_SPEC: &str = "RB0111";
    pub(crate) const UNKNOWN_COMMAND: &str = "RB0112";
    pub(crate) const COMMAND_PARAMETER: &str = "RB0113";
    pub(crate) const UNKNOWN_ROLE: &str = "RB0114";
    pub(crate) const UNKNOWN_TRACK: &str = "RB0115";
    pub(crate) const NAMED_FILE: &str = "RB0116";
    pub(crate) const MISSING_FILE: &str = "RB0120";
    pub(crate) const NO_AUDIO: &str = "RB0121";
    pub(crate) const NOT_AUDIO: &str = "RB0122";
    pub(crate) const COMPOSITION: &str = "RB0123";
    pub(crate) const SAME_TRACK: &str = "RB0124";
    pub(crate) const SAME_PROJECT: &str = "RB0130";
    pub(crate) const SAME_OUTPUT: &str = "RB0131";
    pub(crate) const BAD_NAME: &str = "RB0132";
    pub(crate) const SCORE: &str = "RB0140";
    pub(crate) const STEPS: &str = "RB0150";
}
