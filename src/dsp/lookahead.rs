//! What a look-ahead limiter needs: the minimum of a window and a smooth way
//! to it.

/// Minimum of the last `window` values, side by side, in constant time per
/// frame (van Herk's two passes: running minima from both ends of a chunk).
#[derive(Debug, Clone)]
pub struct WindowMin<const N: usize> {
    /// Values of the present chunk, then, once it is full, minima from each
    /// position to its end.
    chunk: Box<[[f64; N]]>,
    position: usize,
    prefix: [f64; N],
    start: f64,
}

impl<const N: usize> WindowMin<N> {
    /// `start` stands for what came before the first value.
    pub fn new(window: usize, start: f64) -> Self {
        Self {
            chunk: vec![[start; N]; window.max(1)].into(),
            position: 0,
            prefix: [start; N],
            start,
        }
    }

    /// Takes a value, gives the minimum of the window that ends with it.
    #[inline(always)]
    pub fn next(&mut self, x: [f64; N]) -> [f64; N] {
        let window = self.chunk.len();
        let mut least = x;
        for lane in 0..N {
            self.prefix[lane] = if self.position == 0 {
                x[lane]
            } else {
                super::min(self.prefix[lane], x[lane])
            };
            least[lane] = self.prefix[lane];
        }
        self.chunk[self.position] = x;
        self.position += 1;
        if self.position == window {
            self.position = 0;
            for index in (0..window - 1).rev() {
                let after = self.chunk[index + 1];
                for lane in 0..N {
                    self.chunk[index][lane] = super::min(self.chunk[index][lane], after[lane]);
                }
            }
        } else {
            let rest = self.chunk[self.position];
            for lane in 0..N {
                least[lane] = super::min(least[lane], rest[lane]);
            }
        }
        least
    }

    /// As new.
    pub fn reset(&mut self) {
        self.chunk.fill([self.start; N]);
        self.position = 0;
        self.prefix = [self.start; N];
    }
}

/// Mean of the last `window` values between 0 and 1. Values are rounded to
/// 2^-32, which makes the running sum exact: it never drifts.
#[derive(Debug, Clone)]
pub struct WindowMean<const N: usize> {
    ring: Box<[[f64; N]]>,
    position: usize,
    sum: [f64; N],
    start: f64,
    scale: f64,
}

impl<const N: usize> WindowMean<N> {
    /// `start` (a whole number) stands for what came before the first value.
    pub fn new(window: usize, start: f64) -> Self {
        let window = window.max(1);
        Self {
            ring: vec![[start; N]; window].into(),
            position: 0,
            sum: [start * window as f64; N],
            start,
            scale: 1.0 / window as f64,
        }
    }

    /// Takes a value, gives the mean of the window that ends with it.
    #[inline(always)]
    pub fn next(&mut self, x: [f64; N]) -> [f64; N] {
        // 1.5 * 2^(52 - 32): adding and subtracting it rounds to 2^-32.
        const ROUND: f64 = 1_572_864.0;
        let old = &mut self.ring[self.position];
        let mut mean = x;
        for lane in 0..N {
            let rounded = (x[lane] + ROUND) - ROUND;
            self.sum[lane] += rounded - old[lane];
            old[lane] = rounded;
            mean[lane] = self.sum[lane] * self.scale;
        }
        self.position += 1;
        if self.position == self.ring.len() {
            self.position = 0;
        }
        mean
    }

    /// As new.
    pub fn reset(&mut self) {
        *self = Self::new(self.ring.len(), self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::noise::Noise;

    #[test]
    fn the_window_minimum_is_the_minimum_of_the_window() {
        let mut noise = Noise::new(1);
        let values: Vec<f64> = (0..500).map(|_| noise.sample()).collect();
        for window in [1, 2, 7, 64] {
            let mut min = WindowMin::<1>::new(window, 1.0);
            for (index, &value) in values.iter().enumerate() {
                let from = (index + 1).saturating_sub(window);
                let expected = values[from..=index].iter().copied().fold(1.0, f64::min);
                assert_eq!(
                    min.next([value]),
                    [expected],
                    "window {window} index {index}"
                );
            }
        }
    }

    #[test]
    fn the_window_mean_returns_exactly() {
        let mut noise = Noise::new(2);
        let mut mean = WindowMean::<2>::new(48, 1.0);
        for _ in 0..100_000 {
            mean.next([noise.sample().abs(), 0.3]);
        }
        let last = (0..48).map(|_| mean.next([1.0, 0.25])).last();
        assert_eq!(last, Some([1.0, 0.25]));
    }
}
