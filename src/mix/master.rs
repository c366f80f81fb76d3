//! The master chain and the closed loop that finds its drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bridge::Bridge;
use crate::job::MasterOptions;

use super::apply::MixError;
use super::style::Style;

/// Readings of one rendered pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MasterReading {
    /// `None` is silence.
    pub integrated_lufs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    pub max_short_term_lufs: Option<f64>,
}

/// One pass of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// Gain into the limiter.
    pub drive_db: f64,
    /// Limiter ceiling, in dBFS.
    pub ceiling_db: f64,
    pub integrated_lufs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    /// Loudness lost to the limiter: what the drive should have given, less
    /// what it gave.
    pub limiting_db: Option<f64>,
}

/// How a master ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MasterOutcome {
    pub target_lufs: f64,
    pub ceiling_dbtp: f64,
    pub passes: Vec<Pass>,
    /// The target is met within the tolerance and the true peak under the ceiling.
    pub reached: bool,
    /// Measured minus target, in LU.
    pub distance_lu: Option<f64>,
    pub notes: Vec<String>,
}

/// Why a master could not be made; `E` is what measuring failed with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MasterError<E> {
    #[error(transparent)]
    Mix(#[from] MixError),
    #[error("measuring pass {pass}: {source}")]
    Measure { pass: usize, source: E },
}

/// Builds the master chain of a style, and sets its drive by rendering and
/// measuring until target and ceiling are met or a limit is hit.
///
/// `first` is the reading of the mix without a master chain, where it is
/// known; it saves passes. The project is left at the best pass.
///
/// # Errors
///
/// The bridge failed, a value did not take, or `measure` failed.
pub fn run<E>(
    _bridge: &mut dyn Bridge,
    _style: &Style,
    _options: &MasterOptions,
    _first: Option<MasterReading>,
    _measure: &mut dyn FnMut(&mut dyn Bridge) -> Result<MasterReading, E>,
) -> Result<MasterOutcome, MasterError<E>> {
    Err(MasterError::Mix(MixError::Bridge(
        crate::bridge::CallError::Protocol {
            command: "setup_master_chain".into(),
            reason: "mastering is not built yet".into(),
        },
    )))
}
