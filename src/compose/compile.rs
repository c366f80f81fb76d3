//! From the written form to notes.

use super::{ComposeError, Score, ScoreSource};

/// Works out a score. Either the whole score, or every fault that was found.
///
/// # Errors
///
/// At least one [`ComposeError`]: an unknown chord, a bar that does not add
/// up, a section that does not exist, a value out of its range.
pub fn compile(source: &ScoreSource) -> Result<Score, Vec<ComposeError>> {
    let _ = source;
    Err(Vec::new())
}
