//! A REAPER project as data: tracks, items, takes, sends, FX chains,
//! envelopes, tempo map, markers, undo; and the `.rpp` file form of it.
//!
//! Tracks sit behind [`std::sync::Arc`], so that an undo step is a cheap
//! clone of the [`Project`]. Nothing here does I/O: `rpp` turns text into a
//! project and back, whoever owns the file reads and writes it.

mod guid;
mod media;
mod model;
pub mod rpp;
mod tempo;
mod undo;

pub use guid::Guid;
pub use media::{rebase_media, resolve_media};
pub use model::*;
pub use tempo::{TempoMap, TempoPoint};
pub use undo::{UndoHistory, UndoStep};
