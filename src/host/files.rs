//! Files around the model: projects, media facts, extension state on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::lua::Fail;
use super::state::Host;

/// A project file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("cannot read project `{path}`: {source}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write project `{path}`: {source}")]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("`{path}` is not a project: {reason}")]
    Parse { path: PathBuf, reason: String },
}

/// Length and layout of media files, read once each.
#[derive(Debug, Default)]
pub(super) struct MediaFacts {
    known: BTreeMap<PathBuf, Option<MediaFact>>,
}

/// What sources tell about an audio file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MediaFact {
    pub(super) length_s: f64,
    pub(super) sample_rate_hz: u32,
    pub(super) channels: u32,
}

impl MediaFacts {
    /// What is known of a file; `None` when it can't be read as audio.
    pub(super) fn get(&mut self, path: &Path) -> Option<MediaFact> {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let fact = probe(path);
        self.known.insert(path.to_owned(), fact);
        fact
    }
}

fn probe(_: &Path) -> Option<MediaFact> {
    None
}

const EXT_STATE_FILE: &str = "reaper-extstate.ini";

impl Host {
    pub(super) fn open_file(&mut self, path: &Path) -> Result<(), FileError> {
        Err(FileError::Parse {
            path: path.to_owned(),
            reason: "this build cannot read projects".to_owned(),
        })
    }

    pub(super) fn save_file(&mut self, path: &Path, _becomes_own: bool) -> Result<(), FileError> {
        Err(FileError::Parse {
            path: path.to_owned(),
            reason: "this build cannot write projects".to_owned(),
        })
    }

    pub(super) fn render(&mut self) -> Result<(), Fail> {
        Err(Fail::Other("this build cannot render".to_owned()))
    }

    pub(super) fn insert_on_new_track(&mut self, path: &Path) -> Result<(), Fail> {
        Err(Fail::Other(format!(
            "this build cannot insert `{}`",
            path.display()
        )))
    }

    /// Reads the extension state that earlier runs have kept.
    pub(super) fn load_ext_state(&mut self) {
        let path = self.resource_path.join(EXT_STATE_FILE);
        let Ok(text) = std::fs::read_to_string(&path) else {
            return;
        };
        let mut section = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                section = name.to_owned();
            } else if let Some((key, value)) = line.split_once('=') {
                self.ext_state
                    .entry(section.clone())
                    .or_default()
                    .insert(key.to_owned(), (value.to_owned(), true));
            }
        }
    }

    /// Writes the extension state that scripts want kept.
    pub(super) fn save_ext_state(&self) {
        let mut text = String::new();
        for (section, values) in &self.ext_state {
            let mut kept = values
                .iter()
                .filter(|(_, (_, persist))| *persist)
                .peekable();
            if kept.peek().is_none() {
                continue;
            }
            text.push_str(&format!("[{section}]\n"));
            for (key, (value, _)) in kept {
                // One line a value, as in REAPER's file.
                let value = value.replace(['\r', '\n'], " ");
                text.push_str(&format!("{key}={value}\n"));
            }
        }
        let path = self.resource_path.join(EXT_STATE_FILE);
        let written = std::fs::create_dir_all(&self.resource_path)
            .and_then(|()| write_atomically(&path, text.as_bytes()));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), "cannot keep the extension state: {error}");
        }
    }
}

/// Writes beside the target and renames, so that nobody reads half a file.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut stage = path.as_os_str().to_owned();
    stage.push(".tmp");
    let stage = PathBuf::from(stage);
    std::fs::write(&stage, bytes)?;
    std::fs::rename(&stage, path)
}
