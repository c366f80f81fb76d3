//! Numbers for people: one decimal, a dash where there is none.

use crate::units::time_text;

/// `-14.0`, or `-` without a reading. Never `-0.0`.
pub(super) fn one_decimal(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) => {
            let text = format!("{value:.1}");
            if text == "-0.0" {
                "0.0".to_owned()
            } else {
                text
            }
        }
        None => "-".to_owned(),
    }
}

/// `1:23.456`, or `-` for what is no time.
pub(super) fn time(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "-".to_owned();
    }
    time_text(seconds)
}

/// Text without what could steer a terminal, turn a line around or break XML:
/// control characters, direction overrides and non-characters.
pub(super) fn printable(text: &str) -> String {
    let harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars()
        .map(|c| if harmful(c) { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(one_decimal(Some(-13.96)), "-14.0");
        assert_eq!(one_decimal(Some(-0.04)), "0.0");
        assert_eq!(one_decimal(None), "-");
        assert_eq!(one_decimal(Some(f64::NEG_INFINITY)), "-");
        assert_eq!(time(83.456), "1:23.456");
        assert_eq!(time(59.9996), "1:00.000");
        assert_eq!(time(f64::NAN), "-");
    }
}
