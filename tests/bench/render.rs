//! Offline rendering: 16 stereo stems with EQ and compressor each, two reverb
//! buses, EQ, compressor and limiter on the master.
//!
//! `cargo bench --bench render` times 20 seconds of the song per iteration.
//! With `RENDER_BENCH_SECONDS=300` it first renders a song of that length once
//! and says how many times faster than real time it was per CPU second, and
//! the peak of resident memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use reaper_batch::audio::{BitDepth, FileFormat, WriteSpec, Writer};
use reaper_batch::fx;
use reaper_batch::project::{Fx, Guid, Item, Project, Send, Source, Take, Track};
use reaper_batch::render::{PlanInputs, RunOptions, plan, run};

const RATE: u32 = 48_000;
const STEMS: usize = 16;

fn render(c: &mut Criterion) {
    if let Some(seconds) = seconds_asked_for() {
        report(seconds);
    }
    let seconds = 20;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = song(folder.path(), seconds);
    let mut group = c.benchmark_group("render");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(seconds * RATE)));
    for threads in [1, 2] {
        group.bench_function(format!("16 stems, {threads} threads"), |b| {
            b.iter(|| render_once(&project, folder.path(), threads));
        });
    }
    group.finish();
}

criterion_group!(benches, render);
criterion_main!(benches);

fn seconds_asked_for() -> Option<u32> {
    std::env::var("RENDER_BENCH_SECONDS").ok()?.parse().ok()
}

#[expect(
    clippy::print_stderr,
    reason = "a benchmark tells people what it measured"
)]
fn report(seconds: u32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let project = song(folder.path(), seconds);
    for threads in [1, 2] {
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        render_once(&project, folder.path(), threads);
        let wall_s = wall.elapsed().as_secs_f64();
        let real = f64::from(seconds);
        match cpu.zip(cpu_seconds()) {
            Some((before, after)) => eprintln!(
                "{threads} threads: {:.2} CPU s ({:.0} x real time), {wall_s:.2} s wall ({:.0} x)",
                after - before,
                real / (after - before),
                real / wall_s,
            ),
            None => eprintln!(
                "{threads} threads: {wall_s:.2} s wall ({:.0} x), CPU time unknown here",
                real / wall_s
            ),
        }
    }
    if let Some(kib) = peak_rss_kib() {
        eprintln!("peak resident memory: {:.1} MiB", kib as f64 / 1024.0);
    }
}

fn render_once(project: &Project, folder: &Path, threads: usize) {
    let inputs = PlanInputs {
        project_name: "song",
        folder,
    };
    let plan = plan(project, &inputs).expect("the plan is sound");
    run(
        project,
        &plan,
        &RunOptions {
            threads,
            overwrite: true,
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            segment_frames: 0,
            folder,
        },
    )
    .expect("the render succeeds");
}

/// The song; its stems are 24-bit files in `folder`.
fn song(folder: &Path, seconds: u32) -> Project {
    let mut project = Project::default();
    project.settings.sample_rate_hz = RATE;
    project.render.pattern = "mix".to_owned();
    project.render.format = b"evaw\x18\x00\x01".to_vec();
    project.render.tail_flags = 0;
    for stem in 0..STEMS {
        let name = format!("stem {stem}");
        let file = format!("stem{stem}.wav");
        write_stem(&folder.join(&file), stem as u64 + 1, seconds);
        let item = Item {
            length_s: f64::from(seconds),
            takes: vec![Take {
                source: Source::Audio {
                    file,
                    kind: "WAVE".to_owned(),
                },
                ..Take::default()
            }],
            ..Item::default()
        };
        project.tracks.push(Arc::new(Track {
            guid: Guid::from_seed(&name),
            name,
            volume: 0.3,
            pan: stem as f64 / 8.0 - 1.0,
            fx: vec![stock("ReaEQ"), compressor()],
            items: vec![item],
            ..Track::default()
        }));
    }
    for bus in 0..2 {
        let name = format!("reverb {bus}");
        let guid = Guid::from_seed(&name);
        project.tracks.push(Arc::new(Track {
            guid,
            name,
            volume: 0.5,
            fx: vec![stock("ReaVerbate")],
            ..Track::default()
        }));
        for stem in (bus..STEMS).step_by(2) {
            let mut send = Send::new(project.tracks[stem].guid, Some(guid));
            send.volume = 0.25;
            project.sends.push(send);
        }
    }
    project.master_mut().fx = vec![stock("ReaEQ"), compressor(), stock("ReaLimit")];
    project
}

fn stock(name: &str) -> Fx {
    let mut fx = fx::find(name).expect("a stock effect").instantiate();
    if name == "ReaEQ" {
        // Move every band off its neutral place.
        let model = fx::model_of(&fx).expect("it has a model");
        for index in 0..fx.params.len() {
            let (min, max, _) = model.param_range(&fx, index);
            fx.params[index] = (fx.params[index] + 0.05 * (max - min)).min(max);
        }
    }
    fx
}

fn compressor() -> Fx {
    let mut fx = stock("ReaComp");
    fx.params[0] = 0.1;
    fx
}

/// Decaying noise bursts over a quiet bed.
fn write_stem(path: &Path, seed: u64, seconds: u32) {
    let spec = WriteSpec {
        format: FileFormat::Wav,
        bit_depth: BitDepth::Int24,
        sample_rate_hz: RATE,
        channels: 2,
    };
    let mut writer = Writer::create(path, spec, true).expect("the folder is writable");
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut level = 0.0;
    let mut block = [vec![0.0; 4_800], vec![0.0; 4_800]];
    for tenth in 0..seconds * 10 {
        if (u64::from(tenth) + seed).is_multiple_of(5) {
            level = 0.5;
        }
        for n in 0..4_800 {
            for side in &mut block {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                side[n] = (state as f64 / u64::MAX as f64 - 0.5) * (0.02 + level);
            }
            level *= 0.9998;
        }
        writer.write(&block).expect("there is room");
    }
    writer.finish().expect("there is room");
}

/// User and system time of this process, where `/proc` tells it.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    // Fields 14 and 15 of proc(5), in ticks of 1/100 s.
    let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some((ticks(14)? + ticks(15)?) / 100.0)
}

fn peak_rss_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
