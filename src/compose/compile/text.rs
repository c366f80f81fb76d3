//! Collected faults, and places of texts inside a TOML document.

use std::ops::Range;

use serde_spanned::Spanned;

use crate::compose::{ComposeError, TextError};

/// Faults found so far.
#[derive(Default)]
pub(super) struct Errors(Vec<ComposeError>);

impl Errors {
    pub(super) fn push(
        &mut self,
        path: &str,
        span: Option<Range<usize>>,
        message: &str,
        help: Option<&str>,
    ) {
        self.0.push(ComposeError {
            message: message.to_owned(),
            help: help.map(str::to_owned),
            span,
            path: path.to_owned(),
        });
    }

    /// Takes the value, or notes the fault at its place in the document.
    pub(super) fn text<T>(
        &mut self,
        path: &str,
        text: &Spanned<String>,
        result: Result<T, TextError>,
    ) -> Option<T> {
        self.text_at(path, &text.span(), text.get_ref(), result)
    }

    pub(super) fn text_at<T>(
        &mut self,
        path: &str,
        span: &Range<usize>,
        text: &str,
        result: Result<T, TextError>,
    ) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.push(ComposeError {
                    span: place(span, text, &error.span),
                    message: error.message,
                    help: error.help,
                    path: path.to_owned(),
                });
                None
            }
        }
    }

    pub(super) fn finish(self) -> Result<(), Vec<ComposeError>> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.0)
        }
    }
}

/// The place of a value; `None` when the score was not read from text.
pub(super) fn span_of<T>(value: &Spanned<T>) -> Option<Range<usize>> {
    known(value.span())
}

pub(super) fn known(span: Range<usize>) -> Option<Range<usize>> {
    (!span.is_empty()).then_some(span)
}

/// Where a part of a string's value stands in the document.
///
/// TOML gives the place of the literal with its quotes. As long as nothing in
/// it was escaped, the difference in length tells the kind of quotes: one each,
/// three each, or three and a line break that TOML drops. Otherwise the place
/// is the whole literal.
fn place(literal: &Range<usize>, value: &str, inner: &Range<usize>) -> Option<Range<usize>> {
    let before = match literal.len().checked_sub(value.len()) {
        Some(2) => 1,
        Some(6) => 3,
        Some(7) => 4,
        _ => return known(literal.clone()),
    };
    let at = literal.start + before;
    Some(at + inner.start.min(value.len())..at + inner.end.min(value.len()))
}
