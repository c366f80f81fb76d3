//! From a planned bundle to one that runs: effects, faders, items, delays.

use std::path::Path;
use std::sync::Arc;

use super::running::{Bundle, Inlet, Member, StageRun, TrackRun, Unit};
use super::{EngineSetup, Latency};
use crate::audio::{Planar, Reader};
use crate::dsp::SILENCE;
use crate::fx::{self, BLOCK, Instrument, SLOTS, Sample, SampleLoader, Setup};
use crate::project::Source;
use crate::render::RenderError;
use crate::render::chain::{ActiveFx, Automated};
use crate::render::delay::DelayLine;
use crate::render::fader::{Fader, MuteLane};
use crate::render::graph::{self, Edge, Graph};
use crate::render::item::{ItemPlayer, Stage};
use crate::render::media::{self, Library, Place};
use crate::render::midi;
use crate::render::schedule::{self, BundlePlan};

/// What bundles are built from.
pub(super) struct Builder<'a> {
    pub(super) setup: &'a EngineSetup<'a>,
    pub(super) fx_setup: Setup,
    pub(super) graph: &'a Graph,
    pub(super) chains: &'a [Vec<ActiveFx<'a>>],
    pub(super) latencies: &'a [Latency],
    pub(super) places: &'a [Option<(usize, usize)>],
    pub(super) library: &'a mut Library,
}

impl Builder<'_> {
    pub(super) fn bundle(&mut self, plan: &BundlePlan) -> Result<Bundle, RenderError> {
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
            premix: None,
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
