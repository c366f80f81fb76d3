//! Generators: grids played over a chord progression.
//!
//! Each returns notes for a number of bars; the grid and the progression repeat
//! side by side, so a two-bar rhythm goes through an eight-bar progression.

use super::chords::Progression;
use super::notation::{Event, Stress};
use super::patterns::{Grid, Step};
use super::theory::{self, Chord, Voicing};

/// Signs of a chord rhythm: rest, stroke, accent, soft, hold.
pub const CHORD_STEPS: &str = ".xXo-";
/// Signs of an arpeggio: rest, chord tones from below, hold.
pub const ARP_STEPS: &str = ".123456789-";
/// Signs of a bass line: rest, root, third, fifth, seventh or octave, octave,
/// approach to the next chord from below, hold; capitals are accents.
pub const BASS_STEPS: &str = ".rR3578a-";

/// Where chords lie by default: around C4.
const CHORD_CENTRE: i32 = 60;
/// The lowest root of an arpeggio.
const ARP_LOW: i32 = 60;
/// The lowest root of a bass line: E1, the bass guitar's lowest string.
const BASS_LOW: i32 = 28;

/// What a generator plays over.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub harmony: &'a Progression,
    pub bar_qn: f64,
    /// How many bars to play.
    pub bars: u32,
    pub voicing: Voicing,
}

/// Chords in a rhythm. A held chord ends, and is struck again, where the
/// harmony changes.
#[must_use]
pub fn chords(grid: &Grid, ground: &Ground) -> Vec<Event> {
    let mut notes = Vec::new();
    let mut before: Option<Vec<u8>> = None;
    for stroke in strokes(grid, ground, true) {
        let voiced = theory::voice(
            stroke.chord,
            ground.voicing,
            CHORD_CENTRE,
            before.as_deref(),
        );
        for pitch in &voiced {
            notes.push(stroke.event(*pitch));
        }
        before = Some(voiced);
    }
    notes
}

/// Chord tones one after the other: `1` is the lowest; numbers past the chord's
/// size go on an octave higher.
#[must_use]
pub fn arp(grid: &Grid, ground: &Ground) -> Vec<Event> {
    strokes(grid, ground, false)
        .into_iter()
        .map(|stroke| {
            let tones = tones(stroke.chord);
            let index = stroke.sign.to_digit(10).unwrap_or(1).max(1) as usize - 1;
            let octave = i32::try_from(index / tones.len()).unwrap_or(0);
            let pitch = tones[index % tones.len()] + 12 * octave;
            stroke.event(theory::fold(pitch))
        })
        .collect()
}

/// A bass line.
#[must_use]
pub fn bass(grid: &Grid, ground: &Ground) -> Vec<Event> {
    strokes(grid, ground, false)
        .into_iter()
        .map(|stroke| {
            let root = root_from(stroke.chord.bass_class());
            // Intervals count from the chord's root, also over a slash bass.
            let of_root = root_from(stroke.chord.root);
            let tone = |from: u8, to: u8, otherwise: i32| {
                stroke
                    .chord
                    .intervals
                    .iter()
                    .find(|i| (from..=to).contains(*i))
                    .map_or(otherwise, |i| of_root + i32::from(*i))
            };
            let pitch = match stroke.sign {
                '3' => tone(2, 5, root),
                '5' => tone(6, 8, root),
                '7' => tone(9, 11, root + 12),
                '8' => root + 12,
                'a' => {
                    let next = ground.harmony.at(stroke.chord_end_qn, ground.bar_qn);
                    let target = next
                        .and_then(|span| span.chord.as_ref())
                        .map_or(root, |chord| root_from(chord.bass_class()));
                    target - 1
                }
                _ => root,
            };
            stroke.event(theory::fold(pitch))
        })
        .collect()
}

fn root_from(class: u8) -> i32 {
    BASS_LOW + (i32::from(class) - BASS_LOW).rem_euclid(12)
}

fn tones(chord: &Chord) -> Vec<i32> {
    chord.tones_from(ARP_LOW - 5)
}

struct Stroke<'a> {
    start_qn: f64,
    end_qn: f64,
    sign: char,
    chord: &'a Chord,
    chord_end_qn: f64,
}

