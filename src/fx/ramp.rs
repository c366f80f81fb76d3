//! Gains that move without clicks.

use super::processor::BLOCK;
use crate::dsp::{Frame, LANES};

/// Per-lane gains that reach a new value linearly over [`BLOCK`] frames,
/// counted in frames so that block sizes do not matter. The scripts of REAPER
/// ramp over its audio block, whose size is up to the user.
pub(crate) struct Ramp {
    now: Frame,
    target: Frame,
    step: Frame,
    left: [u32; LANES],
    moving: bool,
    started: bool,
}

impl Ramp {
    /// Unity gain in all lanes.
    pub(crate) fn new() -> Self {
        Self {
            now: [1.0; LANES],
            target: [1.0; LANES],
            step: [0.0; LANES],
            left: [0; LANES],
            moving: false,
            started: false,
        }
    }

    /// Sets the gains of a slot: at once before the first frame, else as a ramp.
    pub(crate) fn set(&mut self, slot: usize, gains: [f64; 2]) {
        for (lane, gain) in [2 * slot, 2 * slot + 1].into_iter().zip(gains) {
            if !self.started {
                self.now[lane] = gain;
                self.target[lane] = gain;
            } else if gain != self.target[lane] {
                self.target[lane] = gain;
                self.step[lane] = (gain - self.now[lane]) / BLOCK as f64;
                self.left[lane] = BLOCK as u32;
                self.moving = true;
            }
        }
    }

    /// Gains of the next frame.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Frame {
        self.started = true;
        if self.moving {
            self.moving = false;
            for lane in 0..LANES {
                if self.left[lane] > 0 {
                    self.left[lane] -= 1;
                    self.now[lane] += self.step[lane];
                    if self.left[lane] == 0 {
                        self.now[lane] = self.target[lane];
                    } else {
                        self.moving = true;
                    }
                }
            }
        }
        self.now
    }

    /// Jumps to the targets, as new.
    pub(crate) fn finish(&mut self) {
        *self = Self {
            now: self.target,
            target: self.target,
            ..Self::new()
        };
    }
}
