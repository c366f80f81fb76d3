//! Cost of effects per block of four stereo tracks.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use reaper_batch::fx::{self, BLOCK, Frame, LANES, Setup};
use std::hint::black_box;

const SETUP: Setup = Setup {
    sample_rate_hz: 48_000.0,
    bpm: 120.0,
};

fn effects(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fx, one block of four stereo tracks");
    group.throughput(Throughput::Elements(BLOCK as u64));
    for name in ["ReaEQ", "ReaComp", "ReaLimit", "ReaVerbate", "ReaDelay"] {
        let Some(model) = fx::find(name) else {
            continue;
        };
        let mut instance = model.instantiate();
        match name {
            // Five bands that all do something.
            "ReaEQ" => {
                for band in 0..5 {
                    instance.params[3 * band + 1] = 0.3;
                }
                model.set_config(&mut instance, "BANDENABLED4", "1");
            }
            // A threshold that is passed and a knee.
            "ReaComp" => {
                instance.params[0] = 0.1;
                instance.params[14] = 0.25;
            }
            "ReaLimit" => instance.params[0] = 0.75,
            _ => {}
        }
        let slots = [Some(&instance); fx::SLOTS];
        let Ok(mut processor) = fx::new_group(model, SETUP, &slots) else {
            continue;
        };
        let input: Vec<Frame> = (0..BLOCK)
            .map(|n| std::array::from_fn(|lane| 0.5 * ((n * (lane + 3)) as f64 * 0.01).sin()))
            .collect();
        let mut block = vec![[0.0; LANES]; BLOCK];
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                block.copy_from_slice(&input);
                processor.process(black_box(&mut block), None);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, effects);
criterion_main!(benches);
