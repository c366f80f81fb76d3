//! Renders of small synthetic projects against what they must be.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;
use crate::audio::{BitDepth, FileFormat, Planar, Reader, WriteSpec, Writer};
use crate::fx;
use crate::project::{
    Envelope, EnvelopeKind, EnvelopePoint, Fade, Fx, Guid, Item, MidiEvent, MidiMessage,
    MidiSource, Project, Send, SendMode, Source, Take, Track,
};

const RATE: u32 = 48_000;

/// A project whose media live in a folder of their own.
struct Song {
    folder: TempDir,
    project: Project,
}

type Stereo = Vec<[f64; 2]>;

impl Song {
    fn new() -> Self {
        let mut project = Project::default();
        project.settings.sample_rate_hz = RATE;
        project.render.format = b"evaw\x20\x00\x01".to_vec();
        project.render.pattern = "mix".to_owned();
        project.render.tail_flags = 0;
        Self {
            folder: TempDir::new().unwrap(),
            project,
        }
    }

    fn write(&self, name: &str, rate: u32, channels: usize, frames: &[[f64; 2]]) {
        let spec = WriteSpec {
            format: FileFormat::Wav,
            bit_depth: BitDepth::Float32,
            sample_rate_hz: rate,
            channels,
        };
        let mut writer = Writer::create(self.folder.path().join(name), spec, true).unwrap();
        let sides: Vec<Vec<f64>> = (0..channels)
            .map(|side| frames.iter().map(|frame| frame[side]).collect())
            .collect();
        writer.write(&sides).unwrap();
        writer.finish().unwrap();
    }

    /// A track that plays a file from 0 on; returns its index.
    fn stem(&mut self, name: &str, frames: &[[f64; 2]]) -> usize {
        let file = format!("{name}.wav");
        self.write(&file, RATE, 2, frames);
        self.file_track(name, &file, frames.len() as f64 / f64::from(RATE))
    }

    fn file_track(&mut self, name: &str, file: &str, length_s: f64) -> usize {
        let item = Item {
            length_s,
            loop_source: false,
            takes: vec![Take {
                source: Source::Audio {
                    file: file.to_owned(),
                    kind: "WAVE".to_owned(),
                },
                ..Take::default()
            }],
            ..Item::default()
        };
        let index = self.track(name);
        self.edit(index).items.push(item);
        index
    }

    fn track(&mut self, name: &str) -> usize {
        self.project.tracks.push(Arc::new(Track {
            guid: Guid::from_seed(name),
            name: name.to_owned(),
            ..Track::default()
        }));
        self.project.tracks.len() - 1
    }

    fn edit(&mut self, index: usize) -> &mut Track {
        self.project.track_mut(index).unwrap()
    }

    fn item(&mut self, index: usize) -> &mut Item {
        &mut self.edit(index).items[0]
    }

    fn send(&mut self, from: usize, to: usize) -> &mut Send {
        let guid = |index: usize| self.project.tracks[index].guid;
        let send = Send::new(guid(from), Some(guid(to)));
        self.project.sends.push(send);
        self.project.sends.last_mut().unwrap()
    }

    fn plan(&self) -> Result<RenderPlan, RenderError> {
        plan(
            &self.project,
            &PlanInputs {
                project_name: "song",
                folder: self.folder.path(),
            },
        )
    }

    fn run_with(
        &self,
        threads: usize,
        segment_frames: usize,
    ) -> Result<Vec<RenderedFile>, RenderError> {
        run(
            &self.project,
            &self.plan()?,
            &RunOptions {
                threads,
                overwrite: true,
                cancel: &AtomicBool::new(false),
                progress: &|_| {},
                segment_frames,
                folder: self.folder.path(),
            },
        )
    }

    fn render(&self) -> Stereo {
        let files = self.run_with(2, 0).unwrap();
        read(&files[0].path)
    }

    fn error(&self) -> String {
        self.run_with(1, 0).unwrap_err().to_string()
    }

    /// Stems of the selected tracks by name.
    fn stems(&mut self, selected: &[usize]) -> Vec<Stereo> {
        for index in 0..self.project.tracks.len() {
            self.edit(index).selected = selected.contains(&index);
        }
        self.project.render.settings = 3;
        self.project.render.pattern = "stem $tracknumber".to_owned();
        let files = self.run_with(2, 0).unwrap();
        files.iter().map(|file| read(&file.path)).collect()
    }
}

fn read(path: &Path) -> Stereo {
    let mut reader = Reader::open(path).unwrap();
    let mut block = Planar::new(reader.facts().channels as usize, 4096);
    let mut frames = Vec::new();
    while reader.read(&mut block).unwrap() > 0 {
        let right = block.channels() - 1;
        for (l, r) in block.channel(0).iter().zip(block.channel(right)) {
            frames.push([f64::from(*l), f64::from(*r)]);
        }
    }
    frames
}

/// Noise on a 16-bit grid, so that every format holds it exactly.
fn noise(seed: u64, frames: usize) -> Stereo {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from((state >> 48) as i16) / 32_768.0 * 0.25
    };
    (0..frames).map(|_| [next(), next()]).collect()
}

fn constant(value: f64, frames: usize) -> Stereo {
    vec![[value; 2]; frames]
}

