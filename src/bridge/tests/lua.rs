//! The script itself under plain Lua, with a small mock of REAPER.

use std::{path::Path, process::Command};

use crate::bridge::script;

#[test]
fn runs_on_lua_5_3_and_5_4() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for lua in ["lua5.3", "lua5.4"] {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(lua)
            .arg(root.join("tests/lua/bridge_test.lua"))
            .args([root, folder.path()])
            .env("REAPER_BATCH_IPC", folder.path())
            .env("REAPER_BATCH_TOKEN", "tok")
            .env_remove("REAPER_BATCH_PID")
            .output();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                skipped(&format!("{lua} does not run: {error}"));
                continue;
            }
        };
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{lua}: {stdout}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(stdout.contains("checks passed"), "{stdout}");
        // The script and this program make the same sum of the files.
        assert!(
            stdout.contains(&format!("hash {}", script::hash())),
            "{stdout}"
        );
    }
}

#[expect(clippy::print_stderr, reason = "a skipped test must show")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
