//! From a path to a plan, or to everything that is wrong.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::written::JobFile;
use super::{Job, Vocabulary, code, resolve, shape};
use crate::diag::{Diagnostic, SourceFile};
use crate::units::hex_text;

/// Largest job or score file that is read, in bytes.
pub(super) const LARGEST: u64 = 4 << 20;

/// A job file that was read.
#[derive(Debug)]
pub struct Loaded {
    /// `None` when a diagnostic is an error.
    pub job: Option<Job>,
    pub source: SourceFile,
    /// Errors and warnings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a job file and everything it names. Writes nothing.
///
/// # Errors
///
/// The document and all that is wrong with it, errors and warnings.
pub fn load(path: &Path, vocabulary: &Vocabulary) -> Result<Job, (SourceFile, Vec<Diagnostic>)> {
    let loaded = read(path, vocabulary);
    loaded.job.ok_or((loaded.source, loaded.diagnostics))
}

/// As [`load`], with the warnings about a usable job.
pub fn read(path: &Path, vocabulary: &Vocabulary) -> Loaded {
    let name = path.to_string_lossy().into_owned();
    let text = match read_text(path) {
        Ok(text) => text,
        Err(reason) => {
            let message = format!("cannot read the job file: {reason}");
            return Loaded {
                job: None,
                source: SourceFile {
                    name,
                    text: String::new(),
                },
                diagnostics: vec![Diagnostic::error(code::UNREADABLE, message)],
            };
        }
    };
    let source = SourceFile { name, text };

    let mut diagnostics = Vec::new();
    let written: Option<JobFile> = shape::read(&source.text, &mut diagnostics);
    let job = written.and_then(|written| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let sha256 = hex_text(&Sha256::digest(source.text.as_bytes()));
        resolve::resolve(
            written,
            &source,
            &path,
            sha256,
            vocabulary,
            &mut diagnostics,
        )
    });
    diagnostics.sort_by_key(|diagnostic| {
        let start = diagnostic
            .primary
            .as_ref()
            .map_or(0, |label| label.span.start);
        (diagnostic.file.is_some(), start)
    });
    let job = job.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    Loaded {
        job,
        source,
        diagnostics,
    }
}

/// A text file of reasonable size; the error is for people.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| reason(&error))?;
    if facts.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if facts.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text (byte {at})")
    })?;
    // Editors on Windows put a byte order mark in front.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// What an I/O error means, without the number of the operating system.
pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        _ => error.to_string(),
    }
}