fn tone(hz: f64, rate: u32, frames: usize) -> Stereo {
    (0..frames)
        .map(|n| [0.5 * (TAU * hz * n as f64 / f64::from(rate)).sin(); 2])
        .collect()
}

fn impulse(at: usize, frames: usize) -> Stereo {
    let mut frames = constant(0.0, frames);
    frames[at] = [0.5; 2];
    frames
}

/// Largest difference, in dBFS; silence is -400.
fn difference_db(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    assert_eq!(a.len(), b.len(), "lengths");
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let worst = pairs.fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
    20.0 * worst.max(1e-20).log10()
}

/// Within the rounding of a 32-bit float file.
fn assert_close(a: &[[f64; 2]], b: &[[f64; 2]]) {
    let difference = difference_db(a, b);
    assert!(difference < -140.0, "differs by {difference} dBFS");
}

fn scaled(frames: &[[f64; 2]], left: f64, right: f64) -> Stereo {
    frames.iter().map(|f| [f[0] * left, f[1] * right]).collect()
}

fn sum(signals: &[Stereo]) -> Stereo {
    (0..signals[0].len())
        .map(|n| {
            signals
                .iter()
                .fold([0.0; 2], |acc, s| [acc[0] + s[n][0], acc[1] + s[n][1]])
        })
        .collect()
}

fn envelope(kind: EnvelopeKind, points: &[(f64, f64)]) -> Envelope {
    Envelope {
        kind,
        active: true,
        points: points
            .iter()
            .map(|&(time_s, value)| EnvelopePoint {
                time_s,
                value,
                shape: 0,
                tension: 0.0,
                selected: false,
            })
            .collect(),
        fader_scaling: false,
        raw: None,
    }
}

fn stock(name: &str) -> Fx {
    fx::find(name).expect(name).instantiate()
}

fn peak_at(frames: &[[f64; 2]]) -> usize {
    let peak = |f: &[f64; 2]| f[0].abs().max(f[1].abs());
    (0..frames.len())
        .max_by(|&a, &b| {
            peak(&frames[a])
                .total_cmp(&peak(&frames[b]))
                .then(b.cmp(&a))
        })
        .unwrap()
}

#[test]
fn one_stem_at_unity_is_its_source_bit_for_bit() {
    let mut song = Song::new();
    let source = noise(1, 20_000);
    song.stem("a", &source);
    assert_eq!(song.render(), source);
}

#[test]
fn faders_items_and_takes_scale() {
    let mut song = Song::new();
    let source = noise(2, 9_000);
    let a = song.stem("a", &source);
    song.edit(a).volume = 0.5;
    song.item(a).volume = 0.5;
    song.item(a).takes[0].volume = -0.25;
    song.project.master_mut().volume = 2.0;
    assert_close(&song.render(), &scaled(&source, -0.125, -0.125));
}

#[test]
fn two_stems_sum() {
    let mut song = Song::new();
    let (a, b) = (noise(3, 9_000), noise(4, 9_000));
    song.stem("a", &a);
    song.stem("b", &b);
    assert_close(&song.render(), &sum(&[a, b]));
}

#[test]
fn pan_polarity_and_mono_files() {
    let mut song = Song::new();
    let source = noise(5, 5_000);
    let a = song.stem("a", &source);
    song.edit(a).pan = -0.25;
    song.edit(a).phase_inverted = true;
    assert_close(&song.render(), &scaled(&source, -1.0, -0.75));
    song.project.render.channels = 1;
    let mono: Stereo = source
        .iter()
        .map(|f| [-0.5 * (f[0] + 0.75 * f[1]); 2])
        .collect();
    assert_close(&song.render(), &mono);
}

#[test]
fn a_send_adds_its_level_and_pre_fader_ignores_the_fader() {
    let mut song = Song::new();
    let source = noise(6, 6_000);
    let a = song.stem("a", &source);
    let bus = song.track("bus");
    song.send(a, bus).volume = 0.5;
    assert_close(&song.render(), &scaled(&source, 1.5, 1.5));
    song.edit(a).volume = 0.5;
    assert_close(&song.render(), &scaled(&source, 0.75, 0.75));
    for mode in [SendMode::PreFader, SendMode::PreFx] {
        song.project.sends[0].mode = mode;
        assert_close(&song.render(), &scaled(&source, 1.0, 1.0));
    }
    song.edit(a).main_send = false;
    assert_close(&song.render(), &scaled(&source, 0.5, 0.5));
    song.project.sends[0].muted = true;
    assert_close(&song.render(), &scaled(&source, 0.0, 0.0));
}

#[test]
fn send_channels_can_be_mapped() {
    let mut song = Song::new();
    let source = noise(7, 4_000);
    let a = song.stem("a", &source);
    song.edit(a).main_send = false;
    let bus = song.track("bus");
    // Channels 3/4 of the bus do not reach a two-channel master.
    song.send(a, bus).dest_channel = 2;
    song.edit(bus).channels = 4;
    assert_close(&song.render(), &scaled(&source, 0.0, 0.0));
    // The right channel alone, as mono to both sides.
    song.project.sends[0].dest_channel = 0;
    song.project.sends[0].source_channel = 1 | 1024;
    let right: Stereo = source.iter().map(|f| [f[1]; 2]).collect();
    assert_close(&song.render(), &right);
    // Mixed to the bus's left channel only.
    song.project.sends[0].source_channel = 0;
    song.project.sends[0].dest_channel = 1024;
    let left: Stereo = source.iter().map(|f| [0.5 * (f[0] + f[1]), 0.0]).collect();
    assert_close(&song.render(), &left);
}

