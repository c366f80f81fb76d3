//! Writing a sound file that appears only when it is complete.

use super::{quantize::Quantizer, wav_header::WavHeader};
use crate::files;
use flac_codec::encode::{FlacSampleWriter, Options};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Frames converted at a time.
const PIECE_FRAMES: usize = 1024;

/// Kind of file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    Wav,
    Flac,
}

/// How samples are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BitDepth {
    /// With triangular dither.
    Int16,
    /// Rounded; the noise of rounding is at -146 dBFS.
    Int24,
    /// WAV only; holds values beyond full scale.
    Float32,
}

impl BitDepth {
    /// Bits of one sample.
    pub fn bits(self) -> u32 {
        match self {
            Self::Int16 => 16,
            Self::Int24 => 24,
            Self::Float32 => 32,
        }
    }
}

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteSpec {
    pub format: FileFormat,
    pub bit_depth: BitDepth,
    pub sample_rate_hz: u32,
    pub channels: usize,
}

/// Why a sound file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("`{path}` exists already: choose another name or allow overwriting")]
    Exists { path: PathBuf },
    #[error("the disk is full, `{path}` was not written: free some space and render again")]
    DiskFull { path: PathBuf },
    #[error("can't write `{path}`: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("can't write `{path}`: {problem}")]
    Unsupported { path: PathBuf, problem: String },
}

/// A sound file under construction, beside its target under a temporary name.
/// Dropping it before [`Writer::finish`] removes it.
pub struct Writer {
    target: PathBuf,
    overwrite: bool,
    spec: WriteSpec,
    temp: NamedTempFile,
    encoder: Option<Encoder>,
    quantizer: Quantizer,
    /// One channel, then all of them interleaved.
    converted: Vec<i32>,
    integers: Vec<i32>,
    bytes: Vec<u8>,
    frames: u64,
}

enum Encoder {
    Wav(WavHeader, BufWriter<File>),
    Flac(Box<FlacSampleWriter<BufWriter<File>>>),
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("target", &self.target)
            .field("spec", &self.spec)
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Starts a file. The folder must exist.
    ///
    /// # Errors
    /// The target exists and `overwrite` is false, the folder can't be written
    /// to, or the format can't hold what `spec` asks for.
    pub fn create(
        target: impl AsRef<Path>,
        spec: WriteSpec,
        overwrite: bool,
    ) -> Result<Writer, WriteError> {
        let target = target.as_ref();
        check_spec(target, &spec)?;
        if !overwrite && target.symlink_metadata().is_ok() {
            return Err(WriteError::Exists {
                path: target.to_owned(),
            });
        }
        let io = |source| io_error(target, source);
        let temp = files::stage(target).map_err(io)?;
        let file = BufWriter::with_capacity(1 << 17, temp.reopen().map_err(io)?);
        let bits = spec.bit_depth.bits();
        let encoder = match spec.format {
            FileFormat::Wav => {
                let header = WavHeader {
                    float: spec.bit_depth == BitDepth::Float32,
                    bits: bits as u16,
                    channels: spec.channels as u16,
                    sample_rate_hz: spec.sample_rate_hz,
                };
                let mut file = file;
                file.write_all(&header.bytes(0)).map_err(io)?;
                Encoder::Wav(header, file)
            }
            FileFormat::Flac => Encoder::Flac(Box::new(
                FlacSampleWriter::new(
                    file,
                    Options::default(),
                    spec.sample_rate_hz,
                    bits,
                    spec.channels as u8,
                    None,
                )
                .map_err(|e| flac_error(target, e))?,
            )),
        };
        Ok(Writer {
            target: target.to_owned(),
            overwrite,
            spec,
            temp,
            encoder: Some(encoder),
            quantizer: Quantizer::new(bits.min(24), spec.bit_depth == BitDepth::Int16),
            converted: vec![0; PIECE_FRAMES],
            integers: vec![0; PIECE_FRAMES * spec.channels],
            bytes: Vec::with_capacity(PIECE_FRAMES * spec.channels * 4),
            frames: 0,
        })
    }

    /// Appends a block: one slice per channel, all of the same length.
    ///
    /// # Errors
    /// The disk is full or fails.
    ///
    /// # Panics
    /// If the channels are not those of the file or differ in length.
    pub fn write<C: AsRef<[f64]>>(&mut self, channels: &[C]) -> Result<(), WriteError> {
        assert_eq!(
            channels.len(),
            self.spec.channels,
            "the block has the channels of the file"
        );
        let frames = channels.first().map_or(0, |channel| channel.as_ref().len());
        assert!(
            channels
                .iter()
                .all(|channel| channel.as_ref().len() == frames),
            "all channels have the same length"
        );
        for start in (0..frames).step_by(PIECE_FRAMES) {
            let end = (start + PIECE_FRAMES).min(frames);
            if self.spec.bit_depth == BitDepth::Float32 {
                self.write_floats(channels, start, end)?;
            } else {
                self.write_integers(channels, start, end)?;
            }
            self.frames += (end - start) as u64;
        }
        Ok(())
    }

