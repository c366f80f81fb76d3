//! A wordless singer: a glottal pulse through four formants that move from
//! vowel to vowel, with vibrato, glides, breath and a few sibilants.

use super::space::Filter;
use super::{Hit, Random, Stem, exp2, frequency, sine};

/// Formant frequencies of sung vowels (a, e, i, o, u), in Hz; rounded textbook values.
const VOWELS_HZ: [[f64; 4]; 5] = [
    [740.0, 1180.0, 2640.0, 3300.0],
    [480.0, 1850.0, 2550.0, 3250.0],
    [330.0, 2200.0, 2900.0, 3400.0],
    [460.0, 860.0, 2500.0, 3200.0],
    [350.0, 720.0, 2400.0, 3100.0],
];
const FORMANT_GAIN: [f64; 4] = [1.0, 0.55, 0.3, 0.16];
const FORMANT_Q: [f64; 4] = [6.0, 9.0, 13.0, 14.0];

/// Sings the hits, one at a time.
pub(crate) fn sing(stem: &mut Stem, hits: &[Hit], seed: u64) {
    let mut random = Random(seed);
    let rate = stem.rate;
    let mut filters: Vec<Filter> = (0..4).map(|_| Filter::new(1000.0, 8.0, rate)).collect();
    let mut hiss = Filter::new(6200.0, 1.2, rate);
    let mut formants = VOWELS_HZ[0];
    let mut pitch = hits.first().map_or(60.0, |hit| f64::from(hit.pitch));
    let (mut phase, mut level) = (0.0, 0.0);
    for (index, hit) in hits.iter().enumerate() {
        let vowel = VOWELS_HZ[(random.unit() * 5.0) as usize % 5];
        let sibilant = random.unit() < 0.3;
        let until = hits
            .get(index + 1)
            .map_or(hit.end + 0.3, |next| next.start.min(hit.end + 0.3));
        let late = 0.012 * random.unit();
        let from = ((hit.start + late) * rate) as usize;
        let to = ((until + late) * rate) as usize;
        let scoop = if random.unit() < 0.4 { -0.6 } else { 0.0 };
        let target = f64::from(hit.pitch);
        let mut vibrato = 0.0;
        let vibrato_hz = 5.2 * random.about(0.06);
        if hits
            .get(index.wrapping_sub(1))
            .is_none_or(|before| hit.start - before.end > 0.2)
        {
            pitch = target + scoop - 0.4;
        }
        for frame in from..to {
            let t = (frame - from) as f64 / rate;
            // Glides have time constants of about 30 ms for pitch, 40 ms for vowels.
            pitch += (target - pitch) * 33.0 / rate;
            vibrato += vibrato_hz / rate;
            let depth = 0.22 * ((t - 0.22) * 2.5).clamp(0.0, 1.0);
            let sung = frequency(pitch + depth * sine(vibrato) + 0.02 * sine(t * 1.7));
            if frame % 16 == 0 {
                for (k, filter) in filters.iter_mut().enumerate() {
                    formants[k] += (vowel[k] - formants[k]) * 16.0 * 25.0 / rate;
                    filter.tune(formants[k], FORMANT_Q[k], rate);
                }
            }
            let singing = hit.start + t + late < hit.end;
            let goal = if singing { hit.force } else { 0.0 };
            let speed = if singing { 45.0 } else { 14.0 };
            level += (goal - level) * speed / rate;
            phase += sung / rate;
            phase -= phase.floor();
            let breath = random.noise() * 0.006;
            let x = pulse(phase, sung / rate) + breath;
            let mut out = 0.0;
            for (filter, gain) in filters.iter_mut().zip(FORMANT_GAIN) {
                out += filter.run(x).band * gain;
            }
            out *= level;
            let edge = (t * 22.0).min(1.0);
            if sibilant && t < 0.09 {
                out *= edge;
                out += hiss.run(random.noise()).band * 0.05 * sine(t / 0.18) * hit.force;
            }
            stem.add(frame, out, out);
        }
    }
}

/// Rosenberg's glottal flow, differentiated and smoothed over its closure; a
/// longer closure at high pitch keeps aliases down.
fn pulse(phase: f64, step: f64) -> f64 {
    const OPEN: f64 = 0.42;
    let close = 0.16_f64.max(step * 6.0);
    if phase < OPEN {
        0.5 * sine(phase / OPEN * 0.5)
    } else if phase < OPEN + close {
        -sine((phase - OPEN) / close * 0.5) * OPEN / close * 0.5
    } else {
        0.0
    }
}

/// A second take: the same song, a little later and off.
pub(crate) fn double(hits: &[Hit], seed: u64) -> Vec<Hit> {
    let mut random = Random(seed);
    hits.iter()
        .map(|hit| {
            let late = 0.012 + 0.018 * random.unit();
            Hit {
                start: hit.start + late,
                end: hit.end + late * exp2(random.noise() * 0.5),
                force: hit.force * random.about(0.1),
                ..*hit
            }
        })
        .collect()
}
