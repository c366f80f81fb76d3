//! Mixing and mastering through the real bridge in the real embedded host:
//! synthetic stems in, a plan applied and read back, a render that meets its
//! loudness.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use reaper_batch::bridge::{self, Bridge, Call};
use reaper_batch::engine::{Engine, Host, Hosts, LaunchOptions, Worker};
use reaper_batch::job::{MasterOptions, MixOptions};
use reaper_batch::mix::master::MasterReading;
use reaper_batch::mix::{self, StemLevels, catalogue};
use reaper_batch::qc::{self, Measurements};
use serde_json::{Value, json};

const RATE: u32 = 48_000;
const SECONDS: u32 = 8;

/// A host with one track per stem, and the folder everything lies in.
struct Session {
    host: Host,
    folder: tempfile::TempDir,
    stems: Vec<(&'static str, PathBuf)>,
    _worker: Worker,
}

impl Session {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let worker = Worker::create(folder.path(), None).unwrap();
        let engine = Engine::Embedded {
            program: env!("CARGO_BIN_EXE_reaper-batch").into(),
        };
        let options = LaunchOptions {
            project: None,
            threads: 1,
            log: &folder.path().join("engine.log"),
            client: bridge::Options::default(),
        };
        let host = Host::start(&engine, &worker, &Hosts::default(), options).unwrap();
        let mut session = Self {
            host,
            stems: stems(folder.path()),
            folder,
            _worker: worker,
        };
        let tracks: Vec<Value> = session
            .stems
            .iter()
            .enumerate()
            .map(|(i, (name, _))| json!({ "track_index": i, "name": name }))
            .collect();
        session.call("configure_tracks", json!({ "tracks": tracks }));
        for (i, (_, path)) in session.stems.clone().iter().enumerate() {
            let params = json!({ "track_index": i, "path": path, "position": 0 });
            session.call("item_insert_media", params);
        }
        session
    }

    fn call(&mut self, command: &str, params: Value) -> Value {
        let reply = self.host.client().call(Call::new(command, params));
        reply.unwrap_or_else(|error| panic!("{error}"))
    }

    fn levels(&self) -> Vec<StemLevels> {
        self.stems
            .iter()
            .map(|(name, path)| {
                let measured = measure(path);
                StemLevels {
                    track_name: (*name).to_owned(),
                    integrated_lufs: measured.integrated_lufs,
                    max_short_term_lufs: measured.max_short_term_lufs,
                    sample_peak_dbfs: measured.sample_peak_dbfs,
                    ..StemLevels::default()
                }
            })
            .collect()
    }
}

fn measure(path: &Path) -> Measurements {
    qc::measure(path, &[], &mut |_| ()).unwrap().measurements
}

fn render(bridge: &mut dyn Bridge, folder: &Path, name: &str) -> Measurements {
    let call = Call::new(
        "project_export_audio",
        json!({
            "render_dir": folder,
            "render_pattern": name,
            "format": "wav32f",
            "source": "master",
            "bounds": "project",
            "sample_rate": RATE,
            "channels": 2,
        }),
    );
    let answer = bridge.call(call).unwrap();
    let path = answer["targets"][0]["path"].as_str().unwrap();
    measure(Path::new(path))
}

/// A beat, a bass, a pad and a lead, at levels far apart.
fn stems(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let beat = |t: f64| {
        let since = t % 0.5;
        0.8 * (-since * 14.0).exp()
            * (TAU * (50.0 * since + 3.0 * (1.0 - (-since * 30.0).exp()))).sin()
    };
    let bass = |t: f64| 0.05 * (TAU * 82.4 * t).sin() + 0.02 * (TAU * 164.8 * t).sin();
    let pad = |t: f64| {
        let chord = [220.0, 277.2, 329.6, 440.0];
        let swell = 0.6 + 0.4 * (TAU * 0.25 * t).sin();
        chord
            .iter()
            .map(|hz| 0.004 * swell * (TAU * hz * t).sin())
            .sum::<f64>()
    };
    let lead = |t: f64| {
        let gate = if t % 1.0 < 0.7 { 1.0 } else { 0.0 };
        gate * (1..6)
            .map(|k| 0.2 / f64::from(k) * (TAU * 440.0 * f64::from(k) * t).sin())
            .sum::<f64>()
    };
    vec![
        ("Kick", write(folder, "kick", beat)),
        ("Synth Bass", write(folder, "bass", bass)),
        ("Pad", write(folder, "pad", pad)),
        ("Lead", write(folder, "lead", lead)),
    ]
}

fn write(folder: &Path, name: &str, wave: impl Fn(f64) -> f64) -> PathBuf {
    let path = folder.join(format!("{name}.wav"));
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: RATE,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut writer = hound::WavWriter::create(&path, spec).unwrap();
    for frame in 0..RATE * SECONDS {
        let sample = wave(f64::from(frame) / f64::from(RATE));
        writer.write_sample(sample as f32).unwrap();
    }
    writer.finalize().unwrap();
    path
}

