//! Puts reports on disk, whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use crate::files;

use super::{Report, json, junit, markdown};

/// A report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write `{}`; check that the folder exists, is writable and has space", path.display())]
pub struct WriteError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

/// Writes `report.json`, `junit.xml` and `summary.md` into `out_dir`, which is
/// made if it is missing. Each file appears whole, by a rename.
///
/// # Errors
///
/// The first file that could not be written.
pub fn write_all(report: &Report, out_dir: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(out_dir).map_err(|source| WriteError {
        path: out_dir.to_owned(),
        source,
    })?;
    write_atomically(&out_dir.join("report.json"), json(report).as_bytes())?;
    write_atomically(&out_dir.join("junit.xml"), junit(report).as_bytes())?;
    write_atomically(&out_dir.join("summary.md"), markdown(report).as_bytes())
}

/// Writes a file beside its final place and renames it there.
///
/// # Errors
///
/// When the folder is missing, is not writable or is full; the old file, if
/// there was one, is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    files::write_whole(path, bytes).map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}
