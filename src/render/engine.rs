//! The running graph of one pass: buffers, bundles, latency.
//!
//! A step moves the whole graph on by one segment, each level one segment
//! behind the level that feeds it, so that all bundles of a step can run at
//! the same time. What a bundle has put out stays in a ring for as many steps
//! as the furthest listener is levels away. Sums have a fixed order, and a
//! block always starts at a multiple of [`BLOCK`] frames of its track's own
//! time, so neither threads nor segment sizes change a bit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::audio::{Planar, Reader};
use crate::dsp::{Frame, SILENCE};
use crate::fx::{
    self, BLOCK, Instrument, NoteEvent, Processor, SLOTS, Sample, SampleLoader, Setup,
};
use crate::project::{Project, Source};

use super::chain::{self, ActiveFx, Automated};
use super::delay::DelayLine;
use super::fader::{Fader, MuteLane};
use super::graph::{self, Edge, Graph, Part, Tap};
use super::item::{ItemPlayer, Pair, Stage};
use super::media::{self, Library, Place};
use super::midi::{self, TimedMessage};
use super::schedule::{self, BundlePlan};
use super::{Pass, RenderError, TargetSource};

/// What a track has put out in one segment, by tap; empty where nobody listens.
pub(super) type TrackOut = [Vec<Pair>; 3];

/// Outputs of the last steps: step, bundle, slot.
pub(super) type Ring = Vec<Vec<Vec<TrackOut>>>;

/// Where a target finds its signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outlet {
    pub(super) bundle: usize,
    pub(super) slot: usize,
    pub(super) tap: usize,
    pub(super) level: usize,
    /// Frames by which the signal is late.
    pub(super) latency: u64,
}

pub(super) struct Engine {
    bundles: Vec<Bundle>,
    pub(super) ring: Ring,
    places: Vec<Option<(usize, usize)>>,
    latencies: Vec<Latency>,
    levels: Vec<usize>,
    pub(super) max_level: usize,
}

/// Frames by which a node's signal is late, before and after its effects.
#[derive(Debug, Clone, Copy, Default)]
struct Latency {
    input: usize,
    output: usize,
}

impl Latency {
    fn at(self, tap: Tap) -> usize {
        match tap {
            Tap::PreFx => self.input,
            Tap::PreFader | Tap::PostFader => self.output,
        }
    }
}

/// What an engine is built for.
pub(super) struct EngineSetup<'a> {
    pub(super) project: &'a Project,
    pub(super) pass: &'a Pass,
    pub(super) sample_rate_hz: u32,
    pub(super) folder: &'a Path,
    /// A multiple of [`BLOCK`].
    pub(super) segment_frames: usize,
}

fn node_of(project: &Project, source: TargetSource) -> usize {
    match source {
        TargetSource::Master => project.tracks.len(),
        TargetSource::Track(index) | TargetSource::TrackPreFader(index) => index,
    }
}

fn tap_of(source: TargetSource) -> Tap {
    match source {
        TargetSource::Master | TargetSource::Track(_) => Tap::PostFader,
        TargetSource::TrackPreFader(_) => Tap::PreFader,
    }
}

impl Engine {
    pub(super) fn new(setup: &EngineSetup<'_>, library: &mut Library) -> Result<Self, RenderError> {
        let project = setup.project;
        let wanted: Vec<usize> = setup
            .pass
            .targets
            .iter()
            .map(|target| node_of(project, target.source))
            .collect();
        let graph = graph::build(project, &wanted)?;
        let fx_setup = Setup {
            sample_rate_hz: f64::from(setup.sample_rate_hz),
            bpm: project
                .tempo
                .bpm_at(setup.pass.start_frame as f64 / f64::from(setup.sample_rate_hz)),
        };
        let nodes = graph.needed.len();
        let mut chains: Vec<Vec<ActiveFx<'_>>> = Vec::with_capacity(nodes);
        for node in 0..nodes {
            chains.push(if graph.needed[node] {
                chain::active(project, node, fx_setup)?
            } else {
                Vec::new()
            });
        }
        let keys: Vec<Vec<_>> = chains
            .iter()
            .map(|chain| chain.iter().map(|active| active.key).collect())
            .collect();
        let plans = schedule::schedule(&graph.levels, &graph.needed, &keys);
        let latencies = latencies(&graph, &chains);

        let mut places = vec![None; nodes];
        for (bundle, plan) in plans.iter().enumerate() {
            for (slot, &node) in plan.nodes.iter().enumerate() {
                places[node] = Some((bundle, slot));
            }
        }
        let listened = listened(&graph, setup);
        let mut builder = Builder {
            setup,
            fx_setup,
            graph: &graph,
            chains: &chains,
            latencies: &latencies,
            places: &places,
            library,
        };
        let bundles: Vec<Bundle> = plans
            .iter()
            .map(|plan| builder.bundle(plan))
            .collect::<Result<_, _>>()?;

        let furthest = graph
            .inputs
            .iter()
            .flatten()
            .map(|edge| graph.levels[edge.to].saturating_sub(graph.levels[edge.from]))
            .max();
        let depth = furthest.unwrap_or(0).max(1) + 1;
        let outputs = || -> Vec<Vec<TrackOut>> {
            plans
                .iter()
                .map(|plan| {
                    let slots = plan.nodes.iter();
                    slots
                        .map(|&node| track_out(project, node, &listened[node], setup))
                        .collect()
                })
                .collect()
        };
        Ok(Self {
            bundles,
            ring: (0..depth).map(|_| outputs()).collect(),
            places,
            latencies,
            max_level: graph.levels.iter().copied().max().unwrap_or(0),
            levels: graph.levels,
        })
    }

