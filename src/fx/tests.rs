//! Checks that every model passes, and helpers for those of single plug-ins.

use super::*;
use crate::dsp::noise::Noise;
use crate::dsp::simd;
use crate::project::Fx;
use proptest::prelude::*;
use std::f64::consts::PI;

pub(crate) const SETUP: Setup = Setup {
    sample_rate_hz: 48_000.0,
    bpm: 120.0,
};

/// A sine in all lanes.
pub(crate) fn sine(hz: f64, amplitude: f64, frames: usize) -> Vec<Frame> {
    (0..frames)
        .map(|n| {
            let phase = 2.0 * PI * hz * n as f64 / SETUP.sample_rate_hz;
            [amplitude * phase.sin(); LANES]
        })
        .collect()
}

/// Noise that differs in every lane, with pauses.
pub(crate) fn noise(seed: u64, frames: usize) -> Vec<Frame> {
    let mut noise = Noise::new(seed);
    (0..frames)
        .map(|n| {
            let level = if n / 300 % 3 == 2 { 0.0 } else { 0.7 };
            [0.0; LANES].map(|_: f64| level * noise.sample())
        })
        .collect()
}

pub(crate) fn run(model: &Model, fx: &Fx, input: &[Frame]) -> Vec<Frame> {
    let mut group = new_group(model, SETUP, &[Some(fx)]).unwrap();
    let mut out = input.to_vec();
    group.process(&mut out, Some(&noise(99, input.len())));
    out
}

/// Response at one frequency, from the impulse response.
pub(crate) fn response_db(model: &Model, fx: &Fx, hz: f64) -> f64 {
    let mut impulse = vec![[0.0; LANES]; 48_000];
    impulse[0] = [1.0; LANES];
    let (mut re, mut im) = (0.0, 0.0);
    for (n, frame) in run(model, fx, &impulse).iter().enumerate() {
        let phase = 2.0 * PI * hz * n as f64 / SETUP.sample_rate_hz;
        re += frame[0] * phase.cos();
        im -= frame[0] * phase.sin();
    }
    20.0 * f64::hypot(re, im).log10()
}

/// Gain for a square wave of a level, after two seconds.
pub(crate) fn steady_gain_db(model: &Model, fx: &Fx, level_db: f64) -> f64 {
    let level = 10f64.powf(level_db / 20.0);
    let input: Vec<Frame> = (0..96_000)
        .map(|n| [if n / 24 % 2 == 0 { level } else { -level }; LANES])
        .collect();
    let out = run(model, fx, &input);
    20.0 * (out[95_990][0].abs() / level).log10()
}

/// A loader without files.
pub(crate) struct NoSamples;

impl SampleLoader for NoSamples {
    fn load(
        &self,
        _file: &str,
    ) -> Result<std::sync::Arc<Sample>, Box<dyn std::error::Error + Send + Sync>> {
        Err("there are no samples here".into())
    }
}

/// Plays events, by frame, in one block.
pub(crate) fn play(
    model: &Model,
    fx: &Fx,
    events: &[(usize, [u8; 3])],
    frames: usize,
) -> Vec<[f64; 2]> {
    play_with(model, fx, &NoSamples, events, frames)
}

pub(crate) fn play_with(
    model: &Model,
    fx: &Fx,
    samples: &dyn SampleLoader,
    events: &[(usize, [u8; 3])],
    frames: usize,
) -> Vec<[f64; 2]> {
    let mut out = vec![[0.0; 2]; frames];
    let events: Vec<NoteEvent> = events
        .iter()
        .map(|&(frame, message)| NoteEvent { frame, message })
        .collect();
    new_instrument(model, SETUP, fx, samples)
        .unwrap()
        .process(&events, &mut out);
    out
}

/// A little of everything a part can hold.
fn busy_part() -> Vec<NoteEvent> {
    let keys = [36, 42, 38, 46, 60, 64, 67, 42, 49, 127];
    let mut events = Vec::new();
    for n in 0..40 {
        let key = keys[n % keys.len()];
        events.push(NoteEvent {
            frame: 70 * n,
            message: [0x90, key, 40 + 2 * n as u8],
        });
        if n % 3 == 0 {
            events.push(NoteEvent {
                frame: 70 * n + 31,
                message: [0x80, key, 0],
            });
        }
        if n == 20 {
            events.push(NoteEvent {
                frame: 70 * n + 31,
                message: [0xe0, 0, 90],
            });
        }
    }
    events
}

fn instruments() -> impl Iterator<Item = &'static Model> {
    models()
        .iter()
        .copied()
        .filter(|model| model.kind == Kind::Instrument)
}

