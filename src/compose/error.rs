//! What is wrong with a score, and where.

use std::ops::Range;

/// A fault in a score's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct ComposeError {
    /// Lower-case fragment that names the thing in backticks.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Bytes within the document that the score was read from; `None` for a
    /// score that was not read from text.
    pub span: Option<Range<usize>>,
    /// Keys that lead to the text: `part[2].notes.Chorus`.
    pub path: String,
}

/// A fault within one text of a score; `span` counts bytes of that text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TextError {
    pub message: String,
    pub help: Option<String>,
    pub span: Range<usize>,
}

impl TextError {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            span,
        }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same fault in a text that begins `offset` bytes earlier.
    pub(super) fn shifted(mut self, offset: usize) -> Self {
        self.span = self.span.start + offset..self.span.end + offset;
        self
    }
}
