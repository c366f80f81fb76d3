//! From readings to verdicts.
//!
//! Values are compared unrounded. Tolerances and ceilings count as inside. A
//! check without a reading is skipped and says why; skipped is not passed.

use super::{Check, FileFacts, FileReport, Measurements, Places, Spec, Status};

/// Silence inside a signal of this length or more is a fault.
const SILENCE_MAX_S: f64 = 3.0;
/// Highest DC offset, -40 dBFS.
const DC_MAX: f64 = 0.01;
/// A file whose last 10 ms are above this was probably cut off.
const END_MAX_DBFS: f64 = -40.0;
/// Below this correlation the channels cancel in mono.
const CORRELATION_MIN: f64 = -0.9;

/// Judges readings. With a region name only defects and the true peak are
/// judged: a loudness target belongs to the whole file.
pub fn judge(
    measurements: &Measurements,
    facts: &FileFacts,
    spec: &Spec,
    region: Option<&str>,
) -> Vec<Check> {
    judge_at(measurements, &Places::default(), facts, spec, region)
}

/// Judges a file and all its regions, with places and the length of the file.
pub fn judge_report(report: &FileReport, spec: &Spec) -> Vec<Check> {
    let mut checks = vec![truncated(report)];
    checks.extend(judge_at(
        &report.measurements,
        &report.places,
        &report.file,
        spec,
        None,
    ));
    for ((span, measurements), places) in report.regions.iter().zip(&report.region_places) {
        let name = Some(span.name.as_str());
        checks.extend(judge_at(measurements, places, &report.file, spec, name));
    }
    checks
}

fn judge_at(
    measurements: &Measurements,
    places: &Places,
    facts: &FileFacts,
    spec: &Spec,
    region: Option<&str>,
) -> Vec<Check> {
    let judge = Judge {
        measurements,
        region,
    };
    let mut checks = Vec::new();
    if region.is_none() {
        checks.extend(spec.sample_rate.map(|rate| judge.sample_rate(facts, rate)));
        checks.extend(judge.integrated(spec));
        checks.extend(
            spec.loudness_range_max_lu.map(|max| {
                judge.at_most(Reading::LOUDNESS_RANGE, max, "compress or ride the level")
            }),
        );
        checks.extend(
            spec.short_term_max_lufs
                .map(|max| judge.at_most(Reading::SHORT_TERM, max, "lower the loudest passage")),
        );
        checks.extend(spec.rms_dbfs.map(|range| judge.rms(range)));
        checks.extend(
            spec.sample_peak_max_dbfs
                .map(|max| judge.at_most(Reading::SAMPLE_PEAK, max, "lower the limiter ceiling")),
        );
    }
    checks.extend(spec.true_peak_max_dbtp.map(|max| Check {
        time_s: places.true_peak_s,
        ..judge.at_most(Reading::TRUE_PEAK, max, "lower the limiter ceiling")
    }));
    checks.push(judge.non_finite(places));
    checks.push(judge.clipping(places));
    checks.push(judge.silence(places));
    checks.push(judge.dc());
    if facts.channels == 2 {
        checks.push(judge.phase());
    }
    if region.is_none() {
        checks.push(judge.ends_loud(facts));
    }
    checks
}

/// A reading by its names.
#[derive(Clone, Copy)]
struct Reading {
    id: &'static str,
    field: &'static str,
    label: &'static str,
    unit: &'static str,
    value: fn(&Measurements) -> Option<f64>,
}

