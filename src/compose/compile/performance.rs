//! The last step to notes: swing, seeded deviations, and no two notes of one
//! pitch at once.

use crate::compose::notation::Event;
use crate::compose::{Humanize, Note};

/// The shortest note, in quarter notes: less than a tick of 960.
const MIN_LENGTH_QN: f64 = 1.0 / 960.0;

/// An event with what its part says about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Played {
    pub(super) event: Event,
    pub(super) velocity: u8,
    pub(super) channel: u8,
    /// Played with even odds.
    pub(super) maybe: bool,
}

/// How a part is performed.
pub(super) struct Hand {
    pub(super) swing: f64,
    pub(super) humanize: Option<Humanize>,
    /// Separates the random numbers of parts.
    pub(super) part: u64,
    pub(super) end_qn: f64,
}

impl Hand {
    /// Notes ordered by start, then pitch.
    pub(super) fn play(&self, mut played: Vec<Played>) -> Vec<Note> {
        played.sort_by(|a, b| {
            let (a, b) = (&a.event, &b.event);
            a.start_qn
                .total_cmp(&b.start_qn)
                .then(a.pitch.cmp(&b.pitch))
        });
        let seed = self.humanize.map_or(0, |humanize| humanize.seed);
        let mut random = Random(seed ^ self.part.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut notes: Vec<Note> = played
            .iter()
            .filter_map(|played| self.note(played, &mut random))
            .collect();
        notes.sort_by(|a, b| {
            a.start_qn
                .total_cmp(&b.start_qn)
                .then(a.pitch.cmp(&b.pitch))
        });
        separate(notes)
    }

    fn note(&self, played: &Played, random: &mut Random) -> Option<Note> {
        let event = &played.event;
        // Every note draws the same count, so that one change moves no other.
        let (odds, time, force) = (random.unit(), random.unit(), random.unit());
        if played.maybe && odds < 0.5 {
            return None;
        }
        let mut start = swung(event.start_qn, self.swing);
        let mut end = swung(event.start_qn + event.length_qn, self.swing);
        let mut velocity = f64::from(event.stress.velocity(played.velocity));
        if let Some(humanize) = self.humanize {
            let shift = (time * 2.0 - 1.0) * humanize.timing;
            let shift = shift.max(-start).min((self.end_qn - end).max(0.0));
            start += shift;
            end += shift;
            velocity += ((force * 2.0 - 1.0) * f64::from(humanize.velocity)).round();
        }
        Some(Note {
            start_qn: start,
            length_qn: (end - start).max(MIN_LENGTH_QN),
            pitch: event.pitch,
            velocity: velocity.clamp(1.0, 127.0) as u8,
            channel: played.channel,
        })
    }
}

/// Moves the second sixteenth of each eighth to the fraction `swing` of it, and
/// everything between in proportion.
fn swung(qn: f64, swing: f64) -> f64 {
    const PAIR_QN: f64 = 0.5;
    let pair = (qn / PAIR_QN + 1e-9).floor();
    let phase = (qn / PAIR_QN - pair).max(0.0);
    let moved = if phase < 0.5 {
        phase * 2.0 * swing
    } else {
        swing + (phase - 0.5) * 2.0 * (1.0 - swing)
    };
    (pair + moved) * PAIR_QN
}

/// Ends a note where the next of its pitch begins, and drops the weaker of two
/// that begin together: one key can't be down twice.
fn separate(notes: Vec<Note>) -> Vec<Note> {
    let mut kept: Vec<Note> = Vec::with_capacity(notes.len());
    let mut sounding: [Option<usize>; 128] = [None; 128];
    for note in notes {
        let slot = &mut sounding[usize::from(note.pitch & 127)];
        if let Some(index) = *slot {
            let before = &mut kept[index];
            let room = note.start_qn - before.start_qn;
            if room < MIN_LENGTH_QN {
                before.velocity = before.velocity.max(note.velocity);
                before.length_qn = before.length_qn.max(note.length_qn);
                continue;
            }
            before.length_qn = before.length_qn.min(room);
        }
        *slot = Some(kept.len());
        kept.push(note);
    }
    kept
}

/// SplitMix64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    /// 0 to below 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