#[test]
fn folders_sum_like_flat_tracks_and_mute_silences_children() {
    let mut song = Song::new();
    let folder = song.track("folder");
    let (a, b) = (noise(8, 7_000), noise(9, 7_000));
    song.stem("a", &a);
    let last = song.stem("b", &b);
    let flat = song.render();
    song.edit(folder).folder_depth = 1;
    song.edit(last).folder_depth = -1;
    assert_close(&song.render(), &flat);
    song.edit(folder).volume = 0.5;
    assert_close(&song.render(), &scaled(&sum(&[a, b]), 0.5, 0.5));
    song.edit(folder).muted = true;
    assert_close(&song.render(), &scaled(&flat, 0.0, 0.0));
}

#[test]
fn stems_sum_to_the_mix() {
    let mut song = Song::new();
    for (index, pan) in [-0.5, 0.0, 0.25].into_iter().enumerate() {
        let frames = noise(10 + index as u64, 8_000);
        let track = song.stem(&format!("t{index}"), &frames);
        song.edit(track).pan = pan;
        song.edit(track).volume = 0.3 + 0.1 * index as f64;
        song.edit(track).fx.push(stock("JS: Volume Adjustment"));
    }
    let mix = song.render();
    let stems = song.stems(&[0, 1, 2]);
    assert_eq!(stems.len(), 3);
    // Three files are rounded to float.
    assert!(difference_db(&sum(&stems), &mix) < -120.0);
}

#[test]
fn mute_and_solo_table() {
    // Tracks: folder { a, b }, c, bus; c sends to bus. Each plays its own constant.
    let audible = |set: &dyn Fn(&mut Song)| {
        let mut song = Song::new();
        for (name, level) in [
            ("folder", 0.0),
            ("a", 1.0),
            ("b", 2.0),
            ("c", 4.0),
            ("bus", 0.0),
        ] {
            song.stem(name, &constant(level / 64.0, 1_000));
        }
        song.edit(0).folder_depth = 1;
        song.edit(2).folder_depth = -1;
        song.send(3, 4).volume = 2.0;
        set(&mut song);
        (song.render()[500][0] * 64.0).round() as i32
    };
    // a is 1, b 2, c 4, c through the bus 8.
    assert_eq!(audible(&|_| {}), 15);
    assert_eq!(audible(&|s| s.edit(1).muted = true), 14);
    assert_eq!(audible(&|s| s.edit(3).muted = true), 3);
    assert_eq!(audible(&|s| s.edit(0).muted = true), 12);
    assert_eq!(audible(&|s| s.edit(1).solo = 1), 1);
    assert_eq!(audible(&|s| s.edit(0).solo = 2), 3);
    assert_eq!(audible(&|s| s.edit(3).solo = 1), 4);
    assert_eq!(audible(&|s| s.edit(3).solo = 2), 12);
    assert_eq!(audible(&|s| s.edit(4).solo = 2), 8);
    assert_eq!(
        audible(&|s| {
            s.edit(1).solo = 2;
            s.edit(3).solo_defeat = true;
        }),
        5
    );
    assert_eq!(
        audible(&|s| {
            s.edit(1).solo = 2;
            s.edit(1).muted = true;
        }),
        0
    );
    assert_eq!(audible(&|s| s.project.master_mut().muted = true), 0);
}

#[test]
fn volume_and_pan_envelopes_move_between_points() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.5, 48_000));
    song.edit(a).envelopes = vec![
        envelope(EnvelopeKind::Volume, &[(0.25, 0.0), (0.75, 1.0)]),
        // +1 is left.
        envelope(EnvelopeKind::Pan, &[(0.0, 1.0)]),
    ];
    let mix = song.render();
    for (frame, gain) in [(100, 0.0), (24_000, 0.5), (30_000, 0.75), (40_000, 1.0)] {
        // Inside a block the ramp is a line, so points between blocks bend it
        // by no more than one block's share.
        assert!((mix[frame][0] - 0.5 * gain).abs() < 1e-3, "{frame}");
        assert_eq!(mix[frame][1], 0.0);
    }
    song.edit(a).envelopes = vec![envelope(EnvelopeKind::Mute, &[(0.0, 0.0)])];
    assert_close(&song.render(), &constant(0.0, 48_000));
}

#[test]
fn a_volume_envelope_replaces_the_fader_outside_trim_mode() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.5, 1_000));
    song.edit(a).volume = 0.5;
    song.edit(a).envelopes = vec![envelope(EnvelopeKind::Volume, &[(0.0, 0.5)])];
    assert_close(&song.render(), &constant(0.125, 1_000));
    song.edit(a).automation_mode = 1;
    assert_close(&song.render(), &constant(0.25, 1_000));
}

