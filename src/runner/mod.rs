//! Runs a job: order, workers, time limits, cancel, run folder; typed events.

mod event;

pub use event::*;