#[test]
fn instruments_do_not_hear_block_sizes_and_reset_to_new() {
    for model in instruments() {
        let mut fx = model.instantiate();
        if model.param_count(&fx) > 4 {
            fx.params[3] = 0.3;
        }
        let events = busy_part();
        let make = |fx: &Fx| new_instrument(model, SETUP, fx, &NoSamples).unwrap();
        let mut whole = vec![[0.0; 2]; 4000];
        let mut instrument = make(&fx);
        instrument.process(&events, &mut whole);
        instrument.reset();
        let mut again = vec![[0.0; 2]; 4000];
        instrument.process(&events, &mut again);
        assert!(whole == again, "{} after reset", model.name);
        for size in [1, 33, 128] {
            let mut instrument = make(&fx);
            let mut out = vec![[0.0; 2]; 4000];
            for (index, block) in out.chunks_mut(size).enumerate() {
                let from = index * size;
                let here: Vec<NoteEvent> = events
                    .iter()
                    .filter(|event| (from..from + block.len()).contains(&event.frame))
                    .map(|event| NoteEvent {
                        frame: event.frame - from,
                        ..*event
                    })
                    .collect();
                instrument.process(&here, block);
            }
            assert!(out == whole, "{} in blocks of {size}", model.name);
        }
        fx.bypassed = true;
        let mut silence = vec![[0.0; 2]; 4000];
        make(&fx).process(&events, &mut silence);
        assert!(
            silence.iter().flatten().all(|x| *x == 0.0),
            "{} bypassed",
            model.name
        );
    }
}

fn effects() -> impl Iterator<Item = &'static Model> {
    models()
        .iter()
        .copied()
        .filter(|model| model.kind == Kind::Effect)
}

/// Instances of a model that differ from each other and do something.
fn variants(model: &Model) -> [Fx; SLOTS] {
    let mut variants = std::array::from_fn(|_| model.instantiate());
    for (variant, fx) in variants.iter_mut().enumerate() {
        for (index, value) in fx.params.clone().into_iter().enumerate() {
            let (min, max, _) = model.param_range(fx, index);
            // Latency stays as it is: it decides who shares a group.
            if max - min < 300.0 && model.param_name(fx, index) != "Pre-comp" {
                let share = [0.0, 0.11, 0.31, 0.47][variant];
                let toward = if index % 2 == 0 { min } else { max };
                fx.params[index] = value + share * (toward - value);
            }
        }
    }
    variants[1].wet = 0.6;
    variants[2].delta = true;
    variants[3].bypassed = true;
    variants
}

fn group_of(model: &Model, slots: &[Fx; SLOTS]) -> Box<dyn Processor> {
    new_group(model, SETUP, &slots.each_ref().map(Some)).unwrap()
}

fn bits(frames: &[Frame]) -> Vec<[u64; LANES]> {
    frames.iter().map(|frame| frame.map(f64::to_bits)).collect()
}

#[test]
fn any_block_size_gives_the_same_bits() {
    for model in effects() {
        let slots = variants(model);
        let (input, aux) = (noise(1, 3000), noise(2, 3000));
        let mut whole = input.clone();
        group_of(model, &slots).process(&mut whole, Some(&aux));
        for size in [1, 7, 64, 128, 500] {
            let mut group = group_of(model, &slots);
            let mut out = input.clone();
            for (block, aux) in out.chunks_mut(size).zip(aux.chunks(size)) {
                group.process(block, Some(aux));
            }
            assert!(
                bits(&out) == bits(&whole),
                "{} in blocks of {size}",
                model.name
            );
        }
    }
}

#[test]
fn reset_is_as_new() {
    for model in effects() {
        let slots = variants(model);
        let mut group = group_of(model, &slots);
        let mut first = noise(3, 2000);
        group.process(&mut first, None);
        group.process(&mut noise(4, 777), None);
        group.reset();
        let mut second = noise(3, 2000);
        group.process(&mut second, None);
        assert!(bits(&first) == bits(&second), "{}", model.name);
    }
}

#[test]
fn silence_stays_silent() {
    for model in effects() {
        let mut group = group_of(model, &variants(model));
        let mut silence = vec![[0.0; LANES]; 5000];
        group.process(&mut silence, None);
        assert!(
            silence.iter().flatten().all(|x| *x == 0.0),
            "{}",
            model.name
        );
    }
}

