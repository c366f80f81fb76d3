//! The bridge script in this host: the handshake and a small song.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::silent_wav;
use crate::host::{Options, Session};

/// A session with the bridge, driven tick by tick through its folder.
struct Bridge {
    session: Session,
    ipc: PathBuf,
    folder: tempfile::TempDir,
    sent: u32,
}

impl Bridge {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ipc = folder.path().join("ipc");
        std::fs::create_dir(&ipc).unwrap();
        let entry = crate::bridge::script::install(folder.path()).unwrap();
        // Tests share one environment, so the folder is told by a script
        // around the bridge instead.
        let wrapper = folder.path().join("wrapper.lua");
        std::fs::write(
            &wrapper,
            format!(
                "local real = os.getenv
                 os.getenv = function(name)
                   if name == 'REAPER_BATCH_IPC' then return [[{}]] end
                   if name == 'REAPER_BATCH_TOKEN' then return 'tok' end
                   return real(name)
                 end
                 local context = reaper.get_action_context
                 reaper.get_action_context = function()
                   return (context()), [[{entry}]], select(3, context())
                 end
                 dofile([[{entry}]])",
                ipc.display(),
                entry = entry.display()
            ),
        )
        .unwrap();
        let mut session = Session::new(Options {
            premix_cache: None,
            resource_path: folder.path().join("resources"),
            ipc: Some(ipc.clone()),
            threads: 1,
        });
        session.run_script(&wrapper).unwrap();
        Self {
            session,
            ipc,
            folder,
            sent: 0,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn send(&mut self, command: &str, params: Value) -> Value {
        self.sent += 1;
        let id = format!("id-{}", self.sent);
        let text = json!({"command": command, "params": params, "id": id, "token": "tok"});
        let stage = self.ipc.join("command.tmp");
        std::fs::write(&stage, text.to_string()).unwrap();
        std::fs::rename(stage, self.ipc.join("command.json")).unwrap();
        for _ in 0..20 {
            assert!(self.session.tick(), "the bridge ended");
            let file = self.ipc.join("response.json");
            if let Ok(bytes) = std::fs::read(&file) {
                std::fs::remove_file(&file).unwrap();
                let response: Value = serde_json::from_slice(&bytes).unwrap();
                assert_eq!(response["id"], id, "{response}");
                return response;
            }
        }
        panic!("no answer to `{command}`");
    }

    #[track_caller]
    fn ok(&mut self, command: &str, params: Value) -> Value {
        let response = self.send(command, params);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["data"].clone()
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn the_bridge_says_hello() {
    let mut bridge = Bridge::start();
    let hello = bridge.ok("hello", json!({}));
    assert_eq!(
        hello["bridge_hash"],
        crate::bridge::script::hash(),
        "{hello}"
    );
    let version = hello["host_version"].as_str().unwrap();
    assert!(version.starts_with("7.77-reaper-batch-"), "{version}");
    let unknown = bridge.send("no_such_command", json!({}));
    assert_eq!(unknown["success"], false);
}

#[test]
fn the_bridge_builds_a_song() {
    let mut bridge = Bridge::start();
    let wav = bridge.path("tone.wav");
    silent_wav(&wav);

    let lead = bridge.ok("track_create", json!({"name": "Lead"}));
    assert_eq!(lead["name"], "Lead");
    bridge.ok("track_create", json!({"name": "Bus"}));
    let info = bridge.ok(
        "track_set_volume",
        json!({"track_index": 0, "volume_db": -6.0}),
    );
    assert!((info["volume_db"].as_f64().unwrap() + 6.0).abs() < 1e-6);
    bridge.ok("send_create", json!({"source_track": 0, "dest_track": 1}));
    bridge.ok("fx_add", json!({"track_index": 0, "fx_name": "ReaComp"}));
    let chain = bridge.ok("fx_get_chain", json!({"track_index": 0}));
    assert_eq!(chain["fx_count"], 1);
    let item = bridge.ok(
        "item_insert_media",
        json!({"track_index": 0, "path": text(&wav), "position": 1.5}),
    );
    assert_eq!(item["position"], 1.5);
    let midi = bridge.ok(
        "item_create_midi",
        json!({"track_index": 1, "position": 0.0, "length": 4.0}),
    );
    let notes = bridge.ok(
        "midi_insert_note",
        json!({"item_index": midi["index"], "channel": 0, "pitch": 60, "velocity": 90,
               "start_position": 0.5, "end_position": 1.0}),
    );
    assert_eq!(notes["total_notes"], 1);
    bridge.ok("marker_add", json!({"position": 2.0, "name": "Drop"}));
    bridge.ok("transport_set_bpm", json!({"bpm": 96.0}));

    let project = bridge.path("out/song.rpp");
    std::fs::create_dir_all(project.parent().unwrap()).unwrap();
    bridge.ok("project_save_as", json!({"path": text(&project)}));
    let info = bridge.ok("project_get_info", json!({}));
    assert_eq!(info["name"], "song.rpp");
    assert_eq!(info["track_count"], 2);
    assert!(project.is_file());

    // The newest step is taken back and done again.
    let before = bridge.ok("transport_get_state", json!({}));
    bridge.ok("project_undo", json!({"steps": 1}));
    let undone = bridge.ok("transport_get_state", json!({}));
    bridge.ok("project_redo", json!({"steps": 1}));
    let redone = bridge.ok("transport_get_state", json!({}));
    assert_eq!(before["bpm"], redone["bpm"]);
    assert_eq!(undone["bpm"], 120.0);
}

#[test]
fn the_bridge_renders_what_it_built() {
    let mut bridge = Bridge::start();
    let wav = bridge.path("tone.wav");
    silent_wav(&wav);
    bridge.ok("track_create", json!({"name": "Tone"}));
    bridge.ok(
        "item_insert_media",
        json!({"track_index": 0, "path": text(&wav), "position": 0.0}),
    );
    bridge.ok("fx_add", json!({"track_index": 0, "fx_name": "ReaEQ"}));
    let out = bridge.path("out");
    let rendered = bridge.ok(
        "project_export_audio",
        json!({"render_dir": text(&out), "render_pattern": "mix", "format_code": "evaw"}),
    );
    let file = out.join("mix.wav");
    let reader = crate::audio::Reader::open(&file).unwrap();
    assert_eq!(reader.facts().channels, 2, "{rendered}");
    assert!(reader.facts().duration_s >= 1.0, "{rendered}");
    assert!(!bridge.ipc.join("host_progress.json").exists());
}
