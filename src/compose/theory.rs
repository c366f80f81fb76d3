//! Pitches, keys and chords: names in, note numbers out.
//!
//! Octaves count so that C4 is note 60. Nothing is guessed: a name that is not
//! in the tables is an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TextError;
use crate::diag::suggest;

/// How the tones of a chord are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Voicing {
    /// Root position.
    Close,
    /// The inversion nearest to the chord before.
    #[default]
    Smooth,
    /// Second tone from the top an octave lower.
    Open,
    /// Root an octave lower, the rest nearest to the chord before.
    Spread,
}

/// A chord as a set of pitch classes over a bass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// Pitch class of the root, 0 to 11, C is 0.
    pub root: u8,
    /// Semitones above the root, rising, beginning with 0.
    pub intervals: &'static [u8],
    /// Pitch class under a slash.
    pub bass: Option<u8>,
}

/// A tonic and a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Pitch class of the tonic.
    pub tonic: u8,
    /// Semitones of the seven degrees.
    pub scale: [u8; 7],
}

/// Chord qualities with all their spellings; intervals in semitones.
const QUALITIES: &[(&[&str], &[u8])] = &[
    (&["", "M", "maj", "major"], &[0, 4, 7]),
    (&["m", "min", "-", "minor"], &[0, 3, 7]),
    (&["5"], &[0, 7]),
    (&["dim", "°", "o"], &[0, 3, 6]),
    (&["aug", "+"], &[0, 4, 8]),
    (&["sus2"], &[0, 2, 7]),
    (&["sus4", "sus"], &[0, 5, 7]),
    (&["6"], &[0, 4, 7, 9]),
    (&["m6", "min6", "-6"], &[0, 3, 7, 9]),
    (&["6/9", "69"], &[0, 4, 7, 9, 14]),
    (&["7", "dom7"], &[0, 4, 7, 10]),
    (&["maj7", "M7", "Δ", "Δ7"], &[0, 4, 7, 11]),
    (&["m7", "min7", "-7"], &[0, 3, 7, 10]),
    (
        &["mMaj7", "mM7", "mmaj7", "minmaj7", "m(maj7)"],
        &[0, 3, 7, 11],
    ),
    (&["dim7", "°7", "o7"], &[0, 3, 6, 9]),
    (
        &["m7b5", "min7b5", "-7b5", "ø", "ø7", "hdim"],
        &[0, 3, 6, 10],
    ),
    (&["aug7", "+7", "7#5"], &[0, 4, 8, 10]),
    (&["7b5"], &[0, 4, 6, 10]),
    (&["7sus4", "7sus"], &[0, 5, 7, 10]),
    (&["7b9"], &[0, 4, 7, 10, 13]),
    (&["7#9"], &[0, 4, 7, 10, 15]),
    (&["7#11"], &[0, 4, 7, 10, 18]),
    (&["7b13"], &[0, 4, 7, 10, 20]),
    (&["add9", "add2"], &[0, 4, 7, 14]),
    (&["madd9", "madd2"], &[0, 3, 7, 14]),
    (&["add11", "add4"], &[0, 4, 7, 17]),
    (&["9"], &[0, 4, 7, 10, 14]),
    (&["m9", "min9", "-9"], &[0, 3, 7, 10, 14]),
    (&["maj9", "M9"], &[0, 4, 7, 11, 14]),
    (&["9sus4", "9sus"], &[0, 5, 7, 10, 14]),
    (&["11"], &[0, 4, 7, 10, 14, 17]),
    (&["m11", "min11", "-11"], &[0, 3, 7, 10, 14, 17]),
    (&["maj7#11", "M7#11"], &[0, 4, 7, 11, 18]),
    // The eleventh of a thirteenth chord clashes with its third and is left out.
    (&["13"], &[0, 4, 7, 10, 14, 21]),
    (&["m13", "min13", "-13"], &[0, 3, 7, 10, 14, 21]),
    (&["maj13", "M13"], &[0, 4, 7, 11, 14, 21]),
];

