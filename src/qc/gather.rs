//! Adding steps up to the readings of a file or a region.

use super::{
    Measurements,
    loudness::Loudness,
    spectrum::{self, BandEnergies},
    steps::{STEPS_PER_SECOND, Step},
};
use crate::units::level_db;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where in the file something was found, in seconds from its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Places {
    /// The 10 ms that hold the highest true peak.
    pub true_peak_s: Option<f64>,
    /// The 10 ms that hold the first clipped run.
    pub clipping_s: Option<f64>,
    /// The 10 ms that hold the first NaN or infinity.
    pub non_finite_s: Option<f64>,
    /// Start of the longest silence inside the signal.
    pub silence_s: Option<f64>,
}

/// The readings so far.
#[derive(Debug, Clone)]
pub(super) struct Gatherer {
    sample_rate_hz: f64,
    weighs: bool,
    loudness: Loudness,
    frames: u64,
    sums: Vec<f64>,
    squares: Vec<f64>,
    product: f64,
    sample_peak: f32,
    true_peak: f32,
    true_peak_at: u64,
    clipped_runs: u64,
    clipped_at: Option<u64>,
    non_finite: u64,
    non_finite_at: Option<u64>,
    /// Position of the first frame taken.
    start: Option<u64>,
    first_loud: Option<u64>,
    last_loud: Option<u64>,
    silence_frames: u64,
    silence_at: Option<u64>,
    /// Energy and samples of the last step.
    last: (f64, u64),
    bands: BandEnergies,
}

impl Gatherer {
    /// `weighs` is false where the rate is too low for K-weighting.
    pub(super) fn new(sample_rate_hz: u32, channels: usize, weighs: bool) -> Self {
        Self {
            sample_rate_hz: f64::from(sample_rate_hz),
            weighs,
            loudness: Loudness::default(),
            frames: 0,
            sums: vec![0.0; channels],
            squares: vec![0.0; channels],
            product: 0.0,
            sample_peak: 0.0,
            true_peak: 0.0,
            true_peak_at: 0,
            clipped_runs: 0,
            clipped_at: None,
            non_finite: 0,
            non_finite_at: None,
            start: None,
            first_loud: None,
            last_loud: None,
            silence_frames: 0,
            silence_at: None,
            last: (0.0, 0),
            bands: BandEnergies::default(),
        }
    }

    /// Largest true peak so far.
    pub(super) fn true_peak(&self) -> f32 {
        self.true_peak
    }

    /// Adds a step.
    pub(super) fn take(&mut self, step: &Step) {
        self.start.get_or_insert(step.start);
        self.frames += step.frames;
        if step.whole && self.weighs {
            self.loudness.push(step.weighted_energy, step.frames);
        }
        for (total, sum) in self.sums.iter_mut().zip(&step.sums) {
            *total += sum;
        }
        for (total, square) in self.squares.iter_mut().zip(&step.squares) {
            *total += square;
        }
        self.product += step.product;
        self.sample_peak = self.sample_peak.max(step.sample_peak);
        if step.true_peak > self.true_peak {
            self.true_peak = step.true_peak;
            self.true_peak_at = step.start;
        }
        self.clipped_runs += step.clipped_runs;
        if step.clipped_runs > 0 {
            self.clipped_at.get_or_insert(step.start);
        }
        self.non_finite += step.non_finite;
        if step.non_finite > 0 {
            self.non_finite_at.get_or_insert(step.start);
        }
        if let (Some(first), Some(last)) = (step.first_loud, step.last_loud) {
            let (first, last) = (step.start + first, step.start + last);
            if let Some(before) = self.last_loud {
                let gap = first - before - 1;
                if gap > self.silence_frames {
                    self.silence_frames = gap;
                    self.silence_at = Some(before + 1);
                }
            }
            self.first_loud.get_or_insert(first);
            self.last_loud = Some(last);
        }
        if step.frames > 0 {
            let energy = step.squares.iter().sum();
            self.last = (energy, step.frames * self.squares.len() as u64);
        }
        if let Some(bands) = &step.bands {
            for (total, band) in self.bands.iter_mut().zip(bands) {
                *total += band;
            }
        }
    }

