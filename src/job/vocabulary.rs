//! The names a job file may use, which other rooms own.

use serde_json::{Map, Value};

use crate::compose::Score;

/// Reads a style or spec file that the job names by path; the error is for people.
pub type CheckFile = Box<dyn Fn(&std::path::Path) -> Result<(), String> + Send + Sync>;

/// Checks the parameters of a bridge command.
pub type CheckCommand = Box<dyn Fn(&str, &Map<String, Value>) -> Vec<Problem> + Send + Sync>;

/// Turns the tables of a score into notes.
pub type ReadScore = Box<dyn Fn(&toml::Table) -> Result<Score, Vec<Problem>> + Send + Sync>;

/// What the rest of the program knows, as the job file needs it. Handed in,
/// so that this room depends on none of the others.
pub struct Vocabulary {
    /// Names in the style catalogue.
    pub styles: Vec<String>,
    /// Names of delivery specs.
    pub specs: Vec<String>,
    /// Bridge commands.
    pub commands: Vec<String>,
    /// Roles that `engine_mix.roles` may give.
    pub roles: Vec<String>,
    /// A style file of the user's.
    pub style_file: CheckFile,
    /// A spec file of the user's.
    pub spec_file: CheckFile,
    pub command_params: CheckCommand,
    pub score: ReadScore,
}

/// Something wrong inside a table that another room reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Keys and indices that lead to the place; empty is the table itself.
    /// A key that leads nowhere stands for the table that lacks it.
    pub at: Vec<String>,
    /// A sentence fragment that names the thing.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
