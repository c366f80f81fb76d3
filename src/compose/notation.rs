//! Melodies as text, in quarter notes: `C4:1 E4:.5 r:.5 [C4 E4 G4]:2 | …`.
//!
//! | written | means |
//! |---|---|
//! | `F#4:1.5` | a note and its length in quarter notes |
//! | `A4` | the same length as before (at first 1) |
//! | `:1/3` | a fraction as length |
//! | `[C4 E4 G4]:2` | several notes at once |
//! | `r:.5` | rest |
//! | `~:2` | the note before goes on |
//! | `C4:1!` `C4:1,` | accent, soft |
//! | `C4:1@90` | velocity 90 |
//! | `\|` | bar line: the bar before it must add up |

use std::ops::Range;

use super::{TextError, theory};
use crate::units::decimal_text;

/// A note of a melody; positions count from the start of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    pub start_qn: f64,
    pub length_qn: f64,
    pub pitch: u8,
    pub stress: Stress,
}

/// How loud a note is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stress {
    /// The part's velocity.
    Plain,
    Accent,
    Soft,
    /// A velocity of its own.
    Exactly(u8),
}

impl Stress {
    /// Velocity where plain notes have `base`.
    #[must_use]
    pub fn velocity(self, base: u8) -> u8 {
        let scaled = |percent: u32| {
            u8::try_from((u32::from(base) * percent / 100).clamp(1, 127)).unwrap_or(127)
        };
        match self {
            Stress::Plain => base.clamp(1, 127),
            Stress::Accent => scaled(125),
            Stress::Soft => scaled(62),
            Stress::Exactly(velocity) => velocity.clamp(1, 127),
        }
    }
}

/// What a text says.
#[derive(Debug, Clone, PartialEq)]
pub struct Melody {
    pub events: Vec<Event>,
    pub bars: u32,
}

/// The longest note or rest, in quarter notes.
const MAX_LENGTH_QN: f64 = 256.0;
/// The most bars that one text may have.
pub const MAX_BARS: u32 = 1024;

/// Reads a melody whose bars are `bar_qn` long.
///
/// # Errors
///
/// The first word that cannot be read, or the first bar that does not add up.
pub fn melody(text: &str, bar_qn: f64) -> Result<Melody, TextError> {
    let mut reader = Reader {
        bar_qn,
        events: Vec::new(),
        clock: 0.0,
        bar: 0,
        bar_start: 0.0,
        bar_at: 0,
        length: 1.0,
        last: Vec::new(),
        bar_lines: text.contains('|'),
    };
    for word in words(text)? {
        reader.word(text, word)?;
    }
    reader.finish(text)
}

struct Reader {
    bar_qn: f64,
    events: Vec<Event>,
    clock: f64,
    bar: u32,
    bar_start: f64,
    /// Byte at which the bar begins.
    bar_at: usize,
    length: f64,
    /// Events that `~` prolongs.
    last: Vec<usize>,
    bar_lines: bool,
}

impl Reader {
    fn word(&mut self, text: &str, span: Range<usize>) -> Result<(), TextError> {
        let word = &text[span.clone()];
        if word == "|" {
            return self.bar_line(span.start, text);
        }
        let head = heads(word);
        let (length, stress) = tail(&word[head.clone()], self.length)
            .map_err(|error| error.shifted(span.start + head.start))?;
        self.length = length;
        let name = &word[..head.start];
        match name {
            "r" | "R" | "_" => self.last.clear(),
            "~" => {
                if self.last.is_empty() {
                    return Err(TextError::new(span, "`~` has no note before it to prolong")
                        .help("write `r` for a rest"));
                }
                for index in &self.last {
                    self.events[*index].length_qn += length;
                }
            }
            _ => {
                self.last.clear();
                let inner = name
                    .strip_prefix('[')
                    .map_or((0, name), |n| (1, n.strip_suffix(']').unwrap_or(n)));
                let mut found = false;
                for note in split_words(inner.1) {
                    found = true;
                    let pitch = theory::pitch(&inner.1[note.clone()])
                        .map_err(|error| error.shifted(span.start + inner.0 + note.start))?;
                    self.last.push(self.events.len());
                    self.events.push(Event {
                        start_qn: self.clock,
                        length_qn: length,
                        pitch,
                        stress,
                    });
                }
                if !found {
                    return Err(TextError::new(span, "`[]` holds no notes")
                        .help("write notes between the brackets: `[C4 E4 G4]:2`"));
                }
            }
        }
        self.clock += length;
        Ok(())
    }

