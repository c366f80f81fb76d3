//! Audio files and buffers: read, write, resample, dither.

mod facts;

pub use facts::FileFacts;
