//! Sustained tones: electric piano, piano, pads, a riser.

use super::space::Filter;
use super::{Hit, Random, Stem, decay, exp2, frequency, sine};

/// Electric piano: two operators, a bell at the beginning, a swaying pan.
pub(crate) fn electric_piano(stem: &mut Stem, hits: &[Hit], seed: u64) {
    let mut random = Random(seed);
    let rate = stem.rate;
    for hit in hits {
        let hz = frequency(f64::from(hit.pitch));
        let late = random.unit() * 0.008;
        let at = ((hit.start + late) * rate).round() as usize;
        let held = hit.end - hit.start;
        let frames = ((held + 0.35) * rate) as usize;
        // Low notes ring longer.
        let fall = decay(6.5 * exp2((60.0 - f64::from(hit.pitch)) / 24.0), rate);
        let (mut phase, mut level) = (random.unit(), 1.0);
        for i in 0..frames {
            let t = i as f64 / rate;
            phase += hz / rate;
            level *= fall;
            let bell = sine(phase * 7.0) * 0.11 * hit.force * exp2(-t * 13.0);
            let bark = (0.14 + 0.34 * hit.force) * exp2(-t * 1.6);
            let x = sine(phase + bark * sine(phase) * 0.6 + bell) * level;
            let release = if t > held {
                exp2(-(t - held) * 22.0)
            } else {
                1.0
            };
            let x = x * release * hit.force * (t * 400.0).min(1.0) * 0.3;
            let sway = 0.28 * sine((hit.start + t) * 4.6);
            stem.add(at + i, x * (1.0 - sway), x * (1.0 + sway));
        }
    }
}

/// Piano: partials that are a little too high, hammered softly.
pub(crate) fn piano(stem: &mut Stem, hits: &[Hit], seed: u64) {
    let mut random = Random(seed);
    let rate = stem.rate;
    for hit in hits {
        let hz = frequency(f64::from(hit.pitch));
        let at = ((hit.start + random.unit() * 0.006) * rate).round() as usize;
        let held = hit.end - hit.start;
        let frames = ((held + 0.5) * rate) as usize;
        let pan = (f64::from(hit.pitch) - 62.0) * 0.012;
        let count = ((4200.0 / hz) as usize).clamp(1, 9);
        for k in 1..=count {
            let n = k as f64;
            let stretched = hz * n * (1.0 + 0.0004 * n * n) * random.about(0.0003);
            let level =
                exp2(-(n - 1.0) * (1.35 - 0.6 * hit.force)) * sine(0.125 * n).abs().max(0.2);
            let fall = decay(
                7.0 / (1.0 + 0.5 * n) * exp2((60.0 - f64::from(hit.pitch)) / 30.0),
                rate,
            );
            let mut level = level * hit.force * 0.3;
            let mut phase = random.unit();
            for i in 0..frames {
                let t = i as f64 / rate;
                phase += stretched / rate;
                level *= fall;
                let release = if t > held {
                    exp2(-(t - held) * 14.0)
                } else {
                    1.0
                };
                let x = sine(phase) * level * release * (t * 260.0).min(1.0);
                stem.add(at + i, x * (1.0 - pan), x * (1.0 + pan));
            }
        }
    }
}

/// Pad: six detuned band-limited saws a note, three to each side.
pub(crate) fn pad(stem: &mut Stem, hits: &[Hit], seed: u64) {
    const TABLE: usize = 2048;
    let mut random = Random(seed);
    let rate = stem.rate;
    for hit in hits {
        let hz = frequency(f64::from(hit.pitch));
        let count = ((3600.0 / hz) as usize).clamp(1, 24);
        let mut table = vec![0.0; TABLE + 1];
        for k in 1..=count {
            let n = k as f64;
            let level = 1.0 / (n * (1.0 + 0.12 * n));
            for (i, slot) in table.iter_mut().enumerate() {
                *slot += level * sine(n * i as f64 / TABLE as f64);
            }
        }
        let at = (hit.start * rate).round() as usize;
        let held = hit.end - hit.start;
        let (attack, release) = (0.7_f64.min(held * 0.5), 1.1);
        let frames = ((held + release) * rate) as usize;
        for voice in 0..6 {
            let side = if voice % 2 == 0 { 0.85 } else { 0.15 };
            let step = hz * exp2(random.noise() * 9.0 / 1200.0) / rate;
            let mut phase = random.unit();
            for i in 0..frames {
                let t = i as f64 / rate;
                phase += step;
                phase -= phase.floor();
                let x = phase * TABLE as f64;
                let k = x as usize;
                let x = table[k] + (table[k + 1] - table[k]) * (x - k as f64);
                let rise = (t / attack).min(1.0);
                let fall = ((held + release - t) / release).clamp(0.0, 1.0);
                let x = x * rise * fall * fall * hit.force * 0.1;
                stem.add(at + i, x * side, x * (1.0 - side));
            }
        }
    }
}

/// Riser: a band of noise and a tone that climb towards the end of the hit.
pub(crate) fn riser(stem: &mut Stem, hit: &Hit, seed: u64) {
    let mut random = Random(seed);
    let rate = stem.rate;
    let at = (hit.start * rate).round() as usize;
    let frames = ((hit.end - hit.start) * rate) as usize;
    let mut filter = Filter::new(300.0, 3.0, rate);
    let mut phase = 0.0;
    for i in 0..frames {
        let x = i as f64 / frames as f64;
        if i % 32 == 0 {
            filter.tune(300.0 * exp2(4.2 * x), 3.0, rate);
        }
        phase += 220.0 * exp2(1.0 * x) / rate;
        let noise = filter.run(random.noise()).band;
        let out = (noise + 0.12 * sine(phase)) * x * x * ((frames - i) as f64 / 400.0).min(1.0);
        stem.add(at + i, out, out);
    }
}
