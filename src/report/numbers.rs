//! Numbers for people: one decimal, a dash where there is none.

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

/// At most three decimals, without trailing zeros.
pub(super) fn up_to_three_decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// `1:23.456`.
pub(super) fn time(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "-".to_owned();
    }
    let millis = (seconds * 1000.0).round();
    let minutes = (millis / 60_000.0).floor();
    format!(
        "{minutes:.0}:{:06.3}",
        (millis - minutes * 60_000.0) / 1000.0
    )
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
        assert_eq!(up_to_three_decimals(-14.0), "-14");
        assert_eq!(up_to_three_decimals(0.12345), "0.123");
        assert_eq!(up_to_three_decimals(-0.0001), "0");
        assert_eq!(time(83.456), "1:23.456");
        assert_eq!(time(59.9996), "1:00.000");
        assert_eq!(time(f64::NAN), "-");
    }
}
