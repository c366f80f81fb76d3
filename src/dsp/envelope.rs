//! Envelope followers with a rise and a fall, side by side.

use super::flush;

/// Follows targets, faster or slower when they rise than when they fall.
#[derive(Debug, Clone)]
pub struct Follower<const N: usize> {
    rise: [f64; N],
    fall: [f64; N],
    state: [f64; N],
}

impl<const N: usize> Follower<N> {
    /// Follows at once.
    pub fn new() -> Self {
        Self {
            rise: [1.0; N],
            fall: [1.0; N],
            state: [0.0; N],
        }
    }

    /// Sets the coefficients of one lane, see [`super::onepole::smoothing_coef`].
    pub fn set(&mut self, lane: usize, rise: f64, fall: f64) {
        self.rise[lane] = rise;
        self.fall[lane] = fall;
    }

    /// Moves towards `target`.
    #[inline(always)]
    pub fn next(&mut self, target: [f64; N]) -> [f64; N] {
        for lane in 0..N {
            let distance = target[lane] - self.state[lane];
            let coef = if distance > 0.0 {
                self.rise[lane]
            } else {
                self.fall[lane]
            };
            self.state[lane] += coef * distance;
        }
        self.state
    }

    /// Falls to zero at once.
    pub fn reset(&mut self) {
        self.state = [0.0; N];
    }

    /// See [`super::TINY`].
    pub fn flush(&mut self) {
        flush(&mut self.state);
    }
}

impl<const N: usize> Default for Follower<N> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rise_and_fall_have_their_own_speed() {
        let mut follower = Follower::<2>::new();
        follower.set(0, 0.5, 0.25);
        follower.set(1, 1.0, 1.0);
        assert_eq!(follower.next([1.0, 1.0]), [0.5, 1.0]);
        assert_eq!(follower.next([0.0, 0.0]), [0.375, 0.0]);
    }
}