    /// Where a target listens; `None` when its track is silent.
    pub(super) fn outlet(&self, project: &Project, source: TargetSource) -> Option<Outlet> {
        let node = node_of(project, source);
        let (bundle, slot) = self.places[node]?;
        Some(Outlet {
            bundle,
            slot,
            tap: tap_of(source) as usize,
            level: self.levels[node],
            latency: self.latencies[node].at(tap_of(source)) as u64,
        })
    }

    /// Runs one step; `beside` runs at the same time and reads the ring.
    pub(super) fn step<E: std::marker::Send>(
        &mut self,
        step: usize,
        segments: usize,
        beside: impl FnOnce(&Ring) -> Result<(), E> + std::marker::Send,
    ) -> Result<Result<(), E>, RenderError> {
        let current = step % self.ring.len();
        let mut out = std::mem::take(&mut self.ring[current]);
        let (ring, bundles) = (&self.ring, &mut self.bundles);
        let (beside, ()) = rayon::join(
            || beside(ring),
            || {
                bundles
                    .par_iter_mut()
                    .zip(out.par_iter_mut())
                    .with_max_len(1)
                    .for_each(|(bundle, out)| {
                        if let Some(segment) = step.checked_sub(bundle.level)
                            && segment < segments
                        {
                            bundle.process(step, segment, ring, out);
                        }
                    });
            },
        );
        self.ring[current] = out;
        for bundle in &mut self.bundles {
            if let Some(error) = bundle.error.take() {
                return Err(error);
            }
        }
        Ok(beside)
    }
}

fn latencies(graph: &Graph, chains: &[Vec<ActiveFx<'_>>]) -> Vec<Latency> {
    let mut latencies = vec![Latency::default(); chains.len()];
    let mut order: Vec<usize> = (0..chains.len()).filter(|&n| graph.needed[n]).collect();
    order.sort_by_key(|&node| graph.levels[node]);
    for node in order {
        let feeds = graph.inputs[node].iter();
        let input = feeds
            .map(|edge| latencies[edge.from].at(edge.tap))
            .max()
            .unwrap_or(0);
        let chain: usize = chains[node].iter().map(|fx| fx.key.latency_frames).sum();
        latencies[node] = Latency {
            input,
            output: input + chain,
        };
    }
    latencies
}

/// Which taps of each node somebody listens to.
fn listened(graph: &Graph, setup: &EngineSetup<'_>) -> Vec<[bool; 3]> {
    let mut listened = vec![[false; 3]; graph.needed.len()];
    let edges = graph.inputs.iter().flatten();
    for edge in edges.filter(|edge| graph.needed[edge.to]) {
        listened[edge.from][edge.tap as usize] = true;
    }
    for target in &setup.pass.targets {
        let node = node_of(setup.project, target.source);
        listened[node][tap_of(target.source) as usize] = true;
    }
    listened
}

fn track_out(
    project: &Project,
    node: usize,
    listened: &[bool; 3],
    setup: &EngineSetup<'_>,
) -> TrackOut {
    let pairs = graph::pairs(graph::node_track(project, node));
    listened.map(|listened| {
        if listened {
            vec![vec![[0.0; 2]; setup.segment_frames]; pairs]
        } else {
            Vec::new()
        }
    })
}

struct Builder<'a> {
    setup: &'a EngineSetup<'a>,
    fx_setup: Setup,
    graph: &'a Graph,
    chains: &'a [Vec<ActiveFx<'a>>],
    latencies: &'a [Latency],
    places: &'a [Option<(usize, usize)>],
    library: &'a mut Library,
}

