//! Filters and a room.

use super::{Stem, decay, sine};

/// State-variable filter (trapezoidal), 12 dB per octave.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    g: f64,
    k: f64,
    one: f64,
    two: f64,
}

/// Outputs of a filter for one sample.
pub(crate) struct Bands {
    pub(crate) low: f64,
    pub(crate) band: f64,
    pub(crate) high: f64,
}

impl Filter {
    pub(crate) fn new(hz: f64, q: f64, rate: f64) -> Self {
        let mut filter = Self::default();
        filter.tune(hz, q, rate);
        filter
    }

    pub(crate) fn tune(&mut self, hz: f64, q: f64, rate: f64) {
        let turns = (hz / rate).clamp(1e-5, 0.45) * 0.5;
        self.g = sine(turns) / sine(turns + 0.25);
        self.k = 1.0 / q;
    }

    pub(crate) fn run(&mut self, x: f64) -> Bands {
        let a = 1.0 / (1.0 + self.g * (self.g + self.k));
        let v3 = x - self.two;
        let band = a * self.one + self.g * a * v3;
        let low = self.two + self.g * band;
        self.one = 2.0 * band - self.one;
        self.two = 2.0 * low - self.two;
        Bands {
            low,
            band: band * self.k,
            high: x - self.k * band - low,
        }
    }
}

/// Passes a stem through a filter per channel.
pub(crate) fn low_pass(stem: &mut Stem, hz: f64, q: f64) {
    let (mut l, mut r) = (Filter::new(hz, q, stem.rate), Filter::new(hz, q, stem.rate));
    stem.each(|a, b| (l.run(a).low, r.run(b).low));
}

pub(crate) fn high_pass(stem: &mut Stem, hz: f64, q: f64) {
    let (mut l, mut r) = (Filter::new(hz, q, stem.rate), Filter::new(hz, q, stem.rate));
    stem.each(|a, b| (l.run(a).high, r.run(b).high));
}

/// Lifts or cuts a band by adding `amount` of it.
pub(crate) fn bell(stem: &mut Stem, hz: f64, q: f64, amount: f64) {
    let (mut l, mut r) = (Filter::new(hz, q, stem.rate), Filter::new(hz, q, stem.rate));
    stem.each(|a, b| (a + amount * l.run(a).band, b + amount * r.run(b).band));
}

/// How a room sounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Seconds to fall by 60 dB.
    pub(crate) seconds: f64,
    /// Time before the room answers.
    pub(crate) delay_ms: f64,
    /// Highest frequency that the walls return.
    pub(crate) bright_hz: f64,
    /// Gain of the room beside the dry sound.
    pub(crate) wet: f64,
}

/// Adds a room: two all-passes into eight delay lines with a Householder matrix.
pub(crate) fn reverb(stem: &mut Stem, room: Room) {
    const LINES_MS: [f64; 8] = [29.7, 34.3, 37.1, 41.9, 43.7, 53.3, 59.9, 67.1];
    let rate = stem.rate;
    let mut early = Line::new(room.delay_ms, rate);
    let mut diffusers = [(Line::new(5.3, rate), 0.6), (Line::new(8.9, rate), 0.55)];
    let mut lines: Vec<(Line, f64, f64)> = LINES_MS
        .iter()
        .map(|ms| {
            let per_frame = decay(room.seconds, rate);
            let frames = (ms * rate / 1000.0).round();
            // per_frame to the power of frames, by repeated squaring.
            (Line::new(*ms, rate), power(per_frame, frames as u32), 0.0)
        })
        .collect();
    let damping = 1.0 - decay(1.1 / room.bright_hz, rate);
    stem.each(|l, r| {
        let mut x = early.step((l + r) * 0.5);
        for (line, g) in &mut diffusers {
            let out = line.peek();
            let into = x + out * *g;
            line.push(into);
            x = out - into * *g;
        }
        let outs: Vec<f64> = lines.iter().map(|(line, ..)| line.peek()).collect();
        let sum: f64 = outs.iter().sum::<f64>() * 0.25;
        let (mut wet_l, mut wet_r) = (0.0, 0.0);
        for (i, (line, fall, state)) in lines.iter_mut().enumerate() {
            *state += damping * ((outs[i] - sum) * *fall - *state);
            line.push(*state + x);
            if i % 2 == 0 {
                wet_l += outs[i];
            } else {
                wet_r += outs[i];
            }
        }
        (l + room.wet * wet_l * 0.4, r + room.wet * wet_r * 0.4)
    });
}

fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

struct Line {
    ring: Vec<f64>,
    at: usize,
}

impl Line {
    fn new(ms: f64, rate: f64) -> Self {
        let frames = (ms * rate / 1000.0).round().max(1.0) as usize;
        Self {
            ring: vec![0.0; frames],
            at: 0,
        }
    }

    fn peek(&self) -> f64 {
        self.ring[self.at]
    }

    fn push(&mut self, x: f64) {
        self.ring[self.at] = x;
        self.at = (self.at + 1) % self.ring.len();
    }

    fn step(&mut self, x: f64) -> f64 {
        let out = self.peek();
        self.push(x);
        out
    }
}
