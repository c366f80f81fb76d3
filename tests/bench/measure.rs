//! Our measuring pass beside the `ebur128` crate fed from the same reader.
//!
//! The crate is asked for all it has, once with momentary and short-term
//! loudness polled every 100 ms (their maxima need that) and once without.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ebur128::{EbuR128, Mode};
use reaper_batch::{
    audio::{BitDepth, FileFormat, Planar, Reader, WriteSpec, Writer},
    qc,
};
use std::{hint::black_box, path::Path};

const RATE_HZ: u32 = 48_000;
const SECONDS: usize = 60;

/// A dense stereo programme: noise bursts over a chord, close to full scale.
fn write_programme(path: &Path) {
    let spec = WriteSpec {
        format: FileFormat::Wav,
        bit_depth: BitDepth::Int24,
        sample_rate_hz: RATE_HZ,
        channels: 2,
    };
    let mut writer = Writer::create(path, spec, true).expect("a temporary file");
    let mut state = 1u32;
    for second in 0..SECONDS {
        let mut block = [const { Vec::new() }; 2];
        for n in 0..RATE_HZ as usize {
            let t = (second * RATE_HZ as usize + n) as f64 / f64::from(RATE_HZ);
            let beat = (-6.0 * (t * 2.0).fract()).exp();
            for (channel, samples) in block.iter_mut().enumerate() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let noise = f64::from(state.cast_signed()) / 2_147_483_648.0;
                let detune = 1.0 + channel as f64 * 0.003;
                let chord = (t * 110.0 * detune * std::f64::consts::TAU).sin()
                    + (t * 165.0 * std::f64::consts::TAU).sin();
                samples.push(0.3 * chord + 0.38 * beat * noise);
            }
        }
        writer.write(&block).expect("written");
    }
    writer.finish().expect("finished");
}

fn crate_pass(path: &Path, poll: bool) -> (f64, f64, f64) {
    let mut reader = Reader::open(path).expect("it is there");
    let mode = Mode::I | Mode::LRA | Mode::TRUE_PEAK;
    let mut meter = EbuR128::new(2, RATE_HZ, mode).expect("a meter");
    let mut block = Planar::new(2, RATE_HZ as usize / 10);
    let mut highest = f64::NEG_INFINITY;
    while reader.read(&mut block).expect("sound") > 0 {
        let planes: Vec<&[f32]> = block.iter().collect();
        meter.add_frames_planar_f32(&planes).expect("frames");
        if poll {
            highest = highest
                .max(meter.loudness_momentary().expect("momentary"))
                .max(meter.loudness_shortterm().expect("short-term"));
        }
    }
    let peak = (0..2)
        .map(|c| meter.true_peak(c).expect("peak"))
        .fold(0.0, f64::max);
    let integrated = meter.loudness_global().expect("integrated");
    (
        integrated,
        meter.loudness_range().expect("range"),
        peak.max(highest),
    )
}

fn read_only(path: &Path) -> u64 {
    let mut reader = Reader::open(path).expect("it is there");
    let mut block = Planar::new(2, 4096);
    while reader.read(&mut block).expect("sound") > 0 {
        black_box(&block);
    }
    reader.position()
}

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("programme.wav");
    write_programme(&path);
    let mut group = criterion.benchmark_group("measure");
    // One element is one second of stereo at 48 kHz: elements per second are
    // times real time.
    group.throughput(Throughput::Elements(SECONDS as u64));
    group.sample_size(10);
    group.bench_function("read only", |b| b.iter(|| read_only(&path)));
    group.bench_function("ours", |b| {
        b.iter(|| qc::measure(&path, &[], &mut |_| {}).expect("it can be read"))
    });
    group.bench_function("ebur128", |b| b.iter(|| crate_pass(&path, false)));
    group.bench_function("ebur128 polled", |b| b.iter(|| crate_pass(&path, true)));
    group.finish();
}

criterion_group!(measure, benches);
criterion_main!(measure);
