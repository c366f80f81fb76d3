//! What a running effect is to the renderer.

use crate::dsp::{Frame, LANES};
use crate::project::Fx;

/// Stereo pairs a group holds: slot `s` has its left channel in lane `2 s`,
/// its right one in lane `2 s + 1`.
pub const SLOTS: usize = LANES / 2;

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
    /// Frames by which the output lags behind the input; the same for all
    /// slots. Fixed when the group is made.
    fn latency_frames(&self) -> usize {
        0
    }

    /// Frames the effect may sound on after its input has ended.
    fn tail_frames(&self) -> u64 {
        0
    }

    /// Takes over the parameters of one slot: raw values in parameter order
    /// (`Fx::params`), named values (`Fx::config`), and bypass, wet and delta.
    /// Called before the first block and, for automation, between blocks;
    /// does not allocate when only `params` differ.
    fn set(&mut self, slot: usize, fx: &Fx);

    /// Processes up to [`BLOCK`] frames in place; more are taken in pieces.
    /// `aux` holds the channels 3 and 4 of each slot (the side-chain input)
    /// where a slot has them, silence elsewhere; `None` when no slot has.
    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>);

    /// Forgets all signal; parameters stay.
    fn reset(&mut self);
}
