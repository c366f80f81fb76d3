//! Composition: theory, notation, patterns and generators turn text and
//! parameters into notes.

mod score;

pub use score::*;
