//! What must hold for any signal.

use super::{super::measure, Signal, close, span};
use proptest::prelude::*;

fn programme(seed: u32, rate: u32, channels: usize) -> Signal {
    Signal::new(rate, channels)
        .noise(0.7, 0.4, seed)
        .silence(0.21)
        .tone(1.3, 300.0 + f64::from(seed % 1000), -9.0)
        .noise(1.5, 0.1, seed + 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn readings_do_not_depend_on_the_block_size(
        seed in 1u32..1000,
        block in prop_oneof![Just(1usize), Just(7), Just(64), Just(441), Just(480), Just(1024), 1usize..9000],
        rate in prop_oneof![Just(44_100u32), Just(48_000), Just(22_050), Just(11_025), Just(96_000)],
        channels in 1usize..4,
    ) {
        let signal = programme(seed, rate, channels);
        let spans = [span("a", 0.0, 1.0), span("b", 0.5, 3.3)];
        let whole = signal.report(&spans, signal.frames());
        prop_assert_eq!(signal.report(&spans, block), whole);
    }

    #[test]
    fn gain_moves_every_level_alike(seed in 1u32..1000, db in -20.0f64..6.0) {
        let signal = programme(seed, 48_000, 2);
        let gain = 10f64.powf(db / 20.0) as f32;
        let (before, after) = (signal.read(), signal.map(|_, x| x * gain).read());
        let moved = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| b - a);
        // The gates move along as long as every block stays above -70 LUFS.
        for (what, before, after) in [
            ("I", before.integrated_lufs, after.integrated_lufs),
            ("S", before.max_short_term_lufs, after.max_short_term_lufs),
            ("TP", before.true_peak_dbtp, after.true_peak_dbtp),
            ("RMS", before.rms_dbfs, after.rms_dbfs),
        ] {
            close(moved(before, after), db, 0.001, what);
        }
        close(after.loudness_range_lu, before.loudness_range_lu.unwrap_or(f64::NAN), 0.001, "LRA");
    }

    #[test]
    fn swapping_and_flipping_channels_changes_nothing(seed in 1u32..1000) {
        let signal = programme(seed, 48_000, 2);
        let mut swapped = signal.clone();
        swapped.channels.reverse();
        let (a, b, c) = (signal.read(), swapped.read(), signal.map(|_, x| -x).read());
        prop_assert_eq!(a.integrated_lufs, b.integrated_lufs);
        prop_assert_eq!(a.true_peak_dbtp, b.true_peak_dbtp);
        prop_assert_eq!(a.integrated_lufs, c.integrated_lufs);
        prop_assert_eq!(a.true_peak_dbtp, c.true_peak_dbtp);
    }

    #[test]
    fn the_true_peak_is_never_below_the_samples(seed in 1u32..1000, rate in 8000u32..200_000) {
        let read = programme(seed, rate, 2).read();
        prop_assert!(read.true_peak_dbtp >= read.sample_peak_dbfs);
    }

    #[test]
    fn no_samples_make_it_panic(
        samples in prop::collection::vec(any::<f32>(), 0..3000),
        rate in prop_oneof![1u32..100, 100u32..10_000, 10_000u32..400_000],
    ) {
        let signal = Signal { rate, channels: vec![samples.clone(), samples] };
        let report = signal.report(&[span("r", 0.01, 0.02)], 512);
        let finite = signal.channels[0].iter().all(|x| x.is_finite());
        prop_assert_eq!(report.measurements.non_finite_samples > 0, !finite);
    }
}

#[test]
fn the_pruned_true_peak_is_the_full_one() {
    // A loud start prunes the rest of the file, but not a region of the rest.
    let loud = Signal::stereo().noise(0.5, 0.9, 3).noise(1.0, 0.1, 4);
    let quiet = Signal::stereo().noise(1.0, 0.1, 4);
    let report = loud.report(&[span("quiet", 0.5, 1.5)], 4096);
    let alone = quiet.read().true_peak_dbtp.expect("a signal");
    // The interpolator reaches 16 samples back into the loud part.
    let region = loud.report(&[span("quiet", 0.51, 1.5)], 4096).regions[0]
        .1
        .true_peak_dbtp;
    close(region, alone, 0.1, "region");
    assert!(
        report.measurements.true_peak_dbtp > report.regions[0].1.true_peak_dbtp.map(|x| x - 0.001)
    );
}