#[test]
fn a_session_is_mixed_and_mastered_to_its_target() {
    let mut session = Session::start();
    let style = catalogue::find("synthwave").unwrap();
    let overview = mix::observe(session.host.client()).unwrap();
    let options = MixOptions {
        roles: Default::default(),
        measured: true,
    };
    let plan = mix::plan::mix(&overview, &session.levels(), style, &options).unwrap();
    assert_eq!(plan.tracks.len(), 4, "{}", mix::plan::text(&plan));

    let applied = mix::apply::mix(session.host.client(), &plan).unwrap();
    assert!(applied.changed > 0 && applied.verified > 50, "{applied:?}");
    let state = |session: &mut Session| {
        let mut overview = session.call("project_get_overview", json!({}));
        // Every call counts as a change.
        overview["change_count"] = Value::Null;
        overview
    };
    let before = state(&mut session);
    let again = mix::apply::mix(session.host.client(), &plan).unwrap();
    assert_eq!((again.changed, again.removed), (0, 0));
    assert_eq!(state(&mut session), before);

    let folder = session.folder.path().to_owned();
    let mixed = render(session.host.client(), &folder, "mix");
    let loudness = mixed.integrated_lufs.unwrap();
    // The estimate knows no equaliser, reverb or side-chain.
    let estimate = plan.estimated_lufs.unwrap();
    assert!(
        (loudness - estimate).abs() < 4.0,
        "{loudness} LUFS, {estimate} estimated"
    );
    assert!(mixed.sample_peak_dbfs.unwrap() < -1.0, "{mixed:?}");

    let options = MasterOptions {
        target_lufs: Some(-14.0),
        ceiling_dbtp: None,
        max_passes: 6,
        max_limiting_db: 12.0,
    };
    let mut pass = 0;
    let mut listen = |bridge: &mut dyn Bridge| -> Result<MasterReading, std::io::Error> {
        pass += 1;
        let measured = render(bridge, &folder, &format!("pass-{pass}"));
        Ok(MasterReading {
            integrated_lufs: measured.integrated_lufs,
            true_peak_dbtp: measured.true_peak_dbtp,
            max_short_term_lufs: measured.max_short_term_lufs,
        })
    };
    let outcome =
        mix::master::run(session.host.client(), style, &options, None, &mut listen).unwrap();
    assert!(outcome.reached, "{outcome:#?}");
    let mastered = render(session.host.client(), &folder, "master");
    assert!(
        (mastered.integrated_lufs.unwrap() + 14.0).abs() <= 0.5,
        "{outcome:#?}"
    );
    assert!(mastered.true_peak_dbtp.unwrap() <= -1.0, "{outcome:#?}");
}

#[test]
fn the_side_chain_really_ducks() {
    let mut session = Session::start();
    let style = catalogue::parse(
        "ducked",
        "extends = \"synthwave\"\n[[sidechain]]\nkey = \"kick\"\ntarget = \"pad\"\namount = 0.9\nattack_ms = 2\nrelease_ms = 150\n",
    )
    .unwrap();
    let overview = mix::observe(session.host.client()).unwrap();
    let options = MixOptions {
        roles: Default::default(),
        measured: true,
    };
    let levels = session.levels();
    let plan = mix::plan::mix(&overview, &levels, &style, &options).unwrap();
    mix::apply::mix(session.host.client(), &plan).unwrap();
    let folder = session.folder.path().to_owned();
    // The pad alone, with and without its key; the kick is heard by nobody
    // but the compressor.
    let pad = plan
        .tracks
        .iter()
        .find(|track| track.name == "Pad")
        .unwrap();
    let kick = plan
        .tracks
        .iter()
        .find(|track| track.name == "Kick")
        .unwrap();
    for track in &plan.tracks {
        let heard = track.index == pad.index;
        session.call(
            "configure_tracks",
            json!({ "tracks": [{ "track_index": track.index, "main_send": heard }] }),
        );
    }
    // Reverb returns are not of interest.
    let all = session.call("project_get_overview", json!({}));
    for track in all["tracks"].as_array().unwrap() {
        if track["name"].as_str().unwrap().starts_with("MIX: ") {
            session.call(
                "track_set_mute",
                json!({ "track_index": track["index"], "mute": true }),
            );
        }
    }
    let ducked = render(session.host.client(), &folder, "ducked");
    session.call(
        "track_set_mute",
        json!({ "track_index": kick.index, "mute": true }),
    );
    let free = render(session.host.client(), &folder, "free");
    let taken = free.integrated_lufs.unwrap() - ducked.integrated_lufs.unwrap();
    assert!(taken > 1.0, "the kick takes {taken:.2} LU from the pad");
}
