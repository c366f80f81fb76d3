//! Where a REAPER may be installed.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variable with the path of the REAPER executable.
pub const REAPER_ENV: &str = "REAPER_BATCH_REAPER";

/// The REAPER to use: an explicit path, then [`REAPER_ENV`], then `PATH`,
/// then the places where installers put it. `None` when there is none.
pub fn find_reaper(explicit: Option<&Path>) -> Option<PathBuf> {
    let named = explicit.map(Path::to_owned).or_else(|| {
        env::var_os(REAPER_ENV)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    });
    if let Some(path) = named {
        return path.is_file().then_some(path);
    }
    let name = if cfg!(windows) {
        "reaper.exe"
    } else {
        "reaper"
    };
    let on_path = env::var_os("PATH")
        .map(|paths| {
            env::split_paths(&paths)
                .map(|folder| folder.join(name))
                .collect()
        })
        .unwrap_or_default();
    let mut candidates: Vec<PathBuf> = on_path;
    candidates.extend(installed(home().as_deref()));
    candidates.into_iter().find(|path| path.is_file())
}

fn home() -> Option<PathBuf> {
    env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from)
}

fn installed(home: Option<&Path>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    if cfg!(target_os = "macos") {
        let inside = "REAPER.app/Contents/MacOS/REAPER";
        paths.push(Path::new("/Applications").join(inside));
        paths.extend(home.map(|home| home.join("Applications").join(inside)));
    } else if cfg!(windows) {
        for folder in ["REAPER (x64)", "REAPER"] {
            paths.push(
                Path::new(r"C:\Program Files")
                    .join(folder)
                    .join("reaper.exe"),
            );
        }
    } else {
        paths.push(PathBuf::from("/opt/REAPER/reaper"));
        paths.extend(home.map(|home| home.join("opt/REAPER/reaper")));
        paths.push(PathBuf::from("/usr/local/bin/reaper"));
    }
    paths
}
