//! Delay lines.

/// What a line holds before anything came in.
pub trait Silent {
    /// No signal.
    const SILENCE: Self;
}

impl Silent for f64 {
    const SILENCE: Self = 0.0;
}

impl<const N: usize> Silent for [f64; N] {
    const SILENCE: Self = [0.0; N];
}

/// Delays whole frames by a fixed count.
#[derive(Debug, Clone)]
pub struct Delay<T> {
    ring: Box<[T]>,
    position: usize,
}

impl<T: Copy + Silent> Delay<T> {
    /// A delay by `frames`, which may be 0.
    pub fn new(frames: usize) -> Self {
        Self {
            ring: vec![T::SILENCE; frames].into(),
            position: 0,
        }
    }

    /// Frames of delay.
    pub fn frames(&self) -> usize {
        self.ring.len()
    }

    /// Delays a block in place.
    #[inline(always)]
    pub fn process(&mut self, block: &mut [T]) {
        let mut rest = block;
        while !rest.is_empty() && !self.ring.is_empty() {
            let count = rest.len().min(self.ring.len() - self.position);
            let (now, later) = rest.split_at_mut(count);
            now.swap_with_slice(&mut self.ring[self.position..self.position + count]);
            self.position = (self.position + count) % self.ring.len();
            rest = later;
        }
    }

    /// Fills the line with silence.
    pub fn reset(&mut self) {
        self.ring.fill(T::SILENCE);
        self.position = 0;
    }
}

impl<const N: usize> Ring<[f64; N]> {
    /// Zeroes what is tiny among the last `count` values, see [`super::TINY`].
    pub fn flush_last(&mut self, count: usize) {
        let mask = self.data.len() - 1;
        for back in 1..=count.min(mask) {
            super::flush(&mut self.data[self.position.wrapping_sub(back) & mask]);
        }
    }
}

/// A ring to read back from at any distance; its length is a power of two.
#[derive(Debug, Clone)]
pub struct Ring<T> {
    data: Box<[T]>,
    position: usize,
}

impl<T: Copy + Silent> Ring<T> {
    /// A ring that reaches back at least `frames`.
    pub fn new(frames: usize) -> Self {
        Self {
            data: vec![T::SILENCE; (frames + 1).next_power_of_two()].into(),
            position: 0,
        }
    }

    /// What was pushed `frames` ago; 1 is the last push.
    #[inline(always)]
    pub fn back(&self, frames: usize) -> T {
        self.data[self.position.wrapping_sub(frames) & (self.data.len() - 1)]
    }

    /// Adds a value.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        let mask = self.data.len() - 1;
        self.data[self.position & mask] = value;
        self.position = (self.position + 1) & mask;
    }

    /// The farthest distance for [`Self::back`].
    pub fn reach(&self) -> usize {
        self.data.len() - 1
    }

    /// Fills the ring with silence.
    pub fn reset(&mut self) {
        self.data.fill(T::SILENCE);
        self.position = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_shifts_whatever_the_block_size() {
        for (delay, block) in [(0, 3), (1, 4), (5, 2), (5, 7), (3, 3)] {
            let mut line = Delay::<f64>::new(delay);
            let mut signal: Vec<f64> = (1..=20).map(f64::from).collect();
            signal.chunks_mut(block).for_each(|part| line.process(part));
            let expected: Vec<f64> = (1..=20)
                .map(|n| f64::from((n - delay as i32).max(0)))
                .collect();
            assert_eq!(signal, expected, "delay {delay} block {block}");
        }
    }

    #[test]
    fn a_ring_reads_back() {
        let mut ring = Ring::<f64>::new(5);
        (1..=9).for_each(|n| ring.push(f64::from(n)));
        assert_eq!([ring.back(1), ring.back(5)], [9.0, 5.0]);
        assert!(ring.reach() >= 5);
    }
}