impl Reading {
    const INTEGRATED: Self = Self {
        id: "loudness.integrated",
        field: "integrated_lufs",
        label: "integrated loudness",
        unit: "LUFS",
        value: |m| m.integrated_lufs,
    };
    const LOUDNESS_RANGE: Self = Self {
        id: "loudness.range",
        field: "loudness_range_lu",
        label: "loudness range",
        unit: "LU",
        value: |m| m.loudness_range_lu,
    };
    const SHORT_TERM: Self = Self {
        id: "loudness.short_term",
        field: "max_short_term_lufs",
        label: "highest short-term loudness",
        unit: "LUFS",
        value: |m| m.max_short_term_lufs,
    };
    const TRUE_PEAK: Self = Self {
        id: "peak.true",
        field: "true_peak_dbtp",
        label: "true peak",
        unit: "dBTP",
        value: |m| m.true_peak_dbtp,
    };
    const SAMPLE_PEAK: Self = Self {
        id: "peak.sample",
        field: "sample_peak_dbfs",
        label: "sample peak",
        unit: "dBFS",
        value: |m| m.sample_peak_dbfs,
    };
    const RMS: Self = Self {
        id: "level.rms",
        field: "rms_dbfs",
        label: "RMS level",
        unit: "dBFS",
        value: |m| m.rms_dbfs,
    };
    const DC: Self = Self {
        id: "defect.dc",
        field: "dc_offset",
        label: "DC offset",
        unit: "",
        value: |m| m.dc_offset,
    };
    const CORRELATION: Self = Self {
        id: "defect.phase",
        field: "correlation",
        label: "correlation",
        unit: "",
        value: |m| m.correlation,
    };
    const END_LEVEL: Self = Self {
        id: "defect.ends_loud",
        field: "end_level_dbfs",
        label: "level of the last 10 ms",
        unit: "dBFS",
        value: |m| m.end_level_dbfs,
    };
}

struct Judge<'a> {
    measurements: &'a Measurements,
    region: Option<&'a str>,
}

