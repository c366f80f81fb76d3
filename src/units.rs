//! What numbers mean: conversions, floors and text forms of audio units.
//!
//! Plain `f64` fields carry their unit in the name (`_db`, `_hz`, `_ms`,
//! `frames`); this module is the one place where one unit becomes another.

/// Level below which REAPER shows a gain as minus infinity (-150 dB).
pub const MIN_GAIN: f64 = 2.98e-8;

/// What REAPER shows for a gain of zero.
pub const SILENCE_DB: f64 = -150.0;

/// Amplitude ratio of a level in decibels; at or below [`SILENCE_DB`] it is 0.
///
/// ```
/// # use reaper_batch::units::db_to_gain;
/// assert_eq!(db_to_gain(0.0), 1.0);
/// assert_eq!(db_to_gain(-150.0), 0.0);
/// ```
pub fn db_to_gain(db: f64) -> f64 {
    if db <= SILENCE_DB {
        0.0
    } else {
        10f64.powf(db / 20.0)
    }
}

/// Level in decibels of an amplitude ratio, with REAPER's floor of -150 dB.
///
/// ```
/// # use reaper_batch::units::gain_to_db;
/// assert_eq!(gain_to_db(1.0), 0.0);
/// assert_eq!(gain_to_db(0.0), -150.0);
/// ```
pub fn gain_to_db(gain: f64) -> f64 {
    let gain = gain.abs();
    if gain < MIN_GAIN {
        SILENCE_DB
    } else {
        20.0 * gain.log10()
    }
}

/// Level in decibels, or `None` where there is no signal.
pub fn level_db(gain: f64) -> Option<f64> {
    (gain > 0.0).then(|| 20.0 * gain.log10())
}

/// Bandwidth in octaves of a peaking filter with quality factor `q`.
pub fn q_to_octaves(q: f64) -> f64 {
    2.0 / std::f64::consts::LN_2 * (1.0 / (2.0 * q)).asinh()
}

/// Quality factor of a peaking filter that is `octaves` wide.
pub fn octaves_to_q(octaves: f64) -> f64 {
    1.0 / (2.0 * (octaves * std::f64::consts::LN_2 / 2.0).sinh())
}

/// A level for people: one decimal and the unit, `-inf` where there is none.
pub fn level_text(value: Option<f64>, unit: &str) -> String {
    match value {
        Some(value) => format!("{value:.1} {unit}"),
        None => format!("-inf {unit}"),
    }
}

/// A number with at most `decimals` places and no trailing zeros; never `-0`.
///
/// ```
/// # use reaper_batch::units::decimal_text;
/// assert_eq!(decimal_text(0.1234, 3), "0.123");
/// assert_eq!(decimal_text(-14.0, 3), "-14");
/// ```
pub fn decimal_text(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text.as_str(),
    };
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A time for people: `1:23.456`; negative times count as none.
pub fn time_text(seconds: f64) -> String {
    let millis = (seconds.max(0.0) * 1000.0).round() as u64;
    let (minutes, rest) = (millis / 60_000, millis % 60_000);
    format!("{minutes}:{:02}.{:03}", rest / 1000, rest % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decibels_and_gains_are_inverse() {
        for db in [-120.0, -60.0, -6.0, 0.0, 12.0] {
            assert!((gain_to_db(db_to_gain(db)) - db).abs() < 1e-9, "{db} dB");
        }
    }

    #[test]
    fn a_q_of_one_is_1_39_octaves() {
        assert!((q_to_octaves(1.0) - 1.388_48).abs() < 1e-4);
        assert!((octaves_to_q(q_to_octaves(0.7)) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn times_carry_into_minutes() {
        assert_eq!(time_text(83.4561), "1:23.456");
        assert_eq!(time_text(59.9996), "1:00.000");
    }

    #[test]
    fn decimals_lose_only_what_says_nothing() {
        let check = |value, decimals, expected: &str| {
            assert_eq!(decimal_text(value, decimals), expected, "{value}");
        };
        check(0.123_45, 3, "0.123");
        check(-14.0, 3, "-14");
        check(100.0, 0, "100");
        check(-0.0001, 3, "0");
        check(1.5, 6, "1.5");
    }

    #[test]
    fn hexadecimal_keeps_leading_zeros() {
        assert_eq!(hex_text(&[0x00, 0x0f, 0xa0]), "000fa0");
    }
}
