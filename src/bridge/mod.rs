//! The contract with the Lua bridge: command types, client, token, heartbeat,
//! history, error codes, and the script itself as part of the binary.
//!
//! It does not start processes (that is `engine`) and knows no musical
//! decisions (those are `mix`). `docs/ipc.md` describes the files.

mod call;
pub mod client;
pub mod commands;
mod error_code;
pub mod fake;
mod folder;
mod protocol;
pub mod script;

pub use call::*;
pub use client::{Client, OnProgress, Options, ProcessState, STOP_FILE};
pub use error_code::ErrorCode;
pub use folder::{IPC_ENV, TOKEN_ENV, fallback_folder, new_token};
pub use protocol::{Command, ErrorInfo, Hello, Lock, PROTOCOL_VERSION, Progress, Response};

/// Files that are written by this program from the command table, as path
/// below the repository and content: what `xtask codegen` writes and a test
/// compares.
pub fn generated() -> Vec<(&'static str, String)> {
    vec![
        ("reaper_scripts/bridge/schema.lua", commands::lua_schema()),
        ("docs/bridge-commands.md", commands::markdown()),
    ]
}

#[cfg(test)]
mod tests;
