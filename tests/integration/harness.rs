//! Runs the program in a folder of its own with a clean environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

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

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_reaper-batch"))
            .args(args)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap();
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

    fn place(&self, path: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
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
