//! The Model Context Protocol server, spoken to line by line.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest single piece of work here takes a few seconds on a slow machine.
const LIMIT: Duration = Duration::from_secs(120);

const SCORE: &str = r#"
bpm = 120
key = "A minor"
sections = [{ name = "Verse", bars = 2 }]
harmony = "i | VI"
[[part]]
name = "Bass"
instrument = "synth bass"
bass = "R.r.r.r.R.r.r.r."
[[part]]
name = "Pad"
chords = "x---------------"
"#;

/// A client over the pipes of a server.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    log: Option<JoinHandle<String>>,
    next_id: u64,
    outputs: BTreeMap<String, Value>,
    progress: Vec<Value>,
    folder: tempfile::TempDir,
}

impl Client {
    /// Starts a server in a folder of its own and says nothing.
    fn silent() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_reaper-batch"))
            .args(["mcp", "--engine", "embedded"])
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                sender.send(line.expect("stdout is UTF-8")).unwrap();
            }
        });
        let mut errors = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            log: Some(log),
            next_id: 1,
            outputs: BTreeMap::new(),
            progress: Vec::new(),
            folder,
        }
    }

    /// Starts a server and goes through the handshake.
    fn start() -> Self {
        let mut client = Self::silent();
        let answer = client.initialize("2025-06-18");
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let tools = client.request("tools/list", json!({}));
        for tool in tools["result"]["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap().to_owned();
            client.outputs.insert(name, tool["outputSchema"].clone());
        }
        client
    }

    fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.request("initialize", params)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("stdin is open");
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and returns its number.
    fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn ask_tool(&mut self, tool: &str, arguments: Value) -> u64 {
        let params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": { "progressToken": tool },
        });
        self.ask("tools/call", params)
    }

    /// The next line, which must be a message of the protocol.
    #[track_caller]
    fn message(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => {
                let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| {
                    panic!("stdout has a line that is no JSON: {error}: {line}")
                });
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                Some(message)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer within {LIMIT:?}"),
        }
    }

    /// Waits for the answer to a request; progress is kept.
    #[track_caller]
    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.message().expect("the server ended without an answer");
            if message["id"] == id {
                return message;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            self.progress.push(message["params"].clone());
        }
    }

    #[track_caller]
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool that must succeed, and returns its structured content.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.ask_tool(tool, arguments);
        let answer = self.answer(id);
        self.success(tool, &answer)
    }

    #[track_caller]
    fn success(&self, tool: &str, answer: &Value) -> Value {
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{tool}: {answer}");
        let content = result["structuredContent"].clone();
        let validator = jsonschema::validator_for(&self.outputs[tool]).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&content)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{tool}: {errors:?}: {content}");
        content
    }

    /// Calls a tool that must fail, and returns the sentence.
    #[track_caller]
    fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.ask_tool(tool, arguments);
        let answer = self.answer(id);
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains("panicked"), "{text}");
        text.to_owned()
    }

    /// Content of a resource, or the error.
    #[track_caller]
    fn read(&mut self, uri: &str) -> Result<Value, Value> {
        let answer = self.request("resources/read", json!({ "uri": uri }));
        if answer["error"].is_object() {
            return Err(answer["error"].clone());
        }
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["mimeType"], "application/json");
        Ok(serde_json::from_str(content["text"].as_str().unwrap()).unwrap())
    }

    /// Waits until work reports progress for the first time.
    #[track_caller]
    fn wait_for_progress(&mut self) {
        let message = self.message().expect("the server runs");
        assert_eq!(message["method"], "notifications/progress", "{message}");
    }

    /// Closes stdin, and expects the rest of the answers and a clean end.
    #[track_caller]
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let mut rest = Vec::new();
        while let Some(message) = self.message() {
            rest.push(message);
        }
        let deadline = Instant::now() + LIMIT;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "the server does not end"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let log = self.log.take().unwrap().join().unwrap();
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(!log.contains("panicked"), "{log}");
        assert_no_process_in(self.folder.path());
        rest
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // After a failed test; the host ends with its parent.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hosts are started with paths below the project's folder as arguments.
fn assert_no_process_in(folder: &Path) {
    let wanted = folder.display().to_string();
    let left = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
            .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
            .find(|line| line.contains(&wanted))
    };
    assert_eq!(left(), None, "a host is left running");
}

