//! The signal graph of a project: who sounds, who feeds whom, in which order.
//! Pure; knows nothing of effects or files.

use std::collections::BTreeMap;

use crate::project::{Guid, Project, Send, SendMode, Track};

use super::RenderError;
use super::pan::{IDENTITY, Matrix, Pan, scaled};

/// Where a signal leaves a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tap {
    PreFx,
    PreFader,
    PostFader,
}

/// A connection between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) tap: Tap,
    pub(super) parts: Vec<Part>,
}

/// One channel pair of a connection: `to += matrix * from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) from_pair: usize,
    pub(super) to_pair: usize,
    pub(super) matrix: Matrix,
}

/// A way for MIDI between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MidiEdge {
    pub(super) from: usize,
    /// `None` is all channels.
    pub(super) from_channel: Option<u8>,
    /// `None` keeps the channel.
    pub(super) to_channel: Option<u8>,
}

/// Nodes are tracks by index, the master comes last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Graph {
    /// Feeds each node by incoming edges; order is that of summing: children
    /// by track order, then receives in the order of creation.
    pub(super) inputs: Vec<Vec<Edge>>,
    /// MIDI that reaches each node.
    pub(super) midi: Vec<Vec<MidiEdge>>,
    /// Nodes that sound and are heard by a wanted one.
    pub(super) needed: Vec<bool>,
    /// Longest way from a source, for needed nodes.
    pub(super) levels: Vec<usize>,
}

/// Builds the graph of what the wanted nodes hear.
///
/// # Errors
///
/// [`RenderError::FeedbackLoop`] names the tracks of a loop in order.
pub(super) fn build(project: &Project, wanted: &[usize]) -> Result<Graph, RenderError> {
    let master = project.tracks.len();
    let parents = project.parents();
    let sounding = Sounding::of(project, &parents);

    let mut inputs: Vec<Vec<Edge>> = vec![Vec::new(); master + 1];
    let mut midi: Vec<Vec<MidiEdge>> = vec![Vec::new(); master + 1];
    for (index, track) in project.tracks.iter().enumerate() {
        if track.main_send && sounding.main[index] {
            let to = parents[index].unwrap_or(master);
            let edge = main_edge(project, index, to);
            if !edge.parts.is_empty() {
                inputs[to].push(edge);
            }
            midi[to].push(MidiEdge {
                from: index,
                from_channel: None,
                to_channel: None,
            });
        }
    }
    for (send, from, to) in open_sends(project) {
        if sounding.main[from] || sounding.feeds(from, to) {
            if send.source_channel >= 0 {
                let edge = send_edge(project, send, from, to);
                if !edge.parts.is_empty() {
                    inputs[to].push(edge);
                }
            }
            midi[to].extend(midi_edge(send, from));
        }
    }

    let mut needed = vec![false; master + 1];
    let mut open: Vec<usize> = wanted
        .iter()
        .copied()
        .filter(|&node| sounding.processes(node))
        .collect();
    while let Some(node) = open.pop() {
        if !needed[node] {
            needed[node] = true;
            open.extend(inputs[node].iter().map(|edge| edge.from));
        }
    }
    let levels = levels(project, &inputs, &needed)?;
    Ok(Graph {
        inputs,
        midi,
        needed,
        levels,
    })
}

/// Name of a node for messages.
pub(super) fn node_name(project: &Project, node: usize) -> String {
    match project.tracks.get(node) {
        Some(track) if track.name.is_empty() => format!("Track {}", node + 1),
        Some(track) => track.name.clone(),
        None => "MASTER".to_owned(),
    }
}

/// The track behind a node.
pub(super) fn node_track(project: &Project, node: usize) -> &Track {
    project.tracks.get(node).unwrap_or(&project.master)
}

/// Channel pairs of a node.
pub(super) fn pairs(track: &Track) -> usize {
    (track.channels.clamp(2, 128) as usize).div_ceil(2)
}

/// Which tracks sound under mute and solo.
struct Sounding {
    /// The track's outputs pass, by track.
    main: Vec<bool>,
    /// The track passes its sends towards soloed receivers only.
    feeding: Vec<bool>,
    master: bool,
}

