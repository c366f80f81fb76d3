//! Lua snippets in a session: values, types, traps.

use super::*;

pub(super) fn session() -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(Options {
        resource_path: folder.path().to_owned(),
        ipc: None,
        threads: 1,
    });
    (folder, session)
}

/// Runs a snippet in a new session and compares its results as text.
#[track_caller]
pub(super) fn check(lua: &str, expected: &str) {
    let (_folder, mut session) = session();
    let got = match session.eval(lua) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    };
    assert_eq!(got, expected, "{lua}");
}

#[test]
fn errors_are_strings_at_the_place_of_the_call() {
    check(
        "local ok, e = pcall(function() reaper.Undo_EndBlock('x') end) return ok, type(e), e",
        "false\tstring\teval:1: Undo_EndBlock: expected 2 arguments minimum",
    );
    check(
        "return reaper.NoSuch == nil, (select(2, pcall(function() reaper.NoSuch() end)))",
        "true\teval:1: attempt to call a nil value (field 'NoSuch')",
    );
}
