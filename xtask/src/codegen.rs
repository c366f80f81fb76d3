//! Files that are written from the program's own tables: Lua validation, JSON
//! Schemas, reference documents.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// Writes all generated files, or with `check` compares them.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let files = reaper_batch::bridge::generated()
        .into_iter()
        .chain(reaper_batch::host::generated())
        .chain(reaper_batch::mix::generated())
        .chain(reaper_batch::cli::generated());
    let mut different = Vec::new();
    for (name, text) in files {
        let path = root.join(name);
        let old = std::fs::read_to_string(&path).ok();
        if old.as_deref() == Some(text.as_str()) {
            continue;
        }
        different.push(name);
        if !check {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, text)
                .with_context(|| format!("failed to write {}", path.display()))?;
        }
    }
    if check && !different.is_empty() {
        bail!(
            "these files are out of date: {}; run `cargo xtask codegen`",
            different.join(", ")
        );
    }
    Ok(())
}