impl Sounding {
    fn of(project: &Project, parents: &[Option<usize>]) -> Self {
        let tracks = &project.tracks;
        let soloed: Vec<bool> = tracks.iter().map(|track| track.solo != 0).collect();
        let mut main = vec![true; tracks.len()];
        let mut feeding = vec![false; tracks.len()];
        if soloed.contains(&true) {
            let ancestors =
                |index: usize| std::iter::successors(parents[index], |&parent| parents[parent]);
            main.clone_from(&soloed);
            for index in 0..tracks.len() {
                main[index] |= tracks[index].solo_defeat;
                main[index] |= ancestors(index).any(|parent| soloed[parent]);
            }
            // In place, what a soloed track feeds is heard, and what feeds it
            // is heard through it.
            let in_place: Vec<bool> = tracks.iter().map(|t| matches!(t.solo, 2 | 6)).collect();
            let mut downstream = in_place.clone();
            let mut upstream = in_place;
            let links: Vec<(usize, usize)> = open_sends(project)
                .map(|(_, from, to)| (from, to))
                .collect();
            for _ in 0..tracks.len() {
                let mut changed = false;
                for &(from, to) in &links {
                    if downstream[from] && !downstream[to] {
                        downstream[to] = true;
                        changed = true;
                    }
                    if upstream[to] && !upstream[from] {
                        upstream[from] = true;
                        changed = true;
                    }
                }
                for index in 0..tracks.len() {
                    if parents[index].is_some_and(|parent| upstream[parent]) && !upstream[index] {
                        upstream[index] = true;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
            for index in 0..tracks.len() {
                main[index] |= downstream[index];
            }
            // Folders on the way of an audible track stay open.
            let audible = main.clone();
            for index in (0..tracks.len()).filter(|&index| audible[index]) {
                for parent in ancestors(index) {
                    main[parent] = true;
                }
            }
            feeding = upstream;
        }
        for (index, track) in tracks.iter().enumerate() {
            if track.muted {
                main[index] = false;
                feeding[index] = false;
            }
        }
        Self {
            main,
            feeding,
            master: !project.master.muted,
        }
    }

    /// An unsoloed source may be heard through a soloed receiver.
    fn feeds(&self, from: usize, to: usize) -> bool {
        self.feeding[from] && self.feeding.get(to).copied().unwrap_or(false)
    }

    fn processes(&self, node: usize) -> bool {
        self.main.get(node).copied().unwrap_or(self.master)
    }
}

/// Sends between existing tracks that are not muted.
fn open_sends(project: &Project) -> impl Iterator<Item = (&Send, usize, usize)> {
    let mut by_guid: BTreeMap<Guid, usize> = BTreeMap::new();
    for (index, track) in project.tracks.iter().enumerate() {
        by_guid.entry(track.guid).or_insert(index);
    }
    project.sends.iter().filter_map(move |send| {
        let from = *by_guid.get(&send.source)?;
        let to = *by_guid.get(&send.dest?)?;
        (!send.muted).then_some((send, from, to))
    })
}

fn main_edge(project: &Project, from: usize, to: usize) -> Edge {
    let track = node_track(project, from);
    let (source_pairs, dest_pairs) = (pairs(track), pairs(node_track(project, to)));
    let offset = track.main_send_offset as usize;
    let mut routes = Vec::new();
    for channel in 0..2 * source_pairs {
        routes.push((channel, channel + offset, 1.0));
    }
    Edge {
        from,
        to,
        tap: Tap::PostFader,
        parts: parts(&routes, source_pairs, dest_pairs),
    }
}

fn send_edge(project: &Project, send: &Send, from: usize, to: usize) -> Edge {
    let settings = &project.settings;
    let law = send.pan_law.unwrap_or(settings.pan_law);
    let sign = if send.phase_inverted { -1.0 } else { 1.0 };
    let matrix = scaled(
        Pan::balance(send.pan, law, settings.pan_law_flags).matrix(),
        sign * finite_gain(send.volume),
    );
    let source = send.source_channel as usize;
    let (offset, width_code) = (source & 1023, source >> 10);
    let dest = send.dest_channel.max(0) as usize;
    let (dest_offset, to_mono) = (dest & 1023, dest & 1024 != 0);

    let mut routes = Vec::new();
    match width_code {
        // A mono source feeds both sides.
        1 if to_mono => routes.push((offset, dest_offset, sign * finite_gain(send.volume))),
        1 => {
            routes.push((offset, dest_offset, matrix[0][0]));
            routes.push((offset, dest_offset + 1, matrix[1][1]));
        }
        code => {
            let width = if code == 0 { 2 } else { 2 * code };
            for pair in 0..width / 2 {
                let (left, right) = (offset + 2 * pair, offset + 2 * pair + 1);
                let target = if to_mono {
                    dest_offset
                } else {
                    dest_offset + 2 * pair
                };
                if to_mono {
                    // Mixing to mono keeps the level of a centred signal.
                    routes.push((left, target, 0.5 * matrix[0][0]));
                    routes.push((right, target, 0.5 * matrix[1][1]));
                } else if send.mono {
                    for (row, channel) in [(0, target), (1, target + 1)] {
                        routes.push((left, channel, 0.5 * matrix[row][row]));
                        routes.push((right, channel, 0.5 * matrix[row][row]));
                    }
                } else {
                    routes.push((left, target, matrix[0][0]));
                    routes.push((right, target + 1, matrix[1][1]));
                }
            }
        }
    }
    Edge {
        from,
        to,
        tap: match send.mode {
            SendMode::PreFx => Tap::PreFx,
            SendMode::PreFader | SendMode::PostFxOld => Tap::PreFader,
            SendMode::PostFader => Tap::PostFader,
        },
        parts: parts(
            &routes,
            pairs(node_track(project, from)),
            pairs(node_track(project, to)),
        ),
    }
}

/// `I_MIDIFLAGS`: source channel in the low 5 bits, target in the next 5.
fn midi_edge(send: &Send, from: usize) -> Option<MidiEdge> {
    let channel = |number: i32| (1..=16).contains(&number).then(|| (number - 1) as u8);
    let source = send.midi_flags & 31;
    (send.midi_flags >= 0 && source != 31).then(|| MidiEdge {
        from,
        from_channel: channel(source),
        to_channel: channel((send.midi_flags >> 5) & 31),
    })
}

/// Collects single-channel routes into pairs; channels that do not exist are
/// left out.
fn parts(routes: &[(usize, usize, f64)], source_pairs: usize, dest_pairs: usize) -> Vec<Part> {
    let mut cells: BTreeMap<(usize, usize), Matrix> = BTreeMap::new();
    for &(from, to, gain) in routes {
        if from / 2 < source_pairs && to / 2 < dest_pairs && gain != 0.0 {
            let matrix = cells
                .entry((to / 2, from / 2))
                .or_insert(scaled(IDENTITY, 0.0));
            matrix[to % 2][from % 2] += gain;
        }
    }
    cells
        .into_iter()
        .map(|((to_pair, from_pair), matrix)| Part {
            from_pair,
            to_pair,
            matrix,
        })
        .collect()
}

fn finite_gain(gain: f64) -> f64 {
    if gain.is_finite() { gain } else { 0.0 }
}

fn levels(
    project: &Project,
    inputs: &[Vec<Edge>],
    needed: &[bool],
) -> Result<Vec<usize>, RenderError> {
    let count = inputs.len();
    let mut levels = vec![0; count];
    let mut waiting: Vec<usize> = inputs.iter().map(Vec::len).collect();
    let mut outputs: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in inputs.iter().flatten() {
        outputs[edge.from].push(edge.to);
    }
    let mut ready: Vec<usize> = (0..count)
        .filter(|&n| needed[n] && waiting[n] == 0)
        .collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        for &to in outputs[node].iter().filter(|&&to| needed[to]) {
            levels[to] = levels[to].max(levels[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    if done == needed.iter().filter(|&&n| n).count() {
        return Ok(levels);
    }
    Err(RenderError::FeedbackLoop {
        tracks: find_loop(inputs, needed, &waiting)
            .into_iter()
            .map(|node| node_name(project, node))
            .collect(),
    })
}

/// Walks backwards among nodes that never became ready until one repeats.
fn find_loop(inputs: &[Vec<Edge>], needed: &[bool], waiting: &[usize]) -> Vec<usize> {
    let stuck = |node: usize| needed[node] && waiting[node] > 0;
    let Some(mut node) = (0..inputs.len()).find(|&node| stuck(node)) else {
        return Vec::new();
    };
    let mut seen: Vec<usize> = Vec::new();
    loop {
        if let Some(at) = seen.iter().position(|&other| other == node) {
            let mut cycle = seen.split_off(at);
            cycle.push(node);
            cycle.reverse();
            return cycle;
        }
        seen.push(node);
        match inputs[node]
            .iter()
            .map(|edge| edge.from)
            .find(|&n| stuck(n))
        {
            Some(from) => node = from,
            None => return seen,
        }
    }
}
