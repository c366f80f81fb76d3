//! `specs`: delivery targets.

use std::path::Path;

use serde_json::json;

use super::args::ListArgs;
use super::exit::Usage;
use super::{Exit, Ui};
use crate::qc::{Spec, specs};

pub(super) fn run(args: &ListArgs, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.name {
        Some(name) => show(&find(name)?, ui)?,
        None => list(ui)?,
    }
    Ok(Exit::Passed)
}

/// Names of the presets.
pub(super) fn names() -> Vec<String> {
    specs::names().map(str::to_owned).collect()
}

/// A preset, by name.
pub(super) fn find(name: &str) -> Result<Spec, Usage> {
    specs::find(name).ok_or_else(|| {
        let hint = match specs::nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`reaper-batch specs` lists them".to_owned(),
        };
        Usage(format!("spec `{name}` is unknown; {hint}"))
    })
}

/// A spec file of the user's.
pub(super) fn read(path: &Path) -> anyhow::Result<Spec> {
    let text = std::fs::read_to_string(path)?;
    Ok(specs::parse(&text)?)
}

fn list(ui: &Ui) -> anyhow::Result<()> {
    let specs: Vec<Spec> = specs::names().filter_map(specs::find).collect();
    let width = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for spec in &specs {
        if ui.is_json() {
            ui.line(&json!({ "type": "spec", "spec": spec }))?;
        } else {
            text.push_str(&format!("{:<width$}  {}\n", spec.name, targets(spec)));
        }
    }
    ui.result(&text)?;
    Ok(())
}

fn show(spec: &Spec, ui: &Ui) -> anyhow::Result<()> {
    if ui.is_json() {
        ui.line(&json!({ "type": "spec", "spec": spec }))?;
    } else {
        let text = format!(
            "{}\n  {}\n  from {}\n",
            spec.name,
            targets(spec),
            spec.source
        );
        ui.result(&text)?;
    }
    Ok(())
}

/// All limits of a spec in one line.
fn targets(spec: &Spec) -> String {
    let mut limits = Vec::new();
    if let Some(integrated) = spec.integrated {
        let advisory = if spec.advisory { " (advisory)" } else { "" };
        limits.push(format!(
            "{:.1} ± {:.1} LUFS{advisory}",
            integrated.target, integrated.tolerance
        ));
    }
    if let Some(peak) = spec.true_peak_max_dbtp {
        limits.push(format!("TP ≤ {peak:.1} dBTP"));
    }
    if let Some(short_term) = spec.short_term_max_lufs {
        limits.push(format!("S ≤ {short_term:.1} LUFS"));
    }
    if let Some(range) = spec.loudness_range_max_lu {
        limits.push(format!("LRA ≤ {range:.1} LU"));
    }
    if let Some((low, high)) = spec.rms_dbfs {
        limits.push(format!("RMS {low:.1} to {high:.1} dBFS"));
    }
    if let Some(peak) = spec.sample_peak_max_dbfs {
        limits.push(format!("SP ≤ {peak:.1} dBFS"));
    }
    if let Some(rate) = spec.sample_rate {
        limits.push(format!("{rate} Hz"));
    }
    limits.join(", ")
}