impl Builder<'_> {
    fn bundle(&mut self, plan: &BundlePlan) -> Result<Bundle, RenderError> {
        let mut before = [0; SLOTS];
        for (slot, &node) in plan.nodes.iter().enumerate() {
            before[slot] = self.latencies[node].input;
        }
        let mut stages = Vec::with_capacity(plan.stages.len());
        for stage in &plan.stages {
            stages.push(self.stage(plan, stage, &mut before)?);
        }
        let tracks: Vec<TrackRun> = plan
            .nodes
            .iter()
            .map(|&node| self.track(node))
            .collect::<Result<_, _>>()?;
        Ok(Bundle {
            level: plan.level,
            has_aux: tracks.iter().any(|track| track.input.len() > 1),
            tracks,
            stages,
            main: vec![SILENCE; BLOCK].into(),
            dry: vec![SILENCE; BLOCK].into(),
            aux: vec![SILENCE; BLOCK].into(),
            events: Vec::with_capacity(256),
            voice: vec![[0.0; 2]; BLOCK].into(),
            segment_frames: self.setup.segment_frames,
            start_frame: self.setup.pass.start_frame as i64,
            sample_rate_hz: f64::from(self.setup.sample_rate_hz),
            error: None,
        })
    }

    fn stage(
        &self,
        plan: &BundlePlan,
        stage: &schedule::StagePlan,
        before: &mut [usize; SLOTS],
    ) -> Result<StageRun, RenderError> {
        let project = self.setup.project;
        let active = |slot: usize| -> Option<&ActiveFx<'_>> {
            let node = *plan.nodes.get(slot)?;
            stage.positions[slot].map(|position| &self.chains[node][position])
        };
        let failed = |slot: usize, error: fx::FxError| RenderError::Plugin {
            track: graph::node_name(project, plan.nodes[slot]),
            reason: describe(&error),
        };
        let latency = stage.key.latency_frames;
        let mut members: [Option<Member>; SLOTS] = Default::default();
        let mut side_delays = Vec::new();
        for slot in 0..plan.nodes.len() {
            if let Some(active) = active(slot) {
                members[slot] = Some(Member {
                    automated: Automated::new(active.fx),
                    latency_before: before[slot] as i64,
                    next_event: 0,
                });
                before[slot] += latency;
                let pairs = graph::pairs(graph::node_track(project, plan.nodes[slot]));
                if latency > 0 {
                    side_delays
                        .extend((1..pairs).map(|pair| (slot, pair, DelayLine::new(latency))));
                }
            }
        }
        let unit = if stage.key.instrument {
            let loader = FileSamples {
                folder: self.setup.folder,
            };
            let mut instruments: [Option<Box<dyn Instrument>>; SLOTS] = Default::default();
            for (slot, instrument) in instruments.iter_mut().enumerate() {
                if let Some(active) = active(slot) {
                    *instrument = Some(
                        fx::new_instrument(active.model, self.fx_setup, active.fx, &loader)
                            .map_err(|error| failed(slot, error))?,
                    );
                }
            }
            Unit::Instruments(instruments)
        } else {
            let slots: [Option<&crate::project::Fx>; SLOTS] =
                std::array::from_fn(|slot| active(slot).map(|active| active.fx));
            let Some((first, model)) =
                (0..SLOTS).find_map(|slot| Some((slot, active(slot)?.model)))
            else {
                // A stage stands for at least one effect.
                return Err(RenderError::Plugin {
                    track: graph::node_name(project, plan.nodes[0]),
                    reason: "a stage without effects".to_owned(),
                });
            };
            Unit::Group(
                fx::new_group(model, self.fx_setup, &slots)
                    .map_err(|error| failed(first, error))?,
            )
        };
        Ok(StageRun {
            unit,
            partial: (0..plan.nodes.len()).any(|slot| members[slot].is_none()),
            members,
            side_delays,
        })
    }

    fn track(&mut self, node: usize) -> Result<TrackRun, RenderError> {
        let project = self.setup.project;
        let track = graph::node_track(project, node);
        let name = graph::node_name(project, node);
        let pass = self.setup.pass;
        let stage = Stage {
            project,
            folder: self.setup.folder,
            sample_rate_hz: self.setup.sample_rate_hz,
            start: pass.start_frame as i64,
            end: (pass.start_frame + pass.frames - pass.tail_frames) as i64,
        };
        let mut items = Vec::new();
        for (index, item) in track.items.iter().enumerate() {
            let Some(take) = item.take().filter(|_| !item.muted) else {
                continue;
            };
            if matches!(take.source, Source::Midi(_)) {
                continue;
            }
            let place = Place {
                track: &name,
                item: index + 1,
            };
            items.extend(ItemPlayer::new(item, take, &stage, place, self.library)?);
        }
        let plays = |node: usize| self.chains[node].iter().any(|fx| fx.key.instrument);
        let messages = if plays(node) {
            midi::gather(node, self.graph, &stage, &plays)?
        } else {
            Vec::new()
        };
        let inlets = self.graph.inputs[node]
            .iter()
            .filter_map(|edge| self.inlet(edge))
            .collect();
        Ok(TrackRun {
            input: vec![vec![[0.0; 2]; self.setup.segment_frames]; graph::pairs(track)],
            items,
            inlets,
            messages,
            before_fx: Fader::before_fx(track, &project.settings),
            fader: Fader::of_track(track, &project.settings),
            mute: MuteLane::of_track(track),
            latency: self.latencies[node],
            range: (stage.start, stage.end),
            name,
        })
    }

    fn inlet(&self, edge: &Edge) -> Option<Inlet> {
        let (bundle, slot) = self.places[edge.from]?;
        let late = self.latencies[edge.from].at(edge.tap);
        let delay = self.latencies[edge.to].input - late;
        Some(Inlet {
            bundle,
            slot,
            tap: edge.tap as usize,
            levels_away: self.graph.levels[edge.to] - self.graph.levels[edge.from],
            parts: edge
                .parts
                .iter()
                .map(|&part| (part, DelayLine::new(delay)))
                .collect(),
        })
    }
}

