//! Audio files and buffers: read, write, resample, dither.
