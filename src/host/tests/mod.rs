//! Lua snippets in a session: values, types, traps.

mod bridge;
mod files;
mod fx;
mod items;
mod language;
mod midi;
mod time;
mod tracks;
mod undo;

use super::*;

pub(super) fn session() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(Options {
        premix_cache: None,
        resource_path: folder.path().to_owned(),
        ipc: None,
        threads: 1,
    });
    (folder, session)
}

pub(super) fn eval(session: &mut Session, lua: &str) -> String {
    match session.eval(lua) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    }
}

/// Runs a snippet in a new session and compares its results as text.
#[track_caller]
pub(super) fn check(lua: &str, expected: &str) {
    let (_folder, mut session) = session();
    assert_eq!(eval(&mut session, lua), expected, "{lua}");
}

/// A second of silence in a 16-bit WAV file.
pub(super) fn silent_wav(path: &std::path::Path) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for _ in 0..8000 {
        writer.write_sample(0_i16).unwrap();
    }
    writer.finalize().unwrap();
}
