//! Delay of stereo pairs by whole frames, for latency compensation.

/// A delay line; zero frames pass the signal through.
#[derive(Debug, Clone)]
pub(super) struct DelayLine {
    frames: Box<[[f64; 2]]>,
    at: usize,
}

impl DelayLine {
    pub(super) fn new(frames: usize) -> Self {
        Self {
            frames: vec![[0.0; 2]; frames].into(),
            at: 0,
        }
    }

    pub(super) fn is_through(&self) -> bool {
        self.frames.is_empty()
    }

    /// Takes a frame, gives the one that came so many frames before.
    #[inline]
    pub(super) fn step(&mut self, frame: [f64; 2]) -> [f64; 2] {
        if self.frames.is_empty() {
            return frame;
        }
        let out = std::mem::replace(&mut self.frames[self.at], frame);
        self.at += 1;
        if self.at == self.frames.len() {
            self.at = 0;
        }
        out
    }

    pub(super) fn run(&mut self, block: &mut [[f64; 2]]) {
        if !self.is_through() {
            for frame in block {
                *frame = self.step(*frame);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_delays_by_its_length() {
        for length in [0, 1, 3, 7] {
            let mut line = DelayLine::new(length);
            let out: Vec<f64> = (0..10)
                .map(|n| line.step([f64::from(u8::from(n == 0)), 0.0])[0])
                .collect();
            assert_eq!(out.iter().position(|&x| x == 1.0), Some(length));
        }
    }
}
