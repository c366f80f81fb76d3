//! The log on stderr.

use std::io;

use tracing_subscriber::EnvFilter;

/// Environment variable with a filter such as `reaper_batch::engine=debug`.
const FILTER: &str = "REAPER_BATCH_LOG";

/// Starts the log: warnings by default, -1 errors only, 1 information, 2 all.
/// What libraries log is of no help to a user: their errors come back to us,
/// who know what they mean.
pub(super) fn start(verbosity: i16, color: bool) {
    let level = match verbosity {
        i16::MIN..=-1 => "error",
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = std::env::var(FILTER)
        .ok()
        .and_then(|filter| EnvFilter::try_new(filter).ok())
        .unwrap_or_else(|| EnvFilter::new(format!("off,reaper_batch={level}")));
    // Fails only when a log runs already.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(color)
        .with_target(verbosity > 1)
        .without_time()
        .try_init();
}
