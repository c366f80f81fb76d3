//! Reads that survive a busy neighbour.

use std::{fs, io, path::Path};

use serde::de::DeserializeOwned;

/// Reads a file that must hold one JSON value and nothing else.
pub(in crate::bridge) fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let bytes = fs::read(path)?;
    serde_json::from_slice(&bytes).map_err(io::Error::from)
}
