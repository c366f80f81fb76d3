//! Bundles at work: gathering input, effects in lanes, faders, taps.
//!
//! Nothing here allocates or locks.

use std::path::PathBuf;

use super::{Latency, Ring, TrackOut};
use crate::dsp::Frame;
use crate::fx::{BLOCK, Instrument, NoteEvent, Processor, SLOTS};
use crate::render::RenderError;
use crate::render::chain::Automated;
use crate::render::delay::DelayLine;
use crate::render::fader::{Fader, MuteLane};
use crate::render::graph::{Part, Tap};
use crate::render::item::{ItemPlayer, Pair};
use crate::render::midi::TimedMessage;
use crate::render::premix::Premix;

/// Nodes that run side by side in lanes.
pub(super) struct Bundle {
    pub(super) level: usize,
    pub(super) tracks: Vec<TrackRun>,
    pub(super) stages: Vec<StageRun>,
    pub(super) has_aux: bool,
    pub(super) main: Box<[Frame]>,
    pub(super) dry: Box<[Frame]>,
    pub(super) aux: Box<[Frame]>,
    pub(super) events: Vec<NoteEvent>,
    pub(super) voice: Box<[[f64; 2]]>,
    pub(super) segment_frames: usize,
    pub(super) start_frame: i64,
    pub(super) sample_rate_hz: f64,
    pub(super) error: Option<RenderError>,
}

pub(super) struct TrackRun {
    pub(super) name: String,
    /// Sum of items and inlets, then the signal on its way through the track.
    pub(super) input: Vec<Pair>,
    pub(super) items: Vec<ItemPlayer>,
    pub(super) inlets: Vec<Inlet>,
    pub(super) messages: Vec<TimedMessage>,
    pub(super) before_fx: Option<Fader>,
    pub(super) fader: Fader,
    pub(super) mute: MuteLane,
    pub(super) latency: Latency,
    /// Frames in which items sound.
    pub(super) range: (i64, i64),
    /// The master's input is recorded or comes from a recording.
    pub(super) premix: Option<Premix>,
}

/// An incoming connection.
pub(super) struct Inlet {
    pub(super) bundle: usize,
    pub(super) slot: usize,
    pub(super) tap: usize,
    pub(super) levels_away: usize,
    pub(super) parts: Vec<(Part, DelayLine)>,
}

pub(super) struct StageRun {
    pub(super) unit: Unit,
    pub(super) members: [Option<Member>; SLOTS],
    /// Some slots of the bundle have no effect here.
    pub(super) partial: bool,
    /// Channels past the first pair wait for it: slot, pair, delay.
    pub(super) side_delays: Vec<(usize, usize, DelayLine)>,
}

pub(super) enum Unit {
    Group(Box<dyn Processor>),
    Instruments([Option<Box<dyn Instrument>>; SLOTS]),
}

pub(super) struct Member {
    pub(super) automated: Automated,
    /// Frames by which the stage's input is late.
    pub(super) latency_before: i64,
    /// First message that has not been played.
    pub(super) next_event: usize,
}

impl Bundle {
    pub(super) fn process(
        &mut self,
        step: usize,
        segment: usize,
        ring: &Ring,
        out: &mut [TrackOut],
    ) {
        let frames = self.segment_frames;
        let segment_start = self.start_frame + (segment * frames) as i64;
        for track in &mut self.tracks {
            let start = segment_start - track.latency.input as i64;
            if let Err((file, reason)) = track.gather(step, start, frames, ring) {
                self.error = Some(RenderError::UnreadableAudio {
                    track: track.name.clone(),
                    file,
                    reason,
                });
                return;
            }
        }
        for at in (0..frames).step_by(BLOCK) {
            self.block(segment_start, at, out);
        }
    }

