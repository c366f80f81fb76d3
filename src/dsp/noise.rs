//! Noise from a seed: the same seed gives the same noise everywhere.

/// White noise, evenly spread between -1 and 1 (xorshift64*).
#[derive(Debug, Clone)]
pub struct Noise {
    state: u64,
}

impl Noise {
    /// Noise for a seed.
    pub fn new(seed: u64) -> Self {
        // One step of splitmix64 spreads small seeds; the state must not be 0.
        let mixed = (seed.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self {
            state: (mixed ^ (mixed >> 31)) | 1,
        }
    }

    /// The next value.
    #[inline(always)]
    pub fn sample(&mut self) -> f64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        bits as f64 * (2.0 / 9_007_199_254_740_992.0) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_and_spread_evenly() {
        let mut noise = Noise::new(7);
        let values: Vec<f64> = (0..100_000).map(|_| noise.sample()).collect();
        let mean = values.iter().sum::<f64>() / 1e5;
        let power = values.iter().map(|x| x * x).sum::<f64>() / 1e5;
        // Five standard deviations of the mean and of the power.
        assert!(mean.abs() < 0.01 && (power - 1.0 / 3.0).abs() < 0.005);
        assert!(values.iter().all(|x| (-1.0..1.0).contains(x)));
    }
}
