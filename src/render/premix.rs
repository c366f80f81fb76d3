//! A cache of the signal that enters the master's effects, so that a further
//! pass over the same mix costs only the master chain.
//!
//! The file is named after everything that shapes that signal: tracks, sends,
//! tempo, range, rate, and size and time of change of every file that is
//! played; the master's own effects, fader and envelopes are left out. It
//! holds 64-bit floats, so a render from the cache has the same bytes.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::project::{Project, Track};
use crate::units::hex_text;

use super::item::Pair;
use super::media;
use super::{Pass, TargetSource};

const MAGIC: [u8; 8] = *b"rbpremx1";
/// Magic, latency, frames, pairs.
const HEADER_BYTES: u64 = 32;

/// Where the premix of a pass lies; `None` when the pass has other targets
/// than the master alone.
pub(super) fn path(
    cache: &Path,
    project: &Project,
    pass: &Pass,
    sample_rate_hz: u32,
    folder: &Path,
) -> Option<PathBuf> {
    let master_only = pass
        .targets
        .iter()
        .all(|target| target.source == TargetSource::Master);
    if !master_only || pass.targets.is_empty() {
        return None;
    }
    let mut hash = Hash(Sha256::new());
    let settings = &project.settings;
    let facts = (
        sample_rate_hz,
        (pass.start_frame, pass.frames, pass.tail_frames),
        (settings.pan_law, settings.pan_law_flags, settings.pan_mode),
        &project.tempo,
        (project.master.channels, project.master.muted),
    );
    // A hash takes any text, so writing into it cannot fail.
    let _ = write!(hash, "{facts:?}");
    for track in &project.tracks {
        let _ = write!(hash, "{:?}", heard(track));
        for file in files(track) {
            let path = media::resolve(file, folder);
            let metadata = path.metadata().ok();
            let state = metadata.map(|m| (m.len(), m.modified().ok()));
            let _ = write!(hash, "{path:?} {state:?}");
        }
    }
    for send in &project.sends {
        let _ = write!(hash, "{send:?}");
    }
    let name = hex_text(&hash.0.finalize());
    Some(cache.join(format!("premix-{name}.f64")))
}

struct Hash(Sha256);

impl fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// A track without what makes no sound.
fn heard(track: &Track) -> Track {
    let mut track = Track {
        selected: false,
        armed: false,
        color: 0,
        raw: None,
        ..track.clone()
    };
    track.ext.clear();
    track.other.clear();
    for item in &mut track.items {
        item.raw = None;
        item.notes.clear();
        item.selected = false;
    }
    track
}

/// Files that a track plays: media of items and samples of instruments.
fn files(track: &Track) -> impl Iterator<Item = &str> {
    let items = track.items.iter().flat_map(|item| &item.takes);
    let media = items.filter_map(|take| media::file(&take.source));
    let samples = track.fx.iter().flat_map(|fx| fx.config.values());
    media.chain(samples.map(String::as_str))
}

/// What the master does with its input in a pass.
#[derive(Debug)]
pub(super) enum Premix {
    Record(Recorder),
    Replay(Player),
}

/// A premix being written, under a temporary name until it is complete.
#[derive(Debug)]
pub(super) struct Recorder {
    file: BufWriter<NamedTempFile>,
    target: PathBuf,
    frames: u64,
    pairs: usize,
    bytes: Vec<u8>,
}

impl Recorder {
    pub(super) fn create(target: &Path, pairs: usize) -> io::Result<Self> {
        let folder = target.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = BufWriter::with_capacity(1 << 17, NamedTempFile::new_in(folder)?);
        file.write_all(&[0; HEADER_BYTES as usize])?;
        Ok(Self {
            file,
            target: target.to_owned(),
            frames: 0,
            pairs,
            bytes: Vec::new(),
        })
    }

    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    pub(super) fn write(&mut self, input: &[Pair]) -> io::Result<()> {
        let frames = input.first().map_or(0, Vec::len);
        for frame in 0..frames {
            for pair in input {
                self.bytes.extend_from_slice(&pair[frame][0].to_le_bytes());
                self.bytes.extend_from_slice(&pair[frame][1].to_le_bytes());
            }
        }
        self.frames += frames as u64;
        self.file.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Completes the file; `latency` is that of the master's input.
    pub(super) fn finish(self, latency: usize) -> io::Result<()> {
        use std::io::{Seek, SeekFrom};
        let mut temp = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        temp.seek(SeekFrom::Start(0))?;
        temp.write_all(&MAGIC)?;
        for number in [latency as u64, self.frames, self.pairs as u64] {
            temp.write_all(&number.to_le_bytes())?;
        }
        temp.persist(&self.target).map_err(|error| error.error)?;
        Ok(())
    }
}

/// A premix being read.
#[derive(Debug)]
pub(super) struct Player {
    file: BufReader<File>,
    path: PathBuf,
    pub(super) latency: usize,
    pub(super) frames: u64,
    left: u64,
    bytes: Vec<u8>,
}

impl Player {
    /// `None` when there is no complete premix of this width.
    pub(super) fn open(path: &Path, pairs: usize) -> Option<Self> {
        let file = File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let mut file = BufReader::with_capacity(1 << 17, file);
        let mut header = [0; HEADER_BYTES as usize];
        file.read_exact(&mut header).ok()?;
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&header[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        let (latency, frames) = (number(8), number(16));
        let expected = frames
            .checked_mul(pairs as u64 * 16)?
            .checked_add(HEADER_BYTES)?;
        let sound = header[..8] == MAGIC && number(24) == pairs as u64 && length == expected;
        sound.then(|| Self {
            file,
            path: path.to_owned(),
            latency: latency as usize,
            frames,
            left: frames,
            bytes: Vec::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Fills a segment; silence past the end.
    pub(super) fn read(&mut self, input: &mut [Pair]) -> io::Result<()> {
        let wanted = input.first().map_or(0, Vec::len);
        let frames = (wanted as u64).min(self.left) as usize;
        self.left -= frames as u64;
        let frame_bytes = 16 * input.len();
        self.bytes.resize(frames * frame_bytes, 0);
        self.file.read_exact(&mut self.bytes)?;
        let sample = |bytes: &[u8]| {
            let mut number = [0; 8];
            number.copy_from_slice(bytes);
            f64::from_le_bytes(number)
        };
        for (index, pair) in input.iter_mut().enumerate() {
            for (frame, bytes) in pair.iter_mut().zip(self.bytes.chunks_exact(frame_bytes)) {
                let bytes = &bytes[16 * index..16 * index + 16];
                *frame = [sample(&bytes[..8]), sample(&bytes[8..])];
            }
            pair[frames..].fill([0.0; 2]);
        }
        Ok(())
    }
}
