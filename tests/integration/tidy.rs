//! What `cargo xtask tidy` checks, the syntax of all Lua files, and generated
//! files that are up to date.

use std::fs;
use std::path::Path;

#[path = "../../xtask/src/tidy.rs"]
mod rules;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_repository_is_tidy() {
    let problems = rules::check(root());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_lua_file_can_be_read() {
    let lua = mlua::Lua::new();
    let scripts: Vec<_> = rules::files(root())
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "lua"))
        .collect();
    assert!(!scripts.is_empty(), "the bridge's scripts are missing");
    for file in scripts {
        let text = fs::read_to_string(root().join(&file)).expect("a readable script");
        let chunk = lua.load(text).set_name(file.display().to_string());
        if let Err(error) = chunk.into_function() {
            panic!("{error}");
        }
    }
}

#[test]
fn generated_files_are_up_to_date() {
    let files = reaper_batch::bridge::generated()
        .into_iter()
        .chain(reaper_batch::host::generated())
        .chain(reaper_batch::mix::generated())
        .chain(reaper_batch::cli::generated());
    for (name, text) in files {
        let committed = fs::read_to_string(root().join(name)).unwrap_or_default();
        assert!(
            committed == text,
            "{name} is out of date: run `cargo xtask codegen`"
        );
    }
}
