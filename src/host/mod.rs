//! The embedded REAPER: a Lua 5.4 machine, the `reaper` table over a
//! [`crate::project::Project`], a defer loop, and REAPER's command line.
//!
//! It runs scripts written for REAPER without change, as far as they use
//! functions that [`coverage`] lists. It has no window, no playback, no
//! recording and no third-party plug-ins; a function it lacks is `nil` in the
//! `reaper` table, so that `if reaper.X` works and a call names the field.
//!
//! It does not know who drives it: scripts talk to the world through files
//! and the environment, as they do in REAPER.

mod api;
mod command_line;
mod coverage;
mod files;
mod lua;
mod rendering;
mod session;
mod state;
mod watch;

#[cfg(test)]
mod tests;

pub use command_line::main;
pub use files::FileError;
pub use session::{Options, ScriptError, Session};

/// Documents that are made from this room's data: path in the repository and text.
pub fn generated() -> Vec<(&'static str, String)> {
    vec![("docs/reascript-coverage.md", coverage::markdown())]
}

/// Functions of the `reaper` table with the domain they belong to, in the
/// order of registration; `docs/reascript-coverage.md` lists them.
pub fn coverage() -> Vec<(&'static str, &'static str)> {
    api::functions()
        .map(|function| (function.name, function.domain))
        .collect()
}
