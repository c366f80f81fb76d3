//! `report show`.

use anyhow::{Context as _, anyhow};

use super::args::{ReportAction, ReportArgs, ReportFormat};
use super::{Exit, Ui};
use crate::report;

pub(super) fn run(args: &ReportArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let ReportAction::Show { path, format } = &args.action;
    let file = if path.is_dir() {
        path.join("report.json")
    } else {
        path.clone()
    };
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read report `{}`", file.display()))?;
    let report = report::from_json(&text)
        .map_err(|reason| anyhow!("cannot read report `{}`: {reason}", file.display()))?;
    match format {
        ReportFormat::Table if ui.is_json() => ui.line(&serde_json::to_value(&report)?)?,
        ReportFormat::Table => ui.result(&report::console(&report, ui.color_out))?,
        ReportFormat::Markdown => ui.result(&report::markdown(&report))?,
        ReportFormat::Junit => ui.result(&report::junit(&report))?,
        ReportFormat::Json => ui.result(&report::json(&report))?,
    }
    Ok(Exit::Passed)
}