/// Writes a mono WAV of 16 bit.
fn wav(path: &Path, rate: u32, seconds: u32, sample: impl Fn(f64) -> f64) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: rate,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for n in 0..rate * seconds {
        let t = f64::from(n) / f64::from(rate);
        writer.write_sample((sample(t) * 32_767.0) as i16).unwrap();
    }
    writer.finalize().unwrap();
}

/// A kick on every half second, a bass and a pad.
fn stems(client: &Client, seconds: u32) -> Vec<PathBuf> {
    let sine = |hz: f64, t: f64| (TAU * hz * t).sin();
    let (kick, bass, pad) = (
        client.path("stems/Kick.wav"),
        client.path("stems/Bass.wav"),
        client.path("stems/Pad.wav"),
    );
    wav(&kick, 48_000, seconds, |t| {
        let beat = t % 0.5;
        0.8 * sine(60.0, beat) * (-12.0 * beat).exp()
    });
    wav(&bass, 48_000, seconds, |t| 0.3 * sine(82.4, t));
    wav(&pad, 48_000, seconds, |t| {
        0.1 * (sine(440.0, t) + sine(554.4, t))
    });
    vec![kick, bass, pad]
}

/// A project whose renders take seconds: `minutes` of a quiet tone.
fn open_long(client: &mut Client, minutes: u32) {
    let tone = client.path("long/Pad.wav");
    wav(&tone, 8_000, 60 * minutes, |t| {
        0.1 * (TAU * 440.0 * t).sin()
    });
    client.call(
        "open_project",
        json!({ "folder": "long-out", "stems": [tone] }),
    );
}

#[test]
fn tools_are_few_small_and_described() {
    let mut client = Client::silent();
    let early = client.request("ping", json!({}));
    assert_eq!(early["result"], json!({}), "a ping is welcome at any time");
    client.initialize("2025-06-18");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let answer = client.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert!(tools.len() <= 15, "{} tools", tools.len());
    let bytes = serde_json::to_string(tools).unwrap().len();
    assert!(bytes <= 20_000, "{bytes} bytes of tools");
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{schema} of {tool}");
            jsonschema::validator_for(&tool[schema]).unwrap();
        }
    }
    let resources = client.request("resources/list", json!({}));
    assert_eq!(
        resources["result"]["resources"].as_array().unwrap().len(),
        3
    );
    assert!(client.end().is_empty());
}

#[test]
fn old_and_new_clients_are_understood() {
    for version in ["2024-11-05", "2025-03-26", "2025-11-25"] {
        let mut client = Client::silent();
        let answer = client.initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "reaper-batch");
        client.end();
    }
    // Since 2026-07-28 there is no handshake: each request tells its version.
    let mut client = Client::silent();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("server/discover", json!({ "_meta": meta }));
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    let params = json!({ "name": "list_styles", "arguments": {}, "_meta": meta });
    let answer = client.request("tools/call", params);
    let names = answer["result"]["structuredContent"]["names"].as_array();
    assert!(names.is_some_and(|names| names.len() > 10), "{answer}");
    client.end();
}

#[test]
fn a_client_that_leaves_without_a_word_is_no_failure() {
    assert!(Client::silent().end().is_empty());
}