#[test]
fn fades_start_and_end_an_item() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.5, 4_800));
    song.item(a).fade_in = Fade {
        length_s: 0.02,
        ..Fade::default()
    };
    song.item(a).fade_out = Fade {
        length_s: 1.0,
        // The automatic fade wins.
        auto_length_s: 0.01,
        ..Fade::default()
    };
    let mix = song.render();
    let gain = |n: usize| mix[n][0] / 0.5;
    assert_eq!(gain(0), 0.0);
    assert!((gain(480) - 0.5).abs() < 1e-6);
    assert_eq!(gain(960), 1.0);
    assert_eq!(gain(4_320), 1.0);
    assert!((gain(4_560) - 0.5).abs() < 1e-6);
}

#[test]
fn items_start_stop_loop_and_skip() {
    let mut song = Song::new();
    let source = noise(20, 1_000);
    let a = song.stem("a", &source);
    let second = 1.0 / f64::from(RATE);
    let item = song.item(a);
    item.position_s = 500.0 * second;
    item.length_s = 2_300.0 * second;
    item.loop_source = true;
    item.takes[0].start_offset_s = 300.0 * second;
    let mix = song.render();
    assert_eq!(mix.len(), 2_800);
    for (n, frame) in mix.iter().enumerate() {
        let expected = match n {
            0..500 => [0.0; 2],
            _ => source[(n - 500 + 300) % 1_000],
        };
        assert_eq!(*frame, expected, "{n}");
    }
    song.item(a).loop_source = false;
    let mix = song.render();
    assert_eq!(mix[1_199], source[999]);
    assert_eq!(mix[1_200], [0.0; 2]);
    song.item(a).muted = true;
    assert_close(&song.render(), &constant(0.0, 2_800));
}

#[test]
fn sections_can_be_reversed_and_channels_picked() {
    let mut song = Song::new();
    let source = noise(21, 20_000);
    let a = song.stem("a", &source);
    let second = 1.0 / f64::from(RATE);
    let inner = song.item(a).takes[0].source.clone();
    song.item(a).length_s = 12_000.0 * second;
    song.item(a).takes[0].source = Source::Section {
        start_s: 1_000.0 * second,
        length_s: 12_000.0 * second,
        reversed: true,
        source: Box::new(inner),
    };
    let mut expected: Stereo = source[1_000..13_000].to_vec();
    expected.reverse();
    assert_eq!(song.render(), expected);
    song.item(a).takes[0].channel_mode = 1;
    let swapped: Stereo = expected.iter().map(|f| [f[1], f[0]]).collect();
    assert_eq!(song.render(), swapped);
    song.item(a).takes[0].channel_mode = 4;
    let right: Stereo = expected.iter().map(|f| [f[1]; 2]).collect();
    assert_eq!(song.render(), right);
}

#[test]
fn a_mono_file_plays_on_both_sides() {
    let mut song = Song::new();
    let source = noise(22, 3_000);
    song.write("m.wav", RATE, 1, &source);
    song.file_track("m", "m.wav", 3_000.0 / f64::from(RATE));
    let expected: Stereo = source.iter().map(|f| [f[0]; 2]).collect();
    assert_eq!(song.render(), expected);
}

#[test]
fn a_44100_hz_stem_keeps_pitch_and_length_at_48000_hz() {
    let mut song = Song::new();
    song.write("t.wav", 44_100, 2, &tone(440.0, 44_100, 88_200));
    song.file_track("t", "t.wav", 2.0);
    let mix = song.render();
    assert_eq!(mix.len(), 96_000);
    let expected = tone(440.0, RATE, 96_000);
    // The kernel sees silence past both ends of the file.
    let difference = difference_db(&mix[200..95_800], &expected[200..95_800]);
    assert!(difference < -90.0, "{difference} dBFS");
}

#[test]
fn a_take_at_double_speed_without_preserved_pitch_is_an_octave_up() {
    let mut song = Song::new();
    song.stem("t", &tone(440.0, RATE, 48_000));
    let item = song.item(0);
    item.length_s = 0.5;
    item.takes[0].play_rate = 2.0;
    assert!(song.error().contains("keeping pitch"));
    song.item(0).takes[0].preserve_pitch = false;
    let mix = song.render();
    let expected = tone(880.0, RATE, 24_000);
    assert!(difference_db(&mix[200..23_800], &expected[200..23_800]) < -90.0);
}