    fn block(&mut self, segment_start: i64, at: usize, out: &mut [TrackOut]) {
        let range = at..at + BLOCK;
        let rate = self.sample_rate_hz;
        let time = |latency: usize| {
            let frame = segment_start + at as i64 - latency as i64;
            (frame as f64 / rate, (frame + BLOCK as i64) as f64 / rate)
        };
        for (slot, track) in self.tracks.iter_mut().enumerate() {
            if let Some(fader) = &track.before_fx {
                let (start_s, end_s) = time(track.latency.input);
                for pair in &mut track.input {
                    fader.run(&mut pair[range.clone()], start_s, end_s);
                }
            }
            publish(&track.input, &mut out[slot][Tap::PreFx as usize], &range);
        }
        if !self.stages.is_empty() {
            self.load(&range);
            for index in 0..self.stages.len() {
                self.stage(index, segment_start + at as i64, &range);
            }
            for (slot, track) in self.tracks.iter_mut().enumerate() {
                for (frame, lanes) in track.input[0][range.clone()].iter_mut().zip(&self.main) {
                    *frame = [lanes[2 * slot], lanes[2 * slot + 1]];
                }
            }
        }
        for (slot, track) in self.tracks.iter_mut().enumerate() {
            let (start_s, end_s) = time(track.latency.output);
            if let Some((from, to)) = track.mute.gains(start_s, end_s) {
                for pair in &mut track.input {
                    for (i, frame) in pair[range.clone()].iter_mut().enumerate() {
                        let gain = from + (to - from) * i as f64 / BLOCK as f64;
                        *frame = frame.map(|x| x * gain);
                    }
                }
            }
            publish(&track.input, &mut out[slot][Tap::PreFader as usize], &range);
            for pair in &mut track.input {
                track.fader.run(&mut pair[range.clone()], start_s, end_s);
            }
            publish(
                &track.input,
                &mut out[slot][Tap::PostFader as usize],
                &range,
            );
        }
    }

    /// Puts the first pair of each track on its lanes, and the second on
    /// those of the side-chain.
    fn load(&mut self, range: &std::ops::Range<usize>) {
        for (slot, track) in self.tracks.iter().enumerate() {
            for (lanes, frame) in self.main.iter_mut().zip(&track.input[0][range.clone()]) {
                lanes[2 * slot] = frame[0];
                lanes[2 * slot + 1] = frame[1];
            }
        }
        if self.has_aux {
            self.load_aux(range);
        }
    }

    fn load_aux(&mut self, range: &std::ops::Range<usize>) {
        for (slot, track) in self.tracks.iter().enumerate() {
            if let Some(pair) = track.input.get(1) {
                for (lanes, frame) in self.aux.iter_mut().zip(&pair[range.clone()]) {
                    lanes[2 * slot] = frame[0];
                    lanes[2 * slot + 1] = frame[1];
                }
            }
        }
    }

    fn stage(&mut self, index: usize, block_start: i64, range: &std::ops::Range<usize>) {
        let stage = &mut self.stages[index];
        if stage.partial {
            self.dry.copy_from_slice(&self.main);
        }
        match &mut stage.unit {
            Unit::Group(processor) => {
                for (slot, member) in stage.members.iter_mut().enumerate() {
                    if let Some(member) = member {
                        let frame = block_start - member.latency_before;
                        if member.automated.move_to(frame as f64 / self.sample_rate_hz) {
                            processor.set(slot, &member.automated.fx);
                        }
                    }
                }
                let aux = self.has_aux.then_some(&*self.aux);
                processor.process(&mut self.main, aux);
            }
            Unit::Instruments(instruments) => {
                for (slot, track) in self.tracks.iter().enumerate() {
                    let (Some(instrument), Some(member)) =
                        (&mut instruments[slot], &mut stage.members[slot])
                    else {
                        continue;
                    };
                    let start = block_start - member.latency_before;
                    if member.automated.move_to(start as f64 / self.sample_rate_hz) {
                        instrument.set(&member.automated.fx);
                    }
                    member.due(&track.messages, start, &mut self.events);
                    for (frame, lanes) in self.voice.iter_mut().zip(&self.main) {
                        *frame = [lanes[2 * slot], lanes[2 * slot + 1]];
                    }
                    instrument.process(&self.events, &mut self.voice);
                    for (frame, lanes) in self.voice.iter().zip(&mut self.main) {
                        lanes[2 * slot] = frame[0];
                        lanes[2 * slot + 1] = frame[1];
                    }
                }
            }
        }
        if stage.partial {
            for (slot, member) in stage.members.iter().enumerate() {
                if member.is_none() {
                    for (lanes, dry) in self.main.iter_mut().zip(&self.dry) {
                        lanes[2 * slot] = dry[2 * slot];
                        lanes[2 * slot + 1] = dry[2 * slot + 1];
                    }
                }
            }
        }
        if !stage.side_delays.is_empty() {
            for (slot, pair, delay) in &mut stage.side_delays {
                delay.run(&mut self.tracks[*slot].input[*pair][range.clone()]);
            }
            self.load_aux(range);
        }
    }
}

