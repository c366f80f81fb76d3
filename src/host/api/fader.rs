//! The fader scale: 0 to 1000, 0 dB at about 716.2.

/// Amplitude at the upper end, +12 dB.
const TOP: f64 = 3.981_071_705_534_972_2;

/// Position of an amplitude.
///
/// The curve follows published readings of REAPER's own scale (+3 dB 782.759,
/// 0 dB 716.218, -12 dB 483.950, -60 dB 79.482, -90 dB 25.139), which all lie
/// on `amplitude = TOP / 2 (u + u²)` with `u` the cube of the position.
pub(super) fn from_amplitude(amplitude: f64) -> f64 {
    let ratio = 8.0 * amplitude.max(0.0) / TOP;
    // Written so that small amplitudes keep their digits.
    let u = ratio / (1.0 + (1.0 + ratio).sqrt()) / 2.0;
    1000.0 * u.cbrt()
}

/// Amplitude of a position.
pub(super) fn to_amplitude(position: f64) -> f64 {
    let u = (position.max(0.0) / 1000.0).powi(3);
    TOP / 2.0 * (u + u * u)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::db_to_gain;

    #[test]
    fn published_readings_lie_on_the_curve() {
        for (db, position) in [
            (12.0, 1000.0),
            // This reading is that of twice the amplitude, 6.02 dB.
            (6.020_599_913_279_624, 852.774_454_406_99),
            (3.0, 782.758_923_678_71),
            (0.0, 716.217_850_312_612),
            (-3.0, 652.838_835_6),
            (-6.0, 592.848_336_143_63),
            (-12.0, 483.949_607_113_46),
            (-24.0, 313.298_683_291_81),
            (-40.0, 170.983_742_870_74),
            (-60.0, 79.482_342_854_382),
            (-90.0, 25.138_596_785_163),
        ] {
            let got = from_amplitude(db_to_gain(db));
            // Some readings were taken at slightly rounded amplitudes.
            assert!((got - position).abs() < 1e-5, "{db} dB: {got}");
        }
    }

    #[test]
    fn the_scale_is_its_own_inverse() {
        for amplitude in [0.0, 1e-6, 0.01, 0.5, 1.0, 3.9, 10.0] {
            let back = to_amplitude(from_amplitude(amplitude));
            assert!(
                (back - amplitude).abs() < 1e-12 * (1.0 + amplitude),
                "{amplitude}"
            );
        }
    }
}
