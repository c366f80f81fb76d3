//! Making a project what a plan says, through bridge commands.
//!
//! What the engine adds carries a tag: effects and buses in their name, and
//! with each track it touched it remembers, in the project file, the fader and
//! pan from before. Nothing without a tag is ever removed.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::bridge::{Bridge, Call, CallError};

use super::chain::{self, Change};
use super::model::{Applied, MixPlan, TrackPlan};
use super::observe::{EXT_KEY, Memory, Scene, TrackState, Trips, memory};
use super::params::{self, Detector, Effect};

/// Faders and sends are equal within this, in dB; pans within a thousandth.
const LEVEL_TOLERANCE_DB: f64 = 0.005;
const PAN_TOLERANCE: f64 = 0.001;

/// Why a plan could not be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MixError {
    #[error(transparent)]
    Bridge(#[from] CallError),
    /// A value that was written but reads differently.
    #[error("{place}: wrote {wanted}, reads {found}")]
    NotTaken {
        /// Track, effect and parameter.
        place: String,
        wanted: String,
        found: String,
    },
    /// The project is not the one that was planned for.
    #[error("the project has no track `{track}` any more")]
    TrackGone { track: String },
    /// An answer of an unknown form.
    #[error("`{command}` answered in an unknown form: {reason}")]
    Answer {
        command: &'static str,
        reason: String,
    },
}

/// Applies a plan, in five round trips for up to some hundred tracks. Applying
/// it again changes nothing and writes nothing.
///
/// # Errors
///
/// The bridge failed or a value did not take; what was done before stays.
pub fn mix(bridge: &mut dyn Bridge, plan: &MixPlan) -> Result<Applied, MixError> {
    let mut trips = Trips::new(bridge);
    let scene = Scene::read(&mut trips)?;
    let goal = Goal::new(plan, &scene)?;
    let state = State::read(&mut trips, &scene, &goal)?;
    let mut applied = Applied::default();
    let made = write_tracks(&mut trips, &scene, &state, &goal, &mut applied)?;
    write_routing(&mut trips, &scene, &state, &goal, &made, &mut applied)?;
    if applied.changed + applied.removed > 0 {
        applied.verified += verify(&mut trips, plan)?;
    } else {
        applied.verified += goal.values();
    }
    applied.round_trips = trips.count;
    Ok(applied)
}

/// What every track of the scene should become.
struct Goal<'a> {
    plan: &'a MixPlan,
    /// By position in the scene: the planned track.
    planned: BTreeMap<usize, &'a TrackPlan>,
    /// By position in the plan: the position in the scene.
    place: Vec<usize>,
    /// By position in the scene.
    effects: Vec<Vec<Effect>>,
}

impl<'a> Goal<'a> {
    fn new(plan: &'a MixPlan, scene: &Scene) -> Result<Self, MixError> {
        let mut planned = BTreeMap::new();
        let mut place = Vec::new();
        let mut effects = vec![Vec::new(); scene.tracks.len()];
        for (i, track) in plan.tracks.iter().enumerate() {
            let at = find(track, scene)?;
            effects[at] = effects_of(plan, i);
            planned.insert(at, track);
            place.push(at);
        }
        Ok(Self {
            plan,
            planned,
            place,
            effects,
        })
    }

    /// How many values the goal holds.
    fn values(&self) -> u32 {
        let effects = self.effects.iter().flatten();
        let of_effects: usize = effects.map(|fx| fx.settings.len() + fx.named.len()).sum();
        let sends: usize = self.plan.tracks.iter().map(|track| track.sends.len()).sum();
        // Counts of a plan stay far below the limit.
        (of_effects + sends + 2 * self.plan.tracks.len()) as u32
    }

    /// GUIDs of the tracks that duck the track at a place of the scene.
    fn keys(&self, at: usize, scene: &Scene) -> Vec<String> {
        let ducks = self.plan.sidechains.iter();
        ducks
            .filter(|duck| self.place[duck.target] == at)
            .flat_map(|duck| &duck.keys)
            .map(|&key| scene.tracks[self.place[key]].guid.clone())
            .collect()
    }
}

