//! Why a step failed, and what the report says of it.

use std::io;
use std::path::PathBuf;

use crate::audio::{ReadError, Truncation};
use crate::bridge::CallError;
use crate::engine::LaunchError;
use crate::mix::apply::MixError;
use crate::mix::master::MasterError;
use crate::mix::plan::PlanError;
use crate::project::rpp::RppError;
use crate::qc::MeasureError;
use crate::report::{Failure, Outcome};

/// A failed step. Messages name the thing and the fix.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Mix(#[from] MixError),
    /// The source names the file.
    #[error("{source}{}", remedy(source))]
    Media { source: ReadError },
    #[error("`{}` is cut off: its header promises {} frames and {} are there; copy or export it again", path.display(), truncation.declared_frames, truncation.decoded_frames)]
    MediaCutOff {
        path: PathBuf,
        truncation: Truncation,
    },
    #[error("media of track `{track}` in `{}` is offline: there is no `{}`; put it there, or point the item to another file in REAPER", project.display(), path.display())]
    MediaOffline {
        project: PathBuf,
        track: String,
        path: PathBuf,
    },
    #[error("`{}` cannot be opened as a project: {source}; save it again in REAPER", path.display())]
    BadProject { path: PathBuf, source: RppError },
    #[error("`{}` does not exist any more; the job file names it", path.display())]
    MediaGone { path: PathBuf },
    /// The source names the file.
    #[error("cannot measure what was rendered: {source}")]
    Measure { source: MeasureError },
    #[error("`{}` exists already; move it away or allow replacing with `overwrite = true` or `--overwrite`", path.display())]
    TargetExists { path: PathBuf },
    #[error("`{}` holds files that this program did not write; choose another output folder with `--out`", path.display())]
    ForeignFolder { path: PathBuf },
    #[error("another run is writing to `{}`; wait for it, or choose another output folder with `--out`", path.display())]
    FolderInUse { path: PathBuf },
    #[error("{count} tracks match no role: {tracks}; name them or give them roles under `engine_mix`", count = tracks.split(", ").count())]
    Unmatched { tracks: String },
    #[error("there is no track `{name}`; the project has {known}")]
    NoTrack { name: String, known: String },
    #[error(
        "track `{track}` holds {samples} samples that are no numbers (NaN or infinite); export its media again"
    )]
    NonFinite { track: String, samples: u64 },
    #[error("several tracks are called `{name}`; use `track_index` instead of `track`")]
    SeveralTracks { name: String },
    #[error("the engine reported a finished render, but `{}` is not there", path.display())]
    RenderMissing { path: PathBuf },
    #[error("`{command}` answered without `{field}`")]
    Answer {
        command: &'static str,
        field: &'static str,
    },
    #[error("style `{name}`: {reason}")]
    Style { name: String, reason: String },
    #[error("spec `{name}`: {reason}")]
    Spec { name: String, reason: String },
    #[error("{action} `{}`: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("interrupted")]
    Cancelled,
}

impl From<MasterError<StepError>> for StepError {
    fn from(error: MasterError<StepError>) -> Self {
        match error {
            MasterError::Mix(error) => Self::Mix(error),
            MasterError::Measure { source, .. } => source,
        }
    }
}

impl StepError {
    /// Turns an I/O error into a step error with what was being done.
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// How a project with this error ends.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Cancelled
            | Self::Call(CallError::Cancelled { .. })
            | Self::Mix(MixError::Bridge(CallError::Cancelled { .. }))
            | Self::Launch(LaunchError::Handshake(CallError::Cancelled { .. })) => {
                Outcome::Incomplete
            }
            Self::Unmatched { .. } | Self::Plan(PlanError::NothingMatched { .. }) => {
                Outcome::Failed
            }
            _ => Outcome::Errored,
        }
    }

    /// Whether the host may be gone, frozen or at work on something that
    /// nobody waits for any more.
    pub fn host_is_unusable(&self) -> bool {
        match self {
            Self::Cancelled => true,
            Self::Call(error) | Self::Mix(MixError::Bridge(error)) => {
                !matches!(error, CallError::Refused { .. })
            }
            _ => false,
        }
    }

    /// What is left of a host after it was told to end.
    pub(super) fn is_host_lost(&self) -> bool {
        matches!(
            self,
            Self::Call(CallError::HostLost { .. })
                | Self::Mix(MixError::Bridge(CallError::HostLost { .. }))
                | Self::Launch(LaunchError::Handshake(CallError::HostLost { .. }))
        )
    }

    /// What the report says.
    pub(super) fn failure(&self, stage: &str) -> Failure {
        Failure {
            code: self.code(),
            stage: stage.to_owned(),
            message: self.to_string(),
        }
    }

    /// Stable name of the kind of failure, for scripts.
    fn code(&self) -> String {
        let code = match self {
            Self::Call(error) | Self::Mix(MixError::Bridge(error)) => return call_code(error),
            Self::Launch(LaunchError::Handshake(CallError::Cancelled { .. })) => "cancelled",
            Self::Launch(_) => "engine.start",
            Self::Plan(_) => "mix.plan",
            Self::Mix(_) => "mix.apply",
            Self::Media { .. } => "media.unreadable",
            Self::MediaCutOff { .. } => "media.cut_off",
            Self::MediaGone { .. } | Self::MediaOffline { .. } => "media.missing",
            Self::BadProject { .. } => "project.unreadable",
            Self::Measure { .. } => "render.unreadable",
            Self::TargetExists { .. } => "render.target_exists",
            Self::ForeignFolder { .. } => "output.foreign",
            Self::FolderInUse { .. } => "output.in_use",
            Self::Unmatched { .. } => "mix.unmatched",
            Self::NoTrack { .. } | Self::SeveralTracks { .. } => "job.track",
            Self::NonFinite { .. } => "media.non_finite",
            Self::RenderMissing { .. } => "render.missing",
            Self::Answer { .. } => "bridge.answer",
            Self::Style { .. } => "job.style",
            Self::Spec { .. } => "job.spec",
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => "disk.full",
            Self::Io { .. } => "output.io",
            Self::Cancelled => "cancelled",
        };
        code.to_owned()
    }
}

/// What to do about a stem that cannot be read, where its error does not say.
fn remedy(error: &ReadError) -> &'static str {
    match error {
        ReadError::LfsPointer { .. } | ReadError::Codec { .. } => "",
        _ => "; replace the file, or leave it out of the project",
    }
}

fn call_code(error: &CallError) -> String {
    match error {
        CallError::Refused { message, .. }
            if message.contains("No space left") || message.contains("disk is full") =>
        {
            "disk.full".to_owned()
        }
        CallError::Refused { code, .. } => format!("bridge.{}", code.to_lowercase()),
        CallError::TimedOut { .. } => "engine.timeout".to_owned(),
        CallError::HostLost { .. } => "engine.lost".to_owned(),
        CallError::Cancelled { .. } => "cancelled".to_owned(),
        CallError::Protocol { .. } => "engine.protocol".to_owned(),
    }
}
