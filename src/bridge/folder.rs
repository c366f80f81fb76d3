//! Where both sides meet, and how they recognise each other.

use std::{
    env,
    path::PathBuf,
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};

use crate::units::hex_text;

/// Environment variable with the IPC folder of this host instance, set by the
/// launcher.
pub const IPC_ENV: &str = "REAPER_BATCH_IPC";

/// Environment variable with the instance's token.
pub const TOKEN_ENV: &str = "REAPER_BATCH_TOKEN";

/// The folder of the classic protocol, used when a person loads the script by
/// hand: `%TEMP%\reaper_mcp` on Windows, else `$TMPDIR/reaper_mcp`, else
/// `/tmp/reaper_mcp`.
pub fn fallback_folder() -> PathBuf {
    env::temp_dir().join("reaper_mcp")
}

/// A token that no other instance on this machine uses: 32 hex digits. It
/// keeps instances apart, it is no secret.
pub fn new_token() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let mut hash = Sha256::new();
    hash.update(process::id().to_le_bytes());
    hash.update(COUNTER.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    hash.update(unix_time_s().to_bits().to_le_bytes());
    // The address differs between processes that started in the same instant
    // inside different process-id namespaces.
    hash.update((&raw const hash as usize).to_le_bytes());
    hex_text(&hash.finalize()[..16])
}

/// Seconds since 1970.
pub(super) fn unix_time_s() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |elapsed| elapsed.as_secs_f64())
}
