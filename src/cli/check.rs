//! `check`: measure audio files and judge them, without a job.

use std::path::Path;

use anyhow::Context as _;
use serde_json::json;

use super::args::CheckArgs;
use super::{Exit, Ui, specs, styles, vocabulary::read_style};
use crate::qc::{self, Check, FileReport, Spec, Status};
use crate::{report, runner};

pub(super) fn run(args: &CheckArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let spec = spec(args)?;
    let (mut failed, mut broken) = (false, false);
    for (index, path) in args.files.iter().enumerate() {
        match qc::measure(path, &[], &mut |_| {}) {
            Ok(measured) => {
                // Without a target the defects are still judged.
                let checks = qc::judge_report(&measured, spec.as_ref().unwrap_or(&no_target()));
                failed |= checks.iter().any(|check| check.status == Status::Failed);
                if index > 0 && !ui.is_json() {
                    ui.result("\n")?;
                }
                print(path, &measured, &checks, ui)?;
            }
            Err(error) => {
                broken = true;
                ui.error(&error.into());
            }
        }
    }
    if spec.is_none() {
        ui.remark("no target given: only defects were judged (see --spec and --style)");
    }
    Ok(match (broken, failed) {
        (true, _) => Exit::Broken,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Passed,
    })
}

fn spec(args: &CheckArgs) -> anyhow::Result<Option<Spec>> {
    if let Some(name) = &args.spec {
        let path = Path::new(name);
        let spec = if is_file(name) {
            specs::read(path).with_context(|| format!("cannot read spec file `{name}`"))?
        } else {
            specs::find(name)?
        };
        return Ok(Some(spec));
    }
    if let Some(name) = &args.style {
        let style = if is_file(name) {
            read_style(Path::new(name))
                .with_context(|| format!("cannot read style file `{name}`"))?
        } else {
            styles::find(name)?.clone()
        };
        return Ok(Some(runner::style_spec(&style, None, None)));
    }
    Ok(None)
}

fn print(path: &Path, measured: &FileReport, checks: &[Check], ui: &Ui) -> anyhow::Result<()> {
    let name = path.to_string_lossy();
    if ui.is_json() {
        ui.line(&json!({
            "type": "file",
            "format_version": 1,
            "path": name,
            "file": measured.file,
            "measurements": measured.measurements,
            "checks": checks,
        }))?;
    } else {
        ui.result(&report::console_file(
            &name,
            &measured.file,
            &measured.measurements,
            checks,
            ui.color_out,
        ))?;
    }
    Ok(())
}

/// A spec without a limit, for which only the file's defects are judged.
fn no_target() -> Spec {
    Spec {
        name: "none".to_owned(),
        ..Spec::default()
    }
}

fn is_file(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(['/', '\\'])
}
