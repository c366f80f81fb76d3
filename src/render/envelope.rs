//! Values of automation lanes over time, and curves of fades.
//!
//! Points, lines and jumps are exact. The curved shapes, bezier tension,
//! fade curvature and the fader's scale are models: REAPER names them but
//! does not publish their formulas.

use crate::project::{Envelope, EnvelopeKind, EnvelopePoint};

/// Value of a lane at a time in seconds; `None` without points.
///
/// Before the first point the lane holds its value, after the last one too.
pub fn value_at(envelope: &Envelope, time_s: f64) -> Option<f64> {
    let points = &envelope.points;
    let next = points.partition_point(|point| point.time_s <= time_s);
    if next == 0 {
        return points.first().map(|point| point.value);
    }
    let from = &points[next - 1];
    let Some(to) = points.get(next) else {
        return Some(from.value);
    };
    let length = to.time_s - from.time_s;
    if from.shape == 1 || length <= 0.0 {
        return Some(from.value);
    }
    let share = curve(from, (time_s - from.time_s) / length);
    let in_fader_scale = envelope.fader_scaling
        && matches!(
            envelope.kind,
            EnvelopeKind::Volume | EnvelopeKind::VolumePreFx | EnvelopeKind::VolumeTrim
        );
    Some(if in_fader_scale {
        let (a, b) = (to_fader_scale(from.value), to_fader_scale(to.value));
        from_fader_scale(a + (b - a) * share)
    } else {
        from.value + (to.value - from.value) * share
    })
}

/// Exponent that puts 0 dB at 716.2 of 1000 with +12 dB at the top.
const FADER_EXPONENT: f64 = 0.2409;
const FADER_TOP_GAIN: f64 = 3.981_071_705_534_972;

/// Amplitude to REAPER's fader scale (`ScaleToEnvelopeMode`), 0 to 1000.
/// A model that meets the known points 0, 716.2 (0 dB) and 1000 (+12 dB).
pub fn to_fader_scale(gain: f64) -> f64 {
    1000.0 * (gain.max(0.0) / FADER_TOP_GAIN).powf(FADER_EXPONENT)
}

/// Inverse of [`to_fader_scale`].
pub fn from_fader_scale(value: f64) -> f64 {
    FADER_TOP_GAIN * (value.max(0.0) / 1000.0).powf(1.0 / FADER_EXPONENT)
}

/// How far a segment has gone from its first value to its second, for `x`
/// from 0 to 1.
fn curve(point: &EnvelopePoint, x: f64) -> f64 {
    match point.shape {
        2 => slow_start_end(x),
        3 => 1.0 - (1.0 - x).powi(3),
        4 => x.powi(3),
        5 => bend(x, point.tension),
        _ => x,
    }
}

/// Gain of a fade-in for `x` from 0 to 1; a fade-out is one minus it.
pub(super) fn fade_curve(shape: i32, curvature: f64, x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    let x = if curvature == 0.0 {
        x
    } else {
        bend(x, curvature)
    };
    match shape {
        1 => 1.0 - (1.0 - x).powi(2),
        2 => x.powi(2),
        3 => 1.0 - (1.0 - x).powi(4),
        4 => x.powi(4),
        5 => slow_start_end(x),
        6 if x < 0.5 => 8.0 * x.powi(4),
        6 => 1.0 - 8.0 * (1.0 - x).powi(4),
        _ => x,
    }
}

fn slow_start_end(x: f64) -> f64 {
    x * x * (3.0 - 2.0 * x)
}

/// Bends a line: positive values stay low at first, negative ones high.
fn bend(x: f64, amount: f64) -> f64 {
    let amount = if amount.is_finite() {
        amount.clamp(-1.0, 1.0)
    } else {
        0.0
    };
    if amount >= 0.0 {
        x.powf(1.0 + 4.0 * amount)
    } else {
        1.0 - (1.0 - x).powf(1.0 - 4.0 * amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(points: &[(f64, f64, i32)], fader_scaling: bool) -> Envelope {
        Envelope {
            kind: EnvelopeKind::Volume,
            active: true,
            points: points
                .iter()
                .map(|&(time_s, value, shape)| EnvelopePoint {
                    time_s,
                    value,
                    shape,
                    tension: 0.5,
                    selected: false,
                })
                .collect(),
            fader_scaling,
            raw: None,
        }
    }

    #[test]
    fn lines_jumps_and_ends() {
        let lane = envelope(&[(1.0, 0.0, 0), (2.0, 1.0, 1), (3.0, 5.0, 0)], false);
        for (time_s, value) in [
            (0.0, 0.0),
            (1.0, 0.0),
            (1.25, 0.25),
            (2.0, 1.0),
            (2.999, 1.0),
            (3.0, 5.0),
            (9.0, 5.0),
        ] {
            assert_eq!(value_at(&lane, time_s), Some(value), "{time_s} s");
        }
        assert_eq!(value_at(&envelope(&[], false), 0.0), None);
    }

    #[test]
    fn every_shape_starts_and_ends_at_its_points() {
        for shape in 0..=5 {
            let lane = envelope(&[(0.0, 2.0, shape), (1.0, 3.0, 0)], false);
            assert_eq!(value_at(&lane, 0.0), Some(2.0));
            assert_eq!(value_at(&lane, 1.0), Some(3.0));
        }
        for shape in 0..=6 {
            assert_eq!(fade_curve(shape, 0.3, 0.0), 0.0);
            assert_eq!(fade_curve(shape, -0.3, 1.0), 1.0);
        }
    }

    #[test]
    fn the_fader_scale_meets_its_known_points() {
        // 0 dB stands at 716.2 in REAPER's scale.
        assert!((to_fader_scale(1.0) - 716.2).abs() < 1.0);
        assert!((from_fader_scale(to_fader_scale(0.25)) - 0.25).abs() < 1e-12);
        assert_eq!(from_fader_scale(to_fader_scale(0.0)), 0.0);
    }

    #[test]
    fn fader_scaling_keeps_points_and_bends_between() {
        let lane = envelope(&[(0.0, 0.0, 0), (1.0, 1.0, 0)], true);
        let middle = value_at(&lane, 0.5).unwrap();
        assert!(middle > 0.0 && middle < 0.1, "{middle}");
    }
}