fn find(track: &TrackPlan, scene: &Scene) -> Result<usize, MixError> {
    let by_guid = |state: &TrackState| !track.guid.is_empty() && state.guid == track.guid;
    let by_place = |state: &TrackState| {
        track.guid.is_empty() && state.index == track.index && state.name == track.name
    };
    scene
        .tracks
        .iter()
        .position(|state| by_guid(state) || by_place(state))
        .ok_or_else(|| MixError::TrackGone {
            track: track.name.clone(),
        })
}

fn effects_of(plan: &MixPlan, at: usize) -> Vec<Effect> {
    let track = &plan.tracks[at];
    let families = &plan.families;
    let eq = track.eq.iter();
    let eq = eq.map(|eq| params::equaliser(families.eq, "", eq));
    let compressor = track.compressor.iter();
    let compressor = compressor
        .map(|settings| params::compressor(families.compressor, "", settings, Detector::Main));
    let ducks = plan.sidechains.iter().filter(|duck| duck.target == at);
    let ducks = ducks.map(|duck| {
        let suffix = format!("duck {}", duck.key_role);
        params::compressor(
            families.compressor,
            &suffix,
            &duck.compressor,
            Detector::Aux,
        )
    });
    eq.chain(compressor).chain(ducks).collect()
}

/// What is there of what the goal wants.
struct State {
    memories: Vec<Memory>,
    /// By position in the scene.
    changes: Vec<Change>,
    /// Position in the scene of each planned bus that is there.
    buses: Vec<Option<usize>>,
    /// Positions of buses that no one feeds any more.
    stale_buses: Vec<usize>,
}

impl State {
    fn read(trips: &mut Trips, scene: &Scene, goal: &Goal) -> Result<Self, MixError> {
        // Memories and all values of tagged effects in the same trip: a bus is
        // known by its memory, so that its values are asked for by its name.
        let mut calls = scene.memory_calls();
        let mut reads = Vec::new();
        for (at, track) in scene.tracks.iter().enumerate() {
            let named = goal
                .plan
                .buses
                .iter()
                .find(|bus| bus.track_name == track.name);
            let wanted = match named {
                Some(bus) => vec![params::reverb(goal.plan.families.reverb, &bus.reverb)],
                None => goal.effects[at].clone(),
            };
            let mut spans = Vec::new();
            if chain::same_line_up(&track.fx, &wanted) {
                for (fx, effect) in chain::tagged(&track.fx).iter().zip(&wanted) {
                    let start = calls.len();
                    calls.extend(chain::read_calls(&track.address(), fx.index, effect));
                    spans.push((fx.index, start..calls.len()));
                }
                reads.push(Some((wanted, spans)));
            } else {
                reads.push(None);
            }
        }
        let replies = trips.run_all(calls)?;
        let memories: Vec<Memory> = replies
            .iter()
            .take(scene.tracks.len())
            .map(memory)
            .collect();
        let buses: Vec<Option<usize>> = goal
            .plan
            .buses
            .iter()
            .map(|bus| {
                memories
                    .iter()
                    .zip(&scene.tracks)
                    .position(|(memory, track)| {
                        memory.bus.as_ref() == Some(&bus.name) && track.name == bus.track_name
                    })
            })
            .collect();
        let is_stale = |at: &usize| memories[*at].bus.is_some() && !buses.contains(&Some(*at));
        let stale_buses: Vec<usize> = (0..scene.tracks.len()).filter(is_stale).collect();
        let mut changes = Vec::new();
        for (at, track) in scene.tracks.iter().enumerate() {
            let bus = buses.iter().position(|place| *place == Some(at));
            let wanted = match bus {
                Some(bus) => {
                    let reverb = &goal.plan.buses[bus].reverb;
                    vec![params::reverb(goal.plan.families.reverb, reverb)]
                }
                None => goal.effects[at].clone(),
            };
            changes.push(match &reads[at] {
                Some((read, spans)) if *read == wanted => {
                    let differing = spans.iter().zip(&wanted).filter(|((_, span), effect)| {
                        chain::difference(effect, &replies[span.clone()]).is_some()
                    });
                    let differing = differing.map(|((index, _), effect)| (*index, effect.clone()));
                    Change::Set(differing.collect())
                }
                _ => {
                    let there = chain::tagged(&track.fx);
                    Change::Rebuild(there.iter().map(|fx| fx.index).collect(), wanted)
                }
            });
        }
        Ok(Self {
            memories,
            changes,
            buses,
            stale_buses,
        })
    }
}

