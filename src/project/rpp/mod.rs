//! The `.rpp` text form of a project.
//!
//! [`Document`] is a lossless tree of lines; [`parse`] reads the lines that
//! the model knows and keeps all others; [`write`] starts from the lines as
//! read and changes only those whose value is no longer what they say. So a
//! project that nobody touched is written back byte for byte, whatever
//! version of REAPER it came from.

mod envelope;
mod ext_state;
mod fx;
mod item;
mod line;
mod markers;
mod midi;
mod project;
mod settings;
mod tempo;
mod track;
mod tree;

pub use item::{item_chunk, parse_item};
pub use line::{quote, tokens};
pub use project::{parse, write};
pub use track::{parse_track, track_chunk};
pub use tree::{Chunk, Document, Node, RppError, Slot};

/// Something odd in a file that did not stop the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Line in the file, from 1; 0 when it concerns the whole file.
    pub line: usize,
    pub message: String,
}

#[cfg(test)]
mod tests;
