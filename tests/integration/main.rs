//! The program from outside.

mod cli;
mod harness;