/// Modes by name.
const MODES: &[(&[&str], [u8; 7])] = &[
    (&["major", "maj", "ionian"], [0, 2, 4, 5, 7, 9, 11]),
    (&["minor", "min", "m", "aeolian"], [0, 2, 3, 5, 7, 8, 10]),
    (&["dorian"], [0, 2, 3, 5, 7, 9, 10]),
    (&["phrygian"], [0, 1, 3, 5, 7, 8, 10]),
    (&["lydian"], [0, 2, 4, 6, 7, 9, 11]),
    (&["mixolydian"], [0, 2, 4, 5, 7, 9, 10]),
    (&["locrian"], [0, 1, 3, 5, 6, 8, 10]),
    (&["harmonic minor"], [0, 2, 3, 5, 7, 8, 11]),
];

/// Reads a letter with accidentals at the start of `text`: pitch class and
/// bytes used. The class may lie outside 0..12 (`Cb` is -1).
fn letter(text: &str) -> Option<(i32, usize)> {
    let first = *text.as_bytes().first()?;
    let class = match first.to_ascii_uppercase() {
        b'C' => 0,
        b'D' => 2,
        b'E' => 4,
        b'F' => 5,
        b'G' => 7,
        b'A' => 9,
        b'B' => 11,
        _ => return None,
    };
    let mut used = 1;
    let mut shift = 0;
    for sign in text[1..].chars().take(2) {
        match sign {
            '#' | '♯' => shift += 1,
            'b' | '♭' => shift -= 1,
            _ => break,
        }
        used += sign.len_utf8();
    }
    Some((class + shift, used))
}

/// Reads a note name with octave, such as `F#4` or `Bb-1`: a note number.
///
/// # Errors
///
/// No letter A to G, no octave, or a note outside 0 to 127.
pub fn pitch(text: &str) -> Result<u8, TextError> {
    let whole = 0..text.len();
    let Some((class, used)) = letter(text) else {
        return Err(TextError::new(whole, format!("`{text}` is not a note"))
            .help("a note is a letter A to G, `#` or `b`, and an octave: `F#4`"));
    };
    let octave = &text[used..];
    if octave.is_empty() {
        return Err(
            TextError::new(whole, format!("note `{text}` has no octave"))
                .help(format!("write `{text}4` for the octave of middle C")),
        );
    }
    let Ok(octave) = octave.parse::<i32>() else {
        let span = used..text.len();
        return Err(TextError::new(span, format!("`{octave}` is not an octave"))
            .help("octaves are whole numbers from -1 to 9; C4 is middle C"));
    };
    octave
        .checked_add(1)
        .and_then(|o| o.checked_mul(12))
        .and_then(|base| u8::try_from(base + class).ok())
        .filter(|note| *note <= 127)
        .ok_or_else(|| {
            TextError::new(
                whole,
                format!("note `{text}` is outside the MIDI range C-1 to G9"),
            )
        })
}

/// Reads a key such as `A minor`, `F# dorian` or `Eb`.
///
/// # Errors
///
/// An unknown tonic or mode.
pub fn key(text: &str) -> Result<Key, TextError> {
    let whole = 0..text.len();
    let trimmed = text.trim();
    let Some((class, used)) = letter(trimmed) else {
        return Err(TextError::new(whole, format!("`{text}` is not a key"))
            .help("a key is a tonic and a mode: `A minor`, `F# dorian`"));
    };
    let mode = trimmed[used..].trim().to_lowercase();
    let mode = if mode.is_empty() { "major" } else { &mode };
    let Some((_, scale)) = MODES.iter().find(|(names, _)| names.contains(&mode)) else {
        let names: Vec<&str> = MODES.iter().map(|(names, _)| names[0]).collect();
        return Err(TextError::new(whole, format!("`{mode}` is not a mode"))
            .help(format!("modes are {}", names.join(", "))));
    };
    Ok(Key {
        tonic: wrap(class),
        scale: *scale,
    })
}

