//! The report for a terminal: a table of songs, then what went wrong.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::{
    Outcome, Project, Render, Report,
    numbers::{one_decimal, printable, time},
};
use crate::diag::plural;
use crate::qc::{Check, FileFacts, Measurements, Status};

/// Longest song name that the table shows whole.
const NAME_WIDTH: usize = 34;

/// A summary of a run; `color` adds ANSI escapes.
pub fn console(report: &Report, color: bool) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write_report(&mut text, report, color);
    text
}

/// Readings and checks of one file that no run made.
pub fn console_file(
    name: &str,
    file: &FileFacts,
    measurements: &Measurements,
    checks: &[Check],
    color: bool,
) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write_file(&mut text, name, file, measurements, checks, color);
    text
}

fn write_report(out: &mut String, report: &Report, color: bool) -> std::fmt::Result {
    let mut rows = vec![Row::new(
        [
            "song", "verdict", "I LUFS", "target", "TP dBTP", "LRA LU", "length",
        ],
        Style::new().bold(),
    )];
    for project in &report.projects {
        rows.extend(project_rows(project));
    }
    write_table(out, &rows, color)?;

    for project in &report.projects {
        write_findings(out, project, color)?;
    }

    let totals = &report.totals;
    let (word, style) = verdict(report.outcome);
    writeln!(
        out,
        "\n{}: {}, {} passed, {} failed, {} errored, {} skipped",
        paint(word, style, color),
        plural(totals.projects as usize, "project"),
        totals.passed,
        totals.failed,
        totals.errored,
        totals.skipped
    )
}

fn project_rows(project: &Project) -> Vec<Row> {
    let (word, style) = verdict(project.outcome);
    if project.renders.is_empty() {
        let name = printable(&project.name);
        return vec![Row::new(
            [name.as_str(), word, "-", "-", "-", "-", "-"],
            style,
        )];
    }
    let several = project.renders.len() > 1;
    project
        .renders
        .iter()
        .map(|render| {
            let name = if several { &render.path } else { &project.name };
            Row::new(
                [
                    printable(name).as_str(),
                    word,
                    &one_decimal(render.measurements.integrated_lufs),
                    &target(&render.checks),
                    &one_decimal(render.measurements.true_peak_dbtp),
                    &one_decimal(render.measurements.loudness_range_lu),
                    &time(render.file.duration_s),
                ],
                style,
            )
        })
        .collect()
}

fn write_findings(out: &mut String, project: &Project, color: bool) -> std::fmt::Result {
    let mut lines = Vec::new();
    if let Some(error) = &project.error {
        let place = format!("{} [{}]", printable(&error.stage), printable(&error.code));
        lines.push(("error", red(), place, printable(&error.message)));
    }
    let several = project.renders.len() > 1;
    for (render, check, region) in project.renders.iter().flat_map(all_checks) {
        let (word, style) = match check.status {
            Status::Passed => continue,
            Status::Failed => ("failed", red()),
            Status::Warned => ("warning", yellow()),
            Status::Skipped => ("skipped", Style::new().dimmed()),
        };
        let mut place = printable(&check.id);
        if several {
            let _ = write!(place, " in {}", printable(&render.path));
        }
        if let Some(region) = region {
            let _ = write!(place, " in region {}", printable(region));
        }
        lines.push((word, style, place, printable(&check.message)));
    }
    for track in &project.unmatched {
        let message = format!("track `{}` matches no role", printable(track));
        lines.push(("note", Style::new().dimmed(), "roles".to_owned(), message));
    }
    for note in &project.notes {
        let place = String::new();
        lines.push(("note", Style::new().dimmed(), place, printable(note)));
    }
    if lines.is_empty() {
        return Ok(());
    }

    let bold = Style::new().bold();
    writeln!(out, "\n{}", paint(&printable(&project.name), bold, color))?;
    for (word, style, place, message) in lines {
        write_finding(out, word, style, &place, &message, color)?;
    }
    Ok(())
}