impl Judge<'_> {
    fn check(&self, id: &str, unit: &str, status: Status, message: String) -> Check {
        Check {
            id: id.to_owned(),
            status,
            measured: None,
            limit: None,
            unit: unit.to_owned(),
            message,
            region: self.region.map(str::to_owned),
            time_s: None,
        }
    }

    fn skipped(&self, reading: Reading, limit: Option<String>) -> Check {
        let missing = self.measurements.missing.get(reading.field);
        let reason = missing.map_or("it was not measured", String::as_str);
        Check {
            limit,
            ..self.check(
                reading.id,
                reading.unit,
                Status::Skipped,
                format!("there is no {}: {reason}", reading.label),
            )
        }
    }

    fn integrated(&self, spec: &Spec) -> Option<Check> {
        let target = spec.integrated?;
        let reading = Reading::INTEGRATED;
        let limit = format!("{:.1} ± {:.1}", target.target, target.tolerance);
        let Some(value) = (reading.value)(self.measurements) else {
            return Some(self.skipped(reading, Some(limit)));
        };
        let off = target.target - value;
        let inside = within(value, target.target, target.tolerance);
        let (status, next) = if inside {
            (Status::Passed, String::new())
        } else {
            let turn = if off < 0.0 { "lower" } else { "raise" };
            let next = format!(": {turn} the master by {} dB", distance(off));
            let status = if spec.advisory {
                Status::Warned
            } else {
                Status::Failed
            };
            (status, next)
        };
        let shown = digits(value, inside, |rounded| {
            within(rounded, target.target, target.tolerance)
        });
        Some(Check {
            measured: Some(value),
            message: format!(
                "integrated loudness is {shown} LUFS, the target is {limit} LUFS{next}"
            ),
            limit: Some(limit),
            ..self.check(reading.id, reading.unit, status, String::new())
        })
    }

    fn at_most(&self, reading: Reading, max: f64, cure: &str) -> Check {
        let limit = format!("≤ {max:.1}");
        let Some(value) = (reading.value)(self.measurements) else {
            return self.skipped(reading, Some(limit));
        };
        let inside = value <= max;
        let (status, next) = if inside {
            (Status::Passed, String::new())
        } else {
            let next = format!(": {cure} by {} dB", distance(value - max));
            (Status::Failed, next)
        };
        let shown = digits(value, inside, |rounded| rounded <= max);
        let Reading { label, unit, .. } = reading;
        Check {
            measured: Some(value),
            message: format!("{label} is {shown} {unit}, the limit is {max:.1} {unit}{next}"),
            limit: Some(limit),
            ..self.check(reading.id, unit, status, String::new())
        }
    }

    fn rms(&self, (low, high): (f64, f64)) -> Check {
        let reading = Reading::RMS;
        let limit = format!("{low:.1} to {high:.1}");
        let Some(value) = (reading.value)(self.measurements) else {
            return self.skipped(reading, Some(limit));
        };
        let inside = (low..=high).contains(&value);
        let next = if inside {
            String::new()
        } else if value < low {
            format!(": raise the level by {} dB", distance(low - value))
        } else {
            format!(": lower the level by {} dB", distance(value - high))
        };
        let status = passed(inside);
        let shown = digits(value, inside, |rounded| (low..=high).contains(&rounded));
        Check {
            measured: Some(value),
            message: format!("RMS level is {shown} dBFS, the range is {limit} dBFS{next}"),
            limit: Some(limit),
            ..self.check(reading.id, reading.unit, status, String::new())
        }
    }

    fn sample_rate(&self, facts: &FileFacts, wanted: u32) -> Check {
        let same = facts.sample_rate == wanted;
        let next = if same { "" } else { ": render at that rate" };
        let message = format!(
            "sample rate is {} Hz, required is {wanted} Hz{next}",
            facts.sample_rate
        );
        Check {
            measured: Some(f64::from(facts.sample_rate)),
            limit: Some(format!("= {wanted}")),
            ..self.check("format.sample_rate", "Hz", passed(same), message)
        }
    }

    fn non_finite(&self, places: &Places) -> Check {
        let count = self.measurements.non_finite_samples;
        let message = if count == 0 {
            "all samples are finite numbers".to_owned()
        } else {
            format!("{count} samples are NaN or infinite: look for the plug-in that makes them")
        };
        Check {
            measured: Some(count as f64),
            limit: Some("= 0".to_owned()),
            time_s: places.non_finite_s,
            ..self.check("defect.non_finite", "samples", passed(count == 0), message)
        }
    }

    fn clipping(&self, places: &Places) -> Check {
        let count = self.measurements.clipped_runs;
        let message = if count == 0 {
            "no run of three or more full-scale samples".to_owned()
        } else {
            let runs = if count == 1 { "run" } else { "runs" };
            format!(
                "{count} {runs} of three or more full-scale samples: lower the level before the last stage"
            )
        };
        Check {
            measured: Some(count as f64),
            limit: Some("= 0".to_owned()),
            time_s: places.clipping_s,
            ..self.check("defect.clipping", "runs", passed(count == 0), message)
        }
    }

    fn silence(&self, places: &Places) -> Check {
        let id = "defect.silence";
        let limit = Some(format!("< {SILENCE_MAX_S:.1}"));
        if self.measurements.non_finite_samples > 0 {
            let reason = "silence was not looked for: some samples are not finite numbers";
            let skipped = self.check(id, "s", Status::Skipped, reason.to_owned());
            return Check { limit, ..skipped };
        }
        let Some(longest) = self.measurements.silence_longest_s else {
            let empty = self.measurements.missing.get("rms_dbfs");
            let what = if empty.is_some_and(|reason| reason.contains("no audio")) {
                "there is no audio at all"
            } else {
                "nothing is above -60 dBFS"
            };
            let message = format!("{what}: check that tracks are not muted and sources are found");
            let failed = self.check(id, "s", Status::Failed, message);
            return Check { limit, ..failed };
        };
        let fine = longest < SILENCE_MAX_S;
        let message = if fine {
            format!("the longest silence inside is {longest:.1} s")
        } else {
            format!(
                "silence of {longest:.1} s inside (below -60 dBFS), the limit is {SILENCE_MAX_S:.1} s: look for a missing item or a mute"
            )
        };
        Check {
            measured: Some(longest),
            limit,
            time_s: places.silence_s.filter(|_| !fine),
            ..self.check(id, "s", passed(fine), message)
        }
    }

    fn dc(&self) -> Check {
        let reading = Reading::DC;
        let limit = Some(format!("≤ {DC_MAX}"));
        let Some(value) = (reading.value)(self.measurements) else {
            return self.skipped(reading, limit);
        };
        let fine = value.abs() <= DC_MAX;
        let next = if fine {
            String::new()
        } else {
            format!(", the limit is ±{DC_MAX}: high-pass the source at 20 Hz")
        };
        Check {
            measured: Some(value),
            limit,
            ..self.check(
                reading.id,
                "full scale",
                passed(fine),
                format!("DC offset is {value:.4} of full scale{next}"),
            )
        }
    }

    fn phase(&self) -> Check {
        let reading = Reading::CORRELATION;
        let limit = Some(format!("≥ {CORRELATION_MIN:.1}"));
        let Some(value) = (reading.value)(self.measurements) else {
            return self.skipped(reading, limit);
        };
        let fine = value >= CORRELATION_MIN;
        let (status, next) = if fine {
            (Status::Passed, "")
        } else {
            (
                Status::Warned,
                ": the channels cancel in mono, check the polarity",
            )
        };
        let message = format!("correlation of left and right is {value:.2}{next}");
        Check {
            measured: Some(value),
            limit,
            ..self.check(reading.id, "", status, message)
        }
    }

    fn ends_loud(&self, facts: &FileFacts) -> Check {
        let reading = Reading::END_LEVEL;
        let limit = Some(format!("≤ {END_MAX_DBFS:.1}"));
        let digital_silence = self.measurements.rms_dbfs.is_some();
        let (measured, status, message) = match (reading.value)(self.measurements) {
            // Silence at the end is what is wanted.
            None if digital_silence => (
                None,
                Status::Passed,
                "the last 10 ms are digital silence".to_owned(),
            ),
            None => return self.skipped(reading, limit),
            Some(value) if value <= END_MAX_DBFS => (
                Some(value),
                Status::Passed,
                format!("the last 10 ms are at {value:.1} dBFS"),
            ),
            Some(value) => (
                Some(value),
                Status::Warned,
                format!(
                    "the last 10 ms are at {value:.1} dBFS, above {END_MAX_DBFS:.1} dBFS: the end may be cut off, render a longer tail"
                ),
            ),
        };
        Check {
            measured,
            limit,
            time_s: (status == Status::Warned).then_some(facts.duration_s),
            ..self.check(reading.id, reading.unit, status, message)
        }
    }
}

