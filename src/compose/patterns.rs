//! Grids: one sign per step, bars of equal length, repeated.
//!
//! The number of signs in a bar is the number of steps: 16 signs in 4/4 are
//! sixteenth notes, 12 are triplets. Blanks are only for the eye.

use std::ops::Range;

use super::{TextError, notation::MAX_BARS, notation::Stress};
use crate::diag::suggest;

/// The most steps that a bar may have.
pub const MAX_STEPS: usize = 192;

/// A grid as steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// One entry per bar.
    pub bars: Vec<Vec<Step>>,
}

/// One sign of a grid, with its byte in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub sign: char,
    pub at: usize,
}

/// Splits a text into bars and signs; `allowed` are the signs that may occur.
///
/// # Errors
///
/// A sign that is not allowed, an empty bar, or too many steps or bars.
pub fn grid(text: &str, allowed: &str) -> Result<Grid, TextError> {
    let mut bars = Vec::new();
    for bar in bar_ranges(text) {
        let mut steps = Vec::new();
        for (at, sign) in text[bar.clone()].char_indices() {
            if sign.is_whitespace() {
                continue;
            }
            let at = bar.start + at;
            if !allowed.contains(sign) {
                let span = at..at + sign.len_utf8();
                return Err(
                    TextError::new(span, format!("`{sign}` is not a step")).help(format!(
                        "steps are {}",
                        allowed
                            .chars()
                            .map(|c| format!("`{c}`"))
                            .collect::<Vec<_>>()
                            .join(" ")
                    )),
                );
            }
            steps.push(Step { sign, at });
        }
        if steps.is_empty() {
            return Err(
                TextError::new(bar, format!("bar {} has no steps", bars.len() + 1))
                    .help("write `.` for every silent step"),
            );
        }
        if steps.len() > MAX_STEPS {
            return Err(TextError::new(
                bar,
                format!(
                    "bar {} has {} steps, the most is {MAX_STEPS}",
                    bars.len() + 1,
                    steps.len()
                ),
            ));
        }
        bars.push(steps);
        if bars.len() > MAX_BARS as usize {
            return Err(TextError::new(
                0..text.len(),
                format!("more than {MAX_BARS} bars"),
            ));
        }
    }
    Ok(Grid { bars })
}

/// The ranges between bar lines; a line before the first and after the last
/// bar is allowed.
pub(super) fn bar_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('|') {
        ranges.push(start..at);
        start = at + 1;
    }
    ranges.push(start..text.len());
    let blank = |range: &Range<usize>| text[range.clone()].trim().is_empty();
    if ranges.len() > 1 && blank(&ranges[0]) {
        ranges.remove(0);
    }
    if ranges.len() > 1 && ranges.last().is_some_and(blank) {
        ranges.pop();
    }
    ranges
}

/// A voice of the drum kit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Voice {
    /// Names, the letter first.
    pub names: &'static [&'static str],
    /// General MIDI drum note.
    pub note: u8,
    /// Track that the voice goes to when the kit is split.
    pub group: &'static str,
}

/// All drum voices.
pub const VOICES: &[Voice] = &[
    Voice {
        names: &["k", "kick", "bd"],
        note: 36,
        group: "Kick",
    },
    Voice {
        names: &["s", "snare", "sd", "sn"],
        note: 38,
        group: "Snare",
    },
    Voice {
        names: &["b", "rim", "rimshot", "sidestick"],
        note: 37,
        group: "Snare",
    },
    Voice {
        names: &["p", "clap", "cp"],
        note: 39,
        group: "Clap",
    },
    Voice {
        names: &["h", "hat", "hihat", "hh", "closed"],
        note: 42,
        group: "Hats",
    },
    Voice {
        names: &["f", "foot", "pedal"],
        note: 44,
        group: "Hats",
    },
    Voice {
        names: &["o", "open", "openhat", "oh"],
        note: 46,
        group: "Hats",
    },
    Voice {
        names: &["l", "lowtom", "floor"],
        note: 41,
        group: "Toms",
    },
    Voice {
        names: &["t", "tom", "midtom"],
        note: 47,
        group: "Toms",
    },
    Voice {
        names: &["i", "hightom"],
        note: 50,
        group: "Toms",
    },
    Voice {
        names: &["c", "crash"],
        note: 49,
        group: "Crash",
    },
    Voice {
        names: &["r", "ride"],
        note: 51,
        group: "Ride",
    },
    Voice {
        names: &["tamb", "tambourine"],
        note: 54,
        group: "Perc",
    },
    Voice {
        names: &["cowbell"],
        note: 56,
        group: "Perc",
    },
    Voice {
        names: &["shaker", "maracas"],
        note: 70,
        group: "Perc",
    },
    Voice {
        names: &["conga"],
        note: 63,
        group: "Perc",
    },
];

/// Finds a voice by name or letter.
#[must_use]
pub fn voice(name: &str) -> Option<&'static Voice> {
    let name = name.to_lowercase();
    VOICES
        .iter()
        .find(|voice| voice.names.contains(&name.as_str()))
}

/// A stroke; positions count from the start of the pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    pub start_qn: f64,
    pub length_qn: f64,
    pub voice: &'static Voice,
    pub stress: Stress,
    /// Played with even odds.
    pub maybe: bool,
}