#[test]
fn stereo_pan_with_a_law_keeps_the_centre() {
    let mut song = Song::new();
    let source = constant(0.5, 1_000);
    let a = song.stem("a", &source);
    song.edit(a).pan_law = Some(FRAC_1_SQRT_2);
    assert_close(
        &song.render(),
        &scaled(&source, FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    );
}

#[test]
fn threads_and_segments_never_change_bytes() {
    let mut song = Song::new();
    for index in 0..7 {
        let track = song.stem(&format!("t{index}"), &noise(30 + index, 30_000));
        song.edit(track).fx.push(stock("JS: Volume Adjustment"));
        song.edit(track).envelopes = vec![envelope(
            EnvelopeKind::Volume,
            &[(0.1, 0.2), (0.3, 0.9), (0.31, 0.1)],
        )];
    }
    let bus = song.track("bus");
    for index in 0..4 {
        song.send(index, bus).volume = 0.7;
    }
    song.send(5, 6).mode = SendMode::PreFx;
    let bytes = |threads, segment| {
        let files = song.run_with(threads, segment).unwrap();
        std::fs::read(&files[0].path).unwrap()
    };
    let one = bytes(1, 0);
    for (threads, segment) in [(2, 0), (1, 128), (2, 384), (3, 8_192)] {
        assert!(one == bytes(threads, segment), "{threads} {segment}");
    }
}

#[test]
fn bounds_tail_and_regions() {
    let mut song = Song::new();
    let source = noise(40, 48_000);
    song.stem("a", &source);
    song.project.render.bounds = 0;
    song.project.render.start_s = 0.25;
    song.project.render.end_s = 0.5;
    assert_eq!(song.render(), source[12_000..24_000]);
    song.project.render.tail_flags = 1;
    song.project.render.tail_ms = 100.0;
    let mix = song.render();
    assert_eq!(mix.len(), 12_000 + 4_800);
    assert!(mix[12_000..].iter().all(|frame| *frame == [0.0; 2]));

    song.project.render.bounds = 3;
    assert!(matches!(song.plan(), Err(RenderError::EmptyRange { .. })));
    for (number, name) in [(1, "Intro"), (2, "A/B: end.")] {
        song.project.markers.push(crate::project::Marker {
            number,
            name: name.to_owned(),
            position_s: f64::from(number) * 0.25,
            end_s: Some(f64::from(number) * 0.25 + 0.125),
            color: 0,
            guid: Guid::from_seed(name),
        });
    }
    assert!(matches!(song.plan(), Err(RenderError::NameClash { .. })));
    song.project.render.pattern = "$project/$regionnumber $region".to_owned();
    let files = song.run_with(2, 0).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|file| file.path.strip_prefix(song.folder.path()).unwrap())
        .collect();
    assert_eq!(
        names,
        [
            Path::new("song/1 Intro.wav"),
            Path::new("song/2 A_B_ end.wav")
        ]
    );
    assert_eq!(read(&files[1].path), source[24_000..30_000]);
}

#[test]
fn patterns_expand_and_unknown_wildcards_are_named() {
    let mut song = Song::new();
    song.stem("a", &constant(0.1, 4_800));
    let name = |song: &mut Song, pattern: &str| {
        song.project.render.pattern = pattern.to_owned();
        song.plan().map(|plan| {
            let path = plan.paths().next().unwrap().to_owned();
            let relative = path.strip_prefix(song.folder.path()).unwrap();
            relative.to_str().unwrap().to_owned()
        })
    };
    song.project.settings.title = "What? Now".to_owned();
    for (pattern, expected) in [
        ("$project", "song.wav"),
        ("$title", "What_ Now.wav"),
        ("$track $tracknumber", "Master 0.wav"),
        ("$tempo-$samplerate", "120-48000.wav"),
        ("$filenumber", "1.wav"),
        ("../x", "__/x.wav"),
        ("con", "_con.wav"),
        ("a. ", "a.wav"),
    ] {
        assert_eq!(name(&mut song, pattern).unwrap(), expected, "{pattern}");
    }
    let error = name(&mut song, "a $nonsense b").unwrap_err().to_string();
    assert!(error.contains("`$nonsense`"), "{error}");
    assert!(name(&mut song, " ").is_err());
}

#[test]
fn settings_outside_of_what_is_built_are_errors() {
    let mut song = Song::new();
    song.stem("a", &constant(0.1, 480));
    for bits in [8, 32, 64, 128, 4096] {
        song.project.render.settings = bits;
        assert!(
            matches!(song.plan(), Err(RenderError::Unsupported { .. })),
            "{bits}"
        );
    }
    song.project.render.settings = 3;
    assert!(matches!(song.plan(), Err(RenderError::EmptyRange { .. })));
    song.project.render.settings = 0;
    song.project
        .render
        .other
        .insert("RENDER_NORMALIZE".to_owned(), 1.0);
    assert!(song.error().contains("RENDER_NORMALIZE"));
    song.project.render.other.clear();
    song.project.render.channels = 0;
    assert!(matches!(song.plan(), Err(RenderError::OutOfRange { .. })));
    song.project.render.channels = 2;
    song.project.render.bounds = 2;
    assert!(matches!(song.plan(), Err(RenderError::EmptyRange { .. })));
}

#[test]
fn flac_and_fixed_point_wav_hold_the_source() {
    let mut song = Song::new();
    let source = noise(41, 10_000);
    song.stem("a", &source);
    for format in [&b"evaw\x18\x00\x01"[..], b"calf\x18\0\0\0\x05\0\0\0"] {
        song.project.render.format = format.to_vec();
        assert_close(&song.render(), &source);
    }
}

#[test]
fn clipped_samples_are_counted() {
    let mut song = Song::new();
    song.stem("a", &constant(0.75, 1_000));
    song.project.master_mut().volume = 2.0;
    song.project.render.format = b"evaw\x18\x00\x01".to_vec();
    let files = song.run_with(1, 0).unwrap();
    assert_eq!(files[0].clipped_samples, 2_000);
    assert_eq!(files[0].peak, 1.5);
}

#[test]
fn missing_and_broken_media_are_named() {
    let mut song = Song::new();
    song.file_track("Vox", "gone.wav", 1.0);
    let error = song.error();
    assert!(
        error.contains("`Vox`") && error.contains("gone.wav"),
        "{error}"
    );
    std::fs::write(song.folder.path().join("gone.wav"), b"no audio").unwrap();
    assert!(matches!(
        song.run_with(1, 0),
        Err(RenderError::UnreadableAudio { .. })
    ));
    // What nobody hears needs no file.
    song.edit(0).muted = true;
    assert!(song.run_with(1, 0).is_ok());
}

