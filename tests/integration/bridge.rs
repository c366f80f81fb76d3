//! The real Lua bridge in the real embedded host, driven by the real client.
//!
//! The host runs as a child process: this test binary starts itself again with
//! a variable that turns `host_process` into the host's main function.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use reaper_batch::bridge::{
    Bridge, Call, CallError, Client, IPC_ENV, Options, ProcessState, TOKEN_ENV, commands, script,
};
use serde_json::{Value, json};

const CHILD: &str = "REAPER_BATCH_TEST_HOST_SCRIPT";

/// Not a test of its own: the host of the others.
#[test]
fn host_process() {
    if let Some(script) = env::var_os(CHILD) {
        let resources = PathBuf::from(env::var_os(IPC_ENV).unwrap()).join("resources/reaper.ini");
        let args: Vec<OsString> = vec![
            "-newinst".into(),
            "-cfgfile".into(),
            resources.into(),
            "-new".into(),
            script,
        ];
        let code = reaper_batch::host::main(args.into_iter());
        assert_eq!(
            format!("{code:?}"),
            format!("{:?}", std::process::ExitCode::SUCCESS)
        );
    }
}

/// A host with the bridge in it, and a client that is connected.
struct Host {
    folder: tempfile::TempDir,
    child: Arc<Mutex<Child>>,
    client: Client,
}

