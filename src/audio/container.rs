//! Uncompressed sound in a container: what a header says, and reading the data.

use super::{Planar, ReadError, pcm::Encoding, reader::read_up_to};
use std::{
    fs::File,
    io::{Seek, SeekFrom},
    path::Path,
};

/// Highest sample rate that is taken for real.
pub(super) const MAX_SAMPLE_RATE: u32 = 6_144_000;
/// Most channels that are taken for real.
pub(super) const MAX_CHANNELS: u32 = 256;
/// Bytes asked of the operating system at a time.
const READ_BYTES: usize = 64 * 1024;

/// What a WAV or AIFF header says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PcmHeader {
    pub(super) encoding: Encoding,
    pub(super) valid_bits: u32,
    pub(super) channels: u32,
    pub(super) sample_rate: u32,
    pub(super) channel_mask: u32,
    pub(super) data_start: u64,
    /// Frames that are in the file.
    pub(super) frames: u64,
    /// Frames that the header counts, if it counts them.
    pub(super) declared_frames: Option<u64>,
}

/// Why a header can't be used.
#[derive(Debug)]
pub(super) enum HeaderError {
    Io(std::io::Error),
    Malformed(String),
    Codec(String),
}

impl HeaderError {
    pub(super) fn at(self, path: &Path, format: &'static str) -> ReadError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => ReadError::Io { path, source },
            Self::Malformed(problem) => ReadError::Malformed {
                path,
                format,
                problem,
            },
            Self::Codec(codec) => ReadError::Codec { path, codec },
        }
    }
}

impl From<std::io::Error> for HeaderError {
    fn from(source: std::io::Error) -> Self {
        Self::Io(source)
    }
}

/// Checks the fields that size everything else.
pub(super) fn check_fields(channels: u32, sample_rate: u32) -> Result<(), HeaderError> {
    if channels == 0 || channels > MAX_CHANNELS {
        return Err(HeaderError::Malformed(format!(
            "the channel count is {channels}, it must be 1 to {MAX_CHANNELS}"
        )));
    }
    if sample_rate == 0 || sample_rate > MAX_SAMPLE_RATE {
        return Err(HeaderError::Malformed(format!(
            "the sample rate is {sample_rate} Hz, it must be 1 to {MAX_SAMPLE_RATE} Hz"
        )));
    }
    Ok(())
}

/// The data of a WAV or AIFF file.
pub(super) struct PcmStream {
    file: File,
    encoding: Encoding,
    frame_bytes: usize,
    data_start: u64,
    frames: u64,
    position: u64,
    bytes: Vec<u8>,
}

impl PcmStream {
    pub(super) fn new(mut file: File, header: &PcmHeader) -> std::io::Result<Self> {
        file.seek(SeekFrom::Start(header.data_start))?;
        let frame_bytes = header.encoding.bytes() * header.channels as usize;
        let buffer_frames = (READ_BYTES / frame_bytes).max(1);
        Ok(Self {
            file,
            encoding: header.encoding,
            frame_bytes,
            data_start: header.data_start,
            frames: header.frames,
            position: 0,
            bytes: vec![0; buffer_frames * frame_bytes],
        })
    }

    pub(super) fn read(&mut self, block: &mut Planar) -> std::io::Result<usize> {
        let left = self.frames.saturating_sub(self.position);
        let wanted = (block.capacity() as u64).min(left) as usize;
        block.set_frames(wanted);
        let mut done = 0;
        while done < wanted {
            let frames = (wanted - done).min(self.bytes.len() / self.frame_bytes);
            let bytes = &mut self.bytes[..frames * self.frame_bytes];
            let got = read_up_to(&mut self.file, bytes)? / self.frame_bytes;
            let channels = block.channels();
            for channel in 0..channels {
                self.encoding.decode(
                    &bytes[..got * self.frame_bytes],
                    channel,
                    channels,
                    &mut block.channel_mut(channel)[done..done + got],
                );
            }
            done += got;
            // The file became shorter while it was read.
            if got < frames {
                self.frames = self.position + done as u64;
                break;
            }
        }
        block.set_frames(done);
        self.position += done as u64;
        Ok(done)
    }

    pub(super) fn seek(&mut self, frame: u64) -> std::io::Result<()> {
        let frame = frame.min(self.frames);
        self.file.seek(SeekFrom::Start(
            self.data_start + frame * self.frame_bytes as u64,
        ))?;
        self.position = frame;
        Ok(())
    }
}