/// Reads a chord: `Am`, `F#m7b5`, `C/E`, or with a key also `iv`, `VI`, `bVII7`.
///
/// # Errors
///
/// An unknown root, quality or bass, and a Roman numeral without a key. The
/// span covers only the part that is wrong.
pub fn chord(text: &str, key: Option<&Key>) -> Result<Chord, TextError> {
    if let Some(numeral) = roman(text) {
        return roman_chord(text, numeral, key);
    }
    let Some((class, used)) = letter(text).filter(|_| text.starts_with(char::is_uppercase)) else {
        return Err(
            TextError::new(0..text.len(), format!("`{text}` is not a chord"))
                .help("a chord begins with a root from A to G: `Am`, `F#m7b5`, `C/E`"),
        );
    };
    let (intervals, bass) = quality_and_bass(text, used, false)?;
    Ok(Chord {
        root: wrap(class),
        intervals,
        bass,
    })
}

impl Chord {
    /// Tones in root position with the root at or above `low`, without the bass.
    #[must_use]
    pub fn tones_from(&self, low: i32) -> Vec<i32> {
        let root = low + (i32::from(self.root) - low).rem_euclid(12);
        self.intervals
            .iter()
            .map(|i| root + i32::from(*i))
            .collect()
    }

    /// Pitch class that the bass plays.
    #[must_use]
    pub fn bass_class(&self) -> u8 {
        self.bass.unwrap_or(self.root)
    }
}

/// Lays a chord out around `centre`; `before` is the chord that led here.
/// Rising note numbers within 0 to 127.
#[must_use]
pub fn voice(chord: &Chord, voicing: Voicing, centre: i32, before: Option<&[u8]>) -> Vec<u8> {
    let low = centre - 5;
    let mut tones = match voicing {
        Voicing::Close => chord.tones_from(low),
        Voicing::Smooth => nearest(&chord.tones_from(low), centre, before),
        Voicing::Open => {
            let mut tones = chord.tones_from(low);
            if tones.len() > 2 {
                let second = tones.len() - 2;
                tones[second] -= 12;
            }
            tones
        }
        Voicing::Spread => {
            let tones = chord.tones_from(low);
            let upper = before.map(|notes| &notes[notes.len().min(1)..]);
            let mut spread = nearest(&tones[1..], centre, upper);
            spread.push(tones[0] - 12);
            spread
        }
    };
    if let Some(bass) = chord.bass {
        let lowest = tones.iter().copied().min().unwrap_or(low);
        tones.retain(|tone| tone.rem_euclid(12) != i32::from(bass));
        tones.push(lowest - (lowest - i32::from(bass)).rem_euclid(12));
    }
    let mut notes: Vec<u8> = tones.into_iter().map(fold).collect();
    notes.sort_unstable();
    notes.dedup();
    notes
}

/// Brings a note number into the MIDI range by octaves.
#[must_use]
pub fn fold(mut note: i32) -> u8 {
    if note < 0 {
        note = note.rem_euclid(12);
    } else if note > 127 {
        note = 116 + (note - 116).rem_euclid(12);
    }
    u8::try_from(note).unwrap_or(0)
}

/// The inversion whose tones move least from `before`, or lie nearest to
/// `centre`. A tie goes to the lower one.
fn nearest(tones: &[i32], centre: i32, before: Option<&[u8]>) -> Vec<i32> {
    let mut close: Vec<i32> = tones.iter().map(|tone| tone.rem_euclid(12)).collect();
    close.sort_unstable();
    close.dedup();
    let mut best: Option<(i32, Vec<i32>)> = None;
    for octave in (centre / 12 - 2)..=(centre / 12 + 1) {
        for inversion in 0..close.len() {
            let mut notes: Vec<i32> = (0..close.len())
                .map(|i| {
                    let k = i + inversion;
                    close[k % close.len()] + 12 * (octave + i32::from(k >= close.len()))
                })
                .collect();
            notes.sort_unstable();
            let cost = cost(&notes, centre, before);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, notes));
            }
        }
    }
    best.map(|(_, notes)| notes).unwrap_or_default()
}

/// Semitones moved, plus a pull to the centre that keeps long progressions
/// from drifting away.
fn cost(notes: &[i32], centre: i32, before: Option<&[u8]>) -> i32 {
    let middle = notes.iter().sum::<i32>() / i32::try_from(notes.len().max(1)).unwrap_or(1);
    let pull = (middle - centre).abs();
    let moved = match before {
        Some(before) if !before.is_empty() => notes
            .iter()
            .map(|note| {
                before
                    .iter()
                    .map(|b| (note - i32::from(*b)).abs())
                    .min()
                    .unwrap_or(0)
            })
            .sum(),
        _ => 0,
    };
    moved * 2 + pull
}

