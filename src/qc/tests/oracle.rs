//! Our readings beside those of an independent implementation.

use super::{
    super::loudness::{Loudness, lufs, range_lu},
    Signal, close,
};
use ebur128::{EbuR128, Mode};

struct Oracle {
    integrated: f64,
    range: f64,
    momentary: f64,
    short_term: f64,
    true_peak_db: f64,
}

/// Fed and asked every 10 ms, the grid of our maxima.
fn oracle(signal: &Signal) -> Oracle {
    let channels = signal.channels.len();
    // Without `Mode::HISTOGRAM`, which rounds to 0.1 LU.
    let mode = Mode::I | Mode::LRA | Mode::TRUE_PEAK;
    let mut meter = EbuR128::new(channels as u32, signal.rate, mode).expect("a meter");
    let piece = signal.rate as usize / 100;
    let (mut momentary, mut short_term) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let ends = (piece..=signal.frames()).step_by(piece);
    for (index, end) in ends.enumerate() {
        let start = if end + piece > signal.frames() {
            end - piece..signal.frames()
        } else {
            end - piece..end
        };
        let planes: Vec<&[f32]> = signal.channels.iter().map(|c| &c[start.clone()]).collect();
        meter.add_frames_planar_f32(&planes).expect("frames");
        if index + 1 >= 40 {
            momentary = momentary.max(meter.loudness_momentary().expect("momentary"));
        }
        if index + 1 >= 300 {
            short_term = short_term.max(meter.loudness_shortterm().expect("short-term"));
        }
    }
    let true_peak = (0..channels as u32)
        .map(|channel| meter.true_peak(channel).expect("true peak"))
        .fold(0.0, f64::max);
    Oracle {
        integrated: meter.loudness_global().expect("integrated"),
        range: meter.loudness_range().expect("range"),
        momentary,
        short_term,
        true_peak_db: 20.0 * true_peak.log10(),
    }
}

fn programme(rate: u32, channels: usize) -> Signal {
    let mut signal = Signal::new(rate, channels);
    for (index, seconds) in [2.3, 1.7, 3.1, 0.9, 4.2, 2.9].into_iter().enumerate() {
        let amplitude = [0.3, 0.05, 0.7, 0.01, 0.2, 0.5][index];
        signal = signal.noise(seconds, amplitude, index as u32 + 1);
        signal = signal.tone(0.5, 220.0 * (index + 1) as f64, -12.0);
    }
    signal
}

#[test]
fn loudness_agrees_to_a_thousandth() {
    for (rate, channels) in [
        (48_000, 2),
        (44_100, 2),
        (48_000, 1),
        (48_000, 5),
        (96_000, 2),
        (8000, 2),
        (16_000, 1),
    ] {
        let signal = programme(rate, channels);
        let (ours, theirs) = (signal.read(), oracle(&signal));
        let what = |name: &str| format!("{name}, {channels} channels at {rate} Hz");
        close(ours.integrated_lufs, theirs.integrated, 0.001, &what("I"));
        close(ours.max_momentary_lufs, theirs.momentary, 0.001, &what("M"));
        close(
            ours.max_short_term_lufs,
            theirs.short_term,
            0.001,
            &what("S"),
        );
    }
}

#[test]
fn the_range_agrees_at_the_same_update_rate() {
    // The other implementation updates once a second, Tech 3342 (2023) asks for
    // ten times: feed its values to our percentiles.
    let signal = programme(48_000, 2);
    let theirs = oracle(&signal).range;
    let mut loudness = Loudness::default();
    let layout = crate::audio::Layout::from_count(2);
    let mut stepper = super::super::steps::Stepper::new(48_000, &layout);
    struct Sink<'a>(&'a mut Loudness);
    impl super::super::steps::StepSink for Sink<'_> {
        fn known_true_peak(&self, _: &super::super::steps::Step) -> f32 {
            f32::INFINITY
        }
        fn take(&mut self, step: &super::super::steps::Step) {
            if step.whole {
                self.0.push(step.weighted_energy, step.frames);
            }
        }
    }
    let mut block = crate::audio::Planar::new(2, signal.frames());
    block.set_frames(signal.frames());
    for (index, channel) in signal.channels.iter().enumerate() {
        block.channel_mut(index).copy_from_slice(channel);
    }
    stepper.push(&block, &mut Sink(&mut loudness));
    let once_a_second = loudness.short_terms().iter().copied().step_by(10);
    close(range_lu(once_a_second), theirs, 0.001, "LRA");
    assert!(
        loudness
            .short_terms()
            .iter()
            .all(|&power| lufs(power).is_some())
    );
}

#[test]
fn true_peak_agrees_to_a_tenth_of_a_decibel() {
    for hz in [997.0, 5000.0, 12_000.0, 15_000.0] {
        let signal = Signal::stereo().tone(1.0, hz, -6.0).map(|n, x| {
            // Fades of 10 ms: a hard edge rings, and filters ring differently.
            let edge = n.min(47_999 - n).min(480) as f32 / 480.0;
            x * edge
        });
        close(
            signal.read().true_peak_dbtp,
            oracle(&signal).true_peak_db,
            0.1,
            &format!("{hz} Hz"),
        );
    }
    // A band-limited programme: noise averaged over four samples.
    let mut noise = Signal::stereo().noise(2.0, 0.5, 7);
    for channel in &mut noise.channels {
        *channel = channel
            .windows(4)
            .map(|w| w.iter().sum::<f32>() / 4.0)
            .collect();
    }
    close(
        noise.read().true_peak_dbtp,
        oracle(&noise).true_peak_db,
        0.1,
        "noise",
    );
}
