//! Signal processing on slices: filters, envelopes, delays, SIMD dispatch.
//!
//! Everything runs on [`Frame`]s: eight channels, usually of different tracks,
//! side by side, so that one SIMD instruction advances the recursions of all
//! of them. Loops are written over fixed-size arrays and marked
//! `#[inline(always)]`, which lets [`simd::dispatch`] compile them a second
//! time for AVX2. No files, no product names, no clock.

pub mod simd;

/// Channels side by side in one [`Frame`].
pub const LANES: usize = 8;

/// One sample of each lane, in 64-bit float.
pub type Frame = [f64; LANES];

/// A frame of silence.
pub const SILENCE: Frame = [0.0; LANES];
