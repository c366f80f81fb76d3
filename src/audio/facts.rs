//! What a sound file is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file is, apart from its sound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileFacts {
    /// `wav`, `flac`, `aiff`, `mp3`, `ogg`.
    pub format: String,
    pub sample_rate: u32,
    /// Bits of the stored samples; `None` for lossy formats.
    pub bit_depth: Option<u32>,
    /// Stored samples are floating point.
    pub float: bool,
    pub channels: u32,
    /// Samples per channel that were decoded.
    pub frames: u64,
    pub duration_s: f64,
}
