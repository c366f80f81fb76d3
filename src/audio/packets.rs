//! Compressed sound: FLAC, MP3, Ogg Vorbis and FLAC in Ogg, gapless.

use super::{FileFacts, Layout, Planar, ReadError, container::check_fields};
use std::{
    fs::File,
    path::{Path, PathBuf},
};
use symphonia::core::{
    audio::{Channels, Position},
    codecs::audio::{
        AudioDecoder, AudioDecoderOptions,
        well_known::{CODEC_ID_FLAC, CODEC_ID_MP3, CODEC_ID_OPUS, CODEC_ID_VORBIS},
    },
    errors::Error,
    formats::{
        FormatOptions, FormatReader, SeekMode, SeekTo, TrackType, probe::Hint,
        well_known::FORMAT_ID_FLAC,
    },
    io::MediaSourceStream,
    meta::MetadataOptions,
    units::Timestamp,
};

/// Damaged MP3 frames in a row after which a file is given up. A cut stream
/// starts with a few frames that refer to data before the cut.
const MAX_BAD_PACKETS: u32 = 50;

/// A file that was opened.
pub(super) struct Opened {
    pub(super) facts: FileFacts,
    pub(super) layout: Layout,
    pub(super) declared_frames: Option<u64>,
    pub(super) stream: PacketStream,
}

/// A decoder and the part of its last packet that nobody has read yet.
pub(super) struct PacketStream {
    path: PathBuf,
    format: Box<dyn FormatReader>,
    decoder: Box<dyn AudioDecoder>,
    track_id: u32,
    channels: usize,
    lossless: bool,
    /// The time stamps of native FLAC are exact; those of Ogg need not start at 0.
    jumps: bool,
    pending: Vec<Vec<f32>>,
    taken: usize,
    position: u64,
    bad_packets: u32,
}

/// Opens a compressed file.
pub(super) fn open(path: &Path) -> Result<Opened, ReadError> {
    let (format, decoder, track_id) = start(path)?;
    let malformed = |problem: &str| ReadError::Malformed {
        path: path.to_owned(),
        format: "compressed sound",
        problem: problem.to_owned(),
    };
    let track = format
        .tracks()
        .iter()
        .find(|track| track.id == track_id)
        .ok_or_else(|| malformed("there is no sound in it"))?;
    let parameters = decoder.codec_params();
    let sample_rate = parameters.sample_rate.unwrap_or(0);
    let channels = parameters.channels.clone().unwrap_or_default();
    let channel_count = u32::try_from(channels.count()).unwrap_or(u32::MAX);
    check_fields(channel_count, sample_rate).map_err(|e| e.at(path, "compressed sound"))?;
    let codec = parameters.codec;
    let lossless = codec == CODEC_ID_FLAC;
    let name = match codec {
        CODEC_ID_FLAC => "flac",
        CODEC_ID_MP3 => "mp3",
        CODEC_ID_VORBIS => "ogg",
        _ => format.format_info().short_name,
    };
    let jumps = format.format_info().format == FORMAT_ID_FLAC;
    // Without a LAME tag the count of an MP3 is an estimate from the bit rate.
    let counted = codec == CODEC_ID_MP3 || track.num_frames.is_none();
    let declared_frames = track
        .num_frames
        .filter(|_| codec != CODEC_ID_MP3 || track.delay.is_some());
    let estimated_frames = track.num_frames.unwrap_or(0);
    let bit_depth = parameters.bits_per_sample.filter(|_| lossless);
    let layout = layout(&channels);
    let mut stream = PacketStream {
        path: path.to_owned(),
        channels: channel_count as usize,
        pending: vec![Vec::new(); channel_count as usize],
        format,
        decoder,
        track_id,
        lossless,
        jumps,
        taken: 0,
        position: 0,
        bad_packets: 0,
    };
    let frames = if counted {
        stream.count_frames()?
    } else {
        estimated_frames
    };
    let facts = FileFacts {
        format: name.to_owned(),
        sample_rate,
        bit_depth,
        float: false,
        channels: channel_count,
        frames,
        duration_s: frames as f64 / f64::from(sample_rate),
    };
    Ok(Opened {
        facts,
        layout,
        declared_frames,
        stream,
    })
}

type Started = (Box<dyn FormatReader>, Box<dyn AudioDecoder>, u32);

fn start(path: &Path) -> Result<Started, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io {
        path: path.to_owned(),
        source,
    })?;
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    let mut hint = Hint::new();
    if let Some(extension) = path.extension().and_then(|e| e.to_str()) {
        hint.with_extension(extension);
    }
    let unknown = || ReadError::Unknown {
        path: path.to_owned(),
    };
    let format = symphonia::default::get_probe()
        .probe(
            &hint,
            stream,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|error| match error {
            Error::DecodeError(problem) | Error::LimitError(problem) => ReadError::Malformed {
                path: path.to_owned(),
                format: "compressed sound",
                problem: problem.to_owned(),
            },
            _ => unknown(),
        })?;
    let track = format.default_track(TrackType::Audio).ok_or_else(unknown)?;
    let track_id = track.id;
    let parameters = track
        .codec_params
        .as_ref()
        .and_then(|parameters| parameters.audio())
        .ok_or_else(unknown)?;
    let decoder = symphonia::default::get_codecs()
        .make_audio_decoder(parameters, &AudioDecoderOptions::default())
        .map_err(|error| match error {
            Error::Unsupported(_) => ReadError::Codec {
                path: path.to_owned(),
                codec: match parameters.codec {
                    CODEC_ID_OPUS => "Opus".to_owned(),
                    other => format!("the codec `{other}`"),
                },
            },
            error => ReadError::Malformed {
                path: path.to_owned(),
                format: "compressed sound",
                problem: error.to_string(),
            },
        })?;
    Ok((format, decoder, track_id))
}

