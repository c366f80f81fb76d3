//! How uncompressed samples are stored, and turning them into `f32`.

/// Storage of one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Unsigned bytes, 128 is silence (WAV).
    U8,
    /// Signed bytes (AIFF).
    S8,
    S16(Endian),
    S24(Endian),
    S32(Endian),
    F32(Endian),
    F64(Endian),
    MuLaw,
    ALaw,
}

/// Byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Encoding {
    /// Bytes of one sample.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::S8 | Self::MuLaw | Self::ALaw => 1,
            Self::S16(_) => 2,
            Self::S24(_) => 3,
            Self::S32(_) | Self::F32(_) => 4,
            Self::F64(_) => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32(_) | Self::F64(_))
    }

    /// Decodes one channel of interleaved frames.
    pub(super) fn decode(self, bytes: &[u8], channel: usize, channels: usize, out: &mut [f32]) {
        use Endian::{Big, Little};
        match self {
            Self::U8 => each::<1>(bytes, channel, channels, out, |b| {
                f32::from(i16::from(b[0]) - 128) / 128.0
            }),
            Self::S8 => each::<1>(bytes, channel, channels, out, |b| {
                f32::from(b[0].cast_signed()) / 128.0
            }),
            Self::S16(Little) => each::<2>(bytes, channel, channels, out, |b| {
                f32::from(i16::from_le_bytes(b)) / 32768.0
            }),
            Self::S16(Big) => each::<2>(bytes, channel, channels, out, |b| {
                f32::from(i16::from_be_bytes(b)) / 32768.0
            }),
            // Three bytes at the top of a word keep the sign; the scale is that of 32 bits.
            Self::S24(Little) => each::<3>(bytes, channel, channels, out, |b| {
                i32::from_le_bytes([0, b[0], b[1], b[2]]) as f32 / 2_147_483_648.0
            }),
            Self::S24(Big) => each::<3>(bytes, channel, channels, out, |b| {
                i32::from_be_bytes([b[0], b[1], b[2], 0]) as f32 / 2_147_483_648.0
            }),
            Self::S32(Little) => each::<4>(bytes, channel, channels, out, |b| {
                i32::from_le_bytes(b) as f32 / 2_147_483_648.0
            }),
            Self::S32(Big) => each::<4>(bytes, channel, channels, out, |b| {
                i32::from_be_bytes(b) as f32 / 2_147_483_648.0
            }),
            Self::F32(Little) => each::<4>(bytes, channel, channels, out, f32::from_le_bytes),
            Self::F32(Big) => each::<4>(bytes, channel, channels, out, f32::from_be_bytes),
            Self::F64(Little) => each::<8>(bytes, channel, channels, out, |b| {
                f64::from_le_bytes(b) as f32
            }),
            Self::F64(Big) => each::<8>(bytes, channel, channels, out, |b| {
                f64::from_be_bytes(b) as f32
            }),
            Self::MuLaw => each::<1>(bytes, channel, channels, out, |b| {
                f32::from(mu_law(b[0])) / 32768.0
            }),
            Self::ALaw => each::<1>(bytes, channel, channels, out, |b| {
                f32::from(a_law(b[0])) / 32768.0
            }),
        }
    }
}

fn each<const BYTES: usize>(
    bytes: &[u8],
    channel: usize,
    channels: usize,
    out: &mut [f32],
    decode: impl Fn([u8; BYTES]) -> f32,
) {
    let frames = bytes.chunks_exact(BYTES * channels);
    for (sample, frame) in out.iter_mut().zip(frames) {
        let mut word = [0; BYTES];
        word.copy_from_slice(&frame[channel * BYTES..][..BYTES]);
        *sample = decode(word);
    }
}

/// ITU-T G.711 µ-law, 14 bits in the top of 16.
fn mu_law(byte: u8) -> i16 {
    let byte = !byte;
    let exponent = (byte >> 4) & 7;
    let magnitude = ((i16::from(byte & 15) << 3) + 132) << exponent;
    let value = magnitude - 132;
    if byte & 0x80 != 0 { -value } else { value }
}

/// ITU-T G.711 A-law, 13 bits in the top of 16.
fn a_law(byte: u8) -> i16 {
    let byte = byte ^ 0x55;
    let exponent = (byte >> 4) & 7;
    let mantissa = i16::from(byte & 15) << 4;
    let value = if exponent == 0 {
        mantissa + 8
    } else {
        (mantissa + 0x108) << (exponent - 1)
    };
    if byte & 0x80 != 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(encoding: Encoding, bytes: &[u8], expected: &[f32]) {
        let mut out = vec![9.0; expected.len()];
        encoding.decode(bytes, 0, 1, &mut out);
        assert_eq!(out, expected, "{encoding:?}");
    }

    #[test]
    fn full_scale_and_zero_of_every_integer() {
        check(Encoding::U8, &[0, 128, 192], &[-1.0, 0.0, 0.5]);
        check(Encoding::S8, &[0x80, 0, 0x40], &[-1.0, 0.0, 0.5]);
        check(
            Encoding::S16(Endian::Little),
            &[0, 0x80, 0, 0x40],
            &[-1.0, 0.5],
        );
        check(
            Encoding::S16(Endian::Big),
            &[0x80, 0, 0x40, 0],
            &[-1.0, 0.5],
        );
        check(
            Encoding::S24(Endian::Little),
            &[0, 0, 0x80, 1, 0, 0],
            &[-1.0, 1.0 / 8_388_608.0],
        );
        check(
            Encoding::S24(Endian::Big),
            &[0x80, 0, 0, 0, 0, 1],
            &[-1.0, 1.0 / 8_388_608.0],
        );
        check(Encoding::S32(Endian::Little), &[0, 0, 0, 0x40], &[0.5]);
        check(
            Encoding::MuLaw,
            &[0xff, 0x7f, 0x80],
            &[0.0, 0.0, 32124.0 / 32768.0],
        );
        check(
            Encoding::ALaw,
            &[0xd5, 0x55],
            &[8.0 / 32768.0, -8.0 / 32768.0],
        );
    }

    #[test]
    fn channels_are_told_apart() {
        let mut out = [0.0; 2];
        Encoding::S16(Endian::Little).decode(&[0, 0, 0, 0x40, 0, 0, 0, 0x20], 1, 2, &mut out);
        assert_eq!(out, [0.5, 0.25]);
    }
}
