//! The names a job file may use, which other rooms own.

use std::path::Path;

use serde_json::{Map, Value};

/// Checks a style or spec file that the job names by path; the error is for people.
pub type CheckFile = Box<dyn Fn(&Path) -> Result<(), String> + Send + Sync>;

/// Checks the parameters of a bridge command.
pub type CheckCommand = Box<dyn Fn(&str, &Map<String, Value>) -> Vec<Problem> + Send + Sync>;

/// What the rest of the program knows, as the job file needs it. Handed in,
/// so that this room depends on none of the others.
pub struct Vocabulary {
    /// Names in the style catalogue.
    pub styles: Vec<String>,
    /// Names of delivery specs.
    pub specs: Vec<String>,
    /// Bridge commands.
    pub commands: Vec<String>,
    /// Roles that `engine_mix.roles` may give; empty allows any.
    pub roles: Vec<String>,
    /// A style file of the user's.
    pub style_file: CheckFile,
    /// A spec file of the user's.
    pub spec_file: CheckFile,
    pub command_params: CheckCommand,
}

/// Something wrong with a bridge command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Parameter it is about; `None`, or one that is not there, is the command.
    pub parameter: Option<String>,
    /// Lower-case fragment that names the thing.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
