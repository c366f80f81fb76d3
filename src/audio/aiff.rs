//! The headers of AIFF and AIFF-C files.

use super::{
    container::{HeaderError, PcmHeader, check_fields},
    pcm::{Encoding, Endian},
    reader::read_up_to,
    wav::tag,
};
use std::io::{Read, Seek, SeekFrom};

/// Reads the header of a file of `file_bytes`.
pub(super) fn parse(
    file: &mut (impl Read + Seek),
    file_bytes: u64,
) -> Result<PcmHeader, HeaderError> {
    let mut form = [0; 12];
    if read_up_to(file, &mut form)? < 12 {
        return Err(HeaderError::Malformed("the FORM header is cut off".into()));
    }
    let compressed = match &form[8..] {
        b"AIFF" => false,
        b"AIFC" => true,
        other => {
            return Err(HeaderError::Malformed(format!(
                "the FORM type is `{}`, not `AIFF` or `AIFC`",
                tag(other)
            )));
        }
    };
    let mut common: Option<Common> = None;
    let mut sound: Option<(u64, u64)> = None;
    let mut position = 12u64;
    // COMM may follow SSND.
    while common.is_none() || sound.is_none() {
        file.seek(SeekFrom::Start(position))?;
        let mut head = [0; 8];
        if read_up_to(file, &mut head)? < 8 {
            break;
        }
        let size = u64::from(u32::from_be_bytes([head[4], head[5], head[6], head[7]]));
        let body = position + 8;
        match &head[..4] {
            b"COMM" => common = Some(parse_common(file, size, compressed)?),
            b"SSND" => {
                let mut raw = [0; 8];
                if read_up_to(file, &mut raw)? < 8 {
                    return Err(HeaderError::Malformed("the `SSND` chunk is cut off".into()));
                }
                let offset = u64::from(u32::from_be_bytes([raw[0], raw[1], raw[2], raw[3]]));
                sound = Some((body + 8 + offset, size.saturating_sub(8 + offset)));
            }
            _ => {}
        }
        position = body + size + size % 2;
    }
    let Some(common) = common else {
        return Err(HeaderError::Malformed("there is no `COMM` chunk".into()));
    };
    // A file without sound may leave SSND out.
    let (data_start, data_bytes) = sound.unwrap_or((file_bytes, 0));
    if sound.is_none() && common.frames > 0 {
        return Err(HeaderError::Malformed("there is no `SSND` chunk".into()));
    }
    let frame_bytes = common.encoding.bytes() as u64 * u64::from(common.channels);
    let there = file_bytes.saturating_sub(data_start).min(data_bytes) / frame_bytes;
    Ok(PcmHeader {
        encoding: common.encoding,
        valid_bits: common.bits,
        channels: common.channels,
        sample_rate: common.sample_rate,
        channel_mask: 0,
        data_start,
        frames: there.min(common.frames),
        declared_frames: Some(common.frames),
    })
}

struct Common {
    encoding: Encoding,
    bits: u32,
    channels: u32,
    sample_rate: u32,
    frames: u64,
}

fn parse_common(file: &mut impl Read, size: u64, compressed: bool) -> Result<Common, HeaderError> {
    let mut raw = [0; 22];
    let needed = if compressed { 22 } else { 18 };
    let got = read_up_to(file, &mut raw[..needed.min(size.min(22) as usize)])?;
    if got < needed {
        return Err(HeaderError::Malformed(format!(
            "the `COMM` chunk has {got} bytes, it needs {needed}"
        )));
    }
    let channels = u32::from(u16::from_be_bytes([raw[0], raw[1]]));
    let frames = u64::from(u32::from_be_bytes([raw[2], raw[3], raw[4], raw[5]]));
    let bits = u32::from(u16::from_be_bytes([raw[6], raw[7]]));
    let mut extended = [0; 10];
    extended.copy_from_slice(&raw[8..18]);
    let sample_rate = extended_to_hz(extended);
    check_fields(channels, sample_rate)?;
    let kind = if compressed { &raw[18..22] } else { b"NONE" };
    let encoding = match (kind, bits.div_ceil(8)) {
        (b"NONE" | b"twos", 1) => Encoding::S8,
        (b"NONE" | b"twos", 2) => Encoding::S16(Endian::Big),
        (b"NONE" | b"in24" | b"twos", 3) => Encoding::S24(Endian::Big),
        (b"NONE" | b"in32" | b"twos", 4) => Encoding::S32(Endian::Big),
        (b"sowt", 1) => Encoding::S8,
        (b"sowt", 2) => Encoding::S16(Endian::Little),
        (b"sowt", 3) => Encoding::S24(Endian::Little),
        (b"sowt", 4) => Encoding::S32(Endian::Little),
        (b"raw ", 1) => Encoding::U8,
        (b"fl32" | b"FL32", _) => Encoding::F32(Endian::Big),
        (b"fl64" | b"FL64", _) => Encoding::F64(Endian::Big),
        (b"ulaw" | b"ULAW", _) => Encoding::MuLaw,
        (b"alaw" | b"ALAW", _) => Encoding::ALaw,
        (b"NONE" | b"twos" | b"sowt", _) => {
            return Err(HeaderError::Codec(format!("{bits}-bit PCM")));
        }
        (kind, _) => {
            return Err(HeaderError::Codec(format!(
                "the AIFF-C compression `{}`",
                tag(kind)
            )));
        }
    };
    Ok(Common {
        encoding,
        bits: if encoding.is_float() {
            encoding.bytes() as u32 * 8
        } else {
            bits
        },
        channels,
        sample_rate,
        frames,
    })
}

/// The nearest whole rate of an 80-bit extended float, 0 if it is no rate.
fn extended_to_hz(raw: [u8; 10]) -> u32 {
    let exponent = i32::from(u16::from_be_bytes([raw[0], raw[1]]));
    let mut mantissa = [0; 8];
    mantissa.copy_from_slice(&raw[2..]);
    // A negative number has the top bit of the exponent set.
    if !(16383..16383 + 32).contains(&exponent) {
        return 0;
    }
    let value = u64::from_be_bytes(mantissa) as f64 * f64::powi(2.0, exponent - 16383 - 63);
    value.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_80_bit_floats() {
        let rate = |hi: u16, mantissa: u64| {
            let mut raw = [0; 10];
            raw[..2].copy_from_slice(&hi.to_be_bytes());
            raw[2..].copy_from_slice(&mantissa.to_be_bytes());
            extended_to_hz(raw)
        };
        assert_eq!(rate(0x400e, 0xac44_0000_0000_0000), 44_100);
        assert_eq!(rate(0x400e, 0xbb80_0000_0000_0000), 48_000);
        assert_eq!(rate(0xc00e, 0xbb80_0000_0000_0000), 0);
        assert_eq!(rate(0x7fff, 0), 0);
    }
}