fn write_file(
    out: &mut String,
    name: &str,
    file: &FileFacts,
    readings: &Measurements,
    checks: &[Check],
    color: bool,
) -> std::fmt::Result {
    let depth = match file.bit_depth {
        Some(bits) if file.float => format!(", {bits} bit float"),
        Some(bits) => format!(", {bits} bit"),
        None => String::new(),
    };
    let bold = Style::new().bold();
    writeln!(
        out,
        "{}  {} {} Hz{depth}, {}, {}",
        paint(&printable(name), bold, color),
        printable(&file.format),
        file.sample_rate,
        plural(file.channels as usize, "channel"),
        time(file.duration_s)
    )?;
    let missing = |key: &str| readings.missing.get(key).map(|reason| printable(reason));
    let fields = [
        (
            "integrated",
            "integrated_lufs",
            readings.integrated_lufs,
            "LUFS",
        ),
        (
            "momentary max",
            "max_momentary_lufs",
            readings.max_momentary_lufs,
            "LUFS",
        ),
        (
            "short-term max",
            "max_short_term_lufs",
            readings.max_short_term_lufs,
            "LUFS",
        ),
        (
            "loudness range",
            "loudness_range_lu",
            readings.loudness_range_lu,
            "LU",
        ),
        (
            "true peak",
            "true_peak_dbtp",
            readings.true_peak_dbtp,
            "dBTP",
        ),
        (
            "sample peak",
            "sample_peak_dbfs",
            readings.sample_peak_dbfs,
            "dBFS",
        ),
        ("RMS", "rms_dbfs", readings.rms_dbfs, "dBFS"),
        ("PLR", "plr_lu", readings.plr_lu, "LU"),
        ("crest", "crest_db", readings.crest_db, "dB"),
    ];
    for (label, key, value, unit) in fields {
        match (value, missing(key)) {
            (None, Some(reason)) => writeln!(out, "  {label:<15} {:>7}  ({reason})", "-")?,
            (value, _) => writeln!(out, "  {label:<15} {:>7} {unit}", one_decimal(value))?,
        }
    }
    if let Some(correlation) = readings.correlation.filter(|value| value.is_finite()) {
        writeln!(out, "  {:<15} {correlation:>7.2}", "correlation")?;
    }
    for check in checks {
        let (word, style) = match check.status {
            Status::Passed => ("passed", green()),
            Status::Failed => ("failed", red()),
            Status::Warned => ("warning", yellow()),
            Status::Skipped => ("skipped", Style::new().dimmed()),
        };
        let (id, message) = (printable(&check.id), printable(&check.message));
        write_finding(out, word, style, &id, &message, color)?;
    }
    Ok(())
}

fn write_finding(
    out: &mut String,
    word: &str,
    style: Style,
    place: &str,
    message: &str,
    color: bool,
) -> std::fmt::Result {
    let space = " ".repeat(8usize.saturating_sub(word.len()));
    let place = if place.is_empty() {
        String::new()
    } else {
        format!("{place}: ")
    };
    writeln!(
        out,
        "  {}{space}{place}{message}",
        paint(word, style, color)
    )
}

/// The checks of a file, then those of its regions with the region's name.
fn all_checks(render: &Render) -> impl Iterator<Item = (&Render, &Check, Option<&str>)> {
    let own = render
        .checks
        .iter()
        .map(move |check| (render, check, check.region.as_deref()));
    own.chain(render.regions.iter().flat_map(move |region| {
        let name = Some(region.name.as_str());
        region
            .findings
            .iter()
            .map(move |check| (render, check, name))
    }))
}

fn target(checks: &[Check]) -> String {
    checks
        .iter()
        .find(|check| check.id == "loudness.integrated")
        .and_then(|check| check.limit.as_deref())
        .map_or_else(|| "-".to_owned(), printable)
}

struct Row {
    cells: [String; 7],
    /// Of the verdict, or of the whole head.
    style: Style,
}

impl Row {
    fn new(cells: [&str; 7], style: Style) -> Self {
        let mut cells = cells.map(str::to_owned);
        cells[0] = shorten(&cells[0], NAME_WIDTH);
        Self { cells, style }
    }
}

fn write_table(out: &mut String, rows: &[Row], color: bool) -> std::fmt::Result {
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row.cells[column].width());
        widths.max().unwrap_or(0)
    });
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in row.cells.iter().enumerate() {
            let space = " ".repeat(widths[column] - cell.width());
            let text = if index == 0 || column == 1 {
                paint(cell, row.style, color)
            } else {
                cell.clone()
            };
            let last = column + 1 == row.cells.len();
            match column {
                0 | 1 => write!(out, "{text}{space}  ")?,
                _ if last => write!(out, "{space}{text}")?,
                _ => write!(out, "{space}{text}  ")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) >= width {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

fn verdict(outcome: Outcome) -> (&'static str, Style) {
    match outcome {
        Outcome::Passed => ("passed", green()),
        Outcome::Failed => ("failed", red()),
        Outcome::Errored => ("errored", red()),
        Outcome::Incomplete => ("incomplete", yellow()),
    }
}

fn paint(text: &str, style: Style, color: bool) -> String {
    if color {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}

fn green() -> Style {
    AnsiColor::Green.on_default()
}

fn yellow() -> Style {
    AnsiColor::Yellow.on_default()
}

fn red() -> Style {
    AnsiColor::Red.on_default().bold()
}
