//! Deciding: tracks, measured stems and a style in, a plan out. Pure.

use crate::job::MixOptions;

use super::model::{MixPlan, Overview, StemLevels};
use super::style::Style;

/// Loudness of the track that the catalogue's thresholds are meant for, in LUFS.
pub const NOMINAL_LUFS: f64 = -18.0;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("role `{role}` given for track `{track}` is not in style `{style}`; it has {known}")]
    UnknownRole {
        track: String,
        role: String,
        style: String,
        known: String,
    },
    #[error("a role is given for track `{track}`, which the project does not have")]
    UnknownTrack { track: String },
    #[error("no track matches a role of style `{style}`; name the tracks or give roles by hand")]
    NothingMatched { style: String },
}

/// Decides what every track becomes.
///
/// # Errors
///
/// A role given by hand that does not exist, or no track with a role.
pub fn mix(
    _overview: &Overview,
    _stems: &[StemLevels],
    style: &Style,
    _options: &MixOptions,
) -> Result<MixPlan, PlanError> {
    Err(PlanError::NothingMatched {
        style: style.name.clone(),
    })
}