impl Stroke<'_> {
    fn event(&self, pitch: u8) -> Event {
        Event {
            start_qn: self.start_qn,
            length_qn: self.end_qn - self.start_qn,
            pitch,
            stress: match self.sign {
                'X' | 'R' => Stress::Accent,
                'o' => Stress::Soft,
                _ => Stress::Plain,
            },
        }
    }
}

/// Steps that sound, with what `-` adds to them. With `restrike`, a held step
/// is struck again at a chord change; without, it ends there.
fn strokes<'a>(grid: &Grid, ground: &Ground<'a>, restrike: bool) -> Vec<Stroke<'a>> {
    let mut strokes: Vec<Stroke> = Vec::new();
    let mut held = false;
    for bar in 0..ground.bars {
        let steps = &grid.bars[bar as usize % grid.bars.len()];
        let step_qn = ground.bar_qn / steps.len() as f64;
        for (i, Step { sign, .. }) in steps.iter().enumerate() {
            let start_qn = f64::from(bar) * ground.bar_qn + i as f64 * step_qn;
            let end_qn = start_qn + step_qn;
            match sign {
                '.' => held = false,
                '-' if !held => {}
                '-' => hold(&mut strokes, ground, start_qn, end_qn, restrike),
                _ => {
                    held = true;
                    push(&mut strokes, ground, start_qn, end_qn, *sign);
                    // A step longer than its chord is cut there, or struck again.
                    split_last(&mut strokes, ground, restrike);
                }
            }
        }
    }
    strokes
}

fn push<'a>(strokes: &mut Vec<Stroke<'a>>, ground: &Ground<'a>, start: f64, end: f64, sign: char) {
    let length = f64::from(ground.harmony.bars) * ground.bar_qn;
    let base = (start / length + 1e-9).floor() * length;
    if let Some(span) = ground.harmony.at(start, ground.bar_qn)
        && let Some(chord) = &span.chord
    {
        strokes.push(Stroke {
            start_qn: start,
            end_qn: end,
            sign,
            chord,
            chord_end_qn: base + span.end_qn,
        });
    }
}

fn hold<'a>(
    strokes: &mut Vec<Stroke<'a>>,
    ground: &Ground<'a>,
    start: f64,
    end: f64,
    restrike: bool,
) {
    let Some(last) = strokes.last_mut() else {
        return;
    };
    // The note before was cut by a chord change or a silence.
    if (last.end_qn - start).abs() > 1e-6 {
        if restrike {
            let sign = last.sign;
            push(strokes, ground, start, end, sign);
            split_last(strokes, ground, restrike);
        }
        return;
    }
    let same = ground
        .harmony
        .at(start, ground.bar_qn)
        .is_some_and(|span| span.chord.as_ref() == Some(last.chord));
    if same || !restrike && start < last.chord_end_qn - 1e-6 {
        let length = f64::from(ground.harmony.bars) * ground.bar_qn;
        if let Some(span) = ground.harmony.at(start, ground.bar_qn) {
            last.chord_end_qn = (start / length + 1e-9).floor() * length + span.end_qn;
        }
        last.end_qn = end;
        split_last(strokes, ground, restrike);
    } else if restrike {
        let sign = last.sign;
        push(strokes, ground, start, end, sign);
        split_last(strokes, ground, restrike);
    }
}

/// Cuts the last stroke where its chord ends, and strikes the next chord.
fn split_last<'a>(strokes: &mut Vec<Stroke<'a>>, ground: &Ground<'a>, restrike: bool) {
    while let Some(last) = strokes.last_mut() {
        let (cut, end, sign) = (last.chord_end_qn, last.end_qn, last.sign);
        if end <= cut + 1e-6 {
            return;
        }
        let next = ground.harmony.at(cut, ground.bar_qn);
        if let Some(next) = next
            && next.chord.as_ref() == Some(last.chord)
        {
            last.chord_end_qn += next.end_qn - next.start_qn;
            continue;
        }
        last.end_qn = cut;
        let count = strokes.len();
        if restrike {
            push(strokes, ground, cut, end, sign);
        }
        if strokes.len() == count {
            return;
        }
    }
}
