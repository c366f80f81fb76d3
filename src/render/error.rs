//! What can go wrong in a render.

use std::path::PathBuf;

/// Why a render did not start or did not finish. No file is left behind.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error("media of item {item} on track `{track}` is offline: `{}`", file.display())]
    OfflineMedia {
        track: String,
        /// Position in the track, counted from 1.
        item: usize,
        file: PathBuf,
    },
    #[error("cannot read `{}` on track `{track}`: {reason}", file.display())]
    UnreadableAudio {
        track: String,
        file: PathBuf,
        reason: String,
    },
    #[error(
        "plug-in `{plugin}` on track `{track}` has no model here; bypass it, set it offline or render with REAPER"
    )]
    UnknownPlugin { track: String, plugin: String },
    #[error("cannot run an effect on track `{track}`: {reason}")]
    Plugin { track: String, reason: String },
    #[error("{what} is not supported here ({place}); render with REAPER")]
    Unsupported { what: String, place: String },
    #[error("tracks feed each other in a loop: {}; remove one of the sends", tracks.join(" -> "))]
    FeedbackLoop { tracks: Vec<String> },
    #[error("nothing to render: {reason}")]
    EmptyRange { reason: String },
    #[error("render pattern `{pattern}` holds the unknown wildcard `{wildcard}`")]
    UnknownWildcard { pattern: String, wildcard: String },
    #[error("render pattern `{pattern}` gives several targets the name `{name}`; add a wildcard")]
    NameClash { pattern: String, name: String },
    #[error("render format `{format}` is not supported here; use WAV or FLAC")]
    UnsupportedFormat { format: String },
    #[error("no render {what} is set")]
    Missing { what: &'static str },
    #[error("render {what} is {value}, it must lie in {range}")]
    OutOfRange {
        what: &'static str,
        value: f64,
        range: &'static str,
    },
    #[error("target `{}` exists; choose another name or allow overwriting", path.display())]
    TargetExists { path: PathBuf },
    #[error("disk is full while writing `{}`", path.display())]
    DiskFull { path: PathBuf },
    #[error("cannot write `{}`: {reason}", path.display())]
    Write { path: PathBuf, reason: String },
    #[error("cannot start {threads} render threads: {reason}")]
    Threads { threads: usize, reason: String },
    #[error("render was cancelled")]
    Cancelled,
}