/// Copies a block to a tap that somebody listens to.
fn publish(signal: &[Pair], tap: &mut [Pair], range: &std::ops::Range<usize>) {
    for (to, from) in tap.iter_mut().zip(signal) {
        to[range.clone()].copy_from_slice(&from[range.clone()]);
    }
}

impl Member {
    /// The messages of a block that starts at a frame.
    fn due(&mut self, messages: &[TimedMessage], start: i64, events: &mut Vec<NoteEvent>) {
        events.clear();
        while let Some(&(frame, message)) = messages.get(self.next_event) {
            if frame >= start + BLOCK as i64 {
                break;
            }
            events.push(NoteEvent {
                frame: (frame - start).max(0) as usize,
                message,
            });
            self.next_event += 1;
        }
    }
}

impl TrackRun {
    /// Sums items and inlets of a segment.
    fn gather(
        &mut self,
        step: usize,
        start: i64,
        frames: usize,
        ring: &Ring,
    ) -> Result<(), (PathBuf, String)> {
        if let Some(Premix::Replay(player)) = &mut self.premix {
            return player
                .read(&mut self.input)
                .map_err(|error| (player.path().to_owned(), error.to_string()));
        }
        for pair in &mut self.input {
            pair.fill([0.0; 2]);
        }
        for item in &mut self.items {
            item.add_to(start, frames, self.range, &mut self.input)?;
        }
        for inlet in &mut self.inlets {
            let written = (step - inlet.levels_away) % ring.len();
            let source = &ring[written][inlet.bundle][inlet.slot][inlet.tap];
            for (part, delay) in &mut inlet.parts {
                mix_in(
                    &mut self.input[part.to_pair],
                    &source[part.from_pair],
                    part,
                    delay,
                );
            }
        }
        if let Some(Premix::Record(recorder)) = &mut self.premix
            && let Err(error) = recorder.write(&self.input)
        {
            tracing::warn!(path = %recorder.target().display(), %error, "cannot keep the premix");
            self.premix = None;
        }
        Ok(())
    }
}

fn mix_in(target: &mut [[f64; 2]], source: &[[f64; 2]], part: &Part, delay: &mut DelayLine) {
    let [[ll, lr], [rl, rr]] = part.matrix;
    if lr == 0.0 && rl == 0.0 {
        if delay.is_through() {
            for (to, from) in target.iter_mut().zip(source) {
                to[0] += ll * from[0];
                to[1] += rr * from[1];
            }
            return;
        }
        for (to, from) in target.iter_mut().zip(source) {
            let from = delay.step(*from);
            to[0] += ll * from[0];
            to[1] += rr * from[1];
        }
        return;
    }
    for (to, from) in target.iter_mut().zip(source) {
        let from = delay.step(*from);
        to[0] += ll * from[0] + lr * from[1];
        to[1] += rl * from[0] + rr * from[1];
    }
}
