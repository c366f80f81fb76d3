//! REAPER's sink blocks (`RENDER_FORMAT`): which file format a render writes.

use crate::audio::{BitDepth, FileFormat};

use super::RenderError;

/// What the files of a render are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderFormat {
    pub kind: FileFormat,
    pub bit_depth: BitDepth,
}

impl RenderFormat {
    /// Reads a decoded sink block. An empty one is 24-bit WAV, a bare `evaw`
    /// 32-bit float. The compression level of FLAC is not taken over.
    ///
    /// # Errors
    ///
    /// [`RenderError::UnsupportedFormat`] names what the block asks for.
    pub fn from_sink(block: &[u8]) -> Result<Self, RenderError> {
        if block.is_empty() {
            return Ok(Self::wav(BitDepth::Int24));
        }
        let code = block.get(..4).ok_or_else(|| unsupported("a cut block"))?;
        let rest = &block[4..];
        match code {
            b"evaw" => match rest.first() {
                None | Some(32) => Ok(Self::wav(BitDepth::Float32)),
                Some(16) => Ok(Self::wav(BitDepth::Int16)),
                Some(24) => Ok(Self::wav(BitDepth::Int24)),
                Some(33) => Err(unsupported("WAV 32-bit integer")),
                Some(64) => Err(unsupported("WAV 64-bit float")),
                Some(depth) => Err(unsupported(&format!("WAV {depth}-bit"))),
            },
            b"calf" => {
                let bits = field(rest, 0).unwrap_or(24);
                let level = field(rest, 4).unwrap_or(5);
                let bit_depth = match (bits, level) {
                    (16, 0..=8) => BitDepth::Int16,
                    (24, 0..=8) => BitDepth::Int24,
                    _ => return Err(unsupported(&format!("FLAC {bits}-bit level {level}"))),
                };
                Ok(Self {
                    kind: FileFormat::Flac,
                    bit_depth,
                })
            }
            b"ffia" => Err(unsupported("AIFF")),
            b"l3pm" => Err(unsupported("MP3")),
            b"vggo" => Err(unsupported("OGG Vorbis")),
            b"SggO" => Err(unsupported("Opus")),
            b"kpvw" => Err(unsupported("WavPack")),
            other => Err(unsupported(&String::from_utf8_lossy(other))),
        }
    }

    /// File name extension without the dot.
    pub fn extension(self) -> &'static str {
        match self.kind {
            FileFormat::Wav => "wav",
            FileFormat::Flac => "flac",
        }
    }

    fn wav(bit_depth: BitDepth) -> Self {
        Self {
            kind: FileFormat::Wav,
            bit_depth,
        }
    }
}

fn field(block: &[u8], at: usize) -> Option<u32> {
    let bytes = block.get(at..at + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn unsupported(format: &str) -> RenderError {
    RenderError::UnsupportedFormat {
        format: format.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sink_blocks_of_reaper_are_read() {
        let cases: [(&[u8], FileFormat, BitDepth); 6] = [
            (b"", FileFormat::Wav, BitDepth::Int24),
            (b"evaw", FileFormat::Wav, BitDepth::Float32),
            (b"evaw\x10\x00\x01", FileFormat::Wav, BitDepth::Int16),
            (b"evaw\x18\x00\x01", FileFormat::Wav, BitDepth::Int24),
            (b"evaw\x20\x00\x01", FileFormat::Wav, BitDepth::Float32),
            (
                b"calf\x18\x00\x00\x00\x08\x00\x00\x00",
                FileFormat::Flac,
                BitDepth::Int24,
            ),
        ];
        for (block, kind, bit_depth) in cases {
            assert_eq!(
                RenderFormat::from_sink(block).unwrap(),
                RenderFormat { kind, bit_depth },
                "{block:?}"
            );
        }
    }

    #[test]
    fn other_formats_are_named() {
        for (block, name) in [
            (&b"l3pm"[..], "MP3"),
            (b"evaw\x40", "64-bit"),
            (b"ev", "cut"),
            (b"PMFF", "PMFF"),
        ] {
            let message = RenderFormat::from_sink(block).unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }
}
