//! The headers of WAV, RF64/BW64 and RIFX files.
//!
//! Chunks are walked by their sizes, never loaded by them, so a header's word
//! costs no memory. Only `fmt `, `ds64` and `data` matter for the sound.

use super::{
    container::{HeaderError, PcmHeader, check_fields},
    pcm::{Encoding, Endian},
    reader::read_up_to,
};
use std::io::{Read, Seek, SeekFrom};

/// A size field of a stream that did not know its length, or of RF64.
const SIZE_ELSEWHERE: u64 = 0xffff_ffff;

/// Reads the header of a file of `file_bytes`.
pub(super) fn parse(
    file: &mut (impl Read + Seek),
    file_bytes: u64,
) -> Result<PcmHeader, HeaderError> {
    let mut riff = [0; 12];
    if read_up_to(file, &mut riff)? < 12 {
        return Err(HeaderError::Malformed("the RIFF header is cut off".into()));
    }
    let endian = if &riff[..4] == b"RIFX" {
        Endian::Big
    } else {
        Endian::Little
    };
    if &riff[8..] != b"WAVE" {
        return Err(HeaderError::Malformed(format!(
            "the RIFF form is `{}`, not `WAVE`",
            tag(&riff[8..])
        )));
    }
    let fields = Fields { endian };
    let mut format: Option<Format> = None;
    let mut long_data_bytes: Option<u64> = None;
    let mut position = 12u64;
    loop {
        file.seek(SeekFrom::Start(position))?;
        let mut head = [0; 8];
        if read_up_to(file, &mut head)? < 8 {
            let missing = if format.is_none() { "fmt " } else { "data" };
            return Err(HeaderError::Malformed(format!(
                "there is no `{missing}` chunk, the file ends after {file_bytes} bytes"
            )));
        }
        let size = u64::from(fields.u32(&head, 4));
        let body = position + 8;
        match &head[..4] {
            b"ds64" => {
                let mut ds64 = [0; 16];
                if read_up_to(file, &mut ds64)? == 16 {
                    long_data_bytes = Some(fields.u64(&ds64, 8));
                }
            }
            b"fmt " => format = Some(parse_format(file, size, fields)?),
            b"data" => {
                let Some(format) = format else {
                    return Err(HeaderError::Malformed(
                        "there is no `fmt ` chunk before the data".into(),
                    ));
                };
                let declared = match (size, long_data_bytes) {
                    (SIZE_ELSEWHERE, Some(long)) => Some(long),
                    (SIZE_ELSEWHERE, None) => None,
                    (size, _) => Some(size),
                };
                return Ok(format.header(body, declared, file_bytes));
            }
            _ => {}
        }
        position = body + size + size % 2;
    }
}

struct Format {
    encoding: Encoding,
    valid_bits: u32,
    channels: u32,
    sample_rate: u32,
    channel_mask: u32,
}

impl Format {
    fn header(self, data_start: u64, declared: Option<u64>, file_bytes: u64) -> PcmHeader {
        let frame_bytes = self.encoding.bytes() as u64 * u64::from(self.channels);
        let there = file_bytes.saturating_sub(data_start);
        PcmHeader {
            frames: declared.unwrap_or(there).min(there) / frame_bytes,
            declared_frames: declared.map(|bytes| bytes / frame_bytes),
            encoding: self.encoding,
            valid_bits: self.valid_bits,
            channels: self.channels,
            sample_rate: self.sample_rate,
            channel_mask: self.channel_mask,
            data_start,
        }
    }
}

fn parse_format(file: &mut impl Read, size: u64, fields: Fields) -> Result<Format, HeaderError> {
    let mut raw = [0; 40];
    let wanted = size.min(40) as usize;
    let got = read_up_to(file, &mut raw[..wanted])?;
    if got < 16 {
        return Err(HeaderError::Malformed(format!(
            "the `fmt ` chunk has {got} bytes, it needs at least 16"
        )));
    }
    let mut code = fields.u16(&raw, 0);
    let channels = u32::from(fields.u16(&raw, 2));
    let sample_rate = fields.u32(&raw, 4);
    let block_align = u32::from(fields.u16(&raw, 12));
    let mut bits = u32::from(fields.u16(&raw, 14));
    check_fields(channels, sample_rate)?;
    let mut valid_bits = bits;
    let mut channel_mask = 0;
    // WAVE_FORMAT_EXTENSIBLE.
    if code == 0xfffe {
        if got < 40 {
            return Err(HeaderError::Malformed(format!(
                "the extensible `fmt ` chunk has {got} bytes, it needs 40"
            )));
        }
        let stated = u32::from(fields.u16(&raw, 18));
        if (1..=bits).contains(&stated) {
            valid_bits = stated;
        } else if bits == 0 && stated <= 64 {
            // Some writers fill in only the valid bits.
            (bits, valid_bits) = (stated, stated);
        }
        channel_mask = fields.u32(&raw, 20);
        code = fields.u16(&raw, 24);
    }
    // The container is what a frame takes, since `bits` may be the valid ones
    // (12 in 16, 20 in 24). Integers are left-justified in it.
    let container = match block_align / channels {
        bytes if bytes > 0 && block_align % channels == 0 && bytes * 8 >= bits => bytes,
        _ => bits.div_ceil(8),
    };
    let endian = fields.endian;
    let encoding = match (code, container) {
        (1, 1) => Encoding::U8,
        (1, 2) => Encoding::S16(endian),
        (1, 3) => Encoding::S24(endian),
        (1, 4) => Encoding::S32(endian),
        (1, bytes) => {
            return Err(HeaderError::Codec(format!(
                "{bits}-bit PCM in {bytes}-byte words"
            )));
        }
        (3, 4) => Encoding::F32(endian),
        (3, 8) => Encoding::F64(endian),
        (3, bytes) => return Err(HeaderError::Codec(format!("{bytes}-byte float samples"))),
        (6, 1) => Encoding::ALaw,
        (7, 1) => Encoding::MuLaw,
        (code, _) => return Err(HeaderError::Codec(codec_name(code))),
    };
    Ok(Format {
        encoding,
        valid_bits: if encoding.is_float() {
            encoding.bytes() as u32 * 8
        } else {
            valid_bits
        },
        channels,
        sample_rate,
        channel_mask,
    })
}

fn codec_name(code: u16) -> String {
    let name = match code {
        0x0000 => "an unknown codec",
        0x0002 => "Microsoft ADPCM",
        0x0011 => "IMA ADPCM",
        0x0031 => "GSM 6.10",
        0x0050 => "MPEG audio",
        0x0055 => "MP3",
        0x0092 | 0x2000 => "AC-3",
        0x00ff | 0x1600 | 0x1610 => "AAC",
        0x0161 | 0x0162 => "Windows Media Audio",
        _ => "an unknown codec",
    };
    format!("{name} (WAVE format tag 0x{code:04x})")
}

pub(super) fn tag(bytes: &[u8]) -> String {
    bytes.iter().map(|b| b.escape_ascii().to_string()).collect()
}

#[derive(Clone, Copy)]
struct Fields {
    endian: Endian,
}

impl Fields {
    fn bytes<const N: usize>(self, raw: &[u8], at: usize) -> [u8; N] {
        let mut word = [0; N];
        word.copy_from_slice(&raw[at..at + N]);
        if self.endian == Endian::Big {
            word.reverse();
        }
        word
    }

    fn u16(self, raw: &[u8], at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(raw, at))
    }

    fn u32(self, raw: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(raw, at))
    }

    fn u64(self, raw: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(raw, at))
    }
}
