//! Volume, pan, width, polarity and mute of a track, with their envelopes.

use crate::project::{Envelope, EnvelopeKind, PanMode, Settings, Track};

use super::envelope::value_at;
use super::pan::{Matrix, Pan, scaled};

/// Gains of a track's fader over time, or of its pre-FX envelopes.
#[derive(Debug, Clone)]
pub(super) struct Fader {
    volume: f64,
    pan: Pan,
    sign: f64,
    /// Automation in trim mode moves around the fader, in the others it is
    /// the fader.
    trims: bool,
    envelopes: Vec<Envelope>,
    fixed: Matrix,
}

impl Fader {
    pub(super) fn of_track(track: &Track, settings: &Settings) -> Self {
        Self::new(
            finite(track.volume),
            Pan::of_track(track, settings),
            if track.phase_inverted { -1.0 } else { 1.0 },
            track.automation_mode == 0,
            track,
            &[
                EnvelopeKind::Volume,
                EnvelopeKind::VolumeTrim,
                EnvelopeKind::Pan,
                EnvelopeKind::Width,
            ],
        )
    }

    /// Volume, pan and width before the effects; `None` without envelopes.
    pub(super) fn before_fx(track: &Track, settings: &Settings) -> Option<Self> {
        let mode = track.pan_mode.unwrap_or(settings.pan_mode);
        let kinds = [
            EnvelopeKind::VolumePreFx,
            EnvelopeKind::PanPreFx,
            EnvelopeKind::WidthPreFx,
        ];
        let mut pan = Pan::balance(0.0, 1.0, 2);
        if mode == PanMode::StereoPan {
            pan.mode = mode;
        }
        let fader = Self::new(1.0, pan, 1.0, false, track, &kinds);
        (!fader.envelopes.is_empty()).then_some(fader)
    }

    fn new(
        volume: f64,
        pan: Pan,
        sign: f64,
        trims: bool,
        track: &Track,
        kinds: &[EnvelopeKind],
    ) -> Self {
        Self {
            volume,
            pan,
            sign,
            trims,
            envelopes: active(track, kinds),
            fixed: scaled(pan.matrix(), sign * volume),
        }
    }

    pub(super) fn is_automated(&self) -> bool {
        !self.envelopes.is_empty()
    }

    /// Gains at a project time.
    pub(super) fn at(&self, time_s: f64) -> Matrix {
        if self.envelopes.is_empty() {
            return self.fixed;
        }
        let (mut volume, mut trim, mut pan) = (self.volume, 1.0, self.pan);
        for envelope in &self.envelopes {
            let Some(value) = value_at(envelope, time_s) else {
                continue;
            };
            match envelope.kind {
                EnvelopeKind::Volume | EnvelopeKind::VolumePreFx if self.trims => volume *= value,
                EnvelopeKind::Volume | EnvelopeKind::VolumePreFx => volume = value,
                EnvelopeKind::VolumeTrim => trim = value,
                // Pan points count the other way round: +1 is left.
                EnvelopeKind::Pan | EnvelopeKind::PanPreFx if self.trims => pan.pan -= value,
                EnvelopeKind::Pan | EnvelopeKind::PanPreFx => pan.pan = -value,
                EnvelopeKind::Width | EnvelopeKind::WidthPreFx if self.trims => pan.width *= value,
                EnvelopeKind::Width | EnvelopeKind::WidthPreFx => pan.width = value,
                EnvelopeKind::Mute | EnvelopeKind::FxParam => {}
            }
        }
        scaled(pan.matrix(), self.sign * finite(volume * trim))
    }

    /// Applies the fader to a block that starts at `time_s`. Automation moves
    /// in a straight line through the block.
    pub(super) fn run(&self, block: &mut [[f64; 2]], time_s: f64, end_s: f64) {
        let from = self.at(time_s);
        let to = if self.is_automated() {
            self.at(end_s)
        } else {
            from
        };
        apply(block, from, to);
    }
}

/// Multiplies a block, moving from one matrix to the other.
fn apply(block: &mut [[f64; 2]], from: Matrix, to: Matrix) {
    let diagonal = |m: &Matrix| m[0][1] == 0.0 && m[1][0] == 0.0;
    if from == to && diagonal(&from) {
        let (left, right) = (from[0][0], from[1][1]);
        for frame in block {
            *frame = [left * frame[0], right * frame[1]];
        }
        return;
    }
    let step = 1.0 / block.len().max(1) as f64;
    for (i, frame) in block.iter_mut().enumerate() {
        let x = i as f64 * step;
        let gain = |row: usize, column: usize| {
            from[row][column] + (to[row][column] - from[row][column]) * x
        };
        *frame = [
            gain(0, 0) * frame[0] + gain(0, 1) * frame[1],
            gain(1, 0) * frame[0] + gain(1, 1) * frame[1],
        ];
    }
}

/// The mute lane of a track: 1 is open, 0 is muted.
#[derive(Debug, Clone)]
pub(super) struct MuteLane(Vec<Envelope>);

impl MuteLane {
    pub(super) fn of_track(track: &Track) -> Self {
        Self(active(track, &[EnvelopeKind::Mute]))
    }

    /// Gains at the start and the end of a block; `None` is always open.
    pub(super) fn gains(&self, time_s: f64, end_s: f64) -> Option<(f64, f64)> {
        let lane = self.0.first()?;
        let open = |time_s| {
            let value = value_at(lane, time_s).unwrap_or(1.0);
            if value < 0.5 { 0.0 } else { 1.0 }
        };
        Some((open(time_s), open(end_s)))
    }
}

fn active(track: &Track, kinds: &[EnvelopeKind]) -> Vec<Envelope> {
    track
        .envelopes
        .iter()
        .filter(|e| e.active && !e.points.is_empty() && kinds.contains(&e.kind))
        .cloned()
        .collect()
}

fn finite(gain: f64) -> f64 {
    if gain.is_finite() { gain } else { 0.0 }
}
