//! From a track's name to its role.
//!
//! Names are taken apart into words; the vocabulary is compared with whole
//! words, so "Basset" is no bass and "Step Seq" no electric piano. Nothing
//! but the name is looked at.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use super::style::Style;

/// The vocabulary entry of tracks that never get a role.
const IGNORE: &str = "ignore";

/// Words that say which of several tracks, mics or takes it is, not what it plays.
const QUALIFIERS: [&str; 62] = [
    "l", "r", "c", "m", "s", "left", "right", "mid", "side", "center", "centre", "mono", "stereo",
    "st", "in", "out", "inside", "outside", "top", "bottom", "btm", "bot", "up", "down", "under",
    "over", "hi", "high", "low", "lo", "di", "amp", "mic", "close", "far", "room", "main", "dbl",
    "double", "dub", "take", "tk", "comp", "dry", "wet", "print", "bounce", "edit", "final", "new",
    "old", "alt", "layer", "a", "b", "i", "ii", "iii", "bus", "stem", "track", "wav",
];

/// What the vocabulary knows of a role.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Words, or groups of words, that mean this role.
    pub aliases: Vec<String>,
    /// Words that mean this role where no alias of any role matches.
    #[serde(default)]
    pub weak: Vec<String>,
    /// Roles to take instead, best first, where a style does not have this one.
    #[serde(default)]
    pub near: Vec<String>,
}

/// The role of a track.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleMatch {
    /// A role of the style.
    pub role: String,
    /// 0 to 1: the whole name is a known one, down to one weak word of many
    /// and a style that has only a distant relative of what it names.
    pub confidence: f64,
    /// Words of the vocabulary that decided.
    pub matched: String,
    /// The style has the named role itself, not only a relative.
    pub direct: bool,
}

/// All roles that names are matched against.
pub fn vocabulary() -> &'static IndexMap<String, Word> {
    &VOCABULARY.words
}

/// The role in `style` that the name of a track tells.
pub fn match_track(name: &str, style: &Style) -> Option<RoleMatch> {
    let words = words_of(name);
    let best = best_matches(&words, style)?;
    if best.iter().any(|found| found.role == IGNORE) {
        return None;
    }
    let known = best
        .iter()
        .find(|found| style.roles.contains_key(&found.role));
    let (role, distance, found) = match known {
        Some(found) => (found.role.clone(), 0, found),
        None => best.iter().find_map(|found| {
            let near = &VOCABULARY.words.get(&found.role)?.near;
            let at = near
                .iter()
                .position(|role| style.roles.contains_key(role))?;
            Some((near[at].clone(), at + 1, found))
        })?,
    };
    // Two roles of the style that the name fits equally well.
    let ambiguous = best
        .iter()
        .any(|other| other.role != role && style.roles.contains_key(&other.role));
    Some(RoleMatch {
        confidence: confidence(&words, found, distance, ambiguous),
        role,
        matched: found.alias.join(" "),
        direct: distance == 0,
    })
}

/// Which side of a left-right pair a name tells, with the name without it.
pub fn side_of_pair(name: &str) -> Option<(Side, String)> {
    let mut words = words_of(name);
    let at = words
        .iter()
        .rposition(|word| matches!(word.as_str(), "l" | "left" | "r" | "right"))?;
    let side = match words.remove(at).as_str() {
        "l" | "left" => Side::Left,
        _ => Side::Right,
    };
    Some((side, words.join(" ")))
}

/// Side of a left-right pair of tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Words of a name in lower case: split where letters, digits and other
/// characters meet and where `camelCase` rises. `OHs` stays together.
fn words_of(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            flush(&mut word, &mut words);
            continue;
        }
        if i > 0 && starts_word(&chars, i) {
            flush(&mut word, &mut words);
        }
        word.extend(c.to_lowercase());
    }
    flush(&mut word, &mut words);
    words
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn starts_word(chars: &[char], i: usize) -> bool {
    let (before, c) = (chars[i - 1], chars[i]);
    if before.is_numeric() != c.is_numeric() {
        return true;
    }
    if before.is_lowercase() && c.is_uppercase() {
        return true;
    }
    // The last capital of a run begins a word when two small letters follow:
    // `BGVocals` is BG Vocals, `OHs` is one word.
    let small = |at: usize| chars.get(at).is_some_and(|c| c.is_lowercase());
    before.is_uppercase() && c.is_uppercase() && small(i + 1) && small(i + 2)
}

struct Vocabulary {
    words: IndexMap<String, Word>,
    /// Strong aliases, then weak ones, in the order of the file.
    aliases: Vec<Alias>,
    /// All words that occur in an alias, for taking compounds apart.
    parts: std::collections::BTreeSet<String>,
}

