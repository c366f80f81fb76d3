//! The one diagnostic type and the text it points into.

use std::ops::Range;
use std::sync::Arc;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The document is usable; something is probably not meant as written.
    Warning,
    /// The document is not usable.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A finding in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// `RB0101`; stable, listed in `docs/job-file.md`.
    pub code: &'static str,
    pub severity: Severity,
    /// One line that names the thing and what is wrong with it.
    pub message: String,
    /// Where it is; `None` when it is about the whole document.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// The document it is in, when that is not the one being checked but one
    /// that it names.
    pub file: Option<Arc<SourceFile>>,
}

/// A place in a document and what to say about it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// May be empty.
    pub text: String,
}

impl Diagnostic {
    /// An error about the whole document.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
            file: None,
        }
    }

    /// A warning about the whole document.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// Points at the place it is about.
    #[must_use]
    pub fn at(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.primary = Some(Label {
            span,
            text: label.into(),
        });
        self
    }

    /// Points at a place that explains it.
    #[must_use]
    pub fn see(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            text: label.into(),
        });
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what to do about it, if there is something to say.
    #[must_use]
    pub fn help_if(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Places it in another document than the one being checked.
    #[must_use]
    pub fn in_file(mut self, file: &Arc<SourceFile>) -> Self {
        self.file = Some(Arc::clone(file));
        self
    }

    /// Makes the document unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A document and what to call it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFile {
    /// As the user wrote the path.
    pub name: String,
    pub text: String,
}

impl SourceFile {
    /// Line and column of a byte, both from 1; columns count characters.
    /// A position past the end is the end.
    pub fn line_column(&self, byte: usize) -> (usize, usize) {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// A span that lies inside the text and on character borders.
    pub(crate) fn clamp(&self, span: &Range<usize>) -> Range<usize> {
        let floor = |mut byte: usize| {
            byte = byte.min(self.text.len());
            while !self.text.is_char_boundary(byte) {
                byte -= 1;
            }
            byte
        };
        let start = floor(span.start);
        start..floor(span.end).max(start)
    }
}
