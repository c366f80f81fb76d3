//! The program from outside.

mod cli;
mod harness;
mod mix;
mod tidy;
