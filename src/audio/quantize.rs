//! Turning `f64` samples into integers: dither, rounding, clipping.

/// 1.5 · 2^52: adding it rounds a small `f64` to an integer (half to even) and
/// leaves that integer in the low bits of the mantissa. Unlike `as i32`, which
/// saturates and tests for NaN, compilers vectorise it.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Seed of the dither noise: the same input gives the same file.
const DITHER_SEED: u32 = 0x9e37_79b9;

/// Converts to signed integers of one bit depth and counts what did not fit.
#[derive(Debug)]
pub(super) struct Quantizer {
    scale: f64,
    lowest: f64,
    highest: f64,
    dither: bool,
    clipped: u64,
    non_finite: u64,
}

impl Quantizer {
    /// `bits` is 2 to 24. Dither is triangular, two least significant bits wide.
    pub(super) fn new(bits: u32, dither: bool) -> Self {
        let scale = f64::from(1u32 << (bits - 1));
        Self {
            scale,
            lowest: -scale,
            highest: scale - 1.0,
            dither,
            clipped: 0,
            non_finite: 0,
        }
    }

    /// Samples beyond full scale so far.
    pub(super) fn clipped(&self) -> u64 {
        self.clipped
    }

    /// Samples so far that were NaN or infinite; NaN is written as silence.
    pub(super) fn non_finite(&self) -> u64 {
        self.non_finite
    }

    /// Counts a sample that is stored as it is.
    pub(super) fn note_non_finite(&mut self, sample: f64) {
        self.non_finite += u64::from(!sample.is_finite());
    }

    /// Converts samples of a channel. `frame` is the position of the first one,
    /// which the dither depends on.
    pub(super) fn run(&mut self, samples: &[f64], channel: usize, frame: u64, out: &mut [i32]) {
        let mut clipped = 0u32;
        let mut non_finite = 0u32;
        for &sample in samples {
            clipped += u32::from(sample.abs() > 1.0);
            non_finite += u32::from(!sample.is_finite());
        }
        self.clipped += u64::from(clipped);
        self.non_finite += u64::from(non_finite);
        if self.dither {
            let seed = DITHER_SEED
                .wrapping_mul(channel as u32 * 2 + 1)
                .wrapping_add((frame >> 32) as u32);
            for (i, (&sample, out)) in samples.iter().zip(out).enumerate() {
                let noise = triangular((frame as u32).wrapping_add(i as u32), seed);
                *out = self.round(sample, noise);
            }
        } else {
            for (&sample, out) in samples.iter().zip(out) {
                *out = self.round(sample, 0.0);
            }
        }
    }

    #[inline]
    fn round(&self, sample: f64, noise: f64) -> i32 {
        let sample = if sample.is_nan() { 0.0 } else { sample };
        let value = sample * self.scale + noise;
        // Selections instead of `clamp`, which may panic and so does not vectorise.
        let value = if value < self.highest {
            value
        } else {
            self.highest
        };
        let value = if value > self.lowest {
            value
        } else {
            self.lowest
        };
        ((value + ROUNDER).to_bits() as u32).cast_signed()
    }
}

/// Triangular noise from -1 to 1, a function of the position alone, so that it
/// does not depend on how the signal is cut into blocks.
fn triangular(position: u32, seed: u32) -> f64 {
    let mut hash = position ^ seed;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x7feb_352d);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x846c_a68b);
    hash ^= hash >> 16;
    f64::from((hash >> 16).cast_signed() - (hash & 0xffff).cast_signed()) / 65536.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantize(bits: u32, dither: bool, samples: &[f64]) -> (Vec<i32>, u64) {
        let mut quantizer = Quantizer::new(bits, dither);
        let mut out = vec![0; samples.len()];
        quantizer.run(samples, 0, 0, &mut out);
        (out, quantizer.clipped())
    }

    #[test]
    fn every_24_bit_value_comes_back() {
        for value in [-8_388_608, -8_388_607, -1, 0, 1, 4_194_305, 8_388_607] {
            let (out, clipped) = quantize(24, false, &[f64::from(value) / 8_388_608.0]);
            assert_eq!((out[0], clipped), (value, 0));
        }
    }

    #[test]
    fn overs_are_clipped_and_counted() {
        let (out, clipped) = quantize(16, false, &[1.5, -1.5, 1.0, f64::INFINITY, f64::NAN]);
        assert_eq!(out, [32767, -32768, 32767, 32767, 0]);
        assert_eq!(clipped, 3);
    }

    #[test]
    fn dither_is_triangular_and_has_no_mean() {
        let n = 100_000u32;
        let noise: Vec<f64> = (0..n).map(|i| triangular(i, DITHER_SEED)).collect();
        let mean = noise.iter().sum::<f64>() / f64::from(n);
        let power = noise.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        // A triangle from -1 to 1 has a variance of 1/6; its mean over n samples
        // deviates by 0.0013.
        assert!(mean.abs() < 0.005, "mean {mean}");
        assert!((power - 1.0 / 6.0).abs() < 0.005, "power {power}");
        assert!(noise.iter().all(|x| x.abs() <= 1.0));
    }

    #[test]
    fn dither_keeps_a_tone_below_one_bit() {
        // A quarter of a step vanishes without dither and survives with it.
        let quarter = vec![0.25 / 32768.0; 50_000];
        let (plain, _) = quantize(16, false, &quarter);
        assert!(plain.iter().all(|&x| x == 0));
        let (dithered, _) = quantize(16, true, &quarter);
        let mean = dithered.iter().map(|&x| f64::from(x)).sum::<f64>() / 50_000.0;
        assert!((mean - 0.25).abs() < 0.02, "mean {mean}");
    }
}
