//! Logarithm and power of two as polynomials: bounded error, no branches, no
//! libm, the same bits on every CPU.

/// 2^52: a float of this size has its integer value in the low bits.
const INTEGER_BITS: u64 = 0x4330_0000_0000_0000;
/// Bit pattern of the square root of one half, where mantissas are cut.
const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// Logarithm to base two of positive normal numbers; error below 5e-9,
/// relative and absolute. Zero and denormals give about -1023.
#[inline(always)]
pub fn log2<const N: usize>(x: [f64; N]) -> [f64; N] {
    // 2 artanh(s) = ln((1+s)/(1-s)) with s = (m-1)/(m+1), |s| < 0.172; the
    // first term left out is s^11/11.
    const C: [f64; 5] = [
        2.885_390_081_777_926_8,
        0.961_796_693_925_975_6,
        0.577_078_016_355_585_3,
        0.412_198_583_111_132_4,
        0.320_598_897_975_325_2,
    ];
    let mut y = [0.0; N];
    for lane in 0..N {
        let shifted = x[lane].to_bits().wrapping_add(ONE_BITS - SQRT_HALF_BITS);
        let exponent =
            f64::from_bits((shifted >> 52) | INTEGER_BITS) - (4_503_599_627_370_496.0 + 1023.0);
        let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF_BITS));
        let s = (m - 1.0) / (m + 1.0);
        let z = s * s;
        y[lane] = exponent + s * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * C[4]))));
    }
    y
}

/// Two to the power of `x`, which is limited to ±1000; relative error below 1e-8.
#[inline(always)]
pub fn exp2<const N: usize>(x: [f64; N]) -> [f64; N] {
    // Taylor terms of 2^f on [-0.5, 0.5]; the first one left out is 5.2e-9.
    const C: [f64; 8] = [
        1.0,
        std::f64::consts::LN_2,
        0.240_226_506_959_100_7,
        0.055_504_108_664_821_58,
        0.009_618_129_107_628_477,
        0.001_333_355_814_642_844_3,
        0.000_154_035_303_933_816_1,
        0.000_015_252_733_804_059_84,
    ];
    // 1.5 * 2^52: adding it rounds to an integer that stands in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let mut y = [0.0; N];
    for lane in 0..N {
        let x = super::min(super::max(x[lane], -1000.0), 1000.0);
        let rounded = x + ROUND;
        let f = x - (rounded - ROUND);
        let p = C[4] + f * (C[5] + f * (C[6] + f * C[7]));
        let p = C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f * p)));
        y[lane] = f64::from_bits(p.to_bits().wrapping_add(rounded.to_bits() << 52));
    }
    y
}

/// Sine of a phase in turns (1 is a full circle), for 0 to 1; absolute error
/// below 4e-9.
#[inline(always)]
pub fn sin_turns(turns: f64) -> f64 {
    // Sine is odd around half a turn; folded into a quarter it is a short
    // Taylor series in x = 2 pi t, |x| <= pi / 2.
    let t = 0.5 - turns;
    let folded = if t > 0.25 {
        0.5 - t
    } else if t < -0.25 {
        -0.5 - t
    } else {
        t
    };
    let x = folded * std::f64::consts::TAU;
    let z = x * x;
    let series = -1.0 / 39_916_800.0;
    let series = 1.0 / 362_880.0 + z * (series + z / 6_227_020_800.0);
    x * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * series))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log2_is_within_its_stated_error() {
        let mut worst: f64 = 0.0;
        for step in 0..400_000 {
            let x = 1e-18 * 1.000_21_f64.powi(step);
            let error = log2([x])[0] - x.log2();
            worst = worst.max(error.abs().min((error / x.log2()).abs()));
            worst = worst.max(error.abs() / x.log2().abs().max(1.0));
        }
        assert!(worst < 5e-9, "{worst:e}");
        assert_eq!(log2([1.0]), [0.0]);
    }

    #[test]
    fn exp2_is_within_its_stated_error() {
        let mut worst: f64 = 0.0;
        for step in -200_000..200_000 {
            let x = f64::from(step) * 0.000_21;
            worst = worst.max((exp2([x])[0] / x.exp2() - 1.0).abs());
        }
        assert!(worst < 1e-8, "{worst:e}");
        assert_eq!(exp2([0.0, 3.0, -1.0]), [1.0, 8.0, 0.5]);
    }

    #[test]
    fn sin_turns_is_within_its_stated_error() {
        let worst = (0..=100_000)
            .map(|step| f64::from(step) / 100_000.0)
            .map(|turns| (sin_turns(turns) - (turns * std::f64::consts::TAU).sin()).abs())
            .fold(0.0, f64::max);
        assert!(worst < 4e-9, "{worst:e}");
    }

    #[test]
    fn extremes_stay_finite() {
        for y in exp2([1e300, -1e300, 1000.0]) {
            assert!(y.is_finite() && y > 0.0);
        }
        for y in log2([f64::MIN_POSITIVE, f64::MAX, 0.0]) {
            assert!(y.is_finite());
        }
    }
}