impl Host {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ipc = folder.path().join("ipc");
        fs::create_dir_all(ipc.join("resources")).unwrap();
        let entry = script::install(&folder.path().join("scripts")).unwrap();
        let child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "bridge::host_process",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD, entry)
            .env(IPC_ENV, &ipc)
            .env(TOKEN_ENV, "integration")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let child = Arc::new(Mutex::new(child));
        let options = Options {
            start_timeout: Duration::from_secs(20),
            alive: Box::new({
                let child = child.clone();
                move || match child.lock().unwrap().try_wait() {
                    Ok(None) => ProcessState::Running,
                    Ok(Some(status)) => ProcessState::Exited(status.to_string()),
                    Err(error) => ProcessState::Exited(error.to_string()),
                }
            }),
            ..Options::default()
        };
        let client = Client::connect(ipc, Some("integration".to_owned()), options).unwrap();
        Self {
            folder,
            child,
            client,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    fn good(&mut self, command: &str, params: Value) -> Value {
        let call = Call::new(command, params);
        if let Err(errors) = commands::validate(&call) {
            panic!("{command}: {errors:?}");
        }
        match self.client.call(call) {
            Ok(data) => data,
            Err(error) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn refused(&mut self, command: &str, params: Value) -> String {
        match self.client.call(Call::new(command, params)) {
            Err(CallError::Refused { code, .. }) => code,
            other => panic!("{command} gave {other:?}"),
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        // It may have ended by itself already.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A second of a sine as 16-bit mono.
fn write_sine(path: &Path, hz: f64, seconds: f64) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for n in 0..(seconds * 48_000.0) as u32 {
        let phase = f64::from(n) * hz / 48_000.0 * std::f64::consts::TAU;
        writer.write_sample((phase.sin() * 8000.0) as i16).unwrap();
    }
    writer.finalize().unwrap();
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let got = value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"));
    assert!((got - expected).abs() < 1e-4, "{got}, expected {expected}");
}

#[test]
fn handshake_and_speed() {
    let mut host = Host::start();
    let hello = host.client.hello().clone();
    assert_eq!(hello.bridge_hash, script::hash());
    assert_eq!(hello.token, "integration");
    let expected: Vec<String> = {
        let mut names: Vec<String> = commands::all()
            .map(|command| command.name.to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(hello.commands, expected);
    host.good("transport_get_state", json!({}));
    let before = Instant::now();
    for _ in 0..100 {
        host.good("project_get_change_count", json!({}));
    }
    let each = before.elapsed() / 100;
    tracing::info!(?each, "round trip");
    // About a millisecond on an idle machine; a shared one may add some.
    assert!(each < Duration::from_millis(20), "{each:?} per round trip");
}

#[test]
fn tracks_sends_and_overview() {
    let mut host = Host::start();
    host.good(
        "configure_tracks",
        json!({"tracks": [
            {"track_index": 0, "name": "Kick", "volume_db": -3.0, "pan": 0.0, "color": [200, 20, 20]},
            {"track_index": 1, "name": "Bass", "volume_db": -6.0, "pan": -0.25, "mute": true},
            {"track_index": 2, "name": "Pad é漢😀"},
        ]}),
    );
    let wav = host.path("kick.wav");
    write_sine(&wav, 100.0, 1.0);
    let item = host.good(
        "item_insert_media",
        json!({"track_index": 0, "path": wav, "position": 0.5}),
    );
    near(&item["length"], 1.0);
    near(&item["position"], 0.5);
    assert_eq!(item["source_file"], json!(wav));
    host.good(
        "item_create_midi",
        json!({"track_index": 2, "position": 0.0, "length": 4.0}),
    );
    host.good(
        "setup_routing",
        json!({"sends": [{"source_track": 0, "dest_track": 1, "volume_db": -12.0, "mode": "pre_fader"}]}),
    );
    host.good(
        "track_set_ext",
        json!({"track_index": 1, "key": "role", "value": "bass"}),
    );
    host.good(
        "marker_add_region",
        json!({"start": 0.0, "end": 2.0, "name": "Intro"}),
    );
    host.good(
        "marker_add",
        json!({"position": 1.0, "name": "Drop", "color_r": 9}),
    );
    let overview = host.good("project_get_overview", json!({}));
    assert_eq!(overview["track_count"], 3);
    assert_eq!(overview["regions"][0]["name"], "Intro");
    assert_eq!(overview["markers"][0]["name"], "Drop");
    let tracks = &overview["tracks"];
    assert_eq!(tracks[0]["name"], "Kick");
    assert_eq!(tracks[0]["color"], json!([200, 20, 20]));
    assert_eq!(tracks[0]["media_files"], json!([wav]));
    assert_eq!(tracks[0]["has_audio"], true);
    assert_eq!(tracks[0]["has_midi"], false);
    assert_eq!(tracks[2]["name"], "Pad é漢😀");
    assert_eq!(tracks[2]["has_midi"], true);
    near(&tracks[1]["volume_db"], -6.0);
    near(&tracks[1]["pan"], -0.25);
    assert_eq!(tracks[1]["mute"], true);
    near(&tracks[0]["sends"][0]["volume_db"], -12.0);
    assert_eq!(tracks[0]["sends"][0]["dest_track_guid"], tracks[1]["guid"]);
    assert_eq!(tracks[0]["sends"][0]["mode"], 3);
    assert_eq!(overview["master"]["index"], -1);

    let guid = tracks[1]["guid"].clone();
    host.good("track_create", json!({"index": 0, "name": "First"}));
    assert_eq!(
        host.refused(
            "track_rename",
            json!({"track_index": 1, "track_guid": guid, "name": "x"})
        ),
        "STALE_INDEX"
    );
    let ext = host.good("track_get_ext", json!({"track_guid": guid, "key": "role"}));
    assert_eq!(ext["value"], "bass");
    let deleted = host.good(
        "track_delete_batch",
        json!({"entries": [{"track_index": 0}]}),
    );
    assert_eq!(deleted["remaining_tracks"], 3);
}

#[test]
fn undo_is_one_step_per_change() {
    let mut host = Host::start();
    host.good("track_create", json!({"name": "A"}));
    host.good("undo_group_begin", json!({"name": "tool"}));
    host.good(
        "track_set_volume",
        json!({"track_index": 0, "volume_db": -6}),
    );
    host.good("item_create_midi", json!({"track_index": 0, "length": 4}));
    host.good(
        "midi_insert_note",
        json!({"item_index": 0, "pitch": 60, "velocity": 100, "start_position": 0, "end_position": 1}),
    );
    host.good("undo_group_end", json!({}));
    assert_eq!(
        host.refused(
            "track_set_volume",
            json!({"track_index": 5, "volume_db": 0})
        ),
        "NOT_FOUND"
    );
    let undone = host.good("project_undo_group", json!({}));
    assert_eq!(
        undone["undone_steps"],
        json!([
            "MCP: tool#1 > midi_insert_note",
            "MCP: tool#1 > item_create_midi",
            "MCP: tool#1 > track_set_volume",
        ])
    );
    let info = host.good("track_get_info", json!({"track_index": 0}));
    near(&info["volume_db"], 0.0);
    assert_eq!(info["item_count"], 0);
    assert_eq!(host.good("project_redo", json!({"steps": 3}))["count"], 3);
    assert_eq!(
        host.good("midi_get_notes", json!({"item_index": 0}))["note_count"],
        1
    );
}

#[test]
fn midi_and_composition() {
    let mut host = Host::start();
    host.good("transport_set_bpm", json!({"bpm": 90}));
    let result = host.good(
        "compose_single_track",
        json!({"track_data": {
            "track_index": 1, "track_name": "Keys",
            "notes": [
                {"pitch": 60, "velocity": 90, "start_qn": 0, "end_qn": 1},
                {"pitch": 64, "velocity": 91, "start_qn": 1, "end_qn": 2, "channel": 1},
                {"pitch": 67, "velocity": 92, "start": 2.0, "end": 2.5},
            ],
            "ccs": [{"cc": 64, "value": 127, "position_qn": 0}, {"pitch_bend": 8192, "position": 1.0}],
        }}),
    );
    assert_eq!(result["notes_inserted"], 3);
    assert_eq!(result["ccs_inserted"], 2);
    let item = result["item_index"].clone();
    let notes = host.good("midi_get_notes", json!({"item_index": item}));
    assert_eq!(notes["note_count"], 3);
    near(&notes["notes"][1]["start_position"], 60.0 / 90.0);
    near(&notes["notes"][1]["end_qn"], 2.0);
    assert_eq!(notes["notes"][1]["channel"], 1);
    let ccs = host.good("midi_get_ccs", json!({"item_index": item}));
    assert_eq!(ccs["ccs"][0]["type"], "cc");
    assert_eq!(ccs["ccs"][1]["type"], "pitch_bend");
    let set = host.good(
        "midi_set_note",
        json!({"item_index": item, "note_index": 0, "pitch": 59, "velocity": 80}),
    );
    assert_eq!(set["note"]["pitch"], 59);
    assert_eq!(set["note"]["velocity"], 80);
    host.good("midi_humanize", json!({"item_index": item, "seed": 7}));
    let moved = host.good("midi_get_notes", json!({"item_index": item}));
    assert_ne!(
        moved["notes"][1]["start_position"],
        notes["notes"][1]["start_position"]
    );
    host.good("midi_quantize", json!({"item_index": item, "grid_qn": 1.0}));
    let back = host.good("midi_get_notes", json!({"item_index": item}));
    near(&back["notes"][1]["start_qn"], 1.0);
    let edited = host.good(
        "edit_section",
        json!({"tracks": "\"all\"", "start_time": 0.0, "end_time": 1.0, "mode": "notes_only"}),
    );
    assert_eq!(edited["tracks"][1]["notes_deleted"], 2);
    let score = host.good("analyze_score", json!({}));
    assert_eq!(score["tracks"][0]["note_count"], 1);
    assert_eq!(host.good("wipe_all_midi", json!({}))["items_deleted"], 1);
    assert_eq!(
        host.refused("compose_single_track", json!({"track_data": {"track_index": 0, "notes": [{"pitch": 200, "start": 0, "end": 1}]}})),
        "VALUE_OUT_OF_RANGE"
    );
}

#[test]
fn effects_are_set_and_read_back() {
    let mut host = Host::start();
    host.good(
        "configure_tracks",
        json!({"tracks": [{"track_index": 0, "name": "Kick"}, {"track_index": 1, "name": "Bass"}]}),
    );
    let chain = |host: &mut Host| {
        host.good(
            "setup_fx_chain",
            json!({"tracks": [{"track_index": 1, "fx_chain": [
                {"name": "ReaEQ (Cockos)", "add_mode": "find_or_add", "renamed_name": "[MIX] ReaEQ",
                 "named_config": {"BANDTYPE4": 4, "BANDENABLED4": 1},
                 "params_by_index": {"12": 0.2, "1": 0.25}},
                {"name": "ReaComp (Cockos)", "add_mode": "find_or_add", "renamed_name": "[MIX] ReaComp",
                 "params": {"Ratio": 0.0303}, "params_by_index": {"0": 0.5}, "enabled": false},
                {"name": "No Such Effect"},
            ]}]}),
        )
    };
    let result = chain(&mut host);
    let fx = &result["tracks"][0]["fx_added"];
    assert_eq!(fx[0]["errors"], json!([]), "{result}");
    assert_eq!(fx[0]["name"], "[MIX] ReaEQ");
    assert_eq!(fx[0]["params_set"][0]["index"], 1);
    near(&fx[0]["params_set"][1]["value"], 0.2);
    assert_eq!(fx[1]["enabled"], false);
    near(&fx[1]["params_set"][1]["value"], 0.5);
    assert_eq!(fx[2]["code"], "NOT_FOUND");
    assert_eq!(result["added"], 2);
    // Applied again nothing is added.
    assert_eq!(chain(&mut host)["added"], 0);
    let read = host.good("fx_get_chain", json!({"track_index": 1}));
    assert_eq!(read["fx_count"], 2);

    let side = host.good(
        "setup_sidechain",
        json!({"source_track": 0, "target_track": 1, "renamed_name": "[MIX] Duck"}),
    );
    assert_eq!(side["detector_set"], true, "{side}");
    assert_eq!(side["target_channels"], 4);
    assert_eq!(side["unmatched_params"], json!([]), "{side}");
    near(&side["threshold_db"], -24.0);
    near(&side["ratio"], 9.0);
    let again = host.good(
        "setup_sidechain",
        json!({"source_track": 0, "target_track": 1, "renamed_name": "[MIX] Duck"}),
    );
    assert_eq!(again["fx_index"], side["fx_index"]);
    assert_eq!(again["send_created"], false);
    let sends = host.good("send_get_all", json!({"track_index": 0}));
    assert_eq!(sends["send_count"], 1);
    assert_eq!(sends["sends"][0]["audio"]["interpreted"], "1/2 -> 3/4");

    host.good("setup_effect_bus", json!({
        "bus_name": "MIX: Hall", "fx_chain": [{"name": "ReaVerbate", "params_by_index": {"1": 0.0}}],
        "sends_from": [{"source_track": 0, "volume_db": -12}, {"source_track": 1, "volume_db": -18}],
    }));
    host.good(
        "setup_master_chain",
        json!({"fx_chain": [
            {"name": "ReaLimit", "renamed_name": "[MIX] ReaLimit", "params_by_index": {"1": 0.9583}}
        ]}),
    );
    let master = host.good("fx_get_chain", json!({"track_index": -1}));
    assert_eq!(master["fx_count"], 1);
    let moved = host.good(
        "fx_move",
        json!({"track_index": 1, "fx_index": 0, "new_index": 2}),
    );
    assert_eq!(moved["fx_chain"][2]["name"], "[MIX] ReaEQ");
    let cleaned = host.good(
        "clean_tagged",
        json!({"fx_prefix": "[MIX] ", "track_prefix": "MIX:"}),
    );
    assert_eq!(cleaned["fx_removed"], 4);
    assert_eq!(cleaned["tracks_removed"], 1);
    assert!(
        host.good("fx_list_installed", json!({}))["count"]
            .as_u64()
            .unwrap()
            > 3
    );
    host.good("fx_add", json!({"track_index": 0, "fx_name": "reacomp"}));
    let set = host.good(
        "fx_set_param_by_name",
        json!({"track_index": 0, "fx_index": 0, "param_name": "thresh", "value": 0.25}),
    );
    near(&set["value"], 0.25);
    assert_eq!(
        host.refused(
            "fx_set_param",
            json!({"track_index": 0, "fx_index": 3, "param_index": 0, "value": 0})
        ),
        "NOT_FOUND"
    );
}

#[test]
fn envelopes_markers_and_tempo() {
    let mut host = Host::start();
    host.good("track_create", json!({"name": "A"}));
    host.good(
        "track_set_volume",
        json!({"track_index": 0, "volume_db": -6}),
    );
    host.good(
        "envelope_add_points",
        json!({
            "track_index": 0, "envelope_name": "Volume",
            "points": [{"time": 0.0, "value": 1.0}, {"time": 2.0, "value": 0.5, "shape": 1}],
        }),
    );
    let read = host.good("envelope_get_points", json!({"track_index": 0}));
    let last = read["points"].as_array().unwrap().last().unwrap().clone();
    near(&last["value"], 0.5);
    near(
        &host.good("track_get_info", json!({"track_index": 0}))["volume_db"],
        -6.0,
    );
    host.good(
        "envelope_add_points",
        json!({
            "track_index": 0, "envelope_name": "Pan", "points": [{"time": 1.0, "value": -1.0}],
        }),
    );
    let pan = host.good(
        "envelope_get_points",
        json!({"track_index": 0, "envelope_name": "Pan"}),
    );
    near(
        &pan["points"].as_array().unwrap().last().unwrap()["value"],
        -1.0,
    );
    assert_eq!(
        host.refused(
            "envelope_add_points",
            json!({"track_index": 0, "points": [{"time": 0, "value": 0}, {"time": 1, "value": 0}]})
        ),
        "INVALID_PARAMETER"
    );

    let batch = host.good("add_markers_batch", json!({"markers": [
        {"position": 4.0, "name": "B"}, {"start": 0.0, "end": 8.0, "name": "R"}, {"position": 2.0, "name": "A"},
    ]}));
    assert_eq!(batch["items"].as_array().unwrap().len(), 3);
    let list = host.good("marker_get_all", json!({}));
    assert_eq!(list["count"], 3);
    assert_eq!(list["markers"][0]["name"], "R");
    let edited = host.good(
        "marker_edit",
        json!({"marker_index": 1, "position": 6.0, "name": "Z"}),
    );
    assert_eq!(edited["index"], 2);
    host.good("marker_delete", json!({"marker_index": 0}));
    assert_eq!(
        host.refused("marker_delete", json!({"marker_index": 9})),
        "NOT_FOUND"
    );

    let state = host.good(
        "transport_set_time_signature",
        json!({"numerator": 6, "denominator": 8}),
    );
    assert_eq!(
        (state["time_sig_num"].clone(), state["time_sig_den"].clone()),
        (json!(6), json!(8))
    );
    host.good(
        "transport_set_time_signature",
        json!({"numerator": 3, "denominator": 4}),
    );
    assert_eq!(host.good("tempo_list_markers", json!({}))["count"], 1);
    host.good("tempo_add_marker", json!({"position": 2.0, "bpm": 60}));
    let map = host.good(
        "tempo_time_map",
        json!({"beats": [0, 4, 6], "times": [4.0]}),
    );
    near(&map["times"][1], 2.0);
    near(&map["times"][2], 4.0);
    near(&map["beats"][0], 6.0);
}

#[test]
fn projects_are_saved_opened_and_rendered() {
    let mut host = Host::start();
    let wav = host.path("tone.wav");
    write_sine(&wav, 440.0, 1.0);
    host.good("configure_tracks", json!({"tracks": [{"track_index": 0, "name": "Tone"}, {"track_index": 1, "name": "Other"}]}));
    host.good("item_insert_media", json!({"track_index": 0, "path": wav}));
    host.good(
        "item_insert_media",
        json!({"track_index": 1, "path": wav, "position": 0.5}),
    );
    assert_eq!(host.refused("project_save", json!({})), "COMMAND_REJECTED");
    let rpp = host.path("song.rpp");
    host.good("project_save_as", json!({"path": rpp}));
    assert_eq!(
        host.good("project_get_info", json!({}))["file_path"],
        json!(rpp)
    );
    host.good("project_backup", json!({"path": host.path("copy.rpp")}));

    let out = host.path("out");
    let render = host.good("project_export_audio", json!({
        "render_dir": out, "render_pattern": "mix", "format": "wav24", "sample_rate": 48000, "channels": 2, "tail_ms": 0,
    }));
    let path = render["targets"][0]["path"].as_str().unwrap().to_owned();
    assert_eq!(render["targets"][0]["exists"], true);
    let reader = hound::WavReader::open(&path).unwrap();
    assert_eq!(reader.spec().bits_per_sample, 24);
    assert_eq!(reader.duration(), 72_000);
    // Again over the old file, and stems.
    host.good(
        "project_export_audio",
        json!({
            "render_dir": out, "render_pattern": "mix", "format": "flac16", "sample_rate": 48000,
        }),
    );
    let stems = host.good("project_export_audio", json!({
        "render_dir": out, "render_pattern": "$track", "format": "wav16", "source": "stems", "track_indices": [0, 1],
    }));
    assert_eq!(stems["selected_track_count"], 2);
    assert!(Path::new(&host.path("out/Tone.wav")).exists());
    assert!(Path::new(&host.path("out/Other.wav")).exists());
    assert_eq!(
        host.refused(
            "project_export_audio",
            json!({"render_dir": out, "render_pattern": "x", "format": "wave"})
        ),
        "INVALID_FORMAT"
    );
    // A render never replaces a source.
    assert_eq!(
        host.refused(
            "project_export_audio",
            json!({"render_dir": host.path(""), "render_pattern": "tone", "format": "wav16"})
        ),
        "INVALID_PATH"
    );

    host.good("project_new", json!({}));
    assert_eq!(host.good("project_get_info", json!({}))["track_count"], 0);
    assert_eq!(
        host.refused(
            "project_export_audio",
            json!({"render_dir": out, "render_pattern": "x"})
        ),
        "RENDER_FAILED"
    );
    let opened = host.good("project_open", json!({"path": rpp}));
    assert_eq!(opened["track_count"], 2);
    assert_eq!(opened["item_count"], 2);
    assert_eq!(
        host.refused("project_open", json!({"path": "/no/such.rpp"})),
        "INVALID_PATH"
    );
}

#[test]
fn items_are_cut_copied_and_moved() {
    let mut host = Host::start();
    let wav = host.path("tone.wav");
    write_sine(&wav, 440.0, 2.0);
    host.good(
        "configure_tracks",
        json!({"tracks": [{"track_index": 0}, {"track_index": 1}]}),
    );
    let item = host.good("item_insert_media", json!({"track_index": 0, "path": wav}));
    let guid = item["guid"].clone();
    let cut = host.good(
        "item_split_at_positions",
        json!({"item_index": 0, "positions": [0.5, 1.0, 9.0]}),
    );
    assert_eq!(cut["splits_made"], 2);
    near(&cut["chops"][1]["offset_in_original_sec"], 0.5);
    let copies = host.good(
        "item_duplicate",
        json!({"item_guid": guid, "count": 2, "spacing_sec": 4.0}),
    );
    assert_eq!(copies["copies_created"], 2);
    assert_ne!(copies["clones"][0]["guid"], guid);
    host.good(
        "item_move_to_track",
        json!({"item_guid": copies["clones"][0]["guid"], "dest_track_index": 1}),
    );
    host.good("items_apply", json!({"entries": [
        {"item_guid": guid, "volume_db": -6, "fade_in": 0.1}, {"item_guid": copies["clones"][1]["guid"], "delete": true},
    ]}));
    let all = host.good("item_get_all", json!({}));
    assert_eq!(all["total_items"], 4);
    near(&all["items"][0]["volume_db"], -6.0);
    near(&all["items"][0]["fade_in"], 0.1);
    host.good("take_set_pitch", json!({"item_index": 0, "semitones": -3}));
    let info = host.good("item_get_source_info", json!({"item_index": 1}));
    near(&info["take_start_offset_sec"], 0.5);
    near(&info["source_length_sec"], 2.0);
    let slice = host.good("chops_create_virtual_slice", json!({
        "source_item_index": 0, "target_track_index": 1, "target_position_sec": 8.0, "source_offset_sec": 1.0, "length_sec": 0.25,
    }));
    near(
        &host.good(
            "item_get_info",
            json!({"item_guid": slice["new_item_guid"]}),
        )["length"],
        0.25,
    );
    assert_eq!(
        host.refused("item_delete", json!({"item_index": 40})),
        "NOT_FOUND"
    );
}

#[test]
fn killed_host_is_noticed() {
    let mut host = Host::start();
    host.child.lock().unwrap().kill().unwrap();
    let error = host
        .client
        .call(Call::new("transport_get_state", json!({})))
        .unwrap_err();
    assert!(matches!(error, CallError::HostLost { .. }), "{error}");
}

#[test]
fn stop_file_ends_the_host() {
    let host = Host::start();
    host.client.stop_bridge().unwrap();
    let before = Instant::now();
    loop {
        if let Some(status) = host.child.lock().unwrap().try_wait().unwrap() {
            assert!(status.success(), "{status}");
            break;
        }
        assert!(
            before.elapsed() < Duration::from_secs(5),
            "the host goes on"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(host.client.lock().is_none(), "the lock is left");
}
