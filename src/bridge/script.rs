//! The Lua bridge as part of the binary, so that one file is enough to run.

use std::{fs, io, path::Path, path::PathBuf};

macro_rules! scripts {
    ($($path:literal,)+) => {
        &[$(($path, include_str!(concat!("../../reaper_scripts/", $path))),)+]
    };
}

/// The files of the bridge as path below the script folder and content. The
/// first is the entry script; the order is that of the hash.
pub const FILES: &[(&str, &str)] = scripts![
    "reaper_batch_bridge.lua",
    "bridge/json.lua",
    "bridge/errors.lua",
    "bridge/schema.lua",
    "bridge/validate.lua",
    "bridge/ipc.lua",
    "bridge/undo.lua",
    "bridge/dispatch.lua",
    "bridge/util.lua",
    "bridge/transport.lua",
    "bridge/tracks.lua",
    "bridge/project.lua",
    "bridge/render.lua",
    "bridge/fx.lua",
    "bridge/items.lua",
    "bridge/takes.lua",
    "bridge/midi.lua",
    "bridge/markers.lua",
    "bridge/selection.lua",
    "bridge/sends.lua",
    "bridge/envelopes.lua",
    "bridge/tempo.lua",
    "bridge/setup.lua",
    "bridge/compose.lua",
];

/// Writes the bridge below `folder` and returns the path of its entry script,
/// which a host runs.
///
/// # Errors
///
/// The folder can't be made or written to.
pub fn install(folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder.join("bridge"))?;
    for (path, content) in FILES {
        fs::write(folder.join(path), content)?;
    }
    Ok(folder.join(FILES[0].0))
}

/// FNV-1a (32 bit) over all files, as eight hex digits: the same sum that the
/// script makes of the files it was loaded from.
pub fn hash() -> String {
    let sum = FILES
        .iter()
        .flat_map(|(_, content)| content.bytes())
        .fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
    format!("{sum:08x}")
}