#[test]
fn unknown_plugins_are_errors_unless_they_do_not_run() {
    let mut song = Song::new();
    let source = noise(42, 2_000);
    let a = song.stem("a", &source);
    song.edit(a).fx.push(Fx {
        name: "VST3: Pro-Q 3 (FabFilter)".to_owned(),
        wet: 1.0,
        ..Fx::default()
    });
    let error = song.error();
    assert!(
        error.contains("Pro-Q 3") && error.contains("`a`"),
        "{error}"
    );
    song.edit(a).fx[0].bypassed = true;
    assert_eq!(song.render(), source);
    song.edit(a).fx[0].bypassed = false;
    song.edit(a).fx[0].offline = true;
    assert_eq!(song.render(), source);
    song.edit(a).fx[0].offline = false;
    song.edit(a).fx_enabled = false;
    assert_eq!(song.render(), source);
}

#[test]
fn loops_in_routing_are_named() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.1, 480));
    let (b, c) = (song.track("b"), song.track("c"));
    song.send(a, b);
    song.send(b, c);
    song.send(c, b);
    let error = song.error();
    assert!(error.contains("b -> c -> b"), "{error}");
    song.project.sends[2].muted = true;
    assert!(song.run_with(1, 0).is_ok());
}

#[test]
fn existing_targets_stay_unless_overwriting() {
    let mut song = Song::new();
    song.stem("a", &constant(0.1, 480));
    let target = song.folder.path().join("mix.wav");
    std::fs::write(&target, b"precious").unwrap();
    let result = run(
        &song.project,
        &song.plan().unwrap(),
        &RunOptions {
            threads: 1,
            overwrite: false,
            cancel: &AtomicBool::new(false),
            progress: &|_| {},
            segment_frames: 0,
            folder: song.folder.path(),
        },
    );
    assert!(matches!(result, Err(RenderError::TargetExists { .. })));
    assert_eq!(std::fs::read(&target).unwrap(), b"precious");
}

#[test]
fn a_cancelled_render_leaves_no_file_and_progress_rises() {
    let mut song = Song::new();
    song.stem("a", &constant(0.1, 100_000));
    let cancel = AtomicBool::new(false);
    let seen = std::sync::Mutex::new(Vec::new());
    let result = run(
        &song.project,
        &song.plan().unwrap(),
        &RunOptions {
            threads: 1,
            overwrite: false,
            cancel: &cancel,
            progress: &|share| {
                seen.lock().unwrap().push(share);
                cancel.store(share > 0.5, Ordering::Relaxed);
            },
            segment_frames: 0,
            folder: song.folder.path(),
        },
    );
    assert!(matches!(result, Err(RenderError::Cancelled)));
    let seen = seen.into_inner().unwrap();
    assert!(seen.is_sorted() && *seen.last().unwrap() < 0.7);
    let left: Vec<_> = std::fs::read_dir(song.folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the source: {left:?}");
}

/// An effect that looks ahead and, at its defaults, leaves quiet signals alone.
fn look_ahead() -> Fx {
    let fx = stock("ReaLimit");
    let setup = fx::Setup {
        sample_rate_hz: f64::from(RATE),
        bpm: 120.0,
    };
    let model = fx::model_of(&fx).unwrap();
    assert!(model.latency_frames(&fx, setup) > 0, "it must be late");
    fx
}

#[test]
fn an_impulse_stays_in_place_in_the_mix_and_in_every_stem() {
    let mut song = Song::new();
    let source = impulse(24_000, 30_000);
    let late = song.stem("late", &source);
    let plain = song.stem("plain", &source);
    let bus = song.track("bus");
    song.edit(late).fx = vec![look_ahead(), look_ahead()];
    song.edit(bus).fx = vec![look_ahead()];
    song.send(late, bus);
    song.send(plain, bus).mode = SendMode::PreFx;
    song.project.master_mut().fx.push(look_ahead());
    song.project.master_mut().volume = 0.25;
    for signal in std::iter::once(song.render()).chain(song.stems(&[late, plain, bus])) {
        assert_eq!(signal.len(), 30_000);
        assert_eq!(peak_at(&signal), 24_000);
        // All paths meet on one frame: nothing loud stands beside it.
        let beside = signal[..23_990].iter().chain(&signal[24_010..]).flatten();
        assert!(beside.fold(0.0_f64, |peak, x| peak.max(x.abs())) < 1e-3);
    }
}

#[test]
fn parallel_paths_of_different_latency_cancel() {
    let mut song = Song::new();
    let source = noise(50, 20_000);
    let a = song.stem("a", &scaled(&source, 0.25, 0.25));
    let b = song.stem("b", &scaled(&source, 0.25, 0.25));
    song.edit(a).fx.push(look_ahead());
    song.edit(b).phase_inverted = true;
    assert!(difference_db(&song.render(), &constant(0.0, 20_000)) < -100.0);
}

#[test]
fn a_side_chain_on_channels_3_and_4_reaches_the_compressor() {
    let mut song = Song::new();
    let pad = song.stem("pad", &constant(0.25, 48_000));
    let mut key = constant(0.0, 24_000);
    key.extend(tone(200.0, RATE, 24_000));
    let key = song.stem("key", &key);
    song.edit(key).main_send = false;
    let mut comp = stock("ReaComp");
    comp.params[0] = 0.02; // Threshold
    comp.params[1] = 0.2; // Ratio
    comp.params[8] = 2.0 / 1084.0; // Detector on auxiliary 1+2
    song.edit(pad).fx.push(comp);
    song.edit(pad).channels = 4;
    song.send(key, pad).dest_channel = 2;
    let mix = song.render();
    assert!((mix[20_000][0] - 0.25).abs() < 1e-6, "{}", mix[20_000][0]);
    assert!(mix[47_000][0] < 0.15, "{}", mix[47_000][0]);
}

#[test]
fn side_channels_wait_for_the_effect_on_the_main_ones() {
    let mut song = Song::new();
    let source = impulse(5_000, 10_000);
    let a = song.stem("a", &source);
    song.edit(a).main_send = false;
    let bus = song.track("bus");
    song.edit(bus).channels = 4;
    song.edit(bus).fx.push(look_ahead());
    song.send(a, bus).dest_channel = 2;
    song.project.master_mut().channels = 4;
    song.project.render.channels = 4;
    let files = song.run_with(1, 0).unwrap();
    let mut reader = Reader::open(&files[0].path).unwrap();
    let mut block = Planar::<f32>::new(4, 10_000);
    assert_eq!(reader.read(&mut block).unwrap(), 10_000);
    assert_eq!(block.channel(2)[5_000], 0.5);
    assert_eq!(block.channel(0)[5_000], 0.0);
}

#[test]
fn parameter_automation_moves_an_effect() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.25, 48_000));
    let mut volume = stock("JS: Volume Adjustment");
    let mut lane = envelope(EnvelopeKind::FxParam, &[(0.0, 0.0), (0.5, -6.0)]);
    lane.points[0].shape = 1;
    volume.envelopes.push(crate::project::FxEnvelope {
        param: 0,
        envelope: lane,
    });
    song.edit(a).fx.push(volume);
    let mix = song.render();
    assert!((mix[20_000][0] - 0.25).abs() < 1e-9);
    // The script's 6 dB are a factor of two.
    assert!((mix[40_000][0] - 0.125).abs() < 1e-6, "{}", mix[40_000][0]);
}