#[test]
fn a_group_is_its_lone_slots_bit_for_bit() {
    for model in effects() {
        let slots = variants(model);
        let (input, aux) = (noise(5, 3000), noise(6, 3000));
        let mut together = input.clone();
        group_of(model, &slots).process(&mut together, Some(&aux));
        for (slot, fx) in slots.iter().enumerate() {
            let alone = |frames: &[Frame]| -> Vec<Frame> {
                let lanes =
                    |f: &Frame| [f[2 * slot], f[2 * slot + 1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                frames.iter().map(lanes).collect()
            };
            let mut out = alone(&input);
            let mut group = new_group(model, SETUP, &[Some(fx)]).unwrap();
            group.process(&mut out, Some(&alone(&aux)));
            let expected = alone(&together);
            assert!(bits(&out) == bits(&expected), "{} slot {slot}", model.name);
        }
    }
}

#[test]
fn latency_is_what_is_declared() {
    for model in effects() {
        let mut fx = model.instantiate();
        if let Some(index) =
            (0..model.param_count(&fx)).find(|&i| model.param_name(&fx, i) == "Pre-comp")
        {
            fx.params[index] = 0.02;
        }
        let group = new_group(model, SETUP, &[Some(&fx)]).unwrap();
        assert_eq!(
            group.latency_frames(),
            model.latency_frames(&fx, SETUP),
            "{}",
            model.name
        );
        let mut input = vec![[0.0; LANES]; 4000];
        input[100] = [0.25; LANES];
        let out = run(model, &fx, &input);
        let loudest = |frames: &[Frame]| {
            (0..frames.len()).max_by(|&a, &b| frames[a][0].abs().total_cmp(&frames[b][0].abs()))
        };
        assert_eq!(
            loudest(&out),
            Some(100 + group.latency_frames()),
            "{}",
            model.name
        );
        // The dry signal of a bypassed instance comes at the same time.
        fx.bypassed = true;
        assert_eq!(
            loudest(&run(model, &fx, &input)),
            Some(100 + group.latency_frames()),
            "{}",
            model.name
        );
    }
}

#[test]
fn both_instruction_sets_give_the_same_bits() {
    for model in effects() {
        let slots = variants(model);
        let input = noise(7, 3000);
        let (mut best, mut plain) = (input.clone(), input);
        group_of(model, &slots).process(&mut best, None);
        simd::force_plain(|| group_of(model, &slots).process(&mut plain, None));
        assert!(bits(&best) == bits(&plain), "{}", model.name);
    }
}

#[test]
fn a_saved_default_reads_back_and_is_not_written_again() {
    for model in models() {
        let fx = model.instantiate();
        let state = model.encode_state(&fx);
        let (params, config) = model.decode_state(&state).unwrap();
        for (index, (read, wrote)) in params.iter().zip(&fx.params).enumerate() {
            // Lists hold 32-bit floats.
            assert!(
                (read - wrote).abs() <= wrote.abs() * 1e-7,
                "{} {index}",
                model.name
            );
        }
        assert_eq!(params.len(), fx.params.len(), "{}", model.name);
        assert_eq!(config, fx.config, "{}", model.name);
        let whole = model.whole_state(&fx);
        let mut read = Fx {
            params,
            config,
            state: Some(std::sync::Arc::new(whole.clone())),
            ..fx
        };
        assert_eq!(model.whole_state(&read), whole, "{}", model.name);
        let Some(first) = read.params.first_mut() else {
            continue;
        };
        *first = 0.5 * *first + 0.01;
        assert_ne!(model.whole_state(&read), whole, "{}", model.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn extreme_parameters_give_numbers(
        model in 0..effects().count(),
        picks in prop::collection::vec(0..6_usize, 24),
        wet in -1.0..2.0_f64,
    ) {
        let model = effects().nth(model).unwrap();
        let mut fx = model.instantiate();
        fx.wet = wet;
        for index in 0..fx.params.len() {
            let (min, max, mid) = model.param_range(&fx, index);
            fx.params[index] = [min, max, mid, f64::NAN, 1e9, -1e9][picks[index % picks.len()]];
        }
        for _ in 0..2 {
            let out = run(model, &fx, &noise(8, 1500));
            prop_assert!(out.iter().flatten().all(|x| x.is_finite()), "{} {:?}", model.name, fx.params);
        }
    }

    #[test]
    fn extreme_instruments_give_numbers(
        model in 0..instruments().count(),
        picks in prop::collection::vec(0..6_usize, 26),
    ) {
        let model = instruments().nth(model).unwrap();
        let mut fx = model.instantiate();
        for index in 0..fx.params.len() {
            let (min, max, mid) = model.param_range(&fx, index);
            fx.params[index] = [min, max, mid, f64::NAN, 1e9, -1e9][picks[index % picks.len()]];
        }
        let mut out = vec![[0.0; 2]; 4000];
        new_instrument(model, SETUP, &fx, &NoSamples).unwrap().process(&busy_part(), &mut out);
        prop_assert!(out.iter().flatten().all(|x| x.is_finite()), "{} {:?}", model.name, fx.params);
    }

    #[test]
    fn any_bytes_are_a_state_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for model in models() {
            if let Some((params, _)) = model.decode_state(&bytes) {
                prop_assert!(params.iter().all(|value| !value.is_nan()));
            }
        }
        let _ = VstState::parse(&bytes);
    }
}