/// Chain indices of the effects after they were written, by position in the
/// scene, and GUIDs of the buses, by position in the plan.
struct Made {
    fx_indices: Vec<Vec<i64>>,
    bus_guids: Vec<(String, Value)>,
}

fn write_tracks(
    trips: &mut Trips,
    scene: &Scene,
    state: &State,
    goal: &Goal,
    applied: &mut Applied,
) -> Result<Made, MixError> {
    let mut calls = Vec::new();
    remove_stale(scene, state, goal, &mut calls, applied);
    let configured = configure(scene, state, goal, applied);
    if !configured.is_empty() {
        calls.push(Call::new(
            "configure_tracks",
            json!({ "tracks": configured }),
        ));
    }
    // Which effects each entry of `setup_fx_chain` writes.
    let mut written: Vec<(usize, Vec<Effect>)> = Vec::new();
    let mut chains = Vec::new();
    for (at, change) in state.changes.iter().enumerate() {
        let (entries, effects): (Vec<Value>, Vec<Effect>) = match change {
            Change::Set(list) => list
                .iter()
                .map(|(index, effect)| (chain::entry(effect, Some(*index)), effect.clone()))
                .unzip(),
            Change::Rebuild(_, wanted) => wanted
                .iter()
                .map(|effect| (chain::entry(effect, None), effect.clone()))
                .unzip(),
        };
        if entries.is_empty() || state.stale_buses.contains(&at) {
            continue;
        }
        let mut entry = scene.tracks[at].address();
        entry["fx_chain"] = entries.into();
        chains.push(entry);
        applied.changed += effects.len() as u32;
        written.push((at, effects));
    }
    let chain_call = calls.len();
    if !chains.is_empty() {
        calls.push(Call::new("setup_fx_chain", json!({ "tracks": chains })));
    }
    let bus_call = calls.len();
    let missing: Vec<usize> = (0..goal.plan.buses.len())
        .filter(|&bus| state.buses[bus].is_none())
        .collect();
    for &bus in &missing {
        let bus = &goal.plan.buses[bus];
        let effect = params::reverb(goal.plan.families.reverb, &bus.reverb);
        calls.push(Call::new(
            "setup_effect_bus",
            json!({
                "bus_name": bus.track_name,
                "bus_color": bus.reverb.color,
                "bus_volume_db": 0,
                "fx_chain": [chain::entry(&effect, None)],
            }),
        ));
        applied.changed += 1;
    }
    let stale = state
        .stale_buses
        .iter()
        .map(|&at| scene.tracks[at].address());
    let stale: Vec<Value> = stale.collect();
    if !stale.is_empty() {
        calls.push(Call::new("track_delete_batch", json!({ "entries": stale })));
    }
    let replies = trips.run_all(calls)?;

    let mut made = Made {
        fx_indices: scene
            .tracks
            .iter()
            .map(|track| chain::tagged(&track.fx).iter().map(|fx| fx.index).collect())
            .collect(),
        bus_guids: Vec::new(),
    };
    if !written.is_empty() {
        let reports = &replies[chain_call]["tracks"];
        for (i, (at, effects)) in written.iter().enumerate() {
            let report = &reports[i]["fx_added"];
            applied.verified += chain::check(&scene.tracks[*at].name, effects, report)?;
            if let Change::Rebuild(..) = state.changes[*at] {
                made.fx_indices[*at] = indices(report);
            }
        }
    }
    for (bus, place) in state.buses.iter().enumerate() {
        let plan = &goal.plan.buses[bus];
        let address = match place {
            Some(at) => scene.tracks[*at].address_as("dest_track"),
            None => {
                let position = missing.iter().position(|&missing| missing == bus);
                let reply = &replies[bus_call + position.unwrap_or(0)];
                let effect = params::reverb(goal.plan.families.reverb, &plan.reverb);
                applied.verified += chain::check(&plan.track_name, &[effect], &reply["fx_added"])?;
                bus_address(reply)?
            }
        };
        made.bus_guids.push(address);
    }
    Ok(made)
}

