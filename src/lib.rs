//! A headless batch and CI runner for REAPER: it mixes, masters, renders and
//! checks music, inside REAPER or inside its own REAPER-compatible host.
//!
//! `docs/architecture.md` is the map of the rooms below, in reading order.

pub mod units;

pub mod diag;
pub mod files;

pub mod audio;
pub mod dsp;

pub mod project;

pub mod fx;

pub mod render;

pub mod bridge;

pub mod compose;

pub mod host;

pub mod engine;

pub mod mix;
pub mod qc;

pub mod job;
pub mod report;

pub mod runner;

pub mod mcp;

pub mod cli;
