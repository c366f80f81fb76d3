//! From the names in a plan to a style and a spec.

use std::fs;
use std::path::Path;

use super::StepError;
use crate::job::ProjectPlan;
use crate::mix::{Style, catalogue};
use crate::qc::{Spec, Tolerance, specs};

/// Distance from a style's loudness target that still passes, in LU.
pub const STYLE_TOLERANCE_LU: f64 = 0.5;

/// The style of a plan: from the catalogue, or a file of the user's; `None`
/// when the plan names none, since nothing in it needs one.
pub(super) fn style(plan: &ProjectPlan) -> Result<Option<Style>, StepError> {
    if plan.style.is_empty() {
        return Ok(None);
    }
    let failed = |reason: String| StepError::Style {
        name: plan.style.clone(),
        reason,
    };
    if let Some(style) = catalogue::find(&plan.style) {
        return Ok(Some(style.clone()));
    }
    let text = fs::read_to_string(&plan.style).map_err(|error| failed(error.to_string()))?;
    let style = catalogue::parse(&plan.style, &text).map_err(|error| failed(error.to_string()))?;
    Ok(Some(style))
}

/// The style that a step or a spec cannot do without.
pub(super) fn needed(style: Option<&Style>) -> Result<&Style, StepError> {
    style.ok_or_else(|| StepError::Style {
        name: String::new(),
        reason: "none is named; give the project a `style`".to_owned(),
    })
}

/// What the renders of a plan are judged against. `target_lufs` and
/// `ceiling_dbtp` are what the mastering step was told instead of the style's.
pub(super) fn spec(
    plan: &ProjectPlan,
    style: Option<&Style>,
    target_lufs: Option<f64>,
    ceiling_dbtp: Option<f64>,
) -> Result<Spec, StepError> {
    if plan.spec == "style" {
        return Ok(style_spec(needed(style)?, target_lufs, ceiling_dbtp));
    }
    if let Some(spec) = specs::find(&plan.spec) {
        return Ok(spec);
    }
    let failed = |reason: String| StepError::Spec {
        name: plan.spec.clone(),
        reason,
    };
    let text = fs::read_to_string(Path::new(&plan.spec)).map_err(|e| failed(e.to_string()))?;
    specs::parse(&text).map_err(|error| failed(error.to_string()))
}

/// The targets of a style as a spec.
pub fn style_spec(style: &Style, target_lufs: Option<f64>, ceiling_dbtp: Option<f64>) -> Spec {
    Spec {
        name: format!("style {}", style.name),
        source: "style catalogue".to_owned(),
        integrated: Some(Tolerance {
            target: target_lufs.unwrap_or(style.master.integrated_lufs),
            tolerance: STYLE_TOLERANCE_LU,
        }),
        true_peak_max_dbtp: Some(ceiling_dbtp.unwrap_or(style.master.true_peak_max_dbtp)),
        ..Spec::default()
    }
}
