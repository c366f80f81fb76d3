//! What people read about their input: code, severity, spans, help.
//!
//! A document someone wrote (a job, a style, a spec) is checked to the end,
//! and everything wrong with it comes back as [`Diagnostic`]s. The renderers
//! here turn them into text; nothing here prints.

mod diagnostic;
mod render;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity, SourceFile};
pub use render::{human, json_lines, short};
pub use suggest::{folded, plural, suggest};
