//! What a caller may ask of a mix and of a master.

use std::collections::BTreeMap;

use serde::Serialize;

/// Parameters of a mix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MixOptions {
    /// Roles given by hand, by track name.
    pub roles: BTreeMap<String, String>,
    /// Whether gain is staged by measured loudness; else the catalogue's
    /// faders are taken as they are.
    pub measured: bool,
}

/// Parameters of a master.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MasterOptions {
    /// Loudness to aim at instead of the style's, in LUFS.
    pub target_lufs: Option<f64>,
    /// Highest true peak instead of the style's, in dBTP.
    pub ceiling_dbtp: Option<f64>,
    /// Most passes of the closed loop.
    pub max_passes: u32,
    /// Most gain reduction the limiter may do on average over the loudest 3 s,
    /// in dB.
    pub max_limiting_db: f64,
}

impl Default for MasterOptions {
    /// The style's targets, six passes, 6 dB of limiting.
    fn default() -> Self {
        Self {
            target_lufs: None,
            ceiling_dbtp: None,
            max_passes: 6,
            max_limiting_db: 6.0,
        }
    }
}
