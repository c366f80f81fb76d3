//! Delivery specs as data: the presets of `specs.toml`, and a user's own files.

use super::{Spec, Tolerance};
use crate::diag::suggest;
use serde::Deserialize;
use std::sync::LazyLock;

static PRESETS: LazyLock<Vec<Spec>> = LazyLock::new(|| {
    let file: PresetFile =
        toml::from_str(include_str!("specs.toml")).expect("a test parses the built-in presets");
    file.spec.into_iter().map(Spec::from).collect()
});

/// Why a spec could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    #[error("the spec is not valid: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("spec `{name}`: {problem}")]
    Value { name: String, problem: String },
}

/// Names of the presets, in the order of the file.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|spec| spec.name.as_str())
}

/// The preset of a name.
pub fn find(name: &str) -> Option<Spec> {
    PRESETS.iter().find(|spec| spec.name == name).cloned()
}

/// The preset whose name is most like a mistyped one.
pub fn nearest(name: &str) -> Option<&'static str> {
    suggest(name, names())
}

/// Reads one spec from TOML, with the keys of a preset.
///
/// # Errors
/// Not TOML, an unknown key, a number out of range, or nothing to check.
pub fn parse(text: &str) -> Result<Spec, SpecError> {
    let spec = Spec::from(toml::from_str::<SpecFile>(text)?);
    match problem(&spec) {
        Some(problem) => Err(SpecError::Value {
            name: spec.name,
            problem,
        }),
        None => Ok(spec),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetFile {
    spec: Vec<SpecFile>,
}

/// A spec as people write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    name: String,
    source: String,
    integrated: Option<ToleranceFile>,
    true_peak_max_dbtp: Option<f64>,
    short_term_max_lufs: Option<f64>,
    loudness_range_max_lu: Option<f64>,
    rms_dbfs: Option<(f64, f64)>,
    sample_peak_max_dbfs: Option<f64>,
    sample_rate: Option<u32>,
    #[serde(default)]
    advisory: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToleranceFile {
    target: f64,
    tolerance: f64,
}

impl From<SpecFile> for Spec {
    fn from(file: SpecFile) -> Self {
        Self {
            name: file.name,
            source: file.source,
            integrated: file.integrated.map(|value| Tolerance {
                target: value.target,
                tolerance: value.tolerance,
            }),
            true_peak_max_dbtp: file.true_peak_max_dbtp,
            short_term_max_lufs: file.short_term_max_lufs,
            loudness_range_max_lu: file.loudness_range_max_lu,
            rms_dbfs: file.rms_dbfs,
            sample_peak_max_dbfs: file.sample_peak_max_dbfs,
            sample_rate: file.sample_rate,
            advisory: file.advisory,
        }
    }
}

/// What is wrong with the values, if anything.
fn problem(spec: &Spec) -> Option<String> {
    let outside = |name: &str, value: Option<f64>, low: f64, high: f64| {
        // A NaN is in no range.
        value
            .filter(|value| !(low..=high).contains(value))
            .map(|value| format!("`{name}` is {value}, it must be {low} to {high}"))
    };
    let checks = spec.integrated.is_some()
        || spec.true_peak_max_dbtp.is_some()
        || spec.short_term_max_lufs.is_some()
        || spec.loudness_range_max_lu.is_some()
        || spec.rms_dbfs.is_some()
        || spec.sample_peak_max_dbfs.is_some()
        || spec.sample_rate.is_some();
    if !checks {
        return Some("it has no target: give `integrated`, `true_peak_max_dbtp` or another".into());
    }
    if spec.name.trim().is_empty() {
        return Some("`name` is empty".into());
    }
    if let Some((low, high)) = spec.rms_dbfs.filter(|(low, high)| low > high) {
        return Some(format!(
            "`rms_dbfs` goes from {low} to {high}: the lower one comes first"
        ));
    }
    let integrated = spec.integrated;
    outside(
        "integrated.target",
        integrated.map(|t| t.target),
        -70.0,
        0.0,
    )
    .or_else(|| {
        outside(
            "integrated.tolerance",
            integrated.map(|t| t.tolerance),
            0.0,
            30.0,
        )
    })
    .or_else(|| outside("true_peak_max_dbtp", spec.true_peak_max_dbtp, -60.0, 20.0))
    .or_else(|| outside("short_term_max_lufs", spec.short_term_max_lufs, -70.0, 20.0))
    .or_else(|| {
        outside(
            "loudness_range_max_lu",
            spec.loudness_range_max_lu,
            0.0,
            70.0,
        )
    })
    .or_else(|| outside("rms_dbfs", spec.rms_dbfs.map(|r| r.0), -150.0, 20.0))
    .or_else(|| outside("rms_dbfs", spec.rms_dbfs.map(|r| r.1), -150.0, 20.0))
    .or_else(|| {
        outside(
            "sample_peak_max_dbfs",
            spec.sample_peak_max_dbfs,
            -60.0,
            20.0,
        )
    })
    .or_else(|| {
        outside(
            "sample_rate",
            spec.sample_rate.map(f64::from),
            1.0,
            6_144_000.0,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_has_its_own_name() {
        let mut seen = Vec::new();
        for name in names() {
            let spec = find(name).expect("it is listed");
            assert_eq!(problem(&spec), None, "{name}");
            assert!(
                spec.source.len() > 10,
                "{name} tells where its numbers come from"
            );
            assert!(!seen.contains(&name), "{name} is there twice");
            seen.push(name);
        }
        assert!(seen.len() > 10);
        let r128 = find("ebu-r128").expect("the European standard");
        let target = r128.integrated.expect("a loudness target");
        assert_eq!((target.target, target.tolerance), (-23.0, 0.2));
        assert_eq!(r128.true_peak_max_dbtp, Some(-1.0));
    }

    #[test]
    fn mistyped_names_find_their_preset() {
        assert_eq!(nearest("spotfy"), Some("spotify"));
        assert_eq!(nearest("EBU-R128"), Some("ebu-r128"));
        assert_eq!(nearest("xyzzyxyzzyxyzzy"), None);
    }

    #[test]
    fn a_house_spec_is_read_and_checked() {
        let spec = parse(
            "name = 'house'\nsource = 'our wiki'\nintegrated = { target = -16.0, tolerance = 1.0 }",
        );
        assert_eq!(spec.expect("valid").name, "house");
        let error = |text: &str| parse(text).expect_err(text).to_string();
        assert!(error("name = 'x'\nsource = 'y'").contains("no target"));
        assert!(error("name = 'x'\nsource = 'y'\ntrue_peak = -1.0").contains("true_peak"));
        let wrong = "name = 'x'\nsource = 'y'\nintegrated = { target = 14.0, tolerance = 1.0 }";
        assert!(error(wrong).contains("`integrated.target` is 14"));
        let nan = "name = 'x'\nsource = 'y'\ntrue_peak_max_dbtp = nan";
        assert!(error(nan).contains("true_peak_max_dbtp"));
    }
}
