//! What the room reads and what it decides, as data.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::style::{Compressor, EqBand, ReverbBus};

/// What is known of a project before it is mixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// In track order, without the master.
    pub tracks: Vec<TrackFacts>,
    /// Names of the installed plug-ins.
    pub plugins: BTreeSet<String>,
    /// Tempo at the start, in quarter notes per minute.
    pub tempo_bpm: Option<f64>,
}

/// What is known of a track.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrackFacts {
    pub index: i64,
    /// Empty when the bridge does not tell.
    #[serde(default)]
    pub guid: String,
    pub name: String,
    pub volume_db: f64,
    pub pan: f64,
    pub mute: bool,
    pub items: u64,
    pub receives: u64,
    /// Fader and pan before the engine first touched the track.
    #[serde(default)]
    pub original: Option<Original>,
}

/// Fader and pan before the engine first touched a track.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Original {
    pub volume_db: f64,
    pub pan: f64,
}

/// Measured levels of one stem, rendered through its fader before the mix.
/// A number that does not exist is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StemLevels {
    /// GUID of the track; looked up by name when empty or unknown.
    #[serde(default)]
    pub track_guid: String,
    pub track_name: String,
    /// Gated loudness, ITU-R BS.1770-5, in LUFS.
    pub integrated_lufs: Option<f64>,
    pub max_short_term_lufs: Option<f64>,
    pub sample_peak_dbfs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    pub crest_db: Option<f64>,
    /// Average spectrum: energy of each band relative to the sum of all bands.
    #[serde(default)]
    pub bands: Vec<BandLevel>,
    pub correlation: Option<f64>,
    pub dc_offset: Option<f64>,
    /// Nothing above the noise floor.
    pub silent: bool,
}

/// Energy of a band of the average spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BandLevel {
    pub low_hz: f64,
    pub high_hz: f64,
    /// Relative to the sum of all bands, in dB.
    pub level_db: Option<f64>,
}

/// How a plan came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Faders from measured loudness.
    Measured,
    /// The catalogue's fixed numbers.
    Static,
}

/// What a mixed project looks like: desired state, applied by [`super::apply::mix`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixPlan {
    pub style: String,
    pub mode: Mode,
    pub families: Families,
    /// Tracks with a role, in track order.
    pub tracks: Vec<TrackPlan>,
    /// Reverb buses that someone feeds.
    pub buses: Vec<BusPlan>,
    pub sidechains: Vec<SidechainPlan>,
    /// Names of tracks without a role, left untouched.
    pub unmatched: Vec<String>,
    /// Estimated loudness of the sum before the master chain, in LUFS.
    pub estimated_lufs: Option<f64>,
    /// What a person should know.
    pub notes: Vec<Note>,
}

/// Plug-in family by kind of effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Families {
    pub eq: Family,
    pub compressor: Family,
    pub reverb: Family,
}

/// A maker's plug-ins for which a parameter map exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// ReaEQ, ReaComp, ReaVerbate.
    Stock,
    /// Pro-Q 3, Pro-C 2, Pro-R. The maps are not proven against the plug-ins.
    FabFilter,
}

/// What one track becomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackPlan {
    pub index: i64,
    pub guid: String,
    pub name: String,
    pub role: String,
    /// 0 to 1; 1 when given by hand.
    pub confidence: f64,
    /// Part of the name that decided.
    pub matched: String,
    /// The style has the named role itself, not only a relative of it.
    pub direct: bool,
    /// Loudness of the source with its fader at 0 dB, in LUFS.
    pub source_lufs: Option<f64>,
    /// Loudness the track is set to, in LUFS; `None` in static mode.
    pub target_lufs: Option<f64>,
    /// Fader, in dB.
    pub volume_db: f64,
    /// -1 left to 1 right.
    pub pan: f64,
    pub eq: Option<EqPlan>,
    pub compressor: Option<Compressor>,
    pub sends: Vec<SendPlan>,
    /// Fader and pan before the engine first touched the track.
    pub original: Original,
}

/// An equaliser.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EqPlan {
    pub high_pass_hz: Option<f64>,
    pub bands: Vec<EqBand>,
}

/// A send into a reverb bus, post-fader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SendPlan {
    /// Name of the bus in the style.
    pub bus: String,
    pub volume_db: f64,
}

/// A bus track with a reverb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BusPlan {
    /// Name in the style: `hall`.
    pub name: String,
    /// Name of the track: `MIX: Hall`.
    pub track_name: String,
    pub reverb: ReverbBus,
}

/// A compressor on the target that listens to the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SidechainPlan {
    /// Positions of the key tracks in [`MixPlan::tracks`].
    pub keys: Vec<usize>,
    /// Position of the target track in [`MixPlan::tracks`].
    pub target: usize,
    pub key_role: String,
    pub compressor: Compressor,
    /// Level of the key, behind its fader, into channels 3 and 4 of the target, in dB.
    pub send_db: f64,
}

/// Something a person should know about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Track it is about; `None` is the whole mix.
    pub track: Option<String>,
    pub text: String,
    /// A decision that the plan shows, rather than something to look after.
    #[serde(default)]
    pub detail: bool,
}

/// What [`super::apply::mix`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Values that were different and are now as planned.
    pub changed: u32,
    /// Values read back and found as planned, changed ones included.
    pub verified: u32,
    /// Tagged effects, sends and buses that the plan does not want any more.
    pub removed: u32,
    /// Round trips to the host.
    pub round_trips: u32,
}
