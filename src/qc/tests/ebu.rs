//! EBU Tech 3341 (2023) and 3342 (2023) minimum requirements, and anchors of
//! ITU-R BS.1770-5 and BS.2217, as far as they can be synthesised. Tolerances
//! are those of the documents: ±0.1 LU, +0.2/-0.4 dB, ±1 LU for the range.

use super::{Signal, close, span};
use std::f64::consts::PI;

const RATES: [u32; 3] = [44_100, 48_000, 96_000];

fn stereo(rate: u32) -> Signal {
    Signal::new(rate, 2)
}

fn tone(signal: Signal, seconds: f64, db: f64) -> Signal {
    signal.tone(seconds, 1000.0, db)
}

#[test]
fn cases_1_and_2_steady_tones() {
    for rate in RATES {
        for db in [-23.0, -33.0] {
            let read = tone(stereo(rate), 20.0, db).read();
            close(read.integrated_lufs, db, 0.1, "I");
            close(read.max_momentary_lufs, db, 0.1, "M");
            close(read.max_short_term_lufs, db, 0.1, "S");
        }
    }
}

#[test]
fn cases_3_to_5_gating() {
    let steps = |parts: &[(f64, f64)]| {
        let signal = parts
            .iter()
            .fold(Signal::stereo(), |signal, &(s, db)| tone(signal, s, db));
        signal.read().integrated_lufs
    };
    close(
        steps(&[(10.0, -36.0), (60.0, -23.0), (10.0, -36.0)]),
        -23.0,
        0.1,
        "case 3",
    );
    let case_4 = [
        (10.0, -72.0),
        (10.0, -36.0),
        (60.0, -23.0),
        (10.0, -36.0),
        (10.0, -72.0),
    ];
    close(steps(&case_4), -23.0, 0.1, "case 4");
    close(
        steps(&[(20.0, -26.0), (20.1, -20.0), (20.0, -26.0)]),
        -23.0,
        0.1,
        "case 5",
    );
}

#[test]
fn case_6_surround_and_the_lfe_that_does_not_count() {
    let off = f64::NEG_INFINITY;
    let five = Signal::new(48_000, 5).tones(20.0, 1000.0, &[-28.0, -28.0, -24.0, -30.0, -30.0]);
    close(five.read().integrated_lufs, -23.0, 0.1, "5.0");
    let six = Signal::new(48_000, 6).tones(20.0, 1000.0, &[-28.0, -28.0, -24.0, off, -30.0, -30.0]);
    let silent_lfe = six.read().integrated_lufs;
    assert_eq!(silent_lfe, five.read().integrated_lufs);
    let mut loud = six;
    let lfe = Signal::new(48_000, 1).tone(20.0, 50.0, 0.0);
    loud.channels[3] = lfe.channels[0].clone();
    assert_eq!(loud.read().integrated_lufs, silent_lfe);
    close(
        loud.read().true_peak_dbtp,
        0.0,
        0.05,
        "the true peak includes the LFE",
    );
    // FL FR FC LFE BL BR SL SR: sides weigh 1.41, backs 1.
    let db = [-28.0, -28.0, -24.0, off, -30.0, -30.0, -30.0, -30.0];
    let eight = Signal::new(48_000, 8).tones(20.0, 1000.0, &db);
    close(eight.read().integrated_lufs, -22.22, 0.01, "7.1");
}

#[test]
fn cases_9_and_12_alternating_levels_have_constant_windows() {
    let mut short = Signal::stereo();
    for _ in 0..5 {
        short = tone(tone(short, 1.34, -20.0), 1.66, -30.0);
    }
    close(short.read().max_short_term_lufs, -23.0, 0.1, "case 9");
    let mut momentary = Signal::stereo();
    for _ in 0..25 {
        momentary = tone(tone(momentary, 0.18, -20.0), 0.22, -30.0);
    }
    close(momentary.read().max_momentary_lufs, -23.0, 0.1, "case 12");
}

#[test]
fn cases_10_and_13_bursts_at_any_offset() {
    for i in 0..20 {
        let offset = f64::from(i) * 0.15;
        let signal = tone(Signal::stereo().silence(offset), 3.0, -23.0).silence(1.0);
        close(
            signal.read().max_short_term_lufs,
            -23.0,
            0.1,
            &format!("case 10, {i}"),
        );
        let offset = f64::from(i) * 0.02;
        let signal = tone(Signal::stereo().silence(offset), 0.4, -23.0).silence(1.0);
        close(
            signal.read().max_momentary_lufs,
            -23.0,
            0.1,
            &format!("case 13, {i}"),
        );
    }
}

