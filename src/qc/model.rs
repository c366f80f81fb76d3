//! What a measurement and a verdict are, as data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::audio::FileFacts;

/// Readings of a file or a region. A number that does not exist is `None`,
/// with the reason in [`Measurements::missing`] under the field's name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurements {
    /// Integrated loudness, ITU-R BS.1770-5, in LUFS.
    pub integrated_lufs: Option<f64>,
    /// Loudness range, EBU Tech 3342, in LU.
    pub loudness_range_lu: Option<f64>,
    /// Highest momentary loudness (400 ms), in LUFS.
    pub max_momentary_lufs: Option<f64>,
    /// Highest short-term loudness (3 s), in LUFS.
    pub max_short_term_lufs: Option<f64>,
    /// True peak, ITU-R BS.1770-5 annex 2, in dBTP.
    pub true_peak_dbtp: Option<f64>,
    /// Highest absolute sample, in dBFS.
    pub sample_peak_dbfs: Option<f64>,
    /// Unweighted, ungated RMS over all channels; a full-scale sine reads -3.01 dBFS.
    pub rms_dbfs: Option<f64>,
    /// True peak minus integrated loudness, in LU.
    pub plr_lu: Option<f64>,
    /// Sample peak minus RMS, in dB.
    pub crest_db: Option<f64>,
    /// Mean of the channel with the largest one, as a fraction of full scale.
    pub dc_offset: Option<f64>,
    /// Pearson correlation of left and right, -1 to 1; stereo only.
    pub correlation: Option<f64>,
    /// Level of the side signal under the mid signal, in dB; stereo only.
    pub side_to_mid_db: Option<f64>,
    /// Runs of at least three full-scale samples.
    pub clipped_runs: u64,
    /// Samples that are NaN or infinite.
    pub non_finite_samples: u64,
    /// Time before the first sample above -60 dBFS, in seconds.
    pub silence_head_s: Option<f64>,
    /// Time after the last sample above -60 dBFS, in seconds.
    pub silence_tail_s: Option<f64>,
    /// Longest stretch below -60 dBFS inside the signal, in seconds.
    pub silence_longest_s: Option<f64>,
    /// Level of the last 10 ms, in dBFS.
    pub end_level_dbfs: Option<f64>,
    /// Energy share of a band, in dB relative to the sum of all bands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bands_db: Vec<Band>,
    /// Why a reading does not exist, by field name.
    #[serde(default, skip_serializing_if = "indexmap::IndexMap::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub missing: indexmap::IndexMap<String, String>,
}

/// A band of the average spectrum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Band {
    pub name: String,
    pub low_hz: f64,
    pub high_hz: f64,
    /// Relative to the sum of all bands; `None` without energy.
    pub level_db: Option<f64>,
}

/// A stretch of a file with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    pub name: String,
    pub start_s: f64,
    pub end_s: f64,
}

/// A target to judge against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spec {
    /// What the report calls it: `spotify`, `style synthwave`.
    pub name: String,
    /// Where the numbers come from: document, edition, date.
    pub source: String,
    /// Integrated loudness target in LUFS and its tolerance in LU.
    pub integrated: Option<Tolerance>,
    /// Highest allowed true peak in dBTP.
    pub true_peak_max_dbtp: Option<f64>,
    /// Highest allowed short-term loudness in LUFS.
    pub short_term_max_lufs: Option<f64>,
    /// Highest allowed loudness range in LU.
    pub loudness_range_max_lu: Option<f64>,
    /// Allowed RMS in dBFS, lowest and highest.
    pub rms_dbfs: Option<(f64, f64)>,
    /// Highest allowed sample peak in dBFS.
    pub sample_peak_max_dbfs: Option<f64>,
    /// Required sample rate in Hz.
    pub sample_rate: Option<u32>,
    /// A missed loudness target is a warning: the service adjusts playback.
    #[serde(default)]
    pub advisory: bool,
}

/// A value and how far one may be away from it; the ends count as inside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tolerance {
    pub target: f64,
    pub tolerance: f64,
}

/// Outcome of one check.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Passed,
    Skipped,
    Warned,
    Failed,
}

/// One check of a file or region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// `loudness.integrated`, `peak.true`, `defect.clipping`, …
    pub id: String,
    pub status: Status,
    pub measured: Option<f64>,
    /// The limit as text: `-14.0 ± 0.5`, `≤ -1.0`.
    pub limit: Option<String>,
    pub unit: String,
    /// A sentence with the value, the limit and the next step.
    pub message: String,
    /// Region it belongs to; `None` is the whole file.
    pub region: Option<String>,
    /// Where in the file, if it is a place.
    pub time_s: Option<f64>,
}
