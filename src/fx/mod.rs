//! REAPER's stock effects and instruments: one file per plug-in, with its
//! parameter table and its processor; a registry by name and id.
//!
//! A processor works on a *lane group*: up to [`SLOTS`] stereo pairs of
//! different tracks side by side, so that the recursions of several channels
//! run in one SIMD register. A lone instance is a group of one slot. The
//! arithmetic of a lane never depends on what the other lanes hold, so
//! grouping never changes bits.
//!
//! `docs/fx-models.md` says for each plug-in what is documented, what is
//! measured and what is our own approximation. No files are read here:
//! samples come through a [`SampleLoader`].

#![expect(
    clippy::needless_range_loop,
    reason = "lanes index several arrays alike; loops in this form vectorise"
)]

mod bytes;
mod float_list;
mod group;
mod instrument;
mod js;
mod js_stereo_enhancer;
mod js_stereo_width;
mod js_volume;
mod js_volume_pan;
mod model;
mod param;
mod player;
mod processor;
mod ramp;
mod reacomp;
mod readelay;
mod reaeq;
mod realimit;
mod reasyndr;
mod reasynth;
mod reaverbate;
mod registry;
mod rs5k;
mod state;

pub use crate::dsp::{Frame, LANES};
pub use group::new_group;
pub use instrument::{Instrument, NoteEvent, Sample, SampleLoader, new_instrument};
pub use model::{FxError, Kind, Model};
pub use processor::{BLOCK, Processor, SLOTS, Setup};
pub use registry::{find, model_of, models};
pub use state::{VstState, load_states, store_states};

#[cfg(test)]
mod tests;