#[test]
fn a_session_from_stems_to_a_mastered_file() {
    let mut client = Client::start();
    let stems = stems(&client, 6);
    let originals: Vec<Vec<u8>> = stems.iter().map(|path| fs::read(path).unwrap()).collect();
    let opened = client.call(
        "open_project",
        json!({ "folder": "song", "stems": stems, "style": "synthwave", "tempo_bpm": 120 }),
    );
    assert_eq!(opened["tracks"], 3);
    assert_eq!(
        opened["project_file"],
        json!(client.path("song/project.rpp"))
    );

    let seen = client.call("look_around", json!({}));
    assert_eq!(seen["tracks"][1]["name"], "Bass");
    client.call(
        "configure_tracks",
        json!({ "tracks": [{ "track_index": 2, "name": "Warm Pad", "pan": 0.25 }] }),
    );
    let tracks = client.read("reaper-batch://tracks").unwrap();
    assert_eq!(tracks["tracks"][2]["name"], "Warm Pad");

    let undone = client.call("undo", json!({}));
    assert_eq!(undone["count"], 1, "{undone}");
    let seen = client.call("look_around", json!({}));
    assert_eq!(seen["tracks"][2]["name"], "Pad");

    let mixed = client.call("mix", json!({ "roles": { "Pad": "pad" } }));
    assert_eq!(mixed["unmatched"], json!([]), "{mixed}");
    let mastered = client.call("master", json!({ "target_lufs": -14.0 }));
    assert!(!mastered["passes"].as_array().unwrap().is_empty());

    let rendered = client.call("render", json!({ "format": "flac", "stems": true }));
    let file = &rendered["files"][0];
    let path = file["path"].as_str().unwrap();
    assert_eq!(Path::new(path), client.path("song/song.flac"));
    assert_eq!(file["passed"], true, "{file}");
    let lufs = file["measurements"]["integrated_lufs"].as_f64().unwrap();
    // The tolerance against which the style's renders are judged.
    assert!((lufs + 14.0).abs() <= 0.5, "{lufs}");
    assert!(
        rendered["files"].as_array().unwrap().len() >= 4,
        "with stems"
    );
    let again = client.fail("render", json!({ "format": "flac" }));
    assert!(again.contains("overwrite"), "{again}");
    let judged = client.call(
        "render",
        json!({ "format": "flac", "overwrite": true, "spec": "spotify" }),
    );
    assert_eq!(judged["files"].as_array().unwrap().len(), 1);

    let checked = client.call("check_file", json!({ "path": path, "spec": "spotify" }));
    assert_eq!(checked["measurements"], judged["files"][0]["measurements"]);
    let report = client.read("reaper-batch://report").unwrap();
    assert_eq!(report["renders"][0]["path"], "song/song.flac");
    assert_eq!(report["style"], "synthwave");
    let project = client.read("reaper-batch://project").unwrap();
    assert_eq!(project["working_copy"], opened["project_file"]);

    for (path, bytes) in stems.iter().zip(originals) {
        assert!(fs::read(path).unwrap() == bytes, "a source was written to");
    }
    // The working copy is what a later session goes on with.
    let before = client.call("look_around", json!({}));
    client.call("open_project", json!({ "folder": "song" }));
    let after = client.call("look_around", json!({}));
    assert_eq!(before["tracks"], after["tracks"]);
    assert!(client.end().is_empty());
}

fn assert_rising(progress: &[Value]) {
    assert!(!progress.is_empty(), "no progress was reported");
    let mut last = -1.0;
    for note in progress {
        let value = note["progress"].as_f64().unwrap();
        assert!(value > last, "{value} after {last}");
        assert!(value <= note["total"].as_f64().unwrap(), "{note}");
        last = value;
    }
}

#[test]
fn a_score_becomes_a_file() {
    let mut client = Client::start();
    client.call(
        "open_project",
        json!({ "folder": "song", "style": "synthwave" }),
    );
    let wrong = client.fail(
        "compose",
        json!({ "score": SCORE.replace("i | VI", "i | Q") }),
    );
    assert!(wrong.contains('Q'), "{wrong}");
    let done = client.call("compose", json!({ "score": SCORE }));
    assert!(
        done["summary"].as_str().unwrap().starts_with("2 parts"),
        "{done}"
    );
    // Composing again replaces the notes.
    let before = client.call("look_around", json!({}))["tracks"].clone();
    client.call("compose", json!({ "score": SCORE }));
    let after = client.call("look_around", json!({}))["tracks"].clone();
    assert_eq!(
        before.as_array().unwrap().len(),
        after.as_array().unwrap().len()
    );
    client.call("mix", json!({}));
    let rendered = client.call("render", json!({ "sample_rate": 44_100, "bit_depth": 16 }));
    let file = &rendered["files"][0];
    assert_eq!(file["file"]["sample_rate"], 44_100, "{file}");
    assert!(
        file["measurements"]["integrated_lufs"].is_number(),
        "{file}"
    );
    client.end();
}

