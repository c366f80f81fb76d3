//! The program from outside.

mod bridge;
mod cli;
mod harness;
mod mcp;
mod mix;
mod remix;
mod tidy;