fn bus_address(reply: &Value) -> Result<(String, Value), MixError> {
    match (&reply["bus_track_guid"], &reply["bus_track_index"]) {
        (Value::String(guid), _) => Ok(("dest_track_guid".into(), guid.clone().into())),
        (_, index @ Value::Number(_)) => Ok(("dest_track".into(), index.clone())),
        _ => Err(MixError::Answer {
            command: "setup_effect_bus",
            reason: "no bus_track_guid".into(),
        }),
    }
}

fn indices(report: &Value) -> Vec<i64> {
    let list = report.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|fx| fx["fx_index"].as_i64())
        .collect()
}

fn remove_stale(
    scene: &Scene,
    state: &State,
    goal: &Goal,
    calls: &mut Vec<Call>,
    applied: &mut Applied,
) {
    let mut entries = Vec::new();
    for (at, change) in state.changes.iter().enumerate() {
        let Change::Rebuild(remove, _) = change else {
            continue;
        };
        if remove.is_empty() || state.stale_buses.contains(&at) {
            continue;
        }
        let mut entry = scene.tracks[at].address();
        entry["fx_indices"] = remove.clone().into();
        entries.push(entry);
        applied.removed += remove.len() as u32;
    }
    if !entries.is_empty() {
        calls.push(Call::new("fx_remove_batch", json!({ "entries": entries })));
    }
    for (at, track) in scene.tracks.iter().enumerate() {
        // From the last one, so that the indices of the others stay.
        for send in track.sends.iter().rev() {
            if is_stale(at, send, scene, state, goal) {
                let mut params = track.address();
                params["send_index"] = send.index.into();
                calls.push(Call::new("send_remove", params));
                applied.removed += 1;
            }
        }
    }
    applied.removed += state.stale_buses.len() as u32;
}

/// A send into one of our buses, or from a key that we connected, which the
/// plan does not want. Sends into a bus that goes away go with it.
fn is_stale(
    from: usize,
    send: &super::observe::SendState,
    scene: &Scene,
    state: &State,
    goal: &Goal,
) -> bool {
    let Some(to) = scene.tracks.iter().position(|track| track.receives(send)) else {
        return false;
    };
    if let Some(bus) = state.buses.iter().position(|place| *place == Some(to)) {
        let name = &goal.plan.buses[bus].name;
        let planned = goal.planned.get(&from);
        return !planned.is_some_and(|track| track.sends.iter().any(|send| send.bus == *name));
    }
    let guid = &scene.tracks[from].guid;
    state.memories[to].keys.contains(guid) && !goal.keys(to, scene).contains(guid)
}

/// Entries of `configure_tracks`: faders, pans and memories that are not as
/// wanted. A track that got a role earlier and has none now gets back what it had.
fn configure(scene: &Scene, state: &State, goal: &Goal, applied: &mut Applied) -> Vec<Value> {
    let mut entries = Vec::new();
    for (at, track) in scene.tracks.iter().enumerate() {
        let memory = &state.memories[at];
        if memory.bus.is_some() {
            continue;
        }
        let planned = goal.planned.get(&at);
        let wanted = match planned {
            Some(plan) => Some((plan.volume_db, plan.pan)),
            None => memory.original.map(|had| (had.volume_db, had.pan)),
        };
        let remembered = Memory {
            original: planned.map(|plan| memory.original.unwrap_or(plan.original)),
            bus: None,
            keys: goal.keys(at, scene),
        };
        let mut entry = track.address();
        let mut values = 0;
        if let Some((volume_db, pan)) = wanted {
            if (track.volume_db - volume_db).abs() > LEVEL_TOLERANCE_DB {
                entry["volume_db"] = volume_db.into();
                values += 1;
            }
            if (track.pan - pan).abs() > PAN_TOLERANCE {
                entry["pan"] = pan.into();
                values += 1;
            }
        }
        if *memory != remembered {
            entry["ext"] = json!({ EXT_KEY: remembered.text() });
            values += 1;
        }
        if values > 0 {
            applied.changed += values;
            entries.push(entry);
        }
    }
    entries
}

