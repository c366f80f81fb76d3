//! Pitches, keys and chords: names in, note numbers out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the tones of a chord are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Voicing {
    /// Root position, all tones within an octave or two.
    Close,
    /// The inversion nearest to the chord before.
    #[default]
    Smooth,
    /// Second tone from the top an octave lower.
    Open,
    /// Root an octave lower, the rest nearest to the chord before.
    Spread,
}
