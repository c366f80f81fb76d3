//! Nearest names and plurals.

/// The candidate nearest to `name`, if one is near enough to be meant: at
/// most a third of the name's length in insertions, deletions, replacements
/// and swaps of neighbours, and not a wholly other one. A name of four letters
/// or more that was cut short or made too long counts as near. Names are
/// compared [`folded`]. The first of equally near ones wins.
pub fn suggest<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    let wanted = folded(name);
    // The distance is quadratic, and no slip of the pen is as long as this.
    if wanted.len() > LONGEST {
        return None;
    }
    let letters: Vec<char> = wanted.chars().collect();
    let limit = (letters.len() / 3).max(1);
    let far = |candidate: &str| {
        let known = folded(candidate);
        let known_letters: Vec<char> = known.chars().take(LONGEST).collect();
        let distance = distance(&letters, &known_letters);
        let cut = letters.len() >= 4 && (known.contains(&wanted) || wanted.contains(&known));
        match distance {
            _ if known.is_empty() || distance >= known_letters.len() => None,
            _ if cut => Some(distance.min(limit)),
            _ => (distance <= limit).then_some(distance),
        }
    };
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let candidate = candidate.as_ref();
            far(candidate).map(|distance| (distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A name as it is compared where letter case, spaces, `-` and `_` make no
/// difference.
pub fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// `1 check`, `2 checks`, `3 entries`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// In letters.
const LONGEST: usize = 64;

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let check = |name: &str, expected: Option<&str>| {
            let styles = ["synthwave", "techno", "deep-house", "house", "lo-fi"];
            assert_eq!(suggest(name, &styles), expected, "{name}");
        };
        check("synthwav", Some("synthwave"));
        check("Deep House", Some("deep-house"));
        check("huose", Some("house"));
        check("lofi", Some("lo-fi"));
        check("technp", Some("techno"));
        check("tech", Some("techno"));
        check("synthwave-80s-pop", Some("synthwave"));
        check("polka", None);
        check(&"techno".repeat(20), None);
        check("", None);
    }

    #[test]
    fn one_letter_is_not_taken_for_another() {
        assert_eq!(suggest("x", &["m", "7"]), None);
        assert_eq!(suggest("m8", &["m7"]), Some("m7"));
    }

    #[test]
    fn counts_in_english() {
        assert_eq!(plural(1, "check"), "1 check");
        assert_eq!(plural(0, "check"), "0 checks");
        assert_eq!(plural(2, "entry"), "2 entries");
        assert_eq!(plural(2, "day"), "2 days");
    }
}
