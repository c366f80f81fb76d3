//! Drums: swept sines, noise and inharmonic metal.

use super::space::Filter;
use super::{Hit, Random, Stem, decay, exp2, sine, soft};

/// Plays the hits of a part; the General MIDI note picks the drum.
pub(crate) fn play(stem: &mut Stem, hits: &[Hit], seed: u64) {
    let mut random = Random(seed);
    for hit in hits {
        match hit.pitch {
            35 | 36 => kick(stem, hit, &mut random),
            37..=40 => snare(stem, hit, &mut random),
            42 | 44 => metal(stem, hit, 0.07, 0.34, 7200.0, 0.3, &mut random),
            46 => metal(stem, hit, 0.4, 0.34, 6400.0, 0.3, &mut random),
            49 | 57 => metal(stem, hit, 1.9, 0.42, 3600.0, -0.3, &mut random),
            51 => metal(stem, hit, 0.9, 0.3, 5200.0, -0.25, &mut random),
            54 | 70 => metal(stem, hit, 0.05, 0.16, 8500.0, -0.5, &mut random),
            _ => tom(stem, hit, &mut random),
        }
    }
}

fn frames_of(stem: &Stem, hit: &Hit, seconds: f64) -> (usize, usize) {
    (
        (hit.start * stem.rate).round() as usize,
        (seconds * stem.rate) as usize,
    )
}

fn kick(stem: &mut Stem, hit: &Hit, random: &mut Random) {
    let (at, frames) = frames_of(stem, hit, 0.42);
    let rate = stem.rate;
    let tune = 47.0 * random.about(0.01);
    let fall = decay(0.6, rate);
    let mut click = Filter::new(3200.0, 0.8, rate);
    let (mut phase, mut level) = (0.0, 1.0);
    for i in 0..frames {
        let t = i as f64 / rate;
        phase += tune * (1.0 + 3.6 * exp2(-t * 115.0)) / rate;
        level *= fall;
        let attack = (t * 900.0).min(1.0);
        let noise = click.run(random.noise()).band * exp2(-t * 330.0) * 0.9;
        let x = soft((sine(phase) * level * 1.5 + noise) * attack * 1.25) * hit.force;
        stem.add(at + i, x, x);
    }
}

fn snare(stem: &mut Stem, hit: &Hit, random: &mut Random) {
    let (at, frames) = frames_of(stem, hit, 0.14 + 0.12 * hit.force);
    let rate = stem.rate;
    let tune = 186.0 * random.about(0.012);
    let mut body = Filter::new(1900.0, 0.55, rate);
    let mut wires = Filter::new(5200.0, 0.6, rate);
    let (mut low, mut high) = (0.0, 0.25);
    for i in 0..frames {
        let t = i as f64 / rate;
        low += tune * (1.0 + 0.5 * exp2(-t * 110.0)) / rate;
        high += tune * 1.72 / rate;
        let noise = random.noise();
        let rattle =
            body.run(noise).band * exp2(-t * 34.0) + wires.run(noise).band * exp2(-t * 42.0);
        let shell = sine(low) * exp2(-t * 26.0) + 0.5 * sine(high) * exp2(-t * 40.0);
        // Soft strokes excite the wires less than the shell.
        let x = soft(shell * 0.75 + rattle * (0.5 + 0.8 * hit.force)) * (t * 1500.0).min(1.0);
        let tail = 1.0 - (i as f64 / frames as f64).max(0.8) * 5.0 + 4.0;
        stem.add(at + i, x * hit.force * tail, x * hit.force * tail);
    }
}

fn tom(stem: &mut Stem, hit: &Hit, random: &mut Random) {
    let (at, frames) = frames_of(stem, hit, 0.7);
    let rate = stem.rate;
    let tune = 62.0 + 6.5 * f64::from(hit.pitch.saturating_sub(40));
    let fall = decay(0.8, rate);
    let mut skin = Filter::new(900.0, 0.7, rate);
    let pan = (f64::from(hit.pitch) - 45.0) * 0.06;
    let (mut phase, mut level) = (0.0, 1.0);
    for i in 0..frames {
        let t = i as f64 / rate;
        phase += tune * (1.0 + 0.6 * exp2(-t * 30.0)) / rate;
        level *= fall;
        let slap = skin.run(random.noise()).band * exp2(-t * 90.0) * 0.8;
        let x = soft(sine(phase) * level + slap) * hit.force * (t * 1200.0).min(1.0);
        let tail = 1.0 - i as f64 / frames as f64;
        stem.add(at + i, x * tail * (1.0 - pan), x * tail * (1.0 + pan));
    }
}

/// Six square waves at the ratios of a hi-hat circuit, and noise, above `hz`.
fn metal(
    stem: &mut Stem,
    hit: &Hit,
    seconds: f64,
    amount: f64,
    hz: f64,
    pan: f64,
    random: &mut Random,
) {
    const PARTIALS_HZ: [f64; 6] = [2530.0, 3187.0, 3829.0, 4562.0, 5419.0, 6011.0];
    let (at, frames) = frames_of(stem, hit, seconds);
    let rate = stem.rate;
    let fall = decay(seconds, rate);
    let mut filter = Filter::new(hz * random.about(0.03), 0.8, rate);
    let mut air = Filter::new(10_500.0, 0.6, rate);
    let mut roof = Filter::new(11_000.0, 0.9, rate);
    let start = random.unit();
    let mut level = 1.0;
    for i in 0..frames {
        let t = i as f64 / rate;
        level *= fall;
        let ring: f64 = PARTIALS_HZ
            .iter()
            .enumerate()
            .map(|(k, hz)| soft(2.0 * sine(start * k as f64 + hz * t)))
            .sum();
        let x = filter.run(ring * 0.12 + random.noise() * 0.4).high;
        let x = roof.run(air.run(x).low).low;
        let tail = 1.0 - (i as f64 / frames as f64).max(0.9) * 10.0 + 9.0;
        let x = x * level * amount * hit.force * tail * (t * 2500.0).min(1.0);
        stem.add(at + i, x * (1.0 - pan), x * (1.0 + pan));
    }
}
