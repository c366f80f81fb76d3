//! `styles`: the catalogue.

use serde_json::json;

use super::args::ListArgs;
use super::exit::Usage;
use super::{Exit, Ui};
use crate::mix::{Style, catalogue};

pub(super) fn run(args: &ListArgs, ui: &Ui) -> anyhow::Result<Exit> {
    match &args.name {
        Some(name) => show(find(name)?, ui)?,
        None => list(ui)?,
    }
    Ok(Exit::Passed)
}

/// A style of the catalogue, by name.
pub(super) fn find(name: &str) -> Result<&'static Style, Usage> {
    catalogue::find(name).ok_or_else(|| {
        let hint = match catalogue::nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`reaper-batch styles` lists them".to_owned(),
        };
        Usage(format!("style `{name}` is unknown; {hint}"))
    })
}

fn list(ui: &Ui) -> anyhow::Result<()> {
    let mut text = format!(
        "{:<20} {:<12} {:>9}  {:>11}  {:>10}\n",
        "style", "family", "bpm", "loudness", "true peak"
    );
    for style in catalogue::all() {
        if ui.is_json() {
            ui.line(&entry(style)?)?;
            continue;
        }
        let (low, high) = style.tempo_bpm;
        text.push_str(&format!(
            "{:<20} {:<12} {:>9}  {:>6.1} LUFS  {:>5.1} dBTP\n",
            style.name,
            style.family,
            format!("{low}-{high}"),
            style.master.integrated_lufs,
            style.master.true_peak_max_dbtp
        ));
    }
    if !ui.is_json() {
        ui.result(&text)?;
    }
    Ok(())
}

fn show(style: &Style, ui: &Ui) -> anyhow::Result<()> {
    if ui.is_json() {
        ui.line(&entry(style)?)?;
    } else {
        let head = format!("# {} ({})\n\n", style.name, style.family);
        ui.result(&(head + &toml::to_string(style)?))?;
    }
    Ok(())
}

fn entry(style: &Style) -> anyhow::Result<serde_json::Value> {
    Ok(json!({ "type": "style", "style": serde_json::to_value(style)? }))
}
