//! Audio items: what a take plays, when, and how loud.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::project::{Fade, Item, Project, Take};

use super::RenderError;
use super::envelope::fade_curve;
use super::interpolate::Interpolator;
use super::media::{self, Extent, Facts, Library, Media, Place};
use super::pan::{Matrix, Pan, scaled};

/// Frame pairs of one stereo channel pair.
pub(super) type Pair = Vec<[f64; 2]>;

/// An audio item on the render's frame grid.
#[derive(Debug)]
pub(super) struct ItemPlayer {
    start: i64,
    end: i64,
    gain: Matrix,
    fade_in: FadeRun,
    fade_out: FadeRun,
    path: PathBuf,
    facts: Facts,
    extent: Extent,
    channel_mode: i32,
    /// Source frame that sounds at the item's start.
    offset: i64,
    /// Set when source and render differ in speed.
    interpolator: Option<Arc<Interpolator>>,
    open: Option<OpenItem>,
}

/// An item that sounds now.
#[derive(Debug)]
struct OpenItem {
    media: Media,
    /// Source frames, one vector a channel.
    source: Vec<Vec<f64>>,
    /// Virtual source frame of `source[..][0]` and how many are held; used
    /// with an interpolator, whose windows overlap.
    held_from: i64,
    held: usize,
}

#[derive(Debug, Clone, Copy)]
struct FadeRun {
    frames: f64,
    shape: i32,
    curvature: f64,
}

impl FadeRun {
    fn new(fade: &Fade, sample_rate_hz: f64) -> Self {
        let length_s = if fade.auto_length_s > 0.0 {
            fade.auto_length_s
        } else {
            fade.length_s.max(0.0)
        };
        Self {
            frames: (length_s * sample_rate_hz).round(),
            shape: fade.shape,
            curvature: fade.curvature,
        }
    }
}

/// Frames that are written in one go.
const PIECE: usize = 128;
/// Steepest speed of a source against the render.
const MAX_RATIO: f64 = 64.0;

/// Where items stand and what they may not reach over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'a> {
    pub(super) project: &'a Project,
    pub(super) folder: &'a Path,
    pub(super) sample_rate_hz: u32,
    /// Frames that sound: the range without its tail.
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Frame nearest to a time, within ± 2^40 so that sums never overflow.
fn frame_at(time_s: f64, rate_hz: f64) -> i64 {
    const FAR: f64 = (1_u64 << 40) as f64;
    (time_s * rate_hz).round().clamp(-FAR, FAR) as i64
}

