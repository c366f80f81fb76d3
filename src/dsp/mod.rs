//! Signal processing on slices: filters, envelopes, delays, SIMD dispatch.
//!
//! Everything runs on [`Frame`]s: eight channels, usually of different tracks,
//! side by side, so that one SIMD instruction advances the recursions of all
//! of them. Loops are written over fixed-size arrays and marked
//! `#[inline(always)]`, which lets [`simd::dispatch`] compile them a second
//! time for AVX2. No files, no product names, no clock.
//!
//! Denormals: whoever owns a recursion calls its `flush` every so many frames
//! of the stream (never at block borders, which would make the block size
//! audible in the bits); states below [`TINY`] become zero there.

#![expect(
    clippy::needless_range_loop,
    reason = "lanes index several arrays alike; loops in this form vectorise"
)]

pub mod biquad;
pub mod delay;
pub mod envelope;
pub mod lookahead;
pub mod noise;
pub mod onepole;
pub mod poly;
pub mod simd;
pub mod true_peak;

/// Channels side by side in one [`Frame`].
pub const LANES: usize = 8;

/// One sample of each lane, in 64-bit float.
pub type Frame = [f64; LANES];

/// A frame of silence.
pub const SILENCE: Frame = [0.0; LANES];

/// States of recursions below this (-600 dB) are flushed to zero.
pub const TINY: f64 = 1e-30;

/// Zeroes the values that are too small to matter and would turn denormal.
#[inline(always)]
pub fn flush<const N: usize>(state: &mut [f64; N]) {
    for value in state {
        if value.abs() < TINY {
            *value = 0.0;
        }
    }
}

/// The smaller value, as one instruction; not for NaN.
#[inline(always)]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger value, as one instruction; not for NaN.
#[inline(always)]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
