//! Finding, starting, supervising and stopping a REAPER-like process: a real
//! REAPER, or this program's own host, which takes the same options. One
//! launcher serves both, so the embedded host also proves the launcher.
//!
//! It does not speak to the bridge beyond the handshake and knows nothing of
//! jobs or music. What is said here about real REAPER follows published facts
//! and has not been run against one.

mod find;
mod hosts;
mod ini;
mod launch;
mod worker;

pub use find::{REAPER_ENV, find_reaper};
pub use hosts::Hosts;
pub use launch::{Engine, Host, LaunchError, LaunchOptions};
pub use worker::Worker;

#[cfg(test)]
mod tests;
