//! Puts reports on disk, whole or not at all.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

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
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".reaper-batch-")
            .suffix(".tmp")
            .permissions_if_unix()
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}

/// Temporary files are private by default; reports are for everyone who may
/// see the folder.
trait PermissionsIfUnix {
    fn permissions_if_unix(&mut self) -> &mut Self;
}

impl PermissionsIfUnix for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_if_unix(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt as _;
        // The process's umask still applies.
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }

    #[cfg(not(unix))]
    fn permissions_if_unix(&mut self) -> &mut Self {
        self
    }
}
