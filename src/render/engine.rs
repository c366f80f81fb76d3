//! The running graph of one pass: buffers, bundles, latency.
//!
//! A step moves the whole graph on by one segment, each level one segment
//! behind the level that feeds it, so that all bundles of a step can run at
//! the same time. What a bundle has put out stays in a ring for as many steps
//! as the furthest listener is levels away. Sums have a fixed order, and a
//! block always starts at a multiple of [`BLOCK`](crate::fx::BLOCK) frames of its track's own
//! time, so neither threads nor segment sizes change a bit.

use std::path::Path;

use rayon::prelude::*;

use crate::fx::Setup;
use crate::project::Project;

use super::chain::{self, ActiveFx};
use super::graph::{self, Graph, Tap};
use super::item::Pair;
use super::media::Library;
use super::premix::Premix;
use super::schedule;
use super::{Pass, RenderError, TargetSource};

mod build;
mod running;

use build::Builder;
use running::Bundle;

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
    /// A multiple of [`BLOCK`](crate::fx::BLOCK).
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
    /// Builds the graph for a pass. With a premix to replay, only the master
    /// runs.
    pub(super) fn new(
        setup: &EngineSetup<'_>,
        library: &mut Library,
        premix: Option<Premix>,
    ) -> Result<Self, RenderError> {
        let project = setup.project;
        let master = project.tracks.len();
        let wanted: Vec<usize> = setup
            .pass
            .targets
            .iter()
            .map(|target| node_of(project, target.source))
            .collect();
        let mut graph = graph::build(project, &wanted)?;
        if let Some(Premix::Replay(_)) = &premix {
            graph = graph.alone(master);
        }
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
        let mut latencies = latencies(&graph, &chains);
        if let Some(Premix::Replay(player)) = &premix {
            let chain = latencies[master].output - latencies[master].input;
            latencies[master] = Latency {
                input: player.latency,
                output: player.latency + chain,
            };
        }

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
        let mut bundles: Vec<Bundle> = plans
            .iter()
            .map(|plan| builder.bundle(plan))
            .collect::<Result<_, _>>()?;
        if let Some((bundle, slot)) = places[master] {
            bundles[bundle].tracks[slot].premix = premix;
        }

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

    /// Completes the premix that was recorded. What goes wrong costs the next
    /// pass time, not this one its result.
    pub(super) fn finish_premix(&mut self) {
        for track in self.bundles.iter_mut().flat_map(|b| &mut b.tracks) {
            if let Some(Premix::Record(recorder)) = track.premix.take() {
                let target = recorder.target().to_owned();
                if let Err(error) = recorder.finish(track.latency.input) {
                    tracing::warn!(path = %target.display(), %error, "cannot keep the premix");
                }
            }
        }
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
