//! File names of renders: wildcards of `RENDER_PATTERN`, cleaning of names.
//!
//! Wildcards that read a clock, a user or a computer are left out: the same
//! project must give the same names.

use crate::files::is_device_name;
use crate::project::Project;
use crate::units::{decimal_text, time_text};

use super::{PlanInputs, RenderError, TargetSource};

/// What the wildcards of one target stand for.
pub(super) struct NameContext<'a> {
    pub(super) project: &'a Project,
    pub(super) inputs: &'a PlanInputs<'a>,
    pub(super) source: TargetSource,
    /// Index into the markers.
    pub(super) region: Option<usize>,
    pub(super) start_s: f64,
    pub(super) end_s: f64,
    pub(super) sample_rate_hz: u32,
    pub(super) file_number: usize,
    pub(super) range_number: usize,
}

/// Known wildcards, longer names before their own beginnings.
const WILDCARDS: [&str; 19] = [
    "tracknumber",
    "tracknameornumber",
    "track",
    "parenttrack",
    "folders",
    "regionnumber",
    "regionname",
    "region",
    "project",
    "title",
    "author",
    "filenumber",
    "timelineorder",
    "timesignature",
    "tempo",
    "samplerate",
    "start",
    "end",
    "length",
];

/// Expands a pattern to a relative path without extension. `/` and `\` of
/// the pattern make folders; those in values are replaced.
pub(super) fn expand(pattern: &str, context: &NameContext<'_>) -> Result<String, RenderError> {
    if pattern.trim().is_empty() {
        return Err(RenderError::Missing {
            what: "file name pattern",
        });
    }
    let mut name = String::with_capacity(pattern.len() + 32);
    let mut rest = pattern;
    while let Some(at) = rest.find('$') {
        name.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let lower = rest.to_ascii_lowercase();
        let mut candidates: Vec<&str> = WILDCARDS
            .into_iter()
            .filter(|wildcard| lower.starts_with(wildcard))
            .collect();
        candidates.sort_by_key(|wildcard| std::cmp::Reverse(wildcard.len()));
        let Some(wildcard) = candidates.first() else {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            return Err(RenderError::UnknownWildcard {
                pattern: pattern.to_owned(),
                wildcard: format!("${}", &rest[..end]),
            });
        };
        name.push_str(&value(wildcard, context));
        rest = &rest[wildcard.len()..];
    }
    name.push_str(rest);

    let parts: Vec<String> = name
        .split(['/', '\\'])
        .map(file_name)
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        return Err(RenderError::Missing {
            what: "file name (the pattern expands to nothing)",
        });
    }
    Ok(parts.join("/"))
}

/// Value of a wildcard as one path component.
fn value(wildcard: &str, context: &NameContext<'_>) -> String {
    let project = context.project;
    let track = match context.source {
        TargetSource::Master => None,
        TargetSource::Track(index) | TargetSource::TrackPreFader(index) => Some(index),
    };
    let track_name = |index: usize| match project.tracks[index].name.as_str() {
        "" => format!("Track {}", index + 1),
        name => name.to_owned(),
    };
    let region = context.region.map(|index| &project.markers[index]);
    let folders = || {
        let parents = project.parents();
        let mut names = Vec::new();
        let mut at = track.and_then(|index| parents[index]);
        while let Some(parent) = at {
            names.push(one_component(&track_name(parent)));
            at = parents[parent];
        }
        names.reverse();
        names
    };
    let text = match wildcard {
        "project" => project
            .settings
            .path
            .as_deref()
            .and_then(|path| path.file_stem())
            .map_or_else(
                || context.inputs.project_name.to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            ),
        "title" => project.settings.title.clone(),
        "author" => project.settings.author.clone(),
        "track" | "tracknameornumber" => track.map_or_else(|| "Master".to_owned(), track_name),
        "tracknumber" => track.map_or_else(|| "0".to_owned(), |index| (index + 1).to_string()),
        "parenttrack" => folders().pop().unwrap_or_default(),
        "folders" => return folders().join("/"),
        "region" | "regionname" => region.map_or_else(String::new, |region| {
            if region.name.is_empty() {
                region.number.to_string()
            } else {
                region.name.clone()
            }
        }),
        "regionnumber" => region.map_or_else(String::new, |region| region.number.to_string()),
        "filenumber" => context.file_number.to_string(),
        "timelineorder" => context.range_number.to_string(),
        "tempo" => decimal_text(project.tempo.bpm_at(context.start_s), 3),
        "timesignature" => {
            let (beats, unit) = project.tempo.signature_at(context.start_s);
            format!("{beats}-{unit}")
        }
        "samplerate" => context.sample_rate_hz.to_string(),
        "start" => time(context.start_s),
        "end" => time(context.end_s),
        "length" => time(context.end_s - context.start_s),
        other => unreachable!("wildcard `{other}` is listed without a value"),
    };
    one_component(&text)
}

fn time(seconds: f64) -> String {
    time_text(seconds).replace(':', "-")
}

fn one_component(text: &str) -> String {
    text.replace(['/', '\\'], "_")
}

/// Longest name of a file or folder, in bytes: file systems take 255, an
/// extension and the suffix of a temporary file come on top.
const LONGEST: usize = 200;

/// Replaces what a file system may forbid in one path component, and keeps it
/// from naming a folder above or a device.
///
/// Longer ones than [`LONGEST`] are cut, at the end.
pub fn file_name(part: &str) -> String {
    let mut cleaned: String = part
        .chars()
        .map(|c| match c {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
            c if c.is_control() => '_',
            c => c,
        })
        .collect();
    if cleaned.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&i| cleaned.is_char_boundary(i));
        cleaned.truncate(end.unwrap_or(0));
    }
    // Windows drops trailing dots and blanks; `..` would leave the folder.
    let kept = cleaned.trim_end_matches(['.', ' ']).len();
    let dropped = cleaned.len() - kept;
    cleaned.truncate(kept);
    if kept == 0 && dropped > 0 {
        return "_".repeat(dropped);
    }
    if is_device_name(&cleaned) {
        cleaned.insert(0, '_');
    }
    cleaned.trim_start().to_owned()
}
