//! What a style is, as data.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// How a kind of music is mixed and mastered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Style {
    /// What job files and reports call it.
    #[serde(skip_deserializing, default)]
    pub name: String,
    /// Family it belongs to: `rock`, `jazz`, …
    #[serde(skip_deserializing, default)]
    pub family: String,
    /// Usual tempo, lowest and highest; a project outside gets a note.
    pub tempo_bpm: (f64, f64),
    /// Usual modes, for people and composers.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Usual sections in order, for people and composers.
    #[serde(default)]
    pub sections: Vec<String>,
    pub master: Master,
    /// Reverb buses by name; the default ones are filled in.
    #[serde(default)]
    pub reverb: IndexMap<String, ReverbBus>,
    /// Roles in the order of the catalogue.
    pub roles: IndexMap<String, Role>,
    #[serde(default)]
    pub sidechain: Vec<Sidechain>,
}

/// Target and chain of the master track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Master {
    /// Integrated loudness target, in LUFS.
    pub integrated_lufs: f64,
    /// Highest allowed true peak, in dBTP.
    pub true_peak_max_dbtp: f64,
    /// Width of the side signal, 0 to 2; 1 leaves the stage out.
    pub width: f64,
    pub limiter: Character,
    /// Corner of the subtractive high-pass, in Hz.
    pub high_pass_hz: f64,
    pub low_shelf: Shelf,
    pub high_shelf: Shelf,
    /// `None` leaves the glue compressor out.
    #[serde(default)]
    pub glue: Option<Compressor>,
}

/// How a limiter recovers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Character {
    Transparent,
    Warm,
    Punchy,
    Aggressive,
}

/// A shelf; 0 dB leaves it out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shelf {
    pub hz: f64,
    pub db: f64,
}

/// A reverb on a bus of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReverbBus {
    /// 0 to 1, small to large.
    pub room_size: f64,
    /// 0 to 1, bright to dark.
    pub dampening: f64,
    /// Level of the reverberated signal, in dB.
    pub wet_db: f64,
    pub high_pass_hz: f64,
    pub low_pass_hz: f64,
    /// 0 mono, 1 full; what is above 1 is full on plug-ins that end there.
    pub width: f64,
    /// Colour of the bus track: red, green, blue.
    pub color: [u8; 3],
}

/// What a role gets in a style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Level against the other roles, in dB: a loudness in measured mode, a
    /// fader in static mode.
    pub level_db: f64,
    /// -1 left to 1 right.
    #[serde(default)]
    pub pan: f64,
    /// Corner of the high-pass in Hz; at or below 20 there is none.
    pub high_pass_hz: f64,
    #[serde(default)]
    pub eq: Vec<EqBand>,
    #[serde(default)]
    pub compressor: Option<Compressor>,
    /// Level into a reverb bus by the bus's name, in dB, post-fader.
    #[serde(default)]
    pub sends: IndexMap<String, f64>,
    /// Names by which the style knows the role, beside the vocabulary's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// One band of an equaliser.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqBand {
    pub shape: Shape,
    pub hz: f64,
    pub db: f64,
    pub q: f64,
}

/// Shape of an equaliser band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Bell,
    LowShelf,
    HighShelf,
}

/// Settings of a compressor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compressor {
    /// In dBFS. The catalogue's are meant for a track at
    /// [`crate::mix::plan::NOMINAL_LUFS`].
    pub threshold_db: f64,
    /// Input over output, 1 to 100.
    pub ratio: f64,
    pub attack_ms: f64,
    pub release_ms: f64,
    pub knee_db: f64,
    pub makeup_db: f64,
}

/// One role ducks another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidechain {
    /// Role that is listened to.
    pub key: String,
    /// Role that is turned down.
    pub target: String,
    /// 0 to 1: threshold and ratio follow from it.
    pub amount: f64,
    pub attack_ms: f64,
    pub release_ms: f64,
}

impl Sidechain {
    /// Classic threshold of an amount, in dBFS.
    pub fn threshold_db(&self) -> f64 {
        -10.0 - 20.0 * self.amount
    }

    /// Classic ratio of an amount.
    pub fn ratio(&self) -> f64 {
        2.0 + 10.0 * self.amount
    }
}
