//! One versioned report model and its renderers. Nothing here computes: every
//! number comes in with the run.

mod console;
mod github;
mod json;
mod junit;
mod markdown;
mod model;
mod numbers;
mod write;

pub use console::{console, console_file};
pub use github::github;
pub use json::{from_json, json, schema};
pub use junit::junit;
pub use markdown::markdown;
pub use model::*;
pub use write::{WriteError, write_all, write_atomically};

#[cfg(test)]
mod tests;
