//! Measuring rendered files for the mixer, the master loop and the report.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::StepError;
use crate::mix::master::MasterReading;
use crate::mix::{BandLevel, StemLevels};
use crate::qc::{self, FileReport, MeasureError, Span};
use crate::units::hex_text;

/// Measures one file, and its regions in the same pass.
pub(super) fn file(
    path: &Path,
    spans: &[Span],
    cancel: &AtomicBool,
) -> Result<FileReport, StepError> {
    let mut go_on = |_| !cancel.load(Ordering::Relaxed);
    qc::measure_while(path, spans, &mut go_on).map_err(|source| match source {
        MeasureError::Stopped => StepError::Cancelled,
        source => StepError::Measure { source },
    })
}

/// What the master loop needs of a file.
pub(super) fn master(path: &Path, cancel: &AtomicBool) -> Result<MasterReading, StepError> {
    let report = file(path, &[], cancel)?;
    let measured = report.measurements;
    Ok(MasterReading {
        integrated_lufs: measured.integrated_lufs,
        true_peak_dbtp: measured.true_peak_dbtp,
        max_short_term_lufs: measured.max_short_term_lufs,
    })
}

/// Measures stems, several at a time; the result is in the order of `stems`.
/// Each entry is GUID, name and file of a track.
pub(super) fn stems(
    stems: &[(String, String, std::path::PathBuf)],
    cancel: &AtomicBool,
) -> Result<Vec<StemLevels>, StepError> {
    stems
        .par_iter()
        .map(|(guid, name, path)| {
            let measured = file(path, &[], cancel)?.measurements;
            if measured.non_finite_samples > 0 {
                return Err(StepError::NonFinite {
                    track: name.clone(),
                    samples: measured.non_finite_samples,
                });
            }
            Ok(StemLevels {
                track_guid: guid.clone(),
                track_name: name.clone(),
                integrated_lufs: measured.integrated_lufs,
                max_short_term_lufs: measured.max_short_term_lufs,
                sample_peak_dbfs: measured.sample_peak_dbfs,
                true_peak_dbtp: measured.true_peak_dbtp,
                crest_db: measured.crest_db,
                bands: measured
                    .bands_db
                    .iter()
                    .map(|band| BandLevel {
                        low_hz: band.low_hz,
                        high_hz: band.high_hz,
                        level_db: band.level_db,
                    })
                    .collect(),
                correlation: measured.correlation,
                dc_offset: measured.dc_offset,
                // The level under which the meter counts silence at the ends.
                silent: measured.sample_peak_dbfs.is_none_or(|peak| peak < -60.0),
            })
        })
        .collect()
}

/// SHA-256 of a file, hexadecimal.
pub(super) fn sha256(path: &Path) -> Result<String, StepError> {
    let failed = || StepError::io("cannot read", path);
    let mut file = File::open(path).map_err(failed())?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer).map_err(failed())?;
        if count == 0 {
            return Ok(hex_text(&hash.finalize()));
        }
        hash.update(&buffer[..count]);
    }
}
