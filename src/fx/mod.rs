//! REAPER's stock effects and instruments: one file per plug-in, with its
//! parameter table and its processor; a registry by name and id.
//!
//! A processor works on a *lane group*: up to [`SLOTS`] stereo pairs of
//! different tracks side by side, so that the recursions of several channels
//! run in one SIMD register. A lone instance is a group of one slot. The
//! arithmetic of a lane never depends on what the other lanes hold, so
//! grouping never changes bits.

use crate::project::Fx;

/// Stereo pairs a group holds.
pub const SLOTS: usize = 4;

/// Channels a group holds: slot `s` has its left channel in lane `2 s`, its
/// right one in lane `2 s + 1`.
pub const LANES: usize = 2 * SLOTS;

/// One frame of a group, in 64-bit float as REAPER mixes.
pub type Frame = [f64; LANES];

/// Frames a processor gets at the most in one call; a block stays in L1.
pub const BLOCK: usize = 128;

/// What a processor needs to know before it runs. May be allocated from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    pub sample_rate_hz: f64,
    /// Quarter notes per minute at the start, for tempo-synced effects.
    pub bpm: f64,
}

/// A running effect for a group of slots.
///
/// `process` neither allocates nor locks. Any split of the input into blocks
/// gives the same bits, and after `reset` a processor is as new.
pub trait Processor: std::marker::Send {
    /// Frames by which the output lags behind the input; the same for all slots.
    fn latency_frames(&self) -> usize {
        0
    }

    /// Frames the effect may sound on after its input has ended.
    fn tail_frames(&self) -> u64 {
        0
    }

    /// Takes over the parameters of one slot: raw values in parameter order
    /// (`Fx::params`) and named values (`Fx::config`) of `fx`. Called before
    /// the first block and, for automation, between blocks; must not allocate
    /// when only `params` differ.
    fn set(&mut self, slot: usize, fx: &Fx);

    /// Processes up to [`BLOCK`] frames in place. `aux` holds the channels 3
    /// and 4 of each slot (the side-chain input) where a slot has them,
    /// silence elsewhere; `None` when no slot has.
    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>);

    /// Forgets all signal.
    fn reset(&mut self);
}
