//! Plucked strings: a noise burst that circulates in a damped delay line
//! (Karplus and Strong, 1983).

use super::space::{Filter, high_pass, low_pass};
use super::{Hit, Random, Stem, decay, frequency, soft};

/// How a string is played.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pluck {
    /// Seconds to fall by 60 dB.
    pub(crate) ring: f64,
    /// Brightness of the pick, Hz.
    pub(crate) pick_hz: f64,
    /// Part of the string's length at which it is plucked.
    pub(crate) place: f64,
    /// Damping in the loop, 0 bright to 1 dull.
    pub(crate) dull: f64,
    /// Seconds between the strings of a chord.
    pub(crate) strum: f64,
    pub(crate) detune_cents: f64,
}

pub(crate) const BASS: Pluck = Pluck {
    ring: 5.0,
    pick_hz: 210.0,
    place: 0.19,
    dull: 0.5,
    strum: 0.0,
    detune_cents: 0.0,
};

pub(crate) const GUITAR: Pluck = Pluck {
    ring: 3.2,
    pick_hz: 1500.0,
    place: 0.13,
    dull: 0.42,
    strum: 0.011,
    detune_cents: 3.0,
};

/// Plays hits; notes that begin together are strummed, upwards every other time.
pub(crate) fn play(stem: &mut Stem, hits: &[Hit], pluck: Pluck, seed: u64) {
    let mut random = Random(seed);
    let mut strums = 0;
    let mut from = 0;
    while from < hits.len() {
        let together = hits[from..]
            .iter()
            .take_while(|hit| hit.start - hits[from].start < 0.02)
            .count();
        strums += 1;
        for rank in 0..together {
            let place = if strums % 2 == 0 {
                together - 1 - rank
            } else {
                rank
            };
            let late = (place as f64 * pluck.strum + random.unit() * 0.003) * random.about(0.2);
            string(stem, &hits[from + rank], pluck, late, &mut random);
        }
        from += together;
    }
}

fn string(stem: &mut Stem, hit: &Hit, pluck: Pluck, late: f64, random: &mut Random) {
    let rate = stem.rate;
    let pitch = f64::from(hit.pitch) + random.noise() * pluck.detune_cents / 100.0;
    // The loop's averaging filter delays by `dull` of a frame itself.
    let period = rate / frequency(pitch) - pluck.dull * 0.5;
    let length = period.floor() as usize;
    let part = period - length as f64;
    let ring_frames = length + 2;
    let mut ring = vec![0.0; ring_frames];
    let mut tone = Filter::new(pluck.pick_hz * (0.5 + hit.force), 0.6, rate);
    let burst: Vec<f64> = (0..length).map(|_| tone.run(random.noise()).low).collect();
    let shift = (pluck.place * length as f64) as usize;
    for (i, slot) in ring.iter_mut().take(length).enumerate() {
        *slot = burst[i] - burst[(i + length - shift) % length];
    }
    let mean = ring.iter().sum::<f64>() / length as f64;
    ring.iter_mut().take(length).for_each(|x| *x -= mean);

    let held = ((hit.end - hit.start) * rate) as usize;
    let frames = held + (0.12 * rate) as usize;
    let keep = decay(pluck.ring, rate);
    let (mut open, mut damped) = (1.0, 1.0);
    for _ in 0..length {
        open *= keep;
        damped *= decay(0.09, rate);
    }
    let at = ((hit.start + late) * rate).round() as usize;
    let mut write = length;
    let mut before = 0.0;
    for i in 0..frames {
        let index = |back: usize| (write + ring_frames - back) % ring_frames;
        let read = ring[index(length)] * (1.0 - part) + ring[index(length + 1)] * part;
        let x = read * (1.0 - pluck.dull * 0.5) + before * pluck.dull * 0.5;
        before = read;
        ring[write % ring_frames] = x * if i < held { open } else { damped };
        write = (write + 1) % ring_frames;
        let tail = ((frames - i) as f64 / (0.02 * rate)).min(1.0);
        let out = read * hit.force * tail;
        stem.add(at + i, out, out);
    }
}

/// An amplifier with a loudspeaker.
pub(crate) fn amplifier(stem: &mut Stem, drive: f64) {
    high_pass(stem, 95.0, 0.7);
    stem.normalise(0.0);
    stem.each(|l, r| (soft(l * drive) / drive, soft(r * drive) / drive));
    low_pass(stem, 4200.0, 0.8);
    low_pass(stem, 5200.0, 0.6);
}
