//! A bridge for tests: it keeps a small model of tracks, effects and sends,
//! and records what it was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::bridge::{Bridge, Call, CallError};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FakeTrack {
    pub(super) guid: String,
    pub(super) name: String,
    pub(super) volume_db: f64,
    pub(super) pan: f64,
    pub(super) items: u64,
    pub(super) channels: u32,
    pub(super) ext: BTreeMap<String, String>,
    pub(super) fx: Vec<FakeFx>,
    pub(super) sends: Vec<FakeSend>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FakeFx {
    pub(super) plugin: String,
    pub(super) name: String,
    pub(super) params: BTreeMap<u64, f64>,
    pub(super) named: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct FakeSend {
    pub(super) to: String,
    pub(super) volume_db: f64,
    /// 0 is 1/2, 2 is 3/4.
    pub(super) to_channel: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Fake {
    pub(super) tracks: Vec<FakeTrack>,
    pub(super) master: FakeTrack,
    /// Commands in order.
    pub(super) log: Vec<String>,
    pub(super) trips: u32,
    /// Parameter that does not take: plug-in and index.
    pub(super) stuck: Option<(&'static str, u64)>,
    made: u32,
}

impl Fake {
    pub(super) fn with_tracks(names: &[&str]) -> Self {
        let tracks = names.iter().enumerate().map(|(i, name)| FakeTrack {
            guid: format!("{{track-{i}}}"),
            name: (*name).into(),
            items: 1,
            channels: 2,
            ..FakeTrack::default()
        });
        Self {
            tracks: tracks.collect(),
            ..Self::default()
        }
    }

    pub(super) fn track(&self, name: &str) -> &FakeTrack {
        self.tracks.iter().find(|track| track.name == name).unwrap()
    }

    pub(super) fn writes(&self) -> usize {
        let reads = [
            "project_get_overview",
            "fx_get_params",
            "fx_get_named_config",
            "track_get_ext",
            "fx_list_installed",
        ];
        self.log
            .iter()
            .filter(|command| !reads.contains(&command.as_str()))
            .count()
    }

    fn find(&mut self, params: &Value, name: &str) -> &mut FakeTrack {
        if params[name] == -1 {
            return &mut self.master;
        }
        let at = self.place(params, name);
        &mut self.tracks[at]
    }

    fn place(&self, params: &Value, name: &str) -> usize {
        let guid = params[format!("{}_guid", name.trim_end_matches("_index"))].as_str();
        match guid {
            Some(guid) => self
                .tracks
                .iter()
                .position(|track| track.guid == guid)
                .unwrap(),
            None => params[name].as_u64().unwrap() as usize,
        }
    }

    fn answer(&mut self, command: &str, params: &Value) -> Value {
        match command {
            "project_get_overview" => self.overview(),
            "fx_list_installed" => json!({ "plugins": [{ "name": "VST: ReaEQ (Cockos)" }] }),
            "track_get_ext" => {
                let key = params["key"].as_str().unwrap().to_owned();
                let value = self.find(params, "track_index").ext.get(&key).cloned();
                json!({ "value": value.unwrap_or_default() })
            }
            "fx_get_params" => {
                let at = params["fx_index"].as_u64().unwrap() as usize;
                let fx = &self.find(params, "track_index").fx[at];
                let list = fx
                    .params
                    .iter()
                    .map(|(index, raw)| json!({ "index": index, "name": "", "raw": raw }));
                json!({ "params": list.collect::<Vec<_>>() })
            }
            "fx_get_named_config" => {
                let at = params["fx_index"].as_u64().unwrap() as usize;
                let key = params["key"].as_str().unwrap().to_owned();
                let fx = &self.find(params, "track_index").fx[at];
                json!({ "value": fx.named.get(&key).cloned().unwrap_or_default() })
            }
            "configure_tracks" => self.configure(params),
            "setup_fx_chain" => {
                let tracks = params["tracks"].as_array().unwrap();
                let reports: Vec<Value> = tracks
                    .iter()
                    .map(|entry| json!({ "fx_added": self.chain(entry, &entry["fx_chain"]) }))
                    .collect();
                json!({ "tracks": reports })
            }
            "setup_master_chain" => {
                assert_eq!(params["clean"], true);
                let prefix = params["clean_prefix"].as_str().unwrap();
                self.master.fx.retain(|fx| !fx.name.starts_with(prefix));
                let entry = json!({ "track_index": -1 });
                json!({ "fx_added": self.chain(&entry, &params["fx_chain"]) })
            }
            "setup_effect_bus" => {
                self.made += 1;
                let guid = format!("{{bus-{}}}", self.made);
                self.tracks.push(FakeTrack {
                    guid: guid.clone(),
                    name: params["bus_name"].as_str().unwrap().into(),
                    channels: 2,
                    ..FakeTrack::default()
                });
                let entry = json!({ "track_guid": guid });
                let added = self.chain(&entry, &params["fx_chain"]);
                json!({ "bus_track_guid": guid, "bus_track_index": self.tracks.len() - 1, "fx_added": added })
            }
            "setup_routing" => {
                for send in params["sends"].as_array().unwrap() {
                    let to = self.tracks[self.place(send, "dest_track")].guid.clone();
                    let volume_db = send["volume_db"].as_f64().unwrap();
                    assert_eq!(send["mode"], "post_fader");
                    self.send(send, to, volume_db, 0);
                }
                json!({})
            }
            "setup_sidechain" => {
                let at = self.place(params, "target_track");
                let target = &mut self.tracks[at];
                target.channels = target.channels.max(4);
                let fx = &mut target.fx[params["fx_index"].as_u64().unwrap() as usize];
                assert!(fx.name.contains("duck"));
                // A threshold of its own making, as a host with another range would.
                fx.params.insert(0, 0.5);
                fx.params.insert(8, 2.0 / 1084.0);
                let to = target.guid.clone();
                self.send(params, to, params["send_db"].as_f64().unwrap(), 2);
                json!({})
            }
            "fx_remove_batch" => {
                for entry in params["entries"].as_array().unwrap() {
                    let gone: Vec<u64> = entry["fx_indices"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|i| i.as_u64().unwrap())
                        .collect();
                    let track = self.find(entry, "track_index");
                    let mut at = 0;
                    track.fx.retain(|_| {
                        at += 1;
                        !gone.contains(&(at - 1))
                    });
                }
                json!({})
            }
            "send_remove" => {
                let at = params["send_index"].as_u64().unwrap() as usize;
                self.find(params, "track_index").sends.remove(at);
                json!({})
            }
            "track_delete_batch" => {
                for entry in params["entries"].as_array().unwrap() {
                    let at = self.place(entry, "track_index");
                    let gone = self.tracks.remove(at).guid;
                    for track in &mut self.tracks {
                        track.sends.retain(|send| send.to != gone);
                    }
                }
                json!({})
            }
            other => panic!("unexpected command {other}"),
        }
    }

    fn send(&mut self, params: &Value, to: String, volume_db: f64, to_channel: u32) {
        let track = self.find(params, "source_track");
        let same = |send: &&mut FakeSend| send.to == to && send.to_channel == to_channel;
        match track.sends.iter_mut().find(same) {
            Some(send) => send.volume_db = volume_db,
            None => track.sends.push(FakeSend {
                to,
                volume_db,
                to_channel,
            }),
        }
    }

    fn configure(&mut self, params: &Value) -> Value {
        for entry in params["tracks"].as_array().unwrap() {
            let track = self.find(entry, "track_index");
            if let Some(db) = entry["volume_db"].as_f64() {
                track.volume_db = db;
            }
            if let Some(pan) = entry["pan"].as_f64() {
                track.pan = pan;
            }
            for (key, value) in entry["ext"].as_object().into_iter().flatten() {
                let text = value.as_str().unwrap();
                track.ext.insert(key.clone(), text.to_owned());
                track.ext.retain(|_, value| !value.is_empty());
            }
        }
        json!({})
    }

    fn chain(&mut self, address: &Value, entries: &Value) -> Value {
        let stuck = self.stuck;
        let track = self.find(address, "track_index");
        let mut reports = Vec::new();
        for entry in entries.as_array().unwrap() {
            assert_eq!(entry["raw"], true);
            let at = match entry["fx_index"].as_u64() {
                Some(at) => at as usize,
                None => {
                    let text = |key: &str| entry[key].as_str().unwrap().to_owned();
                    track.fx.push(FakeFx {
                        plugin: text("name"),
                        name: text("renamed_name"),
                        ..FakeFx::default()
                    });
                    track.fx.len() - 1
                }
            };
            let fx = &mut track.fx[at];
            let mut params_set = Vec::new();
            for (index, value) in entry["params_by_index"].as_object().into_iter().flatten() {
                let index: u64 = index.parse().unwrap();
                // As a plug-in keeps it.
                let mut raw = f64::from(value.as_f64().unwrap() as f32);
                if stuck == Some((fx.plugin.as_str(), index)) {
                    raw = 0.123;
                }
                fx.params.insert(index, raw);
                params_set.push(json!({ "index": index, "raw": raw, "requested": value }));
            }
            let mut named_set = Vec::new();
            for (key, value) in entry["named_config"].as_object().into_iter().flatten() {
                fx.named.insert(key.clone(), value.as_str().unwrap().into());
                named_set.push(json!({ "key": key, "value": value, "ok": true }));
            }
            reports.push(json!({
                "name": fx.name,
                "fx_index": at,
                "params_set": params_set,
                "named_config_set": named_set,
                "errors": [],
            }));
        }
        reports.into()
    }

    fn overview(&self) -> Value {
        let index = |guid: &str| self.tracks.iter().position(|track| track.guid == guid);
        let summary = |at: usize, track: &FakeTrack| {
            let fx = track
                .fx
                .iter()
                .enumerate()
                .map(|(i, fx)| json!({ "index": i, "name": fx.name }));
            let sends = track.sends.iter().enumerate().map(|(i, send)| {
                json!({
                    "index": i,
                    "dest_track_guid": send.to,
                    "dest_track_index": index(&send.to),
                    "volume_db": send.volume_db,
                })
            });
            let receives = self.tracks.iter().flat_map(|other| &other.sends);
            json!({
                "index": at,
                "guid": track.guid,
                "name": track.name,
                "volume_db": track.volume_db,
                "pan": track.pan,
                "mute": false,
                "item_count": track.items,
                "receive_count": receives.filter(|send| send.to == track.guid).count(),
                "fx": fx.collect::<Vec<_>>(),
                "sends": sends.collect::<Vec<_>>(),
            })
        };
        let tracks = self.tracks.iter().enumerate();
        json!({
            "bpm": 120.0,
            "tracks": tracks.map(|(i, track)| summary(i, track)).collect::<Vec<_>>(),
            "master": summary(0, &self.master),
        })
    }
}

impl Bridge for Fake {
    fn call(&mut self, call: Call) -> Result<Value, CallError> {
        self.trips += 1;
        self.log.push(call.command.clone());
        let params = Value::Object(call.params);
        Ok(self.answer(&call.command, &params))
    }

    fn batch(&mut self, calls: Vec<Call>) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let before = self.trips;
        let replies = calls.into_iter().map(|call| self.call(call)).collect();
        self.trips = before + 1;
        Ok(replies)
    }
}
