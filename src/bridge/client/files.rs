//! Whole files or none: staged writes and reads that survive a busy neighbour.

use std::{
    fs, io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde::de::DeserializeOwned;

/// Windows refuses to replace a file that another program has open; the other
/// side opens ours only for an instant.
const RETRY_FOR: Duration = Duration::from_secs(2);

/// Writes `path` by way of `path` with the extension `tmp`, so that a reader
/// sees the old content or the new one.
pub(in crate::bridge) fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let stage = path.with_extension("tmp");
    fs::write(&stage, bytes)?;
    let until = Instant::now() + RETRY_FOR;
    loop {
        match fs::rename(&stage, path) {
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

/// Reads a file that must hold one JSON value and nothing else.
pub(in crate::bridge) fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let bytes = fs::read(path)?;
    serde_json::from_slice(&bytes).map_err(io::Error::from)
}