fn truncated(report: &FileReport) -> Check {
    let (status, measured, message) = match report.truncation() {
        None => (
            Status::Passed,
            report.file.frames,
            "all frames that the header counts are there".to_owned(),
        ),
        Some(truncation) => {
            // The count in an MP3 header is a note, not a promise.
            let lossy = report.file.bit_depth.is_none();
            (
                if lossy {
                    Status::Warned
                } else {
                    Status::Failed
                },
                truncation.decoded_frames,
                format!(
                    "the header counts {} frames, only {} are there: render or copy the file again",
                    truncation.declared_frames, truncation.decoded_frames
                ),
            )
        }
    };
    let unknown = report.declared_frames.is_none();
    Check {
        id: "format.complete".to_owned(),
        status: if unknown { Status::Skipped } else { status },
        measured: Some(measured as f64),
        limit: report.declared_frames.map(|frames| format!("= {frames}")),
        unit: "frames".to_owned(),
        message: if unknown {
            "the header does not count the frames".to_owned()
        } else {
            message
        },
        region: None,
        time_s: None,
    }
}

fn passed(inside: bool) -> Status {
    if inside {
        Status::Passed
    } else {
        Status::Failed
    }
}

/// Both ends count as inside, also those that binary fractions just miss.
fn within(value: f64, target: f64, tolerance: f64) -> bool {
    (value - target).abs() <= tolerance + 1e-9
}

/// One decimal, or as many as it takes to show which side of the limit it is on.
fn digits(value: f64, inside: bool, test: impl Fn(f64) -> bool) -> String {
    for decimals in 1..6 {
        let text = format!("{value:.decimals$}");
        if text.parse().is_ok_and(|rounded| test(rounded) == inside) {
            return text;
        }
    }
    value.to_string()
}

/// A distance that never reads as nothing.
fn distance(db: f64) -> String {
    let db = db.abs();
    if db < 0.1 {
        format!("{db:.2}")
    } else {
        format!("{db:.1}")
    }
}
