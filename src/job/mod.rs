//! The job file: spanned TOML, a resolved plan, checks, schema.

mod plan;
mod vocabulary;

pub use plan::*;
pub use vocabulary::{CheckCommand, CheckFile, Problem, ReadScore, Vocabulary};