struct Alias {
    role: String,
    words: Vec<String>,
    weak: bool,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    // Part of the program, read by a test.
    let words: IndexMap<String, Word> =
        toml::from_str(include_str!("catalogue/roles.toml")).expect("embedded TOML");
    let mut aliases = Vec::new();
    for (role, word) in &words {
        let strong = word.aliases.iter().map(|alias| (alias, false));
        let weak = word.weak.iter().map(|alias| (alias, true));
        aliases.extend(strong.chain(weak).map(|(alias, weak)| Alias {
            role: role.clone(),
            words: words_of(alias),
            weak,
        }));
    }
    let parts = aliases
        .iter()
        .flat_map(|alias| alias.words.iter().cloned())
        .chain(QUALIFIERS.iter().map(|word| (*word).to_owned()))
        .filter(|word| word.chars().count() >= 3)
        .collect();
    Vocabulary {
        words,
        aliases,
        parts,
    }
});

struct Found {
    role: String,
    alias: Vec<String>,
    weak: bool,
    /// Words of the name that were used.
    used: Vec<usize>,
    /// The words stand in the alias's order, side by side.
    in_order: bool,
}

/// The best match, and others as good, in the order of the vocabulary.
fn best_matches(words: &[String], style: &Style) -> Option<Vec<Found>> {
    let words = &split_compounds(words);
    let own = style.roles.iter().flat_map(|(role, figures)| {
        figures.aliases.iter().map(|alias| Alias {
            role: role.clone(),
            words: words_of(alias),
            weak: false,
        })
    });
    let own: Vec<Alias> = own.collect();
    let found = own
        .iter()
        .chain(&VOCABULARY.aliases)
        .filter_map(|alias| find_alias(alias, words));
    let mut best: Vec<Found> = Vec::new();
    for found in found {
        match best.first() {
            Some(first) if rank(&found) < rank(first) => {}
            Some(first) if rank(&found) == rank(first) => best.push(found),
            _ => best = vec![found],
        }
    }
    (!best.is_empty()).then_some(best)
}

/// Strong before weak, more words, order kept, more letters, later in the name.
fn rank(found: &Found) -> (bool, usize, bool, usize, usize) {
    let letters = found.alias.iter().map(|word| word.chars().count()).sum();
    let last = found.used.iter().copied().max().unwrap_or(0);
    (
        !found.weak,
        found.alias.len(),
        found.in_order,
        letters,
        last,
    )
}

fn find_alias(alias: &Alias, words: &[String]) -> Option<Found> {
    if alias.words.is_empty() {
        return None;
    }
    let same = |wanted: &[String]| {
        wanted.len() == alias.words.len()
            && wanted
                .iter()
                .zip(&alias.words)
                .all(|(word, known)| means(word, known))
    };
    let run = words
        .windows(alias.words.len())
        .rposition(same)
        .map(|at| (at..at + alias.words.len()).collect::<Vec<_>>());
    let in_order = run.is_some();
    let used = match run {
        Some(used) => used,
        None => in_any_order(alias, words)?,
    };
    Some(Found {
        role: alias.role.clone(),
        alias: alias.words.clone(),
        weak: alias.weak,
        used,
        in_order,
    })
}

fn in_any_order(alias: &Alias, words: &[String]) -> Option<Vec<usize>> {
    let mut used = Vec::new();
    for known in &alias.words {
        let at = words
            .iter()
            .enumerate()
            .position(|(i, word)| !used.contains(&i) && means(word, known))?;
        used.push(at);
    }
    Some(used)
}

/// The same word, or its plural.
fn means(word: &str, known: &str) -> bool {
    let Some(rest) = word.strip_prefix(known) else {
        return false;
    };
    let plural = matches!(rest, "s" | "es") && known.chars().count() >= 2;
    rest.is_empty() || plural
}

/// Takes apart what is written as one word: `leadvox`, `snaretop`. Both parts
/// must be known words of at least three letters, and the whole must be none.
fn split_compounds(words: &[String]) -> Vec<String> {
    let known = |word: &str| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        VOCABULARY.parts.contains(word) || VOCABULARY.parts.contains(singular)
    };
    let mut out = Vec::new();
    for word in words {
        let cut = word
            .char_indices()
            .map(|(at, _)| at)
            .find(|&at| !known(word) && known(&word[..at]) && known(&word[at..]));
        match cut {
            Some(at) => out.extend([word[..at].to_owned(), word[at..].to_owned()]),
            None => out.push(word.clone()),
        }
    }
    out
}

fn confidence(words: &[String], found: &Found, distance: usize, ambiguous: bool) -> f64 {
    let words = &split_compounds(words);
    let unknown = words.iter().enumerate().any(|(i, word)| {
        let number = word.chars().all(char::is_numeric);
        !found.used.contains(&i) && !number && !QUALIFIERS.contains(&word.as_str())
    });
    let mut confidence: f64 = match (found.weak, unknown) {
        (false, false) => 1.0,
        (false, true) => 0.85,
        (true, false) => 0.7,
        (true, true) => 0.5,
    };
    if !found.in_order {
        confidence -= 0.05;
    }
    if ambiguous {
        confidence -= 0.1;
    }
    if distance > 0 {
        confidence *= 0.8 - 0.05 * (distance - 1) as f64;
    }
    (confidence.max(0.1) * 100.0).round() / 100.0
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
