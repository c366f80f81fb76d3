//! Files around the model: projects, media facts, extension state on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::audio::Reader;
use crate::files::write_whole;
use crate::project::{Guid, Project, rebase_media, rpp};

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
    #[error("`{path}` is not a project: {source}")]
    Parse {
        path: PathBuf,
        source: rpp::RppError,
    },
}

/// Length and layout of media files, read once each.
#[derive(Debug, Default)]
pub(super) struct MediaFacts {
    known: BTreeMap<PathBuf, MediaFact>,
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
            return Some(*known);
        }
        // A file that is missing now may be there later, so only successes
        // are kept.
        let fact = probe(path)?;
        self.known.insert(path.to_owned(), fact);
        Some(fact)
    }
}

fn probe(path: &Path) -> Option<MediaFact> {
    let reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(error) => {
            tracing::debug!("{error}");
            return None;
        }
    };
    let facts = reader.facts();
    let length_s = facts.frames as f64 / f64::from(facts.sample_rate.max(1));
    Some(MediaFact {
        length_s,
        sample_rate_hz: facts.sample_rate,
        channels: facts.channels,
    })
}

const EXT_STATE_FILE: &str = "reaper-extstate.ini";

impl Host {
    pub(super) fn open_file(&mut self, path: &Path) -> Result<(), FileError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let bytes = std::fs::read(&path).map_err(|source| FileError::Read {
            path: path.clone(),
            source,
        })?;
        let (mut project, warnings) = rpp::parse(&bytes).map_err(|source| FileError::Parse {
            path: path.clone(),
            source,
        })?;
        for warning in warnings {
            tracing::warn!(path = %path.display(), line = warning.line, "{}", warning.message);
        }
        crate::fx::load_states(&mut project);
        project.settings.path = Some(path);
        self.open(project);
        Ok(())
    }

    /// Writes the project; when the file becomes its own it is clean again.
    pub(super) fn save_file(&mut self, path: &Path, becomes_own: bool) -> Result<(), FileError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut project = self.project.clone();
        let (from, to) = (self.project_folder(), path.parent().map(Path::to_owned));
        if let Some(to) = &to
            && self.project.settings.path.is_some()
        {
            rebase_media(&mut project, &from, to);
            if becomes_own {
                rebase_media(&mut self.project, &from, to);
            }
        }
        restore_guids(&mut project, &self.given_guids);
        crate::fx::store_states(&mut project);
        let written = match path.parent() {
            Some(folder) => std::fs::create_dir_all(folder),
            None => Ok(()),
        }
        .and_then(|()| write_whole(&path, &rpp::write(&project)));
        written.map_err(|source| FileError::Write {
            path: path.clone(),
            source,
        })?;
        if becomes_own {
            self.project.settings.path = Some(path);
            self.changes.dirty = false;
        }
        Ok(())
    }

    pub(super) fn insert_on_new_track(&mut self, path: &Path) -> Result<(), Fail> {
        self.insert_media(path, None, false)
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
            .and_then(|()| write_whole(&path, text.as_bytes()));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), "cannot keep the extension state: {error}");
        }
    }
}

/// Puts the GUIDs back that the file had, or had not, before opening gave
/// objects distinct ones: a file that nobody changed is written as it was.
fn restore_guids(project: &mut Project, given: &BTreeMap<Guid, Guid>) {
    if given.is_empty() {
        return;
    }
    let restore = |guid: &mut Guid| {
        if let Some(old) = given.get(guid) {
            *guid = *old;
        }
    };
    for track in &mut project.tracks {
        let track = Arc::make_mut(track);
        for item in &mut track.items {
            restore(&mut item.guid);
            item.takes
                .iter_mut()
                .for_each(|take| restore(&mut take.guid));
        }
        track.fx.iter_mut().for_each(|fx| restore(&mut fx.guid));
    }
}
