//! Which engine is used, and with what.

use std::path::{Path, PathBuf};

use super::args::{Engine as Wanted, EngineArgs};
use crate::engine::{Engine, find_reaper};
use crate::runner::{Limits, RunOptions};

/// No engine of the wanted kind.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoEngine {
    #[error(
        "REAPER was not found: name its executable with --reaper, or use `--engine embedded`, \
         which needs no REAPER"
    )]
    NoReaper,
    #[error("there is no REAPER at `{}`", path.display())]
    NotThere { path: PathBuf },
    #[error("cannot tell where this program is: {0}")]
    NoSelf(std::io::Error),
}

/// The engine that the arguments lead to here.
pub(super) fn choose(args: &EngineArgs) -> Result<Engine, NoEngine> {
    let reaper = || find_reaper(args.reaper.as_deref());
    let reaper = match (args.engine, &args.reaper) {
        (Wanted::Embedded, _) => None,
        // A path that was given and is wrong must not be passed over.
        (_, Some(path)) => Some(reaper().ok_or_else(|| NoEngine::NotThere { path: path.clone() })?),
        (Wanted::Reaper, None) => Some(reaper().ok_or(NoEngine::NoReaper)?),
        (Wanted::Auto, None) => reaper(),
    };
    Ok(match reaper {
        Some(program) => Engine::Reaper { program },
        None => Engine::Embedded {
            program: std::env::current_exe().map_err(NoEngine::NoSelf)?,
        },
    })
}

/// A run with defaults that fit the machine.
pub(super) fn run_options(args: &EngineArgs, out: PathBuf) -> Result<RunOptions, NoEngine> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(RunOptions {
        out,
        engine: choose(args)?,
        user_resources: resources(args),
        jobs: (cores / 2).max(1),
        threads: cores,
        overwrite: false,
        fail_fast: false,
        limits: Limits {
            start: args.start_timeout,
            frozen: args.frozen_after,
        },
    })
}

/// The resource folder of the user's REAPER: the one that was named, or the
/// one where REAPER keeps it.
pub(super) fn resources(args: &EngineArgs) -> Option<PathBuf> {
    args.reaper_resources.clone().or_else(|| {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let folder = if cfg!(windows) {
            variable("APPDATA")?.join("REAPER")
        } else if cfg!(target_os = "macos") {
            variable("HOME")?.join("Library/Application Support/REAPER")
        } else {
            let config = variable("XDG_CONFIG_HOME")
                .or_else(|| variable("HOME").map(|home| home.join(Path::new(".config"))))?;
            config.join("REAPER")
        };
        folder.is_dir().then_some(folder)
    })
}