fn wrap(class: i32) -> u8 {
    u8::try_from(class.rem_euclid(12)).unwrap_or(0)
}

/// Reads what follows the root; `lower` when the numeral already said minor.
fn quality_and_bass(
    text: &str,
    used: usize,
    lower: bool,
) -> Result<(&'static [u8], Option<u8>), TextError> {
    let rest = &text[used..];
    if let Some(intervals) = quality(rest, lower) {
        return Ok((intervals, None));
    }
    let Some(slash) = rest.rfind('/') else {
        return Err(unknown_quality(text, used, rest));
    };
    let Some(intervals) = quality(&rest[..slash], lower) else {
        return Err(unknown_quality(text, used, &rest[..slash]));
    };
    let bass = &rest[slash + 1..];
    match letter(bass) {
        Some((class, length)) if length == bass.len() => Ok((intervals, Some(wrap(class)))),
        _ => {
            let span = used + slash..text.len();
            Err(
                TextError::new(span, format!("`{bass}` is not a bass note in `{text}`"))
                    .help("a slash is followed by a note without octave: `C/E`"),
            )
        }
    }
}

fn quality(text: &str, lower: bool) -> Option<&'static [u8]> {
    let find = |name: &str| {
        QUALITIES
            .iter()
            .find(|(names, _)| names.contains(&name))
            .map(|(_, intervals)| *intervals)
    };
    if !lower {
        return find(text);
    }
    // `ii7b5` is `m7b5`, `iidim` stays `dim`; a major third is never meant.
    find(&format!("m{text}")).or_else(|| find(text).filter(|i| !i.contains(&4)))
}

fn unknown_quality(text: &str, used: usize, quality: &str) -> TextError {
    let known = QUALITIES
        .iter()
        .flat_map(|(names, _)| names.iter().copied());
    let error = TextError::new(
        used..used + quality.len(),
        format!("`{quality}` is not a chord quality in `{text}`"),
    );
    match suggest(quality, known) {
        Some(name) => error.help(format!("did you mean `{}{name}`?", &text[..used])),
        None => error.help("qualities are such as `m`, `7`, `maj7`, `m7b5`, `sus4`, `add9`, `dim`"),
    }
}

/// A Roman numeral at the start of a chord: alteration, degree from 0, whether
/// it is lower case, bytes used.
fn roman(text: &str) -> Option<(i32, usize, bool, usize)> {
    let mut alteration = 0;
    let mut start = 0;
    for sign in text.chars() {
        match sign {
            '#' => alteration += 1,
            'b' => alteration -= 1,
            _ => break,
        }
        start += 1;
    }
    let length = text[start..]
        .bytes()
        .take_while(|b| matches!(b, b'I' | b'V' | b'i' | b'v'))
        .count();
    let numeral = &text[start..start + length];
    let degree = match numeral.to_ascii_uppercase().as_str() {
        "I" => 0,
        "II" => 1,
        "III" => 2,
        "IV" => 3,
        "V" => 4,
        "VI" => 5,
        "VII" => 6,
        _ => return None,
    };
    let lower = numeral.bytes().all(|b| b.is_ascii_lowercase());
    let upper = numeral.bytes().all(|b| b.is_ascii_uppercase());
    (lower || upper).then_some((alteration, degree, lower, start + length))
}

fn roman_chord(
    text: &str,
    (alteration, degree, lower, used): (i32, usize, bool, usize),
    key: Option<&Key>,
) -> Result<Chord, TextError> {
    let Some(key) = key else {
        return Err(
            TextError::new(0..text.len(), format!("Roman numeral `{text}` needs a key"))
                .help("give the score a `key`, such as `key = \"A minor\"`"),
        );
    };
    let (intervals, bass) = quality_and_bass(text, used, lower)?;
    let root = i32::from(key.tonic) + i32::from(key.scale[degree]) + alteration;
    Ok(Chord {
        root: wrap(root),
        intervals,
        bass,
    })
}