#[test]
fn bypass_wet_and_delta_can_be_automated() {
    let mut song = Song::new();
    let a = song.stem("a", &constant(0.25, 48_000));
    let mut volume = stock("JS: Volume Adjustment");
    volume.params[0] = -6.0;
    volume.bypassed = true;
    let own = volume.params.len();
    let mut lane = envelope(EnvelopeKind::FxParam, &[(0.0, 1.0), (0.5, 0.0)]);
    lane.points[0].shape = 1;
    volume.envelopes.push(crate::project::FxEnvelope {
        param: own,
        envelope: lane,
    });
    song.edit(a).fx.push(volume);
    let mix = song.render();
    assert!((mix[20_000][0] - 0.25).abs() < 1e-9);
    // The script's 6 dB are a factor of two.
    assert!((mix[40_000][0] - 0.125).abs() < 1e-6, "{}", mix[40_000][0]);
}

#[test]
fn neighbours_in_a_lane_group_never_change_a_track() {
    let mut song = Song::new();
    let mut tracks = Vec::new();
    for index in 0..5 {
        let track = song.stem(&format!("t{index}"), &noise(60 + index, 12_000));
        song.edit(track).fx = match index {
            0 | 3 => vec![stock("ReaEQ"), stock("ReaComp")],
            1 => vec![stock("ReaComp")],
            2 => vec![look_ahead(), stock("ReaComp")],
            _ => vec![],
        };
        if let Some(comp) = song
            .edit(track)
            .fx
            .last_mut()
            .filter(|fx| fx.name.contains("Comp"))
        {
            comp.params[0] = 0.01 * (index + 1) as f64;
            comp.params[1] = 0.1;
        }
        tracks.push(track);
    }
    let together = song.stems(&tracks);
    for (index, stem) in together.iter().enumerate() {
        assert!(*stem == song.stems(&[index])[0], "{index}");
    }
}

fn midi_track(song: &mut Song, name: &str, notes: &[(u64, u64)], length_ticks: u64) -> usize {
    let mut events: Vec<MidiEvent> = notes
        .iter()
        .flat_map(|&(on, off)| [(on, [0x90, 69, 100]), (off, [0x80, 69, 0])])
        .map(|(tick, message)| MidiEvent {
            tick,
            selected: false,
            muted: false,
            message: MidiMessage::Short(message),
        })
        .collect();
    events.sort_by_key(|event| event.tick);
    let index = song.track(name);
    song.edit(index).items.push(Item {
        length_s: 2.0,
        takes: vec![Take {
            source: Source::Midi(Arc::new(MidiSource {
                events,
                length_ticks,
                ..MidiSource::default()
            })),
            ..Take::default()
        }],
        ..Item::default()
    });
    index
}