#[test]
fn cases_11_and_14_bursts_in_regions() {
    let (mut long, mut short) = (Signal::stereo(), Signal::stereo());
    let (mut long_spans, mut short_spans) = (Vec::new(), Vec::new());
    for i in 0..20 {
        let (at, db) = (f64::from(i), -38.0 + f64::from(i));
        long = tone(long.silence(at * 0.15), 3.0, db).silence(3.0 - at * 0.15);
        long_spans.push(span(&i.to_string(), at * 6.0, at * 6.0 + 6.0));
        short = tone(short.silence(at * 0.02), 0.4, db).silence(0.4 - at * 0.02);
        short_spans.push(span(&i.to_string(), at * 0.8, at * 0.8 + 0.8));
    }
    for (i, (_, read)) in long.report(&long_spans, 4096).regions.iter().enumerate() {
        close(
            read.max_short_term_lufs,
            -38.0 + i as f64,
            0.1,
            &format!("case 11, {i}"),
        );
    }
    for (i, (_, read)) in short.report(&short_spans, 4096).regions.iter().enumerate() {
        close(
            read.max_momentary_lufs,
            -38.0 + i as f64,
            0.1,
            &format!("case 14, {i}"),
        );
    }
}

fn true_peak_in(value: Option<f64>, expected: f64, what: &str) {
    let value = value.expect("there is a signal");
    assert!(
        value >= expected - 0.4 && value <= expected + 0.2,
        "{what}: {value} dBTP, expected {expected} +0.2/-0.4"
    );
}

/// A 3.2 s sine of period `k` frames with fades of 10 ms.
fn faded(rate: u32, k: f64, amplitude: f64, degrees: f64) -> Signal {
    let frames = (3.2 * f64::from(rate)) as usize;
    let fade = (f64::from(rate) * 0.01) as usize;
    let samples: Vec<f32> = (0..frames)
        .map(|n| {
            let edge = n.min(frames - 1 - n).min(fade) as f64 / fade as f64;
            let phase = 2.0 * PI * n as f64 / k + degrees.to_radians();
            (amplitude * edge * phase.sin()) as f32
        })
        .collect();
    Signal {
        rate,
        channels: vec![samples; 2],
    }
}

#[test]
fn cases_15_to_19_tones_between_the_samples() {
    for rate in RATES {
        for (case, k, amplitude, degrees, expected) in [
            (15, 4.0, 0.5, 0.0, -6.0),
            (16, 4.0, 0.5, 45.0, -6.0),
            (17, 6.0, 0.5, 60.0, -6.0),
            (18, 8.0, 0.5, 67.5, -6.0),
            (19, 4.0, 1.41, 45.0, 3.0),
        ] {
            let read = faded(rate, k, amplitude, degrees).read();
            true_peak_in(
                read.true_peak_dbtp,
                expected,
                &format!("case {case} at {rate} Hz"),
            );
        }
    }
    // The samples of case 16 stay 3 dB below the peak between them.
    let read = faded(48_000, 4.0, 0.5, 45.0).read();
    close(read.sample_peak_dbfs, -9.03, 0.01, "sample peak");
    close(read.true_peak_dbtp, -6.02, 0.03, "true peak");
}

#[test]
fn cases_20_to_23_a_burst_decimated_at_four_offsets() {
    // At four times the rate: fs/6, half scale, with 16 samples of fs/4 at full
    // scale put in at a zero crossing.
    let (frames, middle, fade) = (96_000usize, 48_000usize, 1920usize);
    let high: Vec<f64> = (0..frames)
        .map(|n| {
            let edge = n.min(frames - 1 - n).min(fade) as f64 / fade as f64;
            let value = if (middle..middle + 16).contains(&n) {
                (2.0 * PI * (n - middle) as f64 / 16.0).sin()
            } else {
                let n = if n >= middle + 16 { n - 16 } else { n };
                0.5 * (2.0 * PI * n as f64 / 24.0).sin()
            };
            edge * value
        })
        .collect();
    let taps: Vec<f64> = (0..511)
        .map(|k| {
            let x = (f64::from(k) - 255.0) / 4.0;
            let sinc = if x == 0.0 {
                1.0
            } else {
                (PI * x).sin() / (PI * x)
            };
            let turn = 2.0 * PI * f64::from(k) / 510.0;
            sinc * (0.42 - 0.5 * turn.cos() + 0.08 * (2.0 * turn).cos())
        })
        .collect();
    let gain: f64 = taps.iter().sum();
    for offset in 0..4 {
        let samples: Vec<f32> = (offset..frames)
            .step_by(4)
            .map(|center| {
                let sum: f64 = taps
                    .iter()
                    .enumerate()
                    .filter_map(|(k, tap)| Some(tap * high.get((center + k).checked_sub(255)?)?))
                    .sum();
                (sum / gain) as f32
            })
            .collect();
        let signal = Signal {
            rate: 48_000,
            channels: vec![samples; 2],
        };
        let read = signal.read();
        true_peak_in(read.true_peak_dbtp, 0.0, &format!("case {}", 20 + offset));
    }
}