/// A drum pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Drums {
    pub strokes: Vec<Stroke>,
    pub bars: u32,
}

/// Signs of a voice's line: rest, stroke, accent, soft, roll of two, even odds.
const STROKES: &str = ".xXo=?";

/// Reads a drum pattern: lines of a voice's name and its grid (`kick x...x...`),
/// or a line of voice letters without a name (`k.h.s.h.`, a capital is an
/// accent). A line with fewer bars than the longest is repeated.
///
/// # Errors
///
/// An unknown voice, a wrong step, or lines whose bars do not fit together.
pub fn drums(text: &str, bar_qn: f64) -> Result<Drums, TextError> {
    let mut lines: Vec<(Range<usize>, Vec<Vec<Stroke>>)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.split("//").next().unwrap_or("");
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let from = start + (line.len() - line.trim_start().len());
        let bars = drum_line(trimmed, bar_qn).map_err(|error| error.shifted(from))?;
        lines.push((from..from + trimmed.len(), bars));
    }
    let Some(bars) = lines.iter().map(|(_, bars)| bars.len()).max() else {
        return Err(TextError::new(0..text.len(), "there are no drum lines")
            .help("write a voice and its steps: `kick x...x...x...x...`"));
    };
    let mut strokes = Vec::new();
    for (span, line) in &lines {
        if bars % line.len() != 0 {
            return Err(TextError::new(
                span.clone(),
                format!(
                    "a line of {} bars does not fit into {bars} bars",
                    line.len()
                ),
            )
            .help("give every line as many bars as the longest, or a number that divides it"));
        }
        for bar in 0..bars {
            for stroke in &line[bar % line.len()] {
                strokes.push(Stroke {
                    start_qn: stroke.start_qn + bar as f64 * bar_qn,
                    ..*stroke
                });
            }
        }
    }
    strokes.sort_by(|a, b| {
        a.start_qn
            .total_cmp(&b.start_qn)
            .then(a.voice.note.cmp(&b.voice.note))
    });
    Ok(Drums {
        strokes,
        bars: u32::try_from(bars).unwrap_or(MAX_BARS),
    })
}

fn drum_line(line: &str, bar_qn: f64) -> Result<Vec<Vec<Stroke>>, TextError> {
    let name_end = line
        .find(|c: char| c.is_whitespace() || c == '|')
        .unwrap_or(line.len());
    let name = line[..name_end].trim_end_matches(':');
    if name_end < line.len()
        && let Some(voice) = voice(name)
    {
        let grid = grid(&line[name_end..], STROKES).map_err(|error| error.shifted(name_end))?;
        return Ok(grid
            .bars
            .iter()
            .map(|bar| voice_bar(bar, voice, bar_qn))
            .collect());
    }
    let letters: String = VOICES
        .iter()
        .filter_map(|voice| {
            voice.names[0]
                .chars()
                .next()
                .filter(|_| voice.names[0].len() == 1)
        })
        .flat_map(|c| [c, c.to_ascii_uppercase()])
        .chain(['.'])
        .collect();
    let error = match grid(line, &letters) {
        Ok(grid) => {
            return Ok(grid
                .bars
                .iter()
                .map(|bar| letter_bar(bar, bar_qn))
                .collect());
        }
        Err(error) => error,
    };
    // A word before a grid is a voice that we do not have.
    let looks_like_name = name_end < line.len() && name.len() > 1 && !name.contains('.');
    if !looks_like_name {
        return Err(error);
    }
    let unknown = TextError::new(0..name_end, format!("`{name}` is not a drum voice"));
    let names = VOICES.iter().flat_map(|voice| voice.names.iter().copied());
    Err(match suggest(name, names.filter(|n| n.len() > 2)) {
        Some(close) => unknown.help(format!("did you mean `{close}`?")),
        None => unknown
            .help("voices are kick, snare, rim, clap, hat, open, tom, crash, ride, shaker, …"),
    })
}

fn voice_bar(bar: &[Step], voice: &'static Voice, bar_qn: f64) -> Vec<Stroke> {
    let step_qn = bar_qn / bar.len() as f64;
    let mut strokes = Vec::new();
    for (i, step) in bar.iter().enumerate() {
        let stress = match step.sign {
            '.' => continue,
            'X' => Stress::Accent,
            'o' => Stress::Soft,
            _ => Stress::Plain,
        };
        let count = if step.sign == '=' { 2 } else { 1 };
        for k in 0..count {
            let length_qn = step_qn / f64::from(count);
            strokes.push(Stroke {
                start_qn: i as f64 * step_qn + f64::from(k) * length_qn,
                length_qn,
                voice,
                stress,
                maybe: step.sign == '?',
            });
        }
    }
    strokes
}

fn letter_bar(bar: &[Step], bar_qn: f64) -> Vec<Stroke> {
    let step_qn = bar_qn / bar.len() as f64;
    bar.iter()
        .enumerate()
        .filter_map(|(i, step)| {
            let voice = voice(&step.sign.to_string())?;
            let accent = step.sign.is_ascii_uppercase();
            Some(Stroke {
                start_qn: i as f64 * step_qn,
                length_qn: step_qn,
                voice,
                stress: if accent {
                    Stress::Accent
                } else {
                    Stress::Plain
                },
                maybe: false,
            })
        })
        .collect()
}
