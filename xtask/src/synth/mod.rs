//! A small synthesiser for fixtures.
//!
//! It uses only additions, multiplications, divisions and square roots of
//! doubles, which are exact by IEEE 754 everywhere: the same seed gives the same
//! bytes on every machine, which the system's `sin` and `exp` don't promise.

pub(crate) mod drums;
pub(crate) mod space;
pub(crate) mod strings;
pub(crate) mod tones;
pub(crate) mod voice;

/// Audio of one stem.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stem {
    pub(crate) rate: f64,
    pub(crate) left: Vec<f64>,
    pub(crate) right: Vec<f64>,
}

/// A note in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) pitch: u8,
    /// 0 to 1.
    pub(crate) force: f64,
}

impl Stem {
    pub(crate) fn silent(rate: f64, seconds: f64) -> Self {
        let frames = (rate * seconds).round() as usize;
        Self {
            rate,
            left: vec![0.0; frames],
            right: vec![0.0; frames],
        }
    }

    /// Adds a frame; outside the stem it is dropped.
    pub(crate) fn add(&mut self, frame: usize, left: f64, right: f64) {
        if let (Some(l), Some(r)) = (self.left.get_mut(frame), self.right.get_mut(frame)) {
            *l += left;
            *r += right;
        }
    }

    pub(crate) fn mix(&mut self, other: &Self, gain: f64) {
        for (frame, (l, r)) in other.left.iter().zip(&other.right).enumerate() {
            self.add(frame, l * gain, r * gain);
        }
    }

    pub(crate) fn each(&mut self, mut change: impl FnMut(f64, f64) -> (f64, f64)) {
        for (l, r) in self.left.iter_mut().zip(&mut self.right) {
            (*l, *r) = change(*l, *r);
        }
    }

    pub(crate) fn peak(&self) -> f64 {
        let both = self.left.iter().chain(&self.right);
        both.fold(0.0, |peak, sample| sample.abs().max(peak))
    }

    /// Sets the highest sample to `peak_db` dBFS.
    pub(crate) fn normalise(&mut self, peak_db: f64) {
        let peak = self.peak();
        if peak > 0.0 {
            let gain = gain(peak_db) / peak;
            self.each(|l, r| (l * gain, r * gain));
        }
    }

    /// Both channels become their mean.
    pub(crate) fn fold_to_mono(&mut self) {
        self.each(|l, r| ((l + r) * 0.5, (l + r) * 0.5));
    }

    pub(crate) fn fade_ends(&mut self, seconds: f64) {
        let count = (seconds * self.rate) as usize;
        let frames = self.left.len();
        for i in 0..count.min(frames) {
            let gain = i as f64 / count as f64;
            for channel in [&mut self.left, &mut self.right] {
                channel[frames - 1 - i] *= gain;
            }
        }
    }
}

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// -1 to below 1.
    pub(crate) fn noise(&mut self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    /// Around 1, at most `part` away.
    pub(crate) fn about(&mut self, part: f64) -> f64 {
        1.0 + self.noise() * part
    }
}

/// Sine of a phase in turns; error below 1e-10.
pub(crate) fn sine(turns: f64) -> f64 {
    let mut r = turns - turns.round();
    if r > 0.25 {
        r = 0.5 - r;
    } else if r < -0.25 {
        r = -0.5 - r;
    }
    let t = r * std::f64::consts::TAU;
    let s = t * t;
    let mut term = t;
    let mut sum = t;
    for k in 1..8 {
        let n = f64::from(2 * k * (2 * k + 1));
        term *= -s / n;
        sum += term;
    }
    sum
}

/// Two to the power of `x`; relative error below 1e-12.
pub(crate) fn exp2(x: f64) -> f64 {
    let x = x.clamp(-1000.0, 1000.0);
    let whole = x.floor();
    let t = (x - whole) * std::f64::consts::LN_2;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..14 {
        term *= t / f64::from(k);
        sum += term;
    }
    sum * f64::from_bits(((1023.0 + whole) as u64) << 52)
}

/// Gain of a level in dB.
pub(crate) fn gain(db: f64) -> f64 {
    exp2(db / 6.020_599_913_279_624)
}

/// Factor per frame of a sound that falls by 60 dB in `seconds`.
pub(crate) fn decay(seconds: f64, rate: f64) -> f64 {
    exp2(-9.965_784_284_662_087 / (seconds * rate))
}

/// Frequency of a note number, A4 is 440 Hz.
pub(crate) fn frequency(pitch: f64) -> f64 {
    440.0 * exp2((pitch - 69.0) / 12.0)
}

/// Soft limit of a preamplifier: odd, slope 1 at 0, ±1 at the most.
pub(crate) fn soft(x: f64) -> f64 {
    let x = x.clamp(-3.0, 3.0);
    x * (27.0 + x * x) / (27.0 + 9.0 * x * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_sine_and_power_agree_with_the_system() {
        for i in -400..400 {
            let x = f64::from(i) * 0.0173;
            assert!(
                (sine(x) - (x * std::f64::consts::TAU).sin()).abs() < 1e-9,
                "{x}"
            );
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 1e-11, "{x}");
        }
        assert!((gain(-6.0) - 0.501_187).abs() < 1e-6);
    }
}