#[test]
fn loudness_range_cases_1_to_4() {
    for (case, levels, expected) in [
        (1, &[-20.0, -30.0][..], 10.0),
        (2, &[-20.0, -15.0], 5.0),
        (3, &[-40.0, -20.0], 20.0),
        (4, &[-50.0, -35.0, -20.0, -35.0, -50.0], 15.0),
    ] {
        let once = levels
            .iter()
            .fold(Signal::stereo(), |signal, &db| tone(signal, 20.0, db));
        close(
            once.read().loudness_range_lu,
            expected,
            1.0,
            &format!("case {case}"),
        );
        let mut twice = once.clone();
        for channel in &mut twice.channels {
            channel.extend_from_within(..);
        }
        close(
            twice.read().loudness_range_lu,
            expected,
            1.0,
            &format!("case {case} twice"),
        );
    }
}

#[test]
fn anchors_of_bs_1770() {
    let off = f64::NEG_INFINITY;
    let left = Signal::stereo().tones(20.0, 997.0, &[0.0, off]);
    close(left.read().integrated_lufs, -3.01, 0.01, "one channel");
    let mono = Signal::new(48_000, 1).tone(20.0, 997.0, 0.0);
    close(mono.read().integrated_lufs, -3.01, 0.01, "mono counts once");
    let both = Signal::stereo().tone(20.0, 997.0, 0.0);
    close(both.read().integrated_lufs, 0.0, 0.01, "both channels");
    let mut opposed = both;
    opposed.channels[1].iter_mut().for_each(|x| *x = -*x);
    close(opposed.read().integrated_lufs, 0.0, 0.01, "anti-phase");
    let surround = Signal::new(48_000, 6).tones(20.0, 997.0, &[off, off, off, off, 0.0, off]);
    close(
        surround.read().integrated_lufs,
        -1.52,
        0.02,
        "left surround",
    );
    let above = Signal::stereo().tone(20.0, 997.0, 6.0);
    close(above.read().integrated_lufs, 6.0, 0.01, "above full scale");
}

#[test]
fn the_k_curve_of_bs_2217() {
    for (hz, db) in [
        (25.0, -11.916),
        (100.0, -21.176),
        (500.0, -22.351),
        (1000.0, -23.007),
        (2000.0, -25.380),
        (10_000.0, -26.351),
    ] {
        let read = Signal::stereo().tone(20.0, hz, db).read();
        close(read.integrated_lufs, -23.0, 0.01, &format!("{hz} Hz"));
    }
}

#[test]
fn gates_of_bs_2217() {
    let mut absolute = Signal::stereo().silence(0.8);
    for _ in 0..2 {
        absolute = tone(absolute, 0.5, -69.5).silence(0.5);
    }
    let absolute = tone(absolute, 0.5, -69.5).silence(0.7);
    close(absolute.read().integrated_lufs, -69.5, 0.1, "absolute gate");
    let relative = tone(tone(Signal::stereo().silence(0.5), 0.9, -19.9), 1.3, -7.1);
    let relative = tone(relative, 0.8, -19.9).silence(0.5);
    close(relative.read().integrated_lufs, -10.0, 0.1, "relative gate");
    assert_eq!(
        tone(Signal::stereo(), 20.0, -71.0).read().integrated_lufs,
        None
    );
}

#[test]
fn what_has_no_loudness_says_why() {
    let reason = |signal: &Signal, field: &str| signal.read().missing[field].clone();
    let silent = Signal::stereo().silence(5.0);
    assert_eq!(silent.read().integrated_lufs, None);
    assert!(reason(&silent, "integrated_lufs").contains("-70 LUFS"));
    assert!(reason(&silent, "true_peak_dbtp").contains("digital silence"));
    let empty = Signal::stereo();
    assert!(reason(&empty, "integrated_lufs").contains("no audio"));
    let short = tone(Signal::stereo(), 0.2, -23.0);
    assert!(reason(&short, "integrated_lufs").contains("0.200 s is shorter than the 400 ms"));
    assert!(short.read().true_peak_dbtp.is_some());
    let mut broken = tone(Signal::stereo(), 2.0, -23.0);
    broken.channels[1][12_345] = f32::NAN;
    let report = broken.report(&[span("clean", 1.0, 2.0)], 4096);
    assert_eq!(report.measurements.integrated_lufs, None);
    assert_eq!(report.measurements.non_finite_samples, 1);
    close(
        report.places.non_finite_s,
        12_345.0 / 48_000.0,
        0.01,
        "place",
    );
    close(
        report.regions[0].1.integrated_lufs,
        -23.0,
        0.1,
        "a clean region",
    );
    let slow = Signal::new(1234, 1).tone(3.0, 100.0, -20.0);
    assert!(reason(&slow, "integrated_lufs").contains("1234 Hz"));
    close(slow.read().rms_dbfs, -23.01, 0.01, "RMS");
}
