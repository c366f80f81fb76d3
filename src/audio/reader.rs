//! Opening a sound file of any kind and reading it block by block.

use super::{
    FileFacts, Layout, Planar, aiff,
    container::PcmStream,
    packets::{self, PacketStream},
    wav,
};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Why a sound file could not be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("can't read `{path}`: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("`{path}` is empty (0 bytes)")]
    Empty { path: PathBuf },
    #[error(
        "`{path}` is a Git LFS pointer, not audio: run `git lfs pull`, or check out with LFS enabled"
    )]
    LfsPointer { path: PathBuf },
    #[error("`{path}` is not a sound file of a known kind (WAV, AIFF, FLAC, MP3, Ogg Vorbis)")]
    Unknown { path: PathBuf },
    #[error("`{path}` is not a valid {format} file: {problem}")]
    Malformed {
        path: PathBuf,
        format: &'static str,
        problem: String,
    },
    #[error("`{path}` holds {codec}, which can't be decoded: convert it to WAV or FLAC")]
    Codec { path: PathBuf, codec: String },
    #[error("`{path}` is damaged at frame {frame}: {problem}")]
    Damaged {
        path: PathBuf,
        frame: u64,
        problem: String,
    },
}

/// A file that holds fewer frames than its header promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    pub declared_frames: u64,
    pub decoded_frames: u64,
}

/// A sound file, read from front to back with sample-exact seeking.
///
/// Samples come as `f32`, full scale ±1.0. Integers up to 24 bits and 32-bit
/// floats are exact; 32-bit integers and 64-bit floats are rounded to 24 bits
/// of mantissa.
pub struct Reader {
    path: PathBuf,
    facts: FileFacts,
    layout: Layout,
    declared_frames: Option<u64>,
    position: u64,
    ended: bool,
    stream: Stream,
}

enum Stream {
    Pcm(PcmStream),
    Packets(Box<PacketStream>),
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("path", &self.path)
            .field("facts", &self.facts)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Opens a file by its content; the extension does not matter.
    ///
    /// # Errors
    /// [`ReadError`] names the file and what is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, ReadError> {
        let path = path.as_ref();
        let io = |source| ReadError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            return Err(io(std::io::ErrorKind::IsADirectory.into()));
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Err(ReadError::Empty {
                path: path.to_owned(),
            });
        }
        let mut head = [0u8; 64];
        let got = read_up_to(&mut file, &mut head).map_err(io)?;
        let head = &head[..got];
        if head.starts_with(b"version https://git-lfs") {
            return Err(ReadError::LfsPointer {
                path: path.to_owned(),
            });
        }
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        match head {
            [b'R', b'I', b'F', b'F' | b'X', ..]
            | [b'R', b'F', b'6', b'4', ..]
            | [b'B', b'W', b'6', b'4', ..] => {
                let header =
                    wav::parse(&mut file, metadata.len()).map_err(|e| e.at(path, "WAV"))?;
                Self::from_pcm(path, file, header, "wav")
            }
            [b'F', b'O', b'R', b'M', ..] => {
                let header =
                    aiff::parse(&mut file, metadata.len()).map_err(|e| e.at(path, "AIFF"))?;
                Self::from_pcm(path, file, header, "aiff")
            }
            _ => {
                drop(file);
                let opened = packets::open(path)?;
                Ok(Self {
                    path: path.to_owned(),
                    facts: opened.facts,
                    layout: opened.layout,
                    declared_frames: opened.declared_frames,
                    position: 0,
                    ended: false,
                    stream: Stream::Packets(Box::new(opened.stream)),
                })
            }
        }
    }

    /// The file that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file is. `frames` is what the header declares; where that is no
    /// promise it is counted: by the bytes that are there for WAV and AIFF, by
    /// decoding once for MP3 and for streams of unknown length.
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// The loudspeaker of each channel.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Frames that the header promises, if it says so.
    pub fn declared_frames(&self) -> Option<u64> {
        self.declared_frames
    }

    /// The next frame that [`Reader::read`] returns.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// After the last block was read: whether frames were missing.
    pub fn truncation(&self) -> Option<Truncation> {
        let declared_frames = self.declared_frames?;
        (self.ended && self.position < declared_frames).then_some(Truncation {
            declared_frames,
            decoded_frames: self.position,
        })
    }

    /// Fills `block` up to its capacity and returns the frames read, 0 at the
    /// end of the file.
    ///
    /// # Errors
    /// The file can't be read on, or its data is damaged.
    ///
    /// # Panics
    /// If `block` has another number of channels than the file.
    pub fn read(&mut self, block: &mut Planar) -> Result<usize, ReadError> {
        assert_eq!(
            block.channels(),
            self.facts.channels as usize,
            "the block has the channels of the file"
        );
        let frames = match &mut self.stream {
            Stream::Pcm(stream) => stream.read(block).map_err(|source| ReadError::Io {
                path: self.path.clone(),
                source,
            })?,
            Stream::Packets(stream) => stream.read(block)?,
        };
        self.position += frames as u64;
        self.ended = frames == 0 && block.capacity() > 0;
        Ok(frames)
    }

    /// Makes `frame` the next one to be read. FLAC, WAV and AIFF jump; MP3 and
    /// Ogg decode up to there, since their frames depend on those before.
    /// A position beyond the end reads as the end.
    ///
    /// # Errors
    /// As for [`Reader::read`].
    pub fn seek(&mut self, frame: u64) -> Result<(), ReadError> {
        self.ended = false;
        match &mut self.stream {
            Stream::Pcm(stream) => {
                stream.seek(frame).map_err(|source| ReadError::Io {
                    path: self.path.clone(),
                    source,
                })?;
                self.position = frame;
            }
            Stream::Packets(stream) => self.position = stream.seek(frame)?,
        }
        Ok(())
    }

    fn from_pcm(
        path: &Path,
        file: File,
        header: super::container::PcmHeader,
        format: &str,
    ) -> Result<Reader, ReadError> {
        let facts = FileFacts {
            format: format.to_owned(),
            sample_rate: header.sample_rate,
            bit_depth: Some(header.valid_bits),
            float: header.encoding.is_float(),
            channels: header.channels,
            frames: header.frames,
            duration_s: header.frames as f64 / f64::from(header.sample_rate),
        };
        let layout = Layout::from_wave_mask(header.channel_mask, header.channels as usize);
        let declared_frames = header.declared_frames;
        let stream = PcmStream::new(file, &header).map_err(|source| ReadError::Io {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            facts,
            layout,
            declared_frames,
            position: 0,
            ended: false,
            stream: Stream::Pcm(stream),
        })
    }
}

pub(super) fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match file.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}