#[test]
fn a_job_runs_and_is_reported() {
    let mut client = Client::start();
    let kick = &stems(&client, 3)[0];
    let job =
        "name = \"Album\"\nstyle = \"synthwave\"\n[[project]]\nname = \"one\"\nstems = \"stems\"\n";
    fs::write(client.path("album.toml"), job).unwrap();
    client.progress.clear();
    let done = client.call("run_job", json!({ "job": "album.toml", "out": "out" }));
    assert_eq!(done["projects"]["one"]["error"], Value::Null, "{done}");
    assert_rising(&client.progress);
    assert!(client.progress.len() > 5, "{:?}", client.progress);
    assert!(client.path("out/report.json").is_file());
    assert!(client.path("out/one/one.wav").is_file());
    let report = client.read("reaper-batch://report").unwrap();
    assert_eq!(report["projects"][0]["name"], "one");

    let near = client.fail(
        "run_job",
        json!({ "job": "album.toml", "out": "out", "only": ["noe"] }),
    );
    assert!(near.contains("did you mean `one`?"), "{near}");
    let existing = client.call("run_job", json!({ "job": "album.toml", "out": "out" }));
    assert_eq!(existing["outcome"], "errored");
    let reason = existing["projects"]["one"]["error"].as_str().unwrap();
    assert!(reason.contains("exists already"), "{reason}");
    fs::write(
        client.path("bad.toml"),
        job.replace("synthwave", "synthwav"),
    )
    .unwrap();
    let bad = client.fail("run_job", json!({ "job": "bad.toml", "out": "out" }));
    assert!(bad.contains("did you mean `synthwave`?"), "{bad}");
    let none = client.fail("run_job", json!({ "job": "none.toml", "out": "out" }));
    assert!(none.contains("none.toml"), "{none}");

    // A job does not write under the feet of the open project.
    client.call(
        "open_project",
        json!({ "folder": "out/one", "stems": [kick] }),
    );
    let busy = client.fail(
        "run_job",
        json!({ "job": "album.toml", "out": "out", "overwrite": true }),
    );
    assert!(busy.contains("open project"), "{busy}");
    client.end();
}

