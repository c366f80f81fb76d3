//! Composition: theory, notation, patterns and generators turn text and
//! parameters into notes.
//!
//! [`ScoreSource`] is what people write (`docs/compose.md`), [`compile`] turns
//! it into a [`Score`], [`calls`] into bridge commands. Nothing here makes
//! sound, reads a file or knows an engine.

mod calls;
pub mod chords;
mod compile;
mod error;
pub mod generate;
pub mod instruments;
pub mod notation;
pub mod patterns;
mod score;
mod source;
pub mod theory;

pub use calls::{calls, calls_at, length_qn};
pub use compile::compile;
pub use error::{ComposeError, TextError};
pub use score::*;
pub use source::*;
pub use theory::Voicing;

#[cfg(test)]
mod tests;
