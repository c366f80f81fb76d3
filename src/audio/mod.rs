//! Audio files and buffers: read, write, resample, dither.
//!
//! Everything streams: no call here holds a whole file. Samples inside the
//! program are planar, full scale is ±1.0.

mod aiff;
mod container;
mod facts;
mod layout;
mod packets;
mod pcm;
mod planar;
mod quantize;
mod reader;
mod resample;
mod source;
mod wav;
mod wav_header;
mod writer;

pub use facts::FileFacts;
pub use layout::{Layout, Speaker};
pub use planar::Planar;
pub use reader::{ReadError, Reader, Truncation};
pub use resample::{ResampleError, Resampler, resampled_frames};
pub use source::Source;
pub use writer::{BitDepth, FileFormat, WriteError, WriteSpec, Writer};

#[cfg(test)]
pub(crate) mod tests;