    /// The last 10 ms, where they are not the last step.
    pub(super) fn set_last(&mut self, last: (f64, u64)) {
        self.last = last;
    }

    pub(super) fn places(&self) -> Places {
        let seconds = |frame: u64| frame as f64 / self.sample_rate_hz;
        Places {
            true_peak_s: (self.true_peak > 0.0).then(|| seconds(self.true_peak_at)),
            clipping_s: self.clipped_at.map(seconds),
            non_finite_s: self.non_finite_at.map(seconds),
            silence_s: self.silence_at.map(seconds),
        }
    }

    pub(super) fn measurements(&self) -> Measurements {
        let mut out = Measurements {
            clipped_runs: self.clipped_runs,
            non_finite_samples: self.non_finite,
            ..Measurements::default()
        };
        let none_at_all = if self.frames == 0 {
            Some("there is no audio".to_owned())
        } else if self.non_finite > 0 {
            Some(format!(
                "{} samples are not finite numbers",
                self.non_finite
            ))
        } else {
            None
        };
        if let Some(reason) = none_at_all {
            for name in EVERY_READING {
                out.missing.insert(name.to_owned(), reason.clone());
            }
            return out;
        }
        self.read_loudness(&mut out);
        self.read_levels(&mut out);
        self.read_stereo(&mut out);
        self.read_silence(&mut out);
        out.bands_db = spectrum::bands(&self.bands);
        out
    }

    fn read_loudness(&self, out: &mut Measurements) {
        let too_short = |needed: &str| {
            let seconds = self.frames as f64 / self.sample_rate_hz;
            format!("{seconds:.3} s is shorter than the {needed} that one window needs")
        };
        let reason = |steps: usize, needed: &str, silent: &str| {
            if !self.weighs {
                format!(
                    "K-weighting is not defined at a sample rate of {} Hz",
                    self.sample_rate_hz
                )
            } else if self.loudness.steps() < steps {
                too_short(needed)
            } else {
                silent.to_owned()
            }
        };
        let gated = "nothing is above the gate at -70 LUFS";
        let silent = "digital silence";
        out.integrated_lufs = self.loudness.integrated();
        out.max_momentary_lufs = self.loudness.max_momentary();
        out.max_short_term_lufs = self.loudness.max_short_term();
        out.loudness_range_lu = self.loudness.range();
        for (name, missing, reason) in [
            (
                "integrated_lufs",
                out.integrated_lufs.is_none(),
                reason(40, "400 ms", gated),
            ),
            (
                "max_momentary_lufs",
                out.max_momentary_lufs.is_none(),
                reason(40, "400 ms", silent),
            ),
            (
                "max_short_term_lufs",
                out.max_short_term_lufs.is_none(),
                reason(300, "3 s", silent),
            ),
            (
                "loudness_range_lu",
                out.loudness_range_lu.is_none(),
                reason(300, "3 s", gated),
            ),
        ] {
            if missing {
                out.missing.insert(name.to_owned(), reason);
            }
        }
    }