    /// Samples so far that were beyond full scale and had to be clipped; 0 for
    /// floating point, which can hold them.
    pub fn clipped_samples(&self) -> u64 {
        self.quantizer.clipped()
    }

    /// Samples so far that were NaN or infinite. Integers hold silence or full
    /// scale instead, floats hold them as they are.
    pub fn non_finite_samples(&self) -> u64 {
        self.quantizer.non_finite()
    }

    /// Frames written so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Completes the file and gives it its name, in one step.
    ///
    /// # Errors
    /// The disk is full or fails, or the target came into being meanwhile.
    pub fn finish(mut self) -> Result<(), WriteError> {
        match self.encoder.take() {
            Some(Encoder::Wav(header, mut file)) => {
                let io = |source| io_error(&self.target, source);
                if self.frames * header.frame_bytes() % 2 == 1 {
                    file.write_all(&[0]).map_err(io)?;
                }
                file.seek(SeekFrom::Start(0)).map_err(io)?;
                file.write_all(&header.bytes(self.frames)).map_err(io)?;
                file.flush().map_err(io)?;
            }
            Some(Encoder::Flac(encoder)) => encoder
                .finalize()
                .map_err(|e| flac_error(&self.target, e))?,
            None => {}
        }
        let persisted = if self.overwrite {
            self.temp.persist(&self.target)
        } else {
            self.temp.persist_noclobber(&self.target)
        };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) => Err(io_error(&self.target, error.error)),
        }
    }

    fn write_integers<C: AsRef<[f64]>>(
        &mut self,
        channels: &[C],
        start: usize,
        end: usize,
    ) -> Result<(), WriteError> {
        let count = channels.len();
        let integers = &mut self.integers[..(end - start) * count];
        let converted = &mut self.converted[..end - start];
        for (index, channel) in channels.iter().enumerate() {
            let samples = &channel.as_ref()[start..end];
            self.quantizer.run(samples, index, self.frames, converted);
            let slots = integers[index..].iter_mut().step_by(count);
            for (slot, value) in slots.zip(converted.iter()) {
                *slot = *value;
            }
        }
        match &mut self.encoder {
            Some(Encoder::Wav(_, file)) => {
                self.bytes.clear();
                if self.spec.bit_depth == BitDepth::Int16 {
                    let words = integers.iter().flat_map(|x| (*x as i16).to_le_bytes());
                    self.bytes.extend(words);
                } else {
                    for value in integers.iter() {
                        self.bytes.extend_from_slice(&value.to_le_bytes()[..3]);
                    }
                }
                file.write_all(&self.bytes)
                    .map_err(|e| io_error(&self.target, e))
            }
            Some(Encoder::Flac(encoder)) => encoder
                .write(integers)
                .map_err(|e| flac_error(&self.target, e)),
            None => Ok(()),
        }
    }

    fn write_floats<C: AsRef<[f64]>>(
        &mut self,
        channels: &[C],
        start: usize,
        end: usize,
    ) -> Result<(), WriteError> {
        self.bytes.clear();
        for frame in start..end {
            for channel in channels {
                let sample = channel.as_ref()[frame];
                self.quantizer.note_non_finite(sample);
                self.bytes.extend_from_slice(&(sample as f32).to_le_bytes());
            }
        }
        match &mut self.encoder {
            Some(Encoder::Wav(_, file)) => file
                .write_all(&self.bytes)
                .map_err(|e| io_error(&self.target, e)),
            _ => Ok(()),
        }
    }
}

fn check_spec(target: &Path, spec: &WriteSpec) -> Result<(), WriteError> {
    let most = match spec.format {
        FileFormat::Wav => 256,
        FileFormat::Flac => 8,
    };
    let problem = if spec.channels == 0 || spec.channels > most {
        format!("{} channels, the format holds 1 to {most}", spec.channels)
    } else if spec.sample_rate_hz == 0 {
        "the sample rate is 0 Hz".to_owned()
    } else if spec.format == FileFormat::Flac && spec.bit_depth == BitDepth::Float32 {
        "FLAC holds integers only: use 16 or 24 bits, or WAV".to_owned()
    } else if spec.format == FileFormat::Flac && spec.sample_rate_hz > 655_350 {
        format!(
            "FLAC ends at 655350 Hz, the sample rate is {} Hz",
            spec.sample_rate_hz
        )
    } else {
        return Ok(());
    };
    Err(WriteError::Unsupported {
        path: target.to_owned(),
        problem,
    })
}

pub(super) fn io_error(path: &Path, source: std::io::Error) -> WriteError {
    let path = path.to_owned();
    match source.kind() {
        // A limit on the size of files is felt like a full disk.
        std::io::ErrorKind::StorageFull
        | std::io::ErrorKind::QuotaExceeded
        | std::io::ErrorKind::FileTooLarge => WriteError::DiskFull { path },
        std::io::ErrorKind::AlreadyExists => WriteError::Exists { path },
        _ => WriteError::Io { path, source },
    }
}

fn flac_error(path: &Path, error: flac_codec::Error) -> WriteError {
    match error {
        flac_codec::Error::Io(source) => io_error(path, source),
        other => WriteError::Unsupported {
            path: path.to_owned(),
            problem: other.to_string(),
        },
    }
}
