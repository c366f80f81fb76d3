//! The program from outside.

mod bridge;
mod cli;
mod faults;
mod harness;
#[cfg(unix)]
mod launcher;
mod mcp;
mod mix;
mod remix;
mod run;
#[cfg(unix)]
mod signals;
mod tidy;