    fn read_levels(&self, out: &mut Measurements) {
        let samples = self.frames as f64 * self.squares.len() as f64;
        let energy: f64 = self.squares.iter().sum();
        let silent = "digital silence";
        let mut set = |name: &str, value: Option<f64>, reason: &str| {
            if value.is_none() {
                out.missing.insert(name.to_owned(), reason.to_owned());
            }
            value
        };
        let true_peak = set(
            "true_peak_dbtp",
            level_db(f64::from(self.true_peak)),
            silent,
        );
        let sample_peak = set(
            "sample_peak_dbfs",
            level_db(f64::from(self.sample_peak)),
            silent,
        );
        let rms = set("rms_dbfs", level_db((energy / samples).sqrt()), silent);
        let crest = set(
            "crest_db",
            sample_peak.zip(rms).map(|(peak, rms)| peak - rms),
            silent,
        );
        let (last_energy, last_samples) = self.last;
        let last = (last_energy / last_samples.max(1) as f64).sqrt();
        let end = set(
            "end_level_dbfs",
            level_db(last),
            "the last 10 ms are digital silence",
        );
        let integrated = out.integrated_lufs;
        let plr = true_peak.zip(integrated).map(|(peak, lufs)| peak - lufs);
        if plr.is_none() {
            let reason = "it needs the integrated loudness".to_owned();
            out.missing.insert("plr_lu".to_owned(), reason);
        }
        out.true_peak_dbtp = true_peak;
        out.sample_peak_dbfs = sample_peak;
        out.rms_dbfs = rms;
        out.crest_db = crest;
        out.end_level_dbfs = end;
        out.plr_lu = plr;
        let means = self.sums.iter().map(|sum| sum / self.frames as f64);
        out.dc_offset = means.max_by(|a, b| a.abs().total_cmp(&b.abs()));
    }

    fn read_stereo(&self, out: &mut Measurements) {
        let (&[left_sum, right_sum], &[left, right]) =
            (self.sums.as_slice(), self.squares.as_slice())
        else {
            for name in ["correlation", "side_to_mid_db"] {
                out.missing
                    .insert(name.to_owned(), "the sound is not stereo".to_owned());
            }
            return;
        };
        let frames = self.frames as f64;
        let covariance = self.product - left_sum * right_sum / frames;
        let variance = |squares: f64, sum: f64| (squares - sum * sum / frames).max(0.0);
        let spread = (variance(left, left_sum) * variance(right, right_sum)).sqrt();
        if spread > 0.0 {
            out.correlation = Some((covariance / spread).clamp(-1.0, 1.0));
        } else {
            let reason = "a channel does not move".to_owned();
            out.missing.insert("correlation".to_owned(), reason);
        }
        let mid = (left + right + 2.0 * self.product) / 4.0;
        let side = (left + right - 2.0 * self.product) / 4.0;
        // Sums of squares cancel to about 1e-13 of their size, not to zero.
        let floor = 1e-12 * (left + right);
        if mid > floor && side > floor {
            out.side_to_mid_db = Some(10.0 * (side / mid).log10());
        } else {
            let reason = if mid > floor {
                "there is no side signal: both channels are alike"
            } else if side > floor {
                "there is no mid signal: the channels cancel"
            } else {
                "digital silence"
            };
            out.missing
                .insert("side_to_mid_db".to_owned(), reason.to_owned());
        }
    }

    fn read_silence(&self, out: &mut Measurements) {
        let start = self.start.unwrap_or(0);
        match (self.first_loud, self.last_loud) {
            (Some(first), Some(last)) => {
                let seconds = |frames: u64| frames as f64 / self.sample_rate_hz;
                out.silence_head_s = Some(seconds(first - start));
                out.silence_tail_s = Some(seconds(start + self.frames - 1 - last));
                out.silence_longest_s = Some(seconds(self.silence_frames));
            }
            _ => {
                for name in ["silence_head_s", "silence_tail_s", "silence_longest_s"] {
                    let reason = "nothing is above -60 dBFS".to_owned();
                    out.missing.insert(name.to_owned(), reason);
                }
            }
        }
    }
}

/// The step that a time belongs to, rounded to the grid.
pub(super) fn step_of(seconds: f64) -> u64 {
    (seconds * STEPS_PER_SECOND as f64).round().max(0.0) as u64
}

const EVERY_READING: [&str; 16] = [
    "integrated_lufs",
    "loudness_range_lu",
    "max_momentary_lufs",
    "max_short_term_lufs",
    "true_peak_dbtp",
    "sample_peak_dbfs",
    "rms_dbfs",
    "plr_lu",
    "crest_db",
    "dc_offset",
    "correlation",
    "side_to_mid_db",
    "silence_head_s",
    "silence_tail_s",
    "silence_longest_s",
    "end_level_dbfs",
];
