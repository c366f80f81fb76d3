//! K-weighting, ITU-R BS.1770-5 annex 1: a head shelf and a high-pass.

use std::f64::consts::PI;

/// Lowest sample rate at which the shelf still lies well below Nyquist.
pub(super) const LOWEST_RATE_HZ: u32 = 8000;

/// Filter state below which the tail is cut: -600 dB, far below any reading,
/// far above the denormal numbers that would slow the filter down.
const FLUSH: f64 = 1e-30;

/// Coefficients of the two biquads; the high-pass has the numerator 1, -2, 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coefficients {
    pub(super) shelf_b: [f64; 3],
    pub(super) shelf_a: [f64; 2],
    pub(super) high_pass_a: [f64; 2],
}

impl Coefficients {
    /// The analogue prototype that gives the table of BS.1770 at 48 kHz,
    /// transformed for any rate.
    pub(super) fn new(sample_rate_hz: f64) -> Self {
        let k = (PI * 1_681.974_450_955_533 / sample_rate_hz).tan();
        let q = 0.707_175_236_955_419_6;
        let high = 10f64.powf(3.999_843_853_973_347 / 20.0);
        let band = high.powf(0.499_666_774_154_541_6);
        let a0 = 1.0 + k / q + k * k;
        let shelf_b = [
            (high + band * k / q + k * k) / a0,
            2.0 * (k * k - high) / a0,
            (high - band * k / q + k * k) / a0,
        ];
        let shelf_a = [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0];
        let k = (PI * 38.135_470_876_024_44 / sample_rate_hz).tan();
        let q = 0.500_327_037_323_877_3;
        let a0 = 1.0 + k / q + k * k;
        let high_pass_a = [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0];
        Self {
            shelf_b,
            shelf_a,
            high_pass_a,
        }
    }
}

/// The filters of two channels, side by side so that one vector holds both.
#[derive(Debug, Clone)]
pub(super) struct PairFilter {
    coefficients: Coefficients,
    state: [[f64; 2]; 4],
}

impl PairFilter {
    pub(super) fn new(coefficients: Coefficients) -> Self {
        Self {
            coefficients,
            state: [[0.0; 2]; 4],
        }
    }

    /// Filters two channels on and returns the energy of each, the sum of the
    /// squares of the weighted samples.
    pub(super) fn energy(&mut self, left: &[f32], right: &[f32]) -> [f64; 2] {
        let Coefficients {
            shelf_b: [b0, b1, b2],
            shelf_a: [a1, a2],
            high_pass_a: [c1, c2],
        } = self.coefficients;
        let [mut s1, mut s2, mut t1, mut t2] = self.state;
        let mut energy = [0.0; 2];
        for (&left, &right) in left.iter().zip(right) {
            let x = [f64::from(left), f64::from(right)];
            for i in 0..2 {
                let y = b0 * x[i] + s1[i];
                s1[i] = (b1 * x[i] + s2[i]) - a1 * y;
                s2[i] = b2 * x[i] - a2 * y;
                let z = y + t1[i];
                t1[i] = (t2[i] - 2.0 * y) - c1 * z;
                t2[i] = y - c2 * z;
                energy[i] += z * z;
            }
        }
        self.state = [s1, s2, t1, t2];
        for value in self.state.as_flattened_mut() {
            if value.abs() < FLUSH {
                *value = 0.0;
            }
        }
        energy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_match_the_published_table_and_its_kin() {
        // 48 kHz from BS.1770-5, tables 1 and 2; the others by the same prototype.
        let expected = [
            (
                48_000.0,
                [
                    1.535_124_859_586_97,
                    -2.691_696_189_406_38,
                    1.198_392_810_852_85,
                    -1.690_659_293_182_41,
                    0.732_480_774_215_85,
                    -1.990_047_454_833_98,
                    0.990_072_250_366_21,
                ],
            ),
            (
                44_100.0,
                [
                    1.530_841_230_050_35,
                    -2.650_979_995_154_73,
                    1.169_079_079_921_59,
                    -1.663_655_113_256_02,
                    0.712_595_428_073_23,
                    -1.989_169_673_629_80,
                    0.989_199_035_787_04,
                ],
            ),
            (
                96_000.0,
                [
                    1.559_714_228_975_80,
                    -2.926_741_578_251_08,
                    1.378_261_202_315_82,
                    -1.844_609_469_890_11,
                    0.855_843_322_930_64,
                    -1.995_017_544_724_72,
                    0.995_023_759_040_92,
                ],
            ),
        ];
        for (rate, expected) in expected {
            let c = Coefficients::new(rate);
            let got = c.shelf_b.iter().chain(&c.shelf_a).chain(&c.high_pass_a);
            for (got, expected) in got.zip(expected) {
                assert!(
                    (got - expected).abs() < 1e-12,
                    "{rate} Hz: {got} for {expected}"
                );
            }
        }
    }
}
