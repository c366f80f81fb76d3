//! The header of a WAV file that we write, which may grow into RF64.

use super::Layout;

/// Bytes of a `ds64` chunk with its head, reserved as `JUNK` until needed.
const DS64_BYTES: usize = 36;

/// What a header needs to know.
#[derive(Debug, Clone)]
pub(super) struct WavHeader {
    pub(super) float: bool,
    pub(super) bits: u16,
    pub(super) channels: u16,
    pub(super) sample_rate_hz: u32,
}

impl WavHeader {
    /// Bytes of one frame.
    pub(super) fn frame_bytes(&self) -> u64 {
        u64::from(self.bits / 8) * u64::from(self.channels)
    }

    /// The header in front of `frames` frames. Its length does not depend on
    /// them. Beyond 4 GiB it is RF64 (EBU Tech 3306).
    pub(super) fn bytes(&self, frames: u64) -> Vec<u8> {
        let data_bytes = frames * self.frame_bytes();
        let format = self.format();
        let fact_bytes = if self.float { 12 } else { 0 };
        let head_bytes = 12 + DS64_BYTES + 8 + format.len() + fact_bytes + 8;
        let riff_bytes = head_bytes as u64 - 8 + data_bytes + data_bytes % 2;
        let long = riff_bytes > u64::from(u32::MAX);
        let short = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        let mut out = Vec::with_capacity(head_bytes);
        out.extend(if long { b"RF64" } else { b"RIFF" });
        out.extend(if long { [0xff; 4] } else { short(riff_bytes) });
        out.extend(b"WAVE");
        out.extend(if long { b"ds64" } else { b"JUNK" });
        out.extend(28u32.to_le_bytes());
        if long {
            out.extend(riff_bytes.to_le_bytes());
            out.extend(data_bytes.to_le_bytes());
            out.extend(frames.to_le_bytes());
            out.extend([0; 4]);
        } else {
            out.extend([0; 28]);
        }
        out.extend(b"fmt ");
        out.extend((format.len() as u32).to_le_bytes());
        out.extend(format);
        if self.float {
            out.extend(b"fact");
            out.extend(4u32.to_le_bytes());
            out.extend(short(frames));
        }
        out.extend(b"data");
        out.extend(if long { [0xff; 4] } else { short(data_bytes) });
        out
    }

    fn format(&self) -> Vec<u8> {
        let code: u16 = if self.float { 3 } else { 1 };
        // More than two channels need their positions told.
        let extensible = self.channels > 2;
        let frame_bytes = self.frame_bytes() as u16;
        let mut out = Vec::with_capacity(40);
        out.extend(if extensible { 0xfffe } else { code }.to_le_bytes());
        out.extend(self.channels.to_le_bytes());
        out.extend(self.sample_rate_hz.to_le_bytes());
        out.extend((self.sample_rate_hz.saturating_mul(u32::from(frame_bytes))).to_le_bytes());
        out.extend(frame_bytes.to_le_bytes());
        out.extend(self.bits.to_le_bytes());
        if extensible {
            let mask = Layout::from_count(usize::from(self.channels)).wave_mask();
            out.extend(22u16.to_le_bytes());
            out.extend(self.bits.to_le_bytes());
            out.extend(mask.to_le_bytes());
            out.extend(code.to_le_bytes());
            // The tail of KSDATAFORMAT_SUBTYPE_PCM and _IEEE_FLOAT.
            out.extend(b"\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71");
        } else if self.float {
            out.extend(0u16.to_le_bytes());
        }
        out
    }
}
