//! Chord progressions as text: `Am | F | C G | Em7 . E7 .`.
//!
//! Words of a bar share it equally; `.` goes on with the chord before, `%` alone
//! repeats the bar before, `-` is silence.

use super::theory::{self, Chord, Key};
use super::{TextError, notation::MAX_BARS, notation::split_words, patterns};

/// A progression; positions count from its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Progression {
    /// Without gaps, in order.
    pub spans: Vec<ChordSpan>,
    pub bars: u32,
}

/// A chord, or silence, and how long it lasts.
#[derive(Debug, Clone, PartialEq)]
pub struct ChordSpan {
    pub start_qn: f64,
    pub end_qn: f64,
    pub chord: Option<Chord>,
}

/// Reads a progression whose bars are `bar_qn` long.
///
/// # Errors
///
/// The first word that is no chord, with its place; see [`theory::chord`].
pub fn progression(text: &str, bar_qn: f64, key: Option<&Key>) -> Result<Progression, TextError> {
    let mut bars: Vec<Vec<ChordSpan>> = Vec::new();
    let mut current: Option<Chord> = None;
    for range in patterns::bar_ranges(text) {
        let words = split_words(&text[range.clone()]);
        let number = bars.len() + 1;
        if words.is_empty() {
            return Err(TextError::new(range, format!("bar {number} has no chord"))
                .help("write `%` to repeat the bar before, `-` for silence"));
        }
        if number > MAX_BARS as usize {
            return Err(TextError::new(range, format!("more than {MAX_BARS} bars")));
        }
        let offset = (number - 1) as f64 * bar_qn;
        let step = bar_qn / words.len() as f64;
        let mut bar: Vec<ChordSpan> = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let at = range.start + word.start..range.start + word.end;
            let (start_qn, end_qn) = (offset + i as f64 * step, offset + (i + 1) as f64 * step);
            match &text[at.clone()] {
                "%" => {
                    let (Some(before), true) = (bars.last(), words.len() == 1) else {
                        return Err(TextError::new(at, "`%` must stand alone and after a bar")
                            .help("write `.` to go on with the chord before"));
                    };
                    bar = before
                        .iter()
                        .map(|span| ChordSpan {
                            start_qn: span.start_qn + bar_qn,
                            end_qn: span.end_qn + bar_qn,
                            chord: span.chord.clone(),
                        })
                        .collect();
                    continue;
                }
                "." => {
                    if let Some(last) = bar.last_mut() {
                        last.end_qn = end_qn;
                        continue;
                    }
                    if number == 1 {
                        return Err(TextError::new(at, "`.` has no chord before it")
                            .help("begin with a chord, or with `-` for silence"));
                    }
                }
                "-" => current = None,
                name => {
                    let chord = theory::chord(name, key).map_err(|e| e.shifted(at.start))?;
                    current = Some(chord);
                }
            }
            bar.push(ChordSpan {
                start_qn,
                end_qn,
                chord: current.clone(),
            });
        }
        bars.push(bar);
    }
    let count = bars.len();
    Ok(Progression {
        spans: bars.into_iter().flatten().collect(),
        bars: u32::try_from(count).unwrap_or(MAX_BARS),
    })
}

impl Progression {
    /// The chord that sounds at a place; the progression repeats for ever.
    #[must_use]
    pub fn at(&self, qn: f64, bar_qn: f64) -> Option<&ChordSpan> {
        let length = f64::from(self.bars) * bar_qn;
        let qn = qn.rem_euclid(length);
        self.spans
            .iter()
            .rev()
            .find(|span| span.start_qn <= qn + 1e-6)
    }
}
