//! Reading a project through the bridge.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bridge::{Bridge, Call, CallError};

use super::apply::MixError;
use super::model::{Original, Overview, TrackFacts};

/// Key under which the engine remembers with a track what it did to it.
pub(super) const EXT_KEY: &str = "reaper_batch";

/// Calls in one round trip; the bridge takes no more.
const MAX_CALLS: usize = 200;

/// Reads tracks, tempo and installed plug-ins, in two round trips.
///
/// # Errors
///
/// The bridge refused, or answered in an unknown form.
pub fn observe(bridge: &mut dyn Bridge) -> Result<Overview, MixError> {
    let mut trips = Trips::new(bridge);
    let overview = Call::new("project_get_overview", json!({ "include_media": false }));
    let installed = Call::new("fx_list_installed", json!({}));
    let mut replies = trips.run(vec![overview, installed])?.into_iter();
    let overview = take(&mut replies, "project_get_overview")?;
    let scene = Scene::parse(&overview)?;
    // A host that cannot tell has what every REAPER has.
    let plugins = match replies.next() {
        Some(Ok(list)) => names(&list["plugins"]),
        _ => Default::default(),
    };
    let memories = scene.memories(&mut trips)?;
    let tracks = scene.tracks.iter().zip(memories);
    Ok(Overview {
        tracks: tracks
            .map(|(track, memory)| TrackFacts {
                index: track.index,
                guid: track.guid.clone(),
                name: track.name.clone(),
                volume_db: track.volume_db,
                pan: track.pan,
                mute: track.mute,
                items: track.item_count,
                receives: track.receive_count,
                original: memory.original,
            })
            .collect(),
        plugins,
        tempo_bpm: overview["bpm"].as_f64(),
    })
}

/// Round trips to the host, counted.
pub(super) struct Trips<'a> {
    bridge: &'a mut dyn Bridge,
    pub(super) count: u32,
}

impl<'a> Trips<'a> {
    pub(super) fn new(bridge: &'a mut dyn Bridge) -> Self {
        Self { bridge, count: 0 }
    }

    /// Carries out calls in order; a refused one does not stop the others.
    pub(super) fn run(
        &mut self,
        calls: Vec<Call>,
    ) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let mut replies = Vec::with_capacity(calls.len());
        let mut calls = calls.into_iter().peekable();
        while calls.peek().is_some() {
            self.count += 1;
            let chunk = calls.by_ref().take(MAX_CALLS).collect();
            replies.extend(self.bridge.batch(chunk)?);
        }
        Ok(replies)
    }

    /// Carries out calls in order; the first refusal is the error.
    pub(super) fn run_all(&mut self, calls: Vec<Call>) -> Result<Vec<Value>, CallError> {
        self.run(calls)?.into_iter().collect()
    }
}

/// What the engine remembers with a track.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Fader and pan before the engine first touched the track.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) original: Option<Original>,
    /// Name in the style of the reverb bus that the track is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) bus: Option<String>,
    /// GUIDs of the tracks that duck this one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) keys: Vec<String>,
}

impl Memory {
    /// As it is stored; nothing to remember is the empty text, which deletes.
    pub(super) fn text(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        // Numbers, texts and lists of them always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The project as it is.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Scene {
    pub(super) tracks: Vec<TrackState>,
    pub(super) master: MasterState,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct TrackState {
    pub(super) index: i64,
    #[serde(default)]
    pub(super) guid: String,
    pub(super) name: String,
    pub(super) volume_db: f64,
    pub(super) pan: f64,
    #[serde(default)]
    mute: bool,
    #[serde(default)]
    item_count: u64,
    #[serde(default)]
    receive_count: u64,
    #[serde(default)]
    pub(super) fx: Vec<FxState>,
    #[serde(default)]
    pub(super) sends: Vec<SendState>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct MasterState {
    #[serde(default)]
    pub(super) fx: Vec<FxState>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct FxState {
    pub(super) index: i64,
    pub(super) name: String,
    #[serde(default)]
    pub(super) enabled: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct SendState {
    pub(super) index: i64,
    #[serde(default)]
    pub(super) dest_track_guid: String,
    pub(super) dest_track_index: i64,
    pub(super) volume_db: f64,
}

impl Scene {
    /// Reads it in one round trip.
    pub(super) fn read(trips: &mut Trips) -> Result<Self, MixError> {
        let call = Call::new("project_get_overview", json!({ "include_media": false }));
        let replies = trips.run_all(vec![call])?;
        let mut replies = replies.into_iter().map(Ok);
        Self::parse(&take(&mut replies, "project_get_overview")?)
    }

    pub(super) fn parse(overview: &Value) -> Result<Self, MixError> {
        Self::deserialize(overview).map_err(|error| MixError::Answer {
            command: "project_get_overview",
            reason: error.to_string(),
        })
    }

    /// What is remembered with each track, in one round trip.
    pub(super) fn memories(&self, trips: &mut Trips) -> Result<Vec<Memory>, MixError> {
        let calls = self.memory_calls();
        let replies = trips.run_all(calls)?;
        Ok(replies.iter().map(memory).collect())
    }

    pub(super) fn memory_calls(&self) -> Vec<Call> {
        let call = |track: &TrackState| {
            let mut params = track.address();
            params["key"] = EXT_KEY.into();
            Call::new("track_get_ext", params)
        };
        self.tracks.iter().map(call).collect()
    }
}

impl TrackState {
    /// Parameters that mean this track: its GUID where there is one.
    pub(super) fn address(&self) -> Value {
        if self.guid.is_empty() {
            json!({ "track_index": self.index })
        } else {
            json!({ "track_guid": self.guid })
        }
    }

    /// As [`Self::address`], for a parameter of another name.
    pub(super) fn address_as(&self, name: &str) -> (String, Value) {
        if self.guid.is_empty() {
            (name.to_owned(), self.index.into())
        } else {
            (format!("{name}_guid"), self.guid.clone().into())
        }
    }

    /// The send leads to this track.
    pub(super) fn receives(&self, send: &SendState) -> bool {
        if self.guid.is_empty() {
            send.dest_track_index == self.index
        } else {
            send.dest_track_guid == self.guid
        }
    }
}

/// What a reply to `track_get_ext` remembers; a text that is not ours is nothing.
pub(super) fn memory(reply: &Value) -> Memory {
    let text = reply["value"].as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

fn take(
    replies: &mut impl Iterator<Item = Result<Value, CallError>>,
    command: &'static str,
) -> Result<Value, MixError> {
    match replies.next() {
        Some(reply) => Ok(reply?),
        None => Err(MixError::Answer {
            command,
            reason: "no reply".into(),
        }),
    }
}

fn names(list: &Value) -> std::collections::BTreeSet<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |plugin: &Value| Some(plugin["name"].as_str()?.to_owned());
    list.iter().filter_map(name).collect()
}
