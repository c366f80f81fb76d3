//! Runs the program in a folder of its own with a clean environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_reaper-batch");

/// An invocation to be.
pub(crate) struct Case {
    folder: TempDir,
    env: Vec<(String, String)>,
}

/// What an invocation did.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Case {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            env: Vec::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, with the folders it needs.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        fs::write(self.place(path), text).unwrap();
        self
    }

    /// Writes a second of a 997 Hz sine at -20 dBFS, mono, 48 kHz, 24 bit.
    pub(crate) fn tone(self, path: &str) -> Self {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: 48_000,
            bits_per_sample: 24,
            sample_format: hound::SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(self.place(path), spec).unwrap();
        for n in 0..48_000 {
            let phase = std::f64::consts::TAU * 997.0 * f64::from(n) / 48_000.0;
            let sample = 0.1 * phase.sin() * f64::from(1 << 23);
            writer.write_sample(sample as i32).unwrap();
        }
        writer.finalize().unwrap();
        self
    }

    /// Writes stems that a mix knows what to do with, some seconds long.
    pub(crate) fn stems(self, folder: &str, seconds: u32) -> Self {
        for (name, hz) in [("Kick", 60.0), ("Bass", 110.0), ("Pad", 330.0)] {
            let path = self.place(&format!("{folder}/{name}.wav"));
            write_stem(&path, hz, seconds);
        }
        self
    }

    /// Writes bytes, with the folders they need.
    pub(crate) fn bytes(self, path: &str, bytes: &[u8]) -> Self {
        fs::write(self.place(path), bytes).unwrap();
        self
    }

    /// Makes a script that can be started.
    #[cfg(unix)]
    pub(crate) fn script(self, path: &str, text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let place = self.place(path);
        fs::write(&place, text).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.ended(self.command(args))
    }

    /// Runs the program from a shell that does `before` first.
    #[cfg(unix)]
    pub(crate) fn run_after(&self, before: &str, args: &[&str]) -> Ran {
        let mut command = self.prepare(Command::new("/bin/sh"));
        command
            .args(["-c", &format!("{before}; exec \"$0\" \"$@\""), PROGRAM])
            .args(args);
        self.ended(command)
    }

    /// Starts the program and lets it go on.
    pub(crate) fn start(&self, args: &[&str]) -> Running<'_> {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running {
            case: self,
            child: Some(command.spawn().unwrap()),
        }
    }

    /// The report that a run has left in a folder.
    #[track_caller]
    pub(crate) fn report(&self, out: &str) -> Value {
        let path = self.path().join(out).join("report.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        serde_json::from_str(&text).unwrap()
    }

    /// All files below a folder, by relative path.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().join(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let relative = path.strip_prefix(self.path().join(below)).unwrap();
                    found.push(relative.to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// The program with a clean environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.prepare(Command::new(PROGRAM));
        command.args(args);
        command
    }

    fn prepare(&self, mut command: Command) -> Command {
        command
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .stdin(Stdio::null())
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn ended(&self, mut command: Command) -> Ran {
        self.ran(command.output().unwrap())
    }

    fn ran(&self, output: std::process::Output) -> Ran {
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("output is UTF-8");
            text.replace(&*self.path().to_string_lossy(), "[folder]")
        };
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    pub(crate) fn place(&self, path: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
}

/// A program that runs. It is killed, with the hosts it started, when the
/// test ends before it does.
pub(crate) struct Running<'a> {
    case: &'a Case,
    child: Option<Child>,
}

impl Running<'_> {
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ran {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        self.case.ran(output)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself already; its hosts follow it.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "no {what} within 30 s"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Code and message of the error of a project of a report.
#[track_caller]
pub(crate) fn error_of<'a>(report: &'a Value, project: &str) -> (&'a str, &'a str) {
    let projects = report["projects"].as_array().unwrap();
    let found = projects.iter().find(|entry| entry["name"] == project);
    let error = &found.unwrap_or_else(|| panic!("no project {project}"))["error"];
    (
        error["code"].as_str().unwrap_or("none"),
        error["message"].as_str().unwrap_or("none"),
    )
}

/// Outcome of a project of a report.
#[track_caller]
pub(crate) fn outcome_of<'a>(report: &'a Value, project: &str) -> &'a str {
    let projects = report["projects"].as_array().unwrap();
    let found = projects.iter().find(|entry| entry["name"] == project);
    found.unwrap_or_else(|| panic!("no project {project}"))["outcome"]
        .as_str()
        .unwrap()
}

/// A tone with four strokes a second, mono, 48 kHz, 16 bit.
fn write_stem(path: &Path, hz: f64, seconds: u32) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    // A second of it, repeated: every frequency here fits whole periods.
    let second: Vec<i16> = (0..48_000)
        .map(|n| {
            let t = f64::from(n) / 48_000.0;
            let stroke = (-(t % 0.25) * 8.0).exp();
            ((std::f64::consts::TAU * hz * t).sin() * stroke * 12_000.0) as i16
        })
        .collect();
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for _ in 0..seconds {
        for &sample in &second {
            writer.write_sample(sample).unwrap();
        }
    }
    writer.finalize().unwrap();
}

impl Ran {
    /// Asserts the exit code and passes on.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// The lines of stdout as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }
}