impl ItemPlayer {
    /// `None` when the item makes no sound in the range.
    pub(super) fn new(
        item: &Item,
        take: &Take,
        stage: &Stage<'_>,
        place: Place<'_>,
        library: &mut Library,
    ) -> Result<Option<Self>, RenderError> {
        let unsupported = |what: String| RenderError::Unsupported {
            what,
            place: format!("item {} on track `{}`", place.item, place.track),
        };
        let rate = f64::from(stage.sample_rate_hz);
        let start = frame_at(item.position_s, rate);
        let end = frame_at(item.end_s(), rate);
        if end <= stage.start || start >= stage.end || end <= start {
            return Ok(None);
        }
        let Some(stretch) = media::flatten(&take.source).map_err(unsupported)? else {
            return Ok(None);
        };
        let path = media::resolve(&stretch.file, stage.folder);
        let facts = library.facts(&path, place)?;

        let play_rate = take.play_rate;
        if take.pitch_semitones != 0.0 {
            return Err(unsupported(format!(
                "shifting pitch by {} semitones",
                take.pitch_semitones
            )));
        }
        if play_rate != 1.0 && take.preserve_pitch {
            return Err(unsupported(format!(
                "stretching time to play rate {play_rate} while keeping pitch"
            )));
        }
        let ratio = f64::from(facts.sample_rate_hz) / rate * play_rate;
        if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            return Err(unsupported(format!(
                "play rate {play_rate} of a {} Hz source",
                facts.sample_rate_hz
            )));
        }
        if take.channel_mode > 66 || take.channel_mode < 0 {
            return Err(unsupported(format!("channel mode {}", take.channel_mode)));
        }
        let interpolator = (ratio != 1.0)
            .then(|| library.interpolator(facts.sample_rate_hz, stage.sample_rate_hz, play_rate));
        let volume = item.volume * take.volume;
        let volume = if volume.is_finite() { volume } else { 0.0 };
        Ok(Some(Self {
            start,
            end,
            gain: scaled(Pan::balance(take.pan, 1.0, 2).matrix(), volume),
            fade_in: FadeRun::new(&item.fade_in, rate),
            fade_out: FadeRun::new(&item.fade_out, rate),
            extent: Extent::of(&stretch, facts, item.loop_source),
            offset: frame_at(take.start_offset_s, f64::from(facts.sample_rate_hz)),
            path,
            facts,
            channel_mode: take.channel_mode,
            interpolator,
            open: None,
        }))
    }

    /// Adds the frames from `from` on to the input of a track.
    pub(super) fn add_to(
        &mut self,
        from: i64,
        frames: usize,
        range: (i64, i64),
        input: &mut [Pair],
    ) -> Result<(), (PathBuf, String)> {
        let first = from.max(self.start).max(range.0);
        let last = (from + frames as i64).min(self.end).min(range.1);
        if first >= last {
            if from >= self.end {
                self.open = None;
            }
            return Ok(());
        }
        let failed = |path: &Path, reason: String| (path.to_owned(), reason);
        if self.open.is_none() {
            let media = Media::open(&self.path, self.extent).map_err(|e| failed(&self.path, e))?;
            let capacity = match &self.interpolator {
                Some(interpolator) => interpolator.window_frames(PIECE),
                None => PIECE,
            };
            self.open = Some(OpenItem {
                media,
                source: vec![vec![0.0; capacity]; self.facts.channels],
                held_from: 0,
                held: 0,
            });
        }
        let mut at = first;
        while at < last {
            let count = ((last - at) as usize).min(PIECE);
            self.piece(at, count, (at - from) as usize, input)
                .map_err(|e| failed(&self.path, e))?;
            at += count as i64;
        }
        Ok(())
    }

    fn piece(
        &mut self,
        at: i64,
        count: usize,
        into: usize,
        input: &mut [Pair],
    ) -> Result<(), String> {
        let fades: Option<[f64; PIECE]> = self
            .is_faded(at, count)
            .then(|| std::array::from_fn(|i| self.fade_gain(at + i as i64)));
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let item_frame = (at - self.start) as u64;
        let mut piece = [[0.0; PIECE]; 2];
        let channels = self.facts.channels;
        let wide = self.channel_mode == 0 && channels > 2;
        let pairs = if wide { channels.div_ceil(2) } else { 1 };
        if self.interpolator.is_none() {
            open.media
                .read(self.offset + item_frame as i64, 0, count, &mut open.source)?;
        } else if let Some(interpolator) = &self.interpolator {
            open.hold(interpolator, self.offset, item_frame, count)?;
        }
        for pair in 0..pairs.min(input.len()) {
            for (side, out) in piece.iter_mut().enumerate() {
                let read = |channel: usize, out: &mut [f64]| match &self.interpolator {
                    None => out.copy_from_slice(&open.source[channel][..count]),
                    Some(interpolator) => {
                        open.interpolate(interpolator, self.offset, item_frame, channel, out);
                    }
                };
                let out = &mut out[..count];
                match pick(self.channel_mode, channels, pair, side) {
                    Pick::Channel(channel) => read(channel, out),
                    Pick::Silence => out.fill(0.0),
                    Pick::Mix => {
                        let mut right = [0.0; PIECE];
                        read(0, out);
                        read(1, &mut right[..count]);
                        for (l, r) in out.iter_mut().zip(right) {
                            *l = 0.5 * (*l + r);
                        }
                    }
                }
            }
            let (left, right) = (self.gain[0][0], self.gain[1][1]);
            let target = &mut input[pair][into..into + count];
            match &fades {
                Some(fades) => {
                    for (i, frame) in target.iter_mut().enumerate() {
                        frame[0] += left * fades[i] * piece[0][i];
                        frame[1] += right * fades[i] * piece[1][i];
                    }
                }
                None => {
                    for (i, frame) in target.iter_mut().enumerate() {
                        frame[0] += left * piece[0][i];
                        frame[1] += right * piece[1][i];
                    }
                }
            }
        }
        Ok(())
    }

    fn is_faded(&self, at: i64, count: usize) -> bool {
        ((at - self.start) as f64) < self.fade_in.frames
            || ((self.end - at - count as i64) as f64) < self.fade_out.frames
    }

    fn fade_gain(&self, frame: i64) -> f64 {
        let mut gain = 1.0;
        let since_start = (frame - self.start) as f64;
        if since_start < self.fade_in.frames {
            let x = since_start / self.fade_in.frames;
            gain *= fade_curve(self.fade_in.shape, self.fade_in.curvature, x);
        }
        let to_end = (self.end - frame) as f64;
        if to_end < self.fade_out.frames {
            let x = 1.0 - to_end / self.fade_out.frames;
            gain *= 1.0 - fade_curve(self.fade_out.shape, self.fade_out.curvature, x);
        }
        gain
    }
}

impl OpenItem {
    /// Reads what the kernel needs for `count` output frames.
    fn hold(
        &mut self,
        interpolator: &Interpolator,
        offset: i64,
        item_frame: u64,
        count: usize,
    ) -> Result<(), String> {
        let (before, after) = interpolator.reach();
        let first = offset + interpolator.position(item_frame).0 - before as i64;
        let last = offset + interpolator.position(item_frame + count as u64 - 1).0 + after as i64;
        let needed = (last - first + 1) as usize;
        let keep_from = first - self.held_from;
        let keep = if self.held > 0 && keep_from >= 0 && (keep_from as usize) < self.held {
            self.held - keep_from as usize
        } else {
            0
        };
        if keep > 0 {
            for channel in &mut self.source {
                channel.copy_within(keep_from as usize..self.held, 0);
            }
        }
        self.held_from = first;
        self.held = keep.max(needed);
        if needed > keep {
            self.media
                .read(first + keep as i64, keep, needed - keep, &mut self.source)?;
        }
        Ok(())
    }

    fn interpolate(
        &self,
        interpolator: &Interpolator,
        offset: i64,
        item_frame: u64,
        channel: usize,
        out: &mut [f64],
    ) {
        let (before, after) = interpolator.reach();
        for (i, sample) in out.iter_mut().enumerate() {
            let (whole, share) = interpolator.position(item_frame + i as u64);
            let at = (offset + whole - before as i64 - self.held_from) as usize;
            let window = &self.source[channel][at..at + before + after + 1];
            *sample = interpolator.sample(window, share);
        }
    }
}

enum Pick {
    Channel(usize),
    /// Mean of the first two channels.
    Mix,
    Silence,
}

/// Which source channel one side of a pair plays (`I_CHANMODE`).
fn pick(mode: i32, channels: usize, pair: usize, side: usize) -> Pick {
    let channel = match (mode, channels) {
        (0, 1) | (1, 1) | (2, 1) => 0,
        (0, _) => 2 * pair + side,
        (1, _) => 1 - side,
        (2, _) => return Pick::Mix,
        (mode, _) => (mode - 3) as usize,
    };
    if channel < channels {
        Pick::Channel(channel)
    } else {
        Pick::Silence
    }
}
