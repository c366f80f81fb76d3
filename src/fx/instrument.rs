//! What an instrument is to the renderer, and where its samples come from.

use std::error::Error;
use std::sync::Arc;

use super::model::{FxError, Model};
use super::processor::Setup;
use crate::project::Fx;

/// A MIDI message inside a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteEvent {
    /// Frame in the block that `process` gets.
    pub frame: usize,
    /// Status and two data bytes, channel included.
    pub message: [u8; 3],
}

/// A running instrument. `process` neither allocates nor locks; any split
/// into blocks gives the same bits.
pub trait Instrument: std::marker::Send {
    /// Takes over parameters, bypass and wet; for automation between blocks.
    /// Named values (sample files) are taken when the instrument is made.
    fn set(&mut self, fx: &Fx);

    /// Adds the sound of `out.len()` frames to `out`. `events` are ordered by
    /// frame; a frame past the end counts as the last.
    fn process(&mut self, events: &[NoteEvent], out: &mut [[f64; 2]]);

    /// Silences all voices; parameters stay.
    fn reset(&mut self);

    /// Frames the instrument may sound on after its last note-off.
    fn tail_frames(&self) -> u64;
}

/// Audio of a sample file in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub sample_rate_hz: f64,
    /// Left and right; mono has both the same.
    pub frames: Vec<[f32; 2]>,
}

/// Gives samplers their audio; this room reads no files.
pub trait SampleLoader {
    /// Loads a file as named in `FILE0`, absolute or relative to the project.
    ///
    /// # Errors
    /// Whatever stands in the way, for people to read.
    fn load(&self, file: &str) -> Result<Arc<Sample>, Box<dyn Error + std::marker::Send + Sync>>;
}

/// Makes an instrument.
///
/// # Errors
/// [`FxError::NotAnInstrument`] when the model is an effect,
/// [`FxError::Sample`] when a sample cannot be loaded.
pub fn new_instrument(
    model: &Model,
    setup: Setup,
    fx: &Fx,
    samples: &dyn SampleLoader,
) -> Result<Box<dyn Instrument>, FxError> {
    model
        .plug
        .instrument(setup, fx, samples)?
        .ok_or(FxError::NotAnInstrument { fx: model.name })
}