/// What a track's instruments would get, with every track but 0 an instrument.
fn messages(song: &Song, node: usize) -> Vec<(i64, [u8; 3])> {
    let graph = graph::build(&song.project, &[song.project.tracks.len()]).unwrap();
    let stage = item::Stage {
        project: &song.project,
        folder: song.folder.path(),
        sample_rate_hz: RATE,
        start: 0,
        end: 96_000,
    };
    midi::gather(node, &graph, &stage, &|other| other != 0).unwrap()
}

#[test]
fn notes_fall_on_their_frames_and_loops_repeat_them() {
    // 120 bpm: a quarter note of 960 ticks is 24 000 frames.
    let mut song = Song::new();
    midi_track(&mut song, "m", &[(480, 960)], 1_920);
    let notes = messages(&song, 0);
    let frames: Vec<i64> = notes.iter().map(|&(frame, _)| frame).collect();
    assert_eq!(frames, [12_000, 24_000, 60_000, 72_000]);
    // A note that sounds past the item's end is switched off there.
    song.item(0).length_s = 0.4;
    song.item(0).position_s = 0.1;
    let notes = messages(&song, 0);
    assert_eq!(notes, [(16_800, [0x90, 69, 100]), (24_000, [0x80, 69, 0])]);
    // The offset is taken from the source, the tempo map is followed.
    song.item(0).length_s = 1.0;
    song.item(0).takes[0].start_offset_s = 0.125;
    assert_eq!(messages(&song, 0)[0].0, 10_800);
    song.project.tempo.bpm = 60.0;
    song.item(0).takes[0].start_offset_s = 0.0;
    assert_eq!(messages(&song, 0)[0].0, 4_800 + 24_000);
}

#[test]
fn midi_goes_along_sends_and_into_folders() {
    let mut song = Song::new();
    midi_track(&mut song, "m", &[(480, 960)], 1_920);
    let synth = song.track("synth");
    assert!(messages(&song, synth).is_empty());
    // Channel 1 becomes channel 3; no audio.
    let send = song.send(0, synth);
    send.source_channel = -1;
    send.midi_flags = 1 | 3 << 5;
    assert_eq!(messages(&song, synth)[0].1, [0x92, 69, 100]);
    song.project.sends[0].midi_flags = 31;
    assert!(messages(&song, synth).is_empty());
}

mod random_graphs {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    struct RandomTrack {
        depth: i32,
        volume: f64,
        pan: f64,
        flags: u8,
        solo: i32,
        effects: Vec<usize>,
        mode: i32,
        channels: u32,
    }

    fn track() -> impl Strategy<Value = RandomTrack> {
        (
            -2..=1_i32,
            0.0..2.0,
            -1.5..1.5,
            any::<u8>(),
            prop_oneof![8 => Just(0), 1 => Just(1), 1 => Just(2)],
            proptest::collection::vec(0..fx::models().len(), 0..3),
            prop_oneof![Just(0), Just(3), Just(5), Just(6)],
            1..4_u32,
        )
            .prop_map(
                |(depth, volume, pan, flags, solo, effects, mode, channels)| RandomTrack {
                    depth,
                    volume,
                    pan,
                    flags,
                    solo,
                    effects,
                    mode,
                    channels: channels * 2,
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Any routing renders to finite sound, the same for any number of
        /// threads and any segment size, or is a loop and says so.
        #[test]
        fn render_or_report(
            tracks in proptest::collection::vec(track(), 1..7),
            sends in proptest::collection::vec(
                (0..7_usize, 0..7_usize, 0..4_i32, -1..4_i32, 0..4_i32, any::<bool>()),
                0..8,
            ),
        ) {
            let mut song = Song::new();
            for (index, spec) in tracks.iter().enumerate() {
                let track = song.stem(&format!("t{index}"), &noise(index as u64 + 1, 1_500));
                let track = song.edit(track);
                track.folder_depth = spec.depth;
                track.volume = spec.volume;
                track.pan = spec.pan;
                track.muted = spec.flags & 7 == 7;
                track.main_send = spec.flags & 24 != 24;
                track.phase_inverted = spec.flags & 32 != 0;
                track.solo = spec.solo;
                track.channels = spec.channels;
                track.pan_mode = crate::project::PanMode::from_number(spec.mode);
                let effects = spec.effects.iter().map(|&index| fx::models()[index]);
                track.fx = effects
                    .filter(|model| model.kind == fx::Kind::Effect)
                    .map(|model| model.instantiate())
                    .collect();
            }
            for &(from, to, mode, source, dest, mono) in &sends {
                if from < tracks.len() && to < tracks.len() {
                    let send = song.send(from, to);
                    send.mode = SendMode::from_number(mode).unwrap_or(SendMode::PostFader);
                    send.source_channel = source;
                    send.dest_channel = dest;
                    send.mono = mono;
                    send.volume = 0.5;
                }
            }
            match song.run_with(1, 0) {
                Err(RenderError::FeedbackLoop { tracks }) => prop_assert!(tracks.len() > 1),
                Err(error) => prop_assert!(false, "{error}"),
                Ok(files) => {
                    let first = std::fs::read(&files[0].path).unwrap();
                    prop_assert!(read(&files[0].path).iter().flatten().all(|x| x.is_finite()));
                    song.run_with(2, 256).unwrap();
                    prop_assert!(first == std::fs::read(&files[0].path).unwrap());
                }
            }
        }
    }
}
