//! Making a project what a plan says, through bridge commands.

use crate::bridge::{Bridge, CallError};

use super::model::{Applied, MixPlan};

/// Why a plan could not be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MixError {
    #[error(transparent)]
    Bridge(#[from] CallError),
    /// A value that was written but reads differently.
    #[error("{place}: wrote {wanted}, reads {found}")]
    NotTaken {
        /// Track, effect and parameter.
        place: String,
        wanted: String,
        found: String,
    },
    /// The project is not the one that was planned for.
    #[error("the project has no track `{track}` any more")]
    TrackGone { track: String },
    /// An answer of an unknown form.
    #[error("`{command}` answered without `{field}`")]
    Answer {
        command: &'static str,
        field: &'static str,
    },
}

/// Applies a plan. Applying it again changes nothing.
///
/// # Errors
///
/// The bridge failed or a value did not take; what was done before stays.
pub fn mix(_bridge: &mut dyn Bridge, _plan: &MixPlan) -> Result<Applied, MixError> {
    Err(MixError::Bridge(CallError::Protocol {
        command: "setup_fx_chain".into(),
        reason: "applying is not built yet".into(),
    }))
}