fn write_routing(
    trips: &mut Trips,
    scene: &Scene,
    state: &State,
    goal: &Goal,
    made: &Made,
    applied: &mut Applied,
) -> Result<(), MixError> {
    let mut calls = Vec::new();
    let tags = bus_tags(state, goal, made);
    if !tags.is_empty() {
        calls.push(Call::new("configure_tracks", json!({ "tracks": tags })));
    }
    let sends = missing_sends(scene, state, goal, made);
    if !sends.is_empty() {
        applied.changed += sends.len() as u32;
        calls.push(Call::new("setup_routing", json!({ "sends": sends })));
    }
    let (ducks, rewritten) = duck_calls(scene, state, goal, made);
    applied.changed += ducks.len() as u32;
    calls.extend(ducks);
    if !rewritten.is_empty() {
        calls.push(Call::new("setup_fx_chain", json!({ "tracks": rewritten })));
    }
    if calls.is_empty() {
        return Ok(());
    }
    let commands: Vec<String> = calls.iter().map(|call| call.command.clone()).collect();
    let replies = trips.run_all(calls)?;
    for (command, reply) in commands.iter().zip(&replies) {
        let sends = reply["sends"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        if let Some(error) = sends.iter().find_map(|send| send["error"].as_str()) {
            return Err(MixError::NotTaken {
                place: command.clone(),
                wanted: "a send".into(),
                found: error.to_owned(),
            });
        }
    }
    Ok(())
}

/// Marks new buses as ours.
fn bus_tags(state: &State, goal: &Goal, made: &Made) -> Vec<Value> {
    let new = (0..goal.plan.buses.len()).filter(|&bus| state.buses[bus].is_none());
    new.map(|bus| {
        let (key, value) = &made.bus_guids[bus];
        let key = key.replace("dest_track", "track");
        let key = if key == "track" {
            "track_index"
        } else {
            "track_guid"
        };
        let memory = Memory {
            bus: Some(goal.plan.buses[bus].name.clone()),
            ..Memory::default()
        };
        json!({ key: value, "ext": { EXT_KEY: memory.text() } })
    })
    .collect()
}

fn missing_sends(scene: &Scene, state: &State, goal: &Goal, made: &Made) -> Vec<Value> {
    let mut sends = Vec::new();
    for (at, plan) in &goal.planned {
        let track = &scene.tracks[*at];
        for send in &plan.sends {
            let Some(bus) = goal.plan.buses.iter().position(|bus| bus.name == send.bus) else {
                continue;
            };
            let there = state.buses[bus].and_then(|to| {
                let to = &scene.tracks[to];
                track.sends.iter().find(|there| to.receives(there))
            });
            let right = there.is_some_and(|there| {
                (there.volume_db - send.volume_db).abs() <= LEVEL_TOLERANCE_DB
            });
            if right {
                continue;
            }
            let mut entry = Map::new();
            entry.extend([
                track.address_as("source_track"),
                made.bus_guids[bus].clone(),
            ]);
            entry.insert("volume_db".into(), send.volume_db.into());
            entry.insert("mode".into(), "post_fader".into());
            entry.insert("reuse".into(), true.into());
            sends.push(entry.into());
        }
    }
    sends
}

/// Connects keys whose compressor or send is new. The command also writes the
/// compressor, by scales of its own: the second list are the entries of
/// `setup_fx_chain` that write it as planned afterwards.
fn duck_calls(scene: &Scene, state: &State, goal: &Goal, made: &Made) -> (Vec<Call>, Vec<Value>) {
    let mut calls = Vec::new();
    let mut rewritten = Vec::new();
    for duck in &goal.plan.sidechains {
        let to = goal.place[duck.target];
        let target = &scene.tracks[to];
        let suffix = format!("duck {}", duck.key_role);
        let position = goal.effects[to]
            .iter()
            .position(|effect| effect.shown.ends_with(&suffix));
        let Some(fx_index) = position.and_then(|at| made.fx_indices[to].get(at)) else {
            continue;
        };
        let rebuilt = matches!(state.changes[to], Change::Rebuild(..));
        let before = calls.len();
        for &key in &duck.keys {
            let source = &scene.tracks[goal.place[key]];
            let known = state.memories[to].keys.contains(&source.guid);
            let connected = known && source.sends.iter().any(|send| target.receives(send));
            if connected && !rebuilt {
                continue;
            }
            let mut params = Map::new();
            params.extend([
                source.address_as("source_track"),
                target.address_as("target_track"),
            ]);
            let settings = &duck.compressor;
            let rest = json!({
                "fx_index": fx_index,
                "threshold_db": settings.threshold_db,
                "ratio": settings.ratio,
                "attack_ms": settings.attack_ms,
                "release_ms": settings.release_ms,
                "send_db": duck.send_db,
            });
            if let Value::Object(rest) = rest {
                params.extend(rest);
            }
            calls.push(Call::new("setup_sidechain", params.into()));
        }
        if let (Some(at), true) = (position, calls.len() > before) {
            let mut entry = target.address();
            entry["fx_chain"] = json!([chain::entry(&goal.effects[to][at], Some(*fx_index))]);
            rewritten.push(entry);
        }
    }
    (calls, rewritten)
}

/// Reads the project again and compares it with the plan.
fn verify(trips: &mut Trips, plan: &MixPlan) -> Result<u32, MixError> {
    let scene = Scene::read(trips)?;
    let mut verified = 0;
    let mut reads = Vec::new();
    let mut calls = Vec::new();
    for (i, planned) in plan.tracks.iter().enumerate() {
        let track = &scene.tracks[find(planned, &scene)?];
        let not_taken = |what: String, wanted: f64, found: String| MixError::NotTaken {
            place: format!("{}, {what}", planned.name),
            wanted: wanted.to_string(),
            found,
        };
        for (what, wanted, found, tolerance) in [
            (
                "fader",
                planned.volume_db,
                track.volume_db,
                LEVEL_TOLERANCE_DB,
            ),
            ("pan", planned.pan, track.pan, PAN_TOLERANCE),
        ] {
            if (wanted - found).abs() > tolerance {
                return Err(not_taken(what.into(), wanted, found.to_string()));
            }
            verified += 1;
        }
        let effects = effects_of(plan, i);
        if !chain::same_line_up(&track.fx, &effects) {
            let found: Vec<&str> = track.fx.iter().map(|fx| fx.name.as_str()).collect();
            return Err(not_taken(
                "effects".into(),
                effects.len() as f64,
                found.join(", "),
            ));
        }
        for send in &planned.sends {
            let name = plan.buses.iter().find(|bus| bus.name == send.bus);
            let name = name.map_or("", |bus| bus.track_name.as_str());
            let found = track.sends.iter().find(|there| {
                let close = (there.volume_db - send.volume_db).abs() <= LEVEL_TOLERANCE_DB;
                let to = scene.tracks.iter().find(|track| track.receives(there));
                close && to.is_some_and(|to| to.name == name)
            });
            if found.is_none() {
                return Err(not_taken(
                    format!("send to {name}"),
                    send.volume_db,
                    "no such send".into(),
                ));
            }
            verified += 1;
        }
        // The side-chain command writes values of its own accord: read them again.
        for (fx, effect) in chain::tagged(&track.fx).iter().zip(&effects) {
            if effect.shown.contains(" duck ") {
                let start = calls.len();
                calls.extend(chain::read_calls(&track.address(), fx.index, effect));
                reads.push((planned.name.clone(), effect.clone(), start..calls.len()));
            }
        }
    }
    if calls.is_empty() {
        return Ok(verified);
    }
    let replies = trips.run_all(calls)?;
    for (track, effect, span) in reads {
        if let Some((wanted, found)) = chain::difference(&effect, &replies[span]) {
            return Err(MixError::NotTaken {
                place: format!("{track}, {}", effect.shown),
                wanted,
                found,
            });
        }
    }
    Ok(verified)
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