#[test]
fn failures_are_sentences_that_name_the_thing() {
    let mut client = Client::start();
    let stems = stems(&client, 1);
    let foreign = client.path("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("precious.txt"), "mine").unwrap();
    fs::write(client.path("text.wav"), "not audio").unwrap();

    for tool in ["look_around", "mix", "master", "render", "undo"] {
        let text = client.fail(tool, json!({}));
        assert!(text.contains("open_project"), "{tool}: {text}");
    }
    client.call(
        "open_project",
        json!({ "folder": "song", "stems": [stems[0]] }),
    );

    let cases = [
        ("open_project", json!({}), "folder"),
        (
            "open_project",
            json!({ "folder": "x", "style": "synthwav" }),
            "`synthwave`",
        ),
        (
            "open_project",
            json!({ "folder": "x", "style": "zydeco" }),
            "list_styles",
        ),
        (
            "open_project",
            json!({ "folder": "foreign" }),
            "another folder",
        ),
        (
            "open_project",
            json!({ "folder": "x", "project": "none.rpp" }),
            "none.rpp",
        ),
        (
            "open_project",
            json!({ "folder": "x", "stems": ["none.wav"] }),
            "none.wav",
        ),
        (
            "open_project",
            json!({ "folder": "x", "stems": ["text.wav"] }),
            "text.wav",
        ),
        (
            "open_project",
            json!({ "folder": "x", "tempo_bpm": -1 }),
            "tempo_bpm",
        ),
        (
            "open_project",
            json!({ "folder": "x", "project": "a.rpp", "stems": ["b.wav"] }),
            "not both",
        ),
        ("compose", json!({ "score": SCORE }), "opened empty"),
        (
            "configure_tracks",
            json!({ "tracks": [{ "name": "x" }] }),
            "track_index",
        ),
        (
            "configure_tracks",
            json!({ "tracks": [{ "track_index": "x" }] }),
            "`tracks`",
        ),
        ("mix", json!({ "style": 4 }), "`style`"),
        ("mix", json!({ "colour": 4 }), "`colour`"),
        ("mix", json!({ "roles": { "Kick": "kik" } }), "kik"),
        ("master", json!({ "target_lufs": "loud" }), "`target_lufs`"),
        ("master", json!({ "spec": "spotfy" }), "`spotify`"),
        ("render", json!({ "format": "mp3" }), "`format`"),
        (
            "render",
            json!({ "format": "flac", "bit_depth": 32 }),
            "FLAC",
        ),
        ("render", json!({ "bit_depth": 12 }), "12"),
        ("render", json!({ "sample_rate": 5 }), "8000"),
        ("render", json!({ "tail_s": -1 }), "tail_s"),
        ("undo", json!({ "steps": "all" }), "`steps`"),
        ("undo", json!({ "steps": 0 }), "steps"),
        ("check_file", json!({ "path": "none.wav" }), "none.wav"),
        ("check_file", json!({ "path": "text.wav" }), "text.wav"),
        (
            "check_file",
            json!({ "path": stems[0], "spec": "spotfy" }),
            "`spotify`",
        ),
        ("list_styles", json!({ "name": "synthwav" }), "`synthwave`"),
    ];
    for (tool, arguments, wanted) in cases {
        let text = client.fail(tool, arguments.clone());
        assert!(text.contains(wanted), "{tool} {arguments}: {text}");
    }
    let mut names: Vec<_> = fs::read_dir(&foreign).unwrap().flatten().collect();
    assert_eq!(names.pop().unwrap().file_name(), "precious.txt");
    assert!(names.is_empty(), "a foreign folder was written to");
    // None of this has closed the project.
    assert_eq!(
        client.call("look_around", json!({}))["tracks"][0]["name"],
        "Kick"
    );

    let tool = client.request("tools/call", json!({ "name": "mixx", "arguments": {} }));
    assert_eq!(tool["error"]["code"], -32602, "{tool}");
    assert!(
        tool["error"]["message"].as_str().unwrap().contains("`mix`"),
        "{tool}"
    );
    let method = client.request("tools/frobnicate", json!({}));
    assert_eq!(method["error"]["code"], -32601, "{method}");
    let resource = client.read("reaper-batch://nothing").unwrap_err();
    assert_eq!(resource["code"], -32002, "{resource}");
    client.end();

    let mut client = Client::start();
    for name in ["project", "tracks", "report"] {
        let error = client.read(&format!("reaper-batch://{name}")).unwrap_err();
        assert_eq!(error["code"], -32002, "{error}");
    }
    client.end();
}

#[test]
fn a_cancelled_call_leaves_the_server_and_the_project_usable() {
    let mut client = Client::start();
    open_long(&mut client, 6);
    let before = client.call("look_around", json!({}));
    for tool in ["render", "master"] {
        let id = client.ask_tool(tool, json!({}));
        client.wait_for_progress();
        let cancel = json!({ "requestId": id, "reason": "changed my mind" });
        client.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }),
        );
        let started = Instant::now();
        let after = client.call("look_around", json!({}));
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{:?}",
            started.elapsed()
        );
        assert_eq!(after["tracks"], before["tracks"], "after {tool}");
    }
    assert!(!client.path("long-out/long-out.wav").exists());
    // A call that waits for its turn is cancelled in the place of no other.
    let running = client.ask_tool("render", json!({}));
    client.wait_for_progress();
    let waiting = client.ask_tool("mix", json!({}));
    let cancel = json!({ "requestId": waiting });
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    let answer = client.answer(running);
    client.success("render", &answer);
    assert!(client.path("long-out/long-out.wav").exists());
    client.end();
}

#[test]
fn answers_in_flight_are_written_before_the_end() {
    let mut client = Client::start();
    open_long(&mut client, 6);
    let id = client.ask_tool("master", json!({}));
    let second = client.ask_tool("render", json!({}));
    client.wait_for_progress();
    let target = client.path("long-out/long-out.wav");
    let keep = std::mem::replace(&mut client.folder, tempfile::tempdir().unwrap());
    let rest = client.end();
    let answers: Vec<&Value> = rest
        .iter()
        .filter(|message| message["id"].is_u64())
        .collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[0]["id"], id);
    assert_eq!(answers[1]["id"], second);
    // The master renders several times, and progress rises all the same.
    let progress = rest.iter().map(|message| message["params"].clone());
    let of_master: Vec<Value> = progress
        .filter(|note| note["progressToken"] == "master")
        .collect();
    assert_rising(&of_master);
    for answer in answers {
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    assert!(target.is_file());
    assert_no_process_in(keep.path());
    assert!(
        !keep.path().join("long-out/.work").exists(),
        "scratch files are left"
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_and_its_host() {
    let mut client = Client::start();
    client.call("open_project", json!({ "folder": "song" }));
    let pid = client.child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    assert!(client.message().is_none());
    assert_eq!(client.child.wait().unwrap().code(), Some(143));
    assert_no_process_in(client.folder.path());
}
