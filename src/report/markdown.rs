//! The report as Markdown: `summary.md`, also for GitHub's step summary.

use std::fmt::Write as _;

use super::{
    Outcome, Project, Report,
    numbers::{one_decimal, printable, time},
};
use crate::qc::{Check, Status};

/// Step summaries above 1 MiB are dropped whole; this leaves room for others.
const LONGEST_BYTES: usize = 900 * 1024;

/// Totals first, then a table of songs, then what went wrong. Cut by whole
/// lines below 1 MiB, with a remark.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write_summary(&mut text, report);
    cut(text)
}

fn write_summary(out: &mut String, report: &Report) -> std::fmt::Result {
    let totals = &report.totals;
    writeln!(
        out,
        "# {}: {}\n",
        escape(&report.job.name),
        verdict(report.outcome)
    )?;
    writeln!(
        out,
        "{}: {} passed, {} failed, {} errored, {} skipped.\n",
        crate::diag::plural(totals.projects as usize, "project"),
        totals.passed,
        totals.failed,
        totals.errored,
        totals.skipped
    )?;

    writeln!(
        out,
        "| Song | Verdict | I (LUFS) | Target | TP (dBTP) | LRA (LU) | S max (LUFS) | PLR (LU) | Length |"
    )?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|")?;
    for project in &report.projects {
        write_rows(out, project)?;
    }

    for project in &report.projects {
        write_details(out, project)?;
    }
    writeln!(
        out,
        "\n<sub>{} {}; loudness by ITU-R BS.1770-5 and EBU R 128, measured on the delivered files.</sub>",
        escape(&report.tool.name),
        escape(&report.tool.version)
    )
}

fn write_rows(out: &mut String, project: &Project) -> std::fmt::Result {
    if project.renders.is_empty() {
        return writeln!(
            out,
            "| {} | {} | - | - | - | - | - | - | - |",
            escape(&project.name),
            verdict(project.outcome)
        );
    }
    for (index, render) in project.renders.iter().enumerate() {
        let song = if project.renders.len() == 1 {
            escape(&project.name)
        } else {
            format!("{} `{}`", escape(&project.name), code(&render.path))
        };
        let shown = if index == 0 {
            verdict(project.outcome)
        } else {
            ""
        };
        let readings = &render.measurements;
        let target = render
            .checks
            .iter()
            .find(|check| check.id == "loudness.integrated")
            .and_then(|check| check.limit.as_deref())
            .map_or_else(|| "-".to_owned(), escape);
        writeln!(
            out,
            "| {song} | {shown} | {} | {target} | {} | {} | {} | {} | {} |",
            one_decimal(readings.integrated_lufs),
            one_decimal(readings.true_peak_dbtp),
            one_decimal(readings.loudness_range_lu),
            one_decimal(readings.max_short_term_lufs),
            one_decimal(readings.plr_lu),
            time(render.file.duration_s),
        )?;
    }
    Ok(())
}

fn write_details(out: &mut String, project: &Project) -> std::fmt::Result {
    let checks: Vec<(&str, &Check, Option<&str>)> = project
        .renders
        .iter()
        .flat_map(|render| {
            let path = render.path.as_str();
            let own = render.checks.iter();
            let own = own.map(move |check| (path, check, check.region.as_deref()));
            own.chain(render.regions.iter().flat_map(move |region| {
                let findings = region.findings.iter();
                findings.map(move |check| (path, check, Some(region.name.as_str())))
            }))
        })
        .filter(|(_, check, _)| check.status != Status::Passed)
        .collect();
    if checks.is_empty() && project.error.is_none() && project.notes.is_empty() {
        return Ok(());
    }

    writeln!(out, "\n## {}\n", escape(&project.name))?;
    if let Some(error) = &project.error {
        writeln!(
            out,
            "- **error** in `{}`: {} (`{}`)",
            code(&error.stage),
            escape(&error.message),
            code(&error.code)
        )?;
    }
    for (path, check, region) in checks {
        let status = match check.status {
            Status::Failed => "**failed**",
            Status::Warned => "warning",
            Status::Skipped => "skipped",
            Status::Passed => "passed",
        };
        let region = match region {
            Some(region) => format!(", region {}", escape(region)),
            None => String::new(),
        };
        writeln!(
            out,
            "- {status} `{}` in `{}`{region}: {}",
            code(&check.id),
            code(path),
            escape(&check.message)
        )?;
    }
    for note in &project.notes {
        writeln!(out, "- note: {}", escape(note))?;
    }
    Ok(())
}

fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "**failed**",
        Outcome::Errored => "**errored**",
        Outcome::Incomplete => "incomplete",
    }
}

/// Names must not become markup, links or table cells.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // Keeps `@name` from notifying someone.
            '@' => escaped.push_str("&#64;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Text between backticks inside a table or list.
fn code(text: &str) -> String {
    printable(text).replace('`', "'").replace('|', "\\|")
}

fn cut(mut text: String) -> String {
    if text.len() <= LONGEST_BYTES {
        return text;
    }
    let mut end = LONGEST_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    text.truncate(end);
    text.push_str("\n(cut: the whole list is in report.json)\n");
    text
}