impl PacketStream {
    pub(super) fn read(&mut self, block: &mut Planar) -> Result<usize, ReadError> {
        block.set_frames(block.capacity());
        let mut done = 0;
        while done < block.capacity() {
            if self.pending_frames() == 0 && !self.decode_packet()? {
                break;
            }
            let frames = self.pending_frames().min(block.capacity() - done);
            for (channel, pending) in self.pending.iter().enumerate() {
                block.channel_mut(channel)[done..done + frames]
                    .copy_from_slice(&pending[self.taken..self.taken + frames]);
            }
            self.taken += frames;
            done += frames;
        }
        block.set_frames(done);
        self.position += done as u64;
        Ok(done)
    }

    /// Returns where it arrived: `frame`, or the end.
    pub(super) fn seek(&mut self, frame: u64) -> Result<u64, ReadError> {
        if frame == self.position {
            return Ok(frame);
        }
        // MP3 frames lean on those before them, and a jump would have to guess
        // how many: decoding from the start gives the same bits as reading.
        let jumped = self.jumps && self.jump(frame);
        if !jumped && frame < self.position {
            self.restart()?;
        }
        while self.position < frame {
            if self.pending_frames() == 0 && !self.decode_packet()? {
                break;
            }
            let skipped = (self.pending_frames() as u64).min(frame - self.position);
            self.taken += skipped as usize;
            self.position += skipped;
        }
        Ok(self.position)
    }

    /// The frames that reading will give, found by reading them.
    fn count_frames(&mut self) -> Result<u64, ReadError> {
        let mut frames = 0;
        // Damage ends the count; the reading that meets it again reports it.
        while let Ok(true) = self.decode_packet() {
            frames += self.pending_frames() as u64;
        }
        self.restart()?;
        Ok(frames)
    }

    fn restart(&mut self) -> Result<(), ReadError> {
        (self.format, self.decoder, self.track_id) = start(&self.path)?;
        self.taken = 0;
        self.pending.iter_mut().for_each(Vec::clear);
        self.position = 0;
        self.bad_packets = 0;
        Ok(())
    }

    fn jump(&mut self, frame: u64) -> bool {
        let Ok(ts) = Timestamp::try_from(frame) else {
            return false;
        };
        let to = SeekTo::Timestamp {
            ts,
            track_id: self.track_id,
        };
        let Ok(seeked) = self.format.seek(SeekMode::Accurate, to) else {
            return false;
        };
        let Ok(actual) = u64::try_from(seeked.actual_ts.get()) else {
            return false;
        };
        self.decoder.reset();
        self.taken = 0;
        self.pending.iter_mut().for_each(Vec::clear);
        self.position = actual;
        true
    }

    fn pending_frames(&self) -> usize {
        self.pending.first().map_or(0, |channel| channel.len()) - self.taken
    }

    /// Decodes the next packet with frames in it; false at the end.
    fn decode_packet(&mut self) -> Result<bool, ReadError> {
        self.taken = 0;
        self.pending.iter_mut().for_each(Vec::clear);
        loop {
            let packet = match self.format.next_packet() {
                Ok(Some(packet)) => packet,
                // A chained Ogg stream may change everything, even the rate.
                Ok(None) | Err(Error::ResetRequired) => return Ok(false),
                Err(Error::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    return Ok(false);
                }
                Err(error) => return Err(self.damaged(error.to_string())),
            };
            if packet.track_id != self.track_id {
                continue;
            }
            match self.decoder.decode(&packet) {
                Ok(buffer) => {
                    if buffer.num_planes() != self.channels {
                        let problem = format!(
                            "the channel count changes from {} to {}",
                            self.channels,
                            buffer.num_planes()
                        );
                        return Err(self.damaged(problem));
                    }
                    if buffer.frames() > 0 {
                        buffer.copy_to_vecs_planar(&mut self.pending);
                        self.bad_packets = 0;
                        return Ok(true);
                    }
                }
                Err(Error::DecodeError(problem)) => {
                    self.bad_packets += 1;
                    if self.lossless || self.bad_packets > MAX_BAD_PACKETS {
                        return Err(self.damaged(problem.to_owned()));
                    }
                }
                Err(error) => return Err(self.damaged(error.to_string())),
            }
        }
    }

    fn damaged(&self, problem: String) -> ReadError {
        ReadError::Damaged {
            path: self.path.clone(),
            frame: self.position,
            problem,
        }
    }
}

/// The WAVE meaning of the decoder's channels, which come in mask order.
fn layout(channels: &Channels) -> Layout {
    let Channels::Positioned(positions) = channels else {
        return Layout::from_count(channels.count());
    };
    let mask = [
        (Position::FRONT_LEFT, 0),
        (Position::FRONT_RIGHT, 1),
        (Position::FRONT_CENTER, 2),
        (Position::LFE1, 3),
        (Position::REAR_LEFT, 4),
        (Position::REAR_RIGHT, 5),
        (Position::REAR_CENTER, 8),
        (Position::SIDE_LEFT, 9),
        (Position::SIDE_RIGHT, 10),
    ]
    .into_iter()
    .filter(|(position, _)| positions.contains(*position))
    .fold(0, |mask, (_, bit)| mask | 1u32 << bit);
    if mask.count_ones() as usize == channels.count() {
        Layout::from_wave_mask(mask, channels.count())
    } else {
        Layout::from_count(channels.count())
    }
}