    fn bar_line(&mut self, at: usize, text: &str) -> Result<(), TextError> {
        let length = self.clock - self.bar_start;
        // A line may also stand before the first bar.
        if length == 0.0 && self.bar == 0 {
            self.bar_at = at + 1;
            return Ok(());
        }
        if (length - self.bar_qn).abs() > 1e-6 {
            let start = at - text[self.bar_at..at].trim_start().len();
            return Err(TextError::new(
                start..at.max(start + 1).min(text.len()),
                format!(
                    "bar {} is {} quarter notes long, not {}",
                    self.bar + 1,
                    decimal_text(length, 3),
                    decimal_text(self.bar_qn, 3)
                ),
            )
            .help(if length < self.bar_qn {
                format!("add a rest: `r:{}`", decimal_text(self.bar_qn - length, 3))
            } else {
                format!(
                    "take away {} quarter notes",
                    decimal_text(length - self.bar_qn, 3)
                )
            }));
        }
        self.bar += 1;
        if self.bar > MAX_BARS {
            return Err(TextError::new(
                at..at + 1,
                format!("more than {MAX_BARS} bars"),
            ));
        }
        // Counting bars, instead of adding lengths, keeps thirds from drifting.
        self.clock = f64::from(self.bar) * self.bar_qn;
        self.bar_start = self.clock;
        self.bar_at = at + 1;
        Ok(())
    }

    fn finish(mut self, text: &str) -> Result<Melody, TextError> {
        if self.clock > self.bar_start && self.bar_lines {
            self.bar_line(text.trim_end().len(), text)?;
        } else if self.clock > 0.0 && !self.bar_lines {
            let bars = (self.clock / self.bar_qn).round();
            if (self.clock - bars * self.bar_qn).abs() > 1e-6 || bars < 1.0 {
                return Err(TextError::new(
                    0..text.len(),
                    format!(
                        "the notes are {} quarter notes long, not a whole number of bars of {}",
                        decimal_text(self.clock, 3),
                        decimal_text(self.bar_qn, 3)
                    ),
                )
                .help("end with a rest, and write `|` between bars to have each one checked"));
            }
            if bars > f64::from(MAX_BARS) {
                return Err(TextError::new(
                    0..text.len(),
                    format!("more than {MAX_BARS} bars"),
                ));
            }
            self.bar = bars as u32;
        }
        if self.bar == 0 {
            return Err(TextError::new(0..text.len(), "there are no notes")
                .help("leave the section out, or write `r:4` for a silent bar"));
        }
        Ok(Melody {
            events: self.events,
            bars: self.bar,
        })
    }
}

/// Splits at blanks and bar lines; brackets hold together. `#` belongs to a
/// note, so comments begin with `//` and end with their line.
fn words(text: &str) -> Result<Vec<Range<usize>>, TextError> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'|' => {
                words.push(at..at + 1);
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |end| at + end);
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let start = at;
                if bytes[at] == b'[' {
                    let Some(close) = text[at..].find(']') else {
                        return Err(TextError::new(at..at + 1, "`[` is never closed")
                            .help("write `]` after the last note of the chord"));
                    };
                    at += close + 1;
                }
                while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'|' {
                    at += 1;
                }
                words.push(start..at);
            }
        }
    }
    Ok(words)
}

/// Places of the words of a text without bar lines.
pub(super) fn split_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, sign) in text.char_indices() {
        match (sign.is_whitespace(), start) {
            (true, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push(from..text.len());
    }
    words
}

/// Where the length and stress of a word begin.
fn heads(word: &str) -> Range<usize> {
    let from = word.find(']').map_or(0, |close| close + 1);
    let start = word[from..]
        .find([':', '!', ',', '@'])
        .map_or(word.len(), |at| from + at);
    start..word.len()
}

/// Reads `:length`, then `!`, `,` or `@velocity`.
fn tail(text: &str, before: f64) -> Result<(f64, Stress), TextError> {
    let mut rest = text;
    let mut length = before;
    if let Some(after) = rest.strip_prefix(':') {
        let end = after.find(['!', ',', '@']).unwrap_or(after.len());
        length = parse_length(&after[..end]).map_err(|error| error.shifted(1))?;
        rest = &after[end..];
    }
    let at = text.len() - rest.len();
    let stress = match rest {
        "" => Stress::Plain,
        "!" => Stress::Accent,
        "," => Stress::Soft,
        _ => {
            let velocity = rest
                .strip_prefix('@')
                .and_then(|v| v.parse::<u8>().ok())
                .filter(|v| (1..=127).contains(v));
            let Some(velocity) = velocity else {
                return Err(TextError::new(
                    at..text.len(),
                    format!("`{rest}` does not end a note"),
                )
                .help("after the length may follow `!` (accent), `,` (soft) or `@1` to `@127`"));
            };
            Stress::Exactly(velocity)
        }
    };
    Ok((length, stress))
}

/// Reads a length in quarter notes: `1`, `.5`, `1/3`.
pub(super) fn parse_length(text: &str) -> Result<f64, TextError> {
    let value = match text.split_once('/') {
        Some((above, below)) => match (plain(above), plain(below)) {
            (Some(above), Some(below)) if below > 0.0 => Some(above / below),
            _ => None,
        },
        None => plain(text),
    };
    value
        .filter(|v| *v >= 1e-3 && *v <= MAX_LENGTH_QN)
        .ok_or_else(|| {
            TextError::new(0..text.len(), format!("`{text}` is not a length")).help(format!(
                "lengths are quarter notes above 0 to {MAX_LENGTH_QN}: `1`, `.5`, `1/3`"
            ))
        })
}

/// Digits and one point; no sign, exponent, `inf` or `nan`.
fn plain(text: &str) -> Option<f64> {
    let fits = !text.is_empty()
        && text.len() <= 12
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && text.bytes().any(|b| b.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}