#[test]
fn a_file_twice_and_a_long_tail_read_the_same() {
    let once = Signal::stereo()
        .tone(10.0, 1000.0, -23.0)
        .tone(10.0, 1000.0, -20.0);
    let expected = once.read().integrated_lufs.expect("a signal");
    let mut twice = once.clone();
    for channel in &mut twice.channels {
        channel.extend_from_within(..);
    }
    close(twice.read().integrated_lufs, expected, 0.05, "twice");
    close(
        once.silence(30.0).read().integrated_lufs,
        expected,
        0.05,
        "with a tail",
    );
}

#[test]
fn the_rate_does_not_change_the_loudness() {
    let at = |rate: u32| {
        let signal = Signal::new(rate, 2)
            .tone(5.0, 440.0, -20.0)
            .tone(5.0, 6000.0, -26.0);
        signal.read().integrated_lufs
    };
    let expected = at(48_000).expect("a signal");
    for rate in [44_100, 88_200, 96_000, 192_000, 384_000] {
        close(at(rate), expected, 0.05, &format!("{rate} Hz"));
    }
}

#[test]
fn levels_stereo_and_silence_have_their_textbook_values() {
    let sine = Signal::stereo().tone(2.0, 1000.0, 0.0).read();
    close(sine.rms_dbfs, -3.01, 0.01, "RMS of a full-scale sine");
    close(sine.crest_db, 3.01, 0.01, "crest");
    close(sine.dc_offset, 0.0, 1e-6, "DC");
    close(sine.correlation, 1.0, 1e-9, "correlation");
    assert_eq!(sine.side_to_mid_db, None);
    let mut opposed = Signal::stereo().tone(2.0, 1000.0, -6.0);
    opposed.channels[1].iter_mut().for_each(|x| *x = -*x);
    close(opposed.read().correlation, -1.0, 1e-9, "anti-phase");
    let one_side = Signal::stereo().tones(2.0, 1000.0, &[-6.0, -26.0]).read();
    // Mid (1 + 0.1)/2, side (1 - 0.1)/2.
    close(
        one_side.side_to_mid_db,
        20.0 * (0.9f64 / 1.1).log10(),
        1e-3,
        "side to mid",
    );
    let gaps = Signal::stereo()
        .silence(0.5)
        .tone(1.0, 1000.0, -6.0)
        .silence(2.0)
        .tone(1.0, 1000.0, -6.0)
        .silence(0.25);
    let report = gaps.report(&[], 4096);
    close(report.measurements.silence_head_s, 0.5, 0.001, "head");
    close(report.measurements.silence_longest_s, 2.0, 0.001, "inside");
    close(report.measurements.silence_tail_s, 0.25, 0.001, "tail");
    close(report.places.silence_s, 1.5, 0.001, "place");
    assert_eq!(report.measurements.end_level_dbfs, None);
    let band = |name: &str| {
        let bands = &sine.bands_db;
        bands
            .iter()
            .find(|b| b.name == name)
            .and_then(|b| b.level_db)
    };
    close(band("mid"), 0.0, 0.01, "all energy is at 1 kHz");
    assert!(band("air").is_none_or(|db| db < -60.0));
}

#[test]
fn a_file_reads_like_its_samples() {
    use crate::audio::{BitDepth, FileFormat, WriteSpec, Writer};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mix.wav");
    let signal = programme(5, 48_000, 2);
    let spec = WriteSpec {
        format: FileFormat::Wav,
        bit_depth: BitDepth::Float32,
        sample_rate_hz: 48_000,
        channels: 2,
    };
    let mut writer = Writer::create(&path, spec, false).expect("a new file");
    let planes = signal.channels.iter();
    let planes: Vec<Vec<f64>> = planes
        .map(|c| c.iter().map(|&x| x.into()).collect())
        .collect();
    writer.write(&planes).expect("room");
    writer.finish().expect("finished");
    let spans = [span("middle", 1.0, 2.5)];
    let mut told = 0;
    let report = measure(&path, &spans, &mut |frames| told = frames).expect("it can be read");
    assert_eq!(report, signal.report(&spans, 999));
    assert_eq!(told, signal.frames() as u64);
    for (start_s, end_s) in [(-1.0, 1.0), (2.0, 2.0), (f64::NAN, 1.0)] {
        let error = measure(&path, &[span("odd", start_s, end_s)], &mut |_| {});
        assert!(error.expect_err("no length").to_string().contains("`odd`"));
    }
    let beyond = measure(&path, &[span("beyond", 50.0, 60.0)], &mut |_| {}).expect("a file");
    assert!(beyond.regions[0].1.missing["rms_dbfs"].contains("no audio"));
}