fn describe(error: &fx::FxError) -> String {
    use std::error::Error;
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Largest sample file a sampler may hold: 20 minutes at 48 kHz.
const MAX_SAMPLE_FRAMES: usize = 20 * 60 * 48_000;

struct FileSamples<'a> {
    folder: &'a Path,
}

impl SampleLoader for FileSamples<'_> {
    fn load(
        &self,
        file: &str,
    ) -> Result<Arc<Sample>, Box<dyn std::error::Error + std::marker::Send + Sync>> {
        let mut reader = Reader::open(media::resolve(file, self.folder))?;
        let (channels, rate) = (reader.facts().channels as usize, reader.facts().sample_rate);
        let mut block = Planar::<f32>::new(channels, 4096);
        let mut frames = Vec::new();
        loop {
            let got = reader.read(&mut block)?;
            if got == 0 {
                break;
            }
            let (left, right) = (block.channel(0), block.channel(usize::from(channels > 1)));
            frames.extend(left.iter().zip(right).take(got).map(|(&l, &r)| [l, r]));
            if frames.len() > MAX_SAMPLE_FRAMES {
                return Err("the sample is longer than 20 minutes".into());
            }
        }
        Ok(Arc::new(Sample {
            sample_rate_hz: f64::from(rate),
            frames,
        }))
    }
}

/// Nodes that run side by side in lanes.
struct Bundle {
    level: usize,
    tracks: Vec<TrackRun>,
    stages: Vec<StageRun>,
    has_aux: bool,
    main: Box<[Frame]>,
    dry: Box<[Frame]>,
    aux: Box<[Frame]>,
    events: Vec<NoteEvent>,
    voice: Box<[[f64; 2]]>,
    segment_frames: usize,
    start_frame: i64,
    sample_rate_hz: f64,
    error: Option<RenderError>,
}

struct TrackRun {
    name: String,
    /// Sum of items and inlets, then the signal on its way through the track.
    input: Vec<Pair>,
    items: Vec<ItemPlayer>,
    inlets: Vec<Inlet>,
    messages: Vec<TimedMessage>,
    before_fx: Option<Fader>,
    fader: Fader,
    mute: MuteLane,
    latency: Latency,
    /// Frames in which items sound.
    range: (i64, i64),
}

/// An incoming connection.
struct Inlet {
    bundle: usize,
    slot: usize,
    tap: usize,
    levels_away: usize,
    parts: Vec<(Part, DelayLine)>,
}

struct StageRun {
    unit: Unit,
    members: [Option<Member>; SLOTS],
    /// Some slots of the bundle have no effect here.
    partial: bool,
    /// Channels past the first pair wait for it: slot, pair, delay.
    side_delays: Vec<(usize, usize, DelayLine)>,
}

enum Unit {
    Group(Box<dyn Processor>),
    Instruments([Option<Box<dyn Instrument>>; SLOTS]),
}

struct Member {
    automated: Automated,
    /// Frames by which the stage's input is late.
    latency_before: i64,
    /// First message that has not been played.
    next_event: usize,
}

impl Bundle {
    fn process(&mut self, step: usize, segment: usize, ring: &Ring, out: &mut [TrackOut]) {
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
