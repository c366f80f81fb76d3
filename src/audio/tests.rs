//! Writing, reading back, seeking and resampling.

use super::*;
use std::{
    f64::consts::PI,
    fs,
    path::{Path, PathBuf},
};

/// The folder of real files, if it is at hand.
pub(crate) fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let root = root.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let folder = root.join("../shared/corpus/audio");
    if folder.join("INDEX.md").is_file() {
        return Some(folder);
    }
    skipped(&folder);
    None
}

#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn skipped(folder: &Path) {
    eprintln!("skipped: there is no corpus at {}", folder.display());
}

fn spec(
    format: FileFormat,
    bit_depth: BitDepth,
    sample_rate_hz: u32,
    channels: usize,
) -> WriteSpec {
    WriteSpec {
        format,
        bit_depth,
        sample_rate_hz,
        channels,
    }
}

fn sine(hz: f64, rate: u32, frames: usize, amplitude: f64) -> Vec<f64> {
    let turn = 2.0 * PI * hz / f64::from(rate);
    (0..frames)
        .map(|n| amplitude * (turn * n as f64).sin())
        .collect()
}

fn noise(frames: usize, seed: u32) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // 24 bits, so that they are exact in every format but the 16-bit ones.
        f64::from((state >> 8).cast_signed() - 8_388_608) / 8_388_608.0
    };
    (0..frames).map(|_| next()).collect()
}

fn write(path: &Path, spec: WriteSpec, channels: &[Vec<f64>]) {
    let mut writer = Writer::create(path, spec, false).expect("a new file");
    writer.write(channels).expect("room on the disk");
    writer.finish().expect("finished");
}

fn read(reader: &mut Reader) -> Vec<Vec<f32>> {
    let channels = reader.facts().channels as usize;
    let mut block = Planar::new(channels, 1000);
    let mut out = vec![Vec::new(); channels];
    while reader.read(&mut block).expect("sound") > 0 {
        for (out, channel) in out.iter_mut().zip(block.iter()) {
            out.extend_from_slice(channel);
        }
    }
    out
}

#[test]
fn what_is_written_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    for (index, (format, depth, channels)) in [
        (FileFormat::Wav, BitDepth::Int24, 2),
        (FileFormat::Wav, BitDepth::Float32, 1),
        (FileFormat::Flac, BitDepth::Int24, 2),
        (FileFormat::Wav, BitDepth::Int24, 1),
        (FileFormat::Wav, BitDepth::Int24, 6),
        (FileFormat::Flac, BitDepth::Int24, 6),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(index.to_string());
        // An odd count: 24-bit mono then needs a pad byte.
        let sound: Vec<Vec<f64>> = (0..channels).map(|c| noise(10_001, c as u32 + 1)).collect();
        write(&path, spec(format, depth, 44_100, channels), &sound);
        let mut reader = Reader::open(&path).expect("a sound file");
        let facts = reader.facts().clone();
        assert_eq!(facts.sample_rate, 44_100);
        assert_eq!(facts.frames, 10_001);
        assert_eq!(facts.bit_depth, Some(depth.bits()));
        assert_eq!(reader.layout(), &Layout::from_count(channels));
        for (written, read) in sound.iter().zip(read(&mut reader)) {
            assert!(
                written.iter().zip(&read).all(|(a, b)| *a as f32 == *b),
                "{format:?} {depth:?}"
            );
            assert_eq!(written.len(), read.len());
        }
        assert_eq!(reader.truncation(), None);
        let bytes = fs::metadata(&path).expect("it is there").len();
        assert!(
            format == FileFormat::Flac || bytes.is_multiple_of(2),
            "chunks are padded"
        );
    }
}

#[test]
fn sixteen_bits_are_dithered_and_do_not_depend_on_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let sound = [noise(5000, 1), noise(5000, 2)];
    let spec = spec(FileFormat::Wav, BitDepth::Int16, 48_000, 2);
    let mut files = Vec::new();
    for block in [5000, 1, 777, 1024] {
        let path = folder.path().join(block.to_string());
        let mut writer = Writer::create(&path, spec, false).expect("a new file");
        for start in (0..5000).step_by(block) {
            let end = (start + block).min(5000);
            let part: Vec<&[f64]> = sound.iter().map(|c| &c[start..end]).collect();
            writer.write(&part).expect("room");
        }
        writer.finish().expect("finished");
        files.push(fs::read(&path).expect("it is there"));
    }
    assert!(files.iter().all(|file| *file == files[0]));
    let mut reader = Reader::open(folder.path().join("1")).expect("a sound file");
    let back = read(&mut reader);
    let step = 1.0 / 32768.0;
    let off = sound[0]
        .iter()
        .zip(&back[0])
        .map(|(a, b)| (a - f64::from(*b)).abs());
    // Rounding by half a step and dither by one.
    assert!(off.fold(0.0, f64::max) <= 1.5 * step);
}

#[test]
fn a_file_appears_only_when_it_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mix.wav");
    let spec = spec(FileFormat::Wav, BitDepth::Int24, 48_000, 1);
    let files = || fs::read_dir(folder.path()).expect("a folder").count();
    let mut writer = Writer::create(&path, spec, false).expect("a new file");
    writer.write(&[vec![0.5; 100_000]]).expect("room");
    assert!(!path.exists());
    drop(writer);
    assert_eq!(files(), 0, "an abandoned file leaves nothing behind");
    write(&path, spec, &[vec![0.5; 10]]);
    assert_eq!(files(), 1);
    let error = Writer::create(&path, spec, false).expect_err("it exists");
    assert!(matches!(error, WriteError::Exists { .. }), "{error}");
    let mut writer = Writer::create(&path, spec, true).expect("overwriting is allowed");
    writer.write(&[vec![2.0, 0.0, -1.5]]).expect("room");
    assert_eq!(writer.clipped_samples(), 2);
    writer.finish().expect("finished");
    assert_eq!(Reader::open(&path).expect("a sound file").facts().frames, 3);
    let gone = folder.path().join("no/such/mix.wav");
    assert!(Writer::create(gone, spec, false).is_err());
    let float_flac = WriteSpec {
        format: FileFormat::Flac,
        bit_depth: BitDepth::Float32,
        ..spec
    };
    let error = Writer::create(folder.path().join("x.flac"), float_flac, false);
    assert!(
        error
            .expect_err("unsupported")
            .to_string()
            .contains("integers only")
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named() {
    let full = std::io::Error::from_raw_os_error(28);
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let error = writer::io_error(Path::new("mix.wav"), full);
    assert!(
        error.to_string().contains("the disk is full, `mix.wav`"),
        "{error}"
    );
}

#[test]
fn beyond_four_gibibytes_the_header_becomes_rf64() {
    let header = wav_header::WavHeader {
        float: true,
        bits: 32,
        channels: 8,
        sample_rate_hz: 96_000,
    };
    let (short, long) = (header.bytes(1000), header.bytes(200_000_000));
    assert_eq!((&short[..4], &long[..4]), (&b"RIFF"[..], &b"RF64"[..]));
    assert_eq!(short.len(), long.len());
    let data_bytes = 200_000_000 * 32u64;
    let mut cursor = std::io::Cursor::new(long.clone());
    let size = long.len() as u64 + data_bytes;
    let parsed = wav::parse(&mut cursor, size).expect("our own header");
    assert_eq!(parsed.frames, 200_000_000);
    assert_eq!(parsed.declared_frames, Some(200_000_000));
    assert_eq!(parsed.data_start, long.len() as u64);
}

#[test]
fn odd_files_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        Reader::open(&path).expect_err(name).to_string()
    };
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n";
    assert!(error("kick.wav", pointer).contains("`git lfs pull`"));
    assert!(error("empty.wav", b"").contains("is empty"));
    assert!(
        error("text.wav", b"just some words, nothing that sounds").contains("not a sound file")
    );
    assert!(error("short.wav", b"RIFF").contains("cut off"));
    let mut zero = wav_header::WavHeader {
        float: false,
        bits: 16,
        channels: 1,
        sample_rate_hz: 0,
    }
    .bytes(0);
    assert!(error("zero.wav", &zero).contains("sample rate is 0"));
    zero[12 + 36 + 8] = 0x02;
    zero[12 + 36 + 8 + 4..][..4].copy_from_slice(&48_000u32.to_le_bytes());
    assert!(error("adpcm.wav", &zero).contains("Microsoft ADPCM"));
    assert!(Reader::open(folder.path().join("none.wav")).is_err());
    assert!(Reader::open(folder.path()).is_err());
}

#[test]
fn streamed_and_truncated_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("whole.wav");
    let sound = noise(1000, 5);
    write(
        &path,
        spec(FileFormat::Wav, BitDepth::Int24, 48_000, 1),
        std::slice::from_ref(&sound),
    );
    let bytes = fs::read(&path).expect("it is there");
    let data = bytes
        .windows(4)
        .position(|w| w == b"data")
        .expect("a data chunk");
    let mut streamed = bytes.clone();
    streamed[4..8].fill(0xff);
    streamed[data + 4..data + 8].fill(0xff);
    let path = folder.path().join("streamed.wav");
    fs::write(&path, &streamed).expect("written");
    let mut reader = Reader::open(&path).expect("a sound file");
    assert_eq!(reader.declared_frames(), None);
    assert_eq!(read(&mut reader)[0].len(), 1000);
    let path = folder.path().join("cut.wav");
    fs::write(&path, &bytes[..data + 8 + 300]).expect("written");
    let mut reader = Reader::open(&path).expect("a sound file");
    assert_eq!(read(&mut reader)[0].len(), 100);
    let expected = Truncation {
        declared_frames: 1000,
        decoded_frames: 100,
    };
    assert_eq!(reader.truncation(), Some(expected));
}

#[test]
fn a_cut_flac_is_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("whole.flac");
    write(
        &path,
        spec(FileFormat::Flac, BitDepth::Int16, 44_100, 1),
        &[noise(50_000, 9)],
    );
    let bytes = fs::read(&path).expect("it is there");
    let path = folder.path().join("cut.flac");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
    let mut reader = Reader::open(&path).expect("the header is whole");
    let mut block = Planar::new(1, 4096);
    let result = loop {
        match reader.read(&mut block) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    assert!(result.is_err() || reader.truncation().is_some());
}

#[test]
fn seeking_is_exact() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, format) in [("a.wav", FileFormat::Wav), ("a.flac", FileFormat::Flac)] {
        let path = folder.path().join(name);
        let sound = noise(100_000, 3);
        write(
            &path,
            spec(format, BitDepth::Int24, 48_000, 1),
            std::slice::from_ref(&sound),
        );
        let mut reader = Reader::open(&path).expect("a sound file");
        let mut block = Planar::new(1, 10);
        for frame in [5usize, 4095, 4096, 99_991, 0, 50_000, 12_345, 99_999] {
            reader.seek(frame as u64).expect("within the file");
            let frames = reader.read(&mut block).expect("sound");
            assert_eq!(frames, 10.min(100_000 - frame));
            for (n, sample) in block.channel(0).iter().enumerate() {
                assert_eq!(*sample, sound[frame + n] as f32, "{name} at {frame} + {n}");
            }
        }
        reader.seek(1_000_000).expect("the end");
        assert_eq!(reader.read(&mut block).expect("the end"), 0);
    }
}

/// Everything a source gives, asked for in blocks.
fn pull(source: &mut Source, block: usize) -> Vec<f64> {
    let mut out = Planar::new(source.channels(), block);
    let mut all = Vec::new();
    while (all.len() as u64) < source.frames() {
        let got = source
            .read_at(all.len() as u64, block, &mut out)
            .expect("sound");
        all.extend_from_slice(&out.channel(0)[..got]);
    }
    all
}

#[test]
fn a_tone_keeps_its_pitch_length_and_phase_at_another_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    for (from, to) in [
        (44_100, 48_000),
        (48_000, 44_100),
        (96_000, 48_000),
        (48_000, 96_000),
        (22_050, 48_000),
    ] {
        let path = folder.path().join(format!("{from}-{to}.wav"));
        let sound = sine(440.0, from, 2 * from as usize, 0.5);
        write(
            &path,
            spec(FileFormat::Wav, BitDepth::Float32, from, 1),
            &[sound],
        );
        let mut source = Source::open(&path, to).expect("a sound file");
        assert_eq!(source.frames(), 2 * u64::from(to));
        let out = pull(&mut source, 512);
        let expected = sine(440.0, to, out.len(), 0.5);
        // Away from the ends, where the filter sees silence.
        let error = (4000..out.len() - 4000).map(|n| (out[n] - expected[n]).abs());
        let error = error.fold(0.0, f64::max);
        assert!(error < 1e-4, "{from} to {to} Hz: off by {error}");
    }
}

#[test]
fn samples_do_not_depend_on_order_or_block_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("noise.wav");
    write(
        &path,
        spec(FileFormat::Wav, BitDepth::Int24, 44_100, 1),
        &[noise(60_000, 8)],
    );
    for rate in [44_100, 48_000] {
        let whole = pull(
            &mut Source::open(&path, rate).expect("a sound file"),
            65_536,
        );
        for block in [1, 64, 1023] {
            let mut source = Source::open(&path, rate).expect("a sound file");
            assert_eq!(
                pull(&mut source, block),
                whole,
                "{rate} Hz in blocks of {block}"
            );
        }
        let mut source = Source::open(&path, rate).expect("a sound file");
        let mut out = Planar::new(1, 300);
        for position in [50_000usize, 10, 30_000, 30_300, 0, 4096, 59_900, 2_000_000] {
            let got = source
                .read_at(position as u64, 300, &mut out)
                .expect("sound");
            let expected = whole.get(position..).unwrap_or_default();
            let expected = &expected[..expected.len().min(300)];
            assert_eq!(&out.channel(0)[..got], expected, "{rate} Hz at {position}");
            assert!(out.channel(0)[got..].iter().all(|&x| x == 0.0));
        }
    }
}

#[test]
fn lengths_round_to_the_nearest_frame() {
    assert_eq!(resampled_frames(88_200, 44_100, 48_000), 96_000);
    assert_eq!(resampled_frames(1, 44_100, 48_000), 1);
    assert_eq!(resampled_frames(u64::MAX, 8000, 192_000), u64::MAX);
    assert!(Resampler::new(2, 0, 48_000).is_err());
    // Coprime rates make the shortest exact block huge.
    assert!(Resampler::new(1, 6_143_999, 6_143_998).is_err());
}

#[test]
fn lossy_files_seek_exactly_too() {
    let Some(folder) = corpus() else { return };
    for name in [
        "speech/librivox-sonnet.mp3",
        "odd/same-audio-a.ogg",
        "odd/mp3-xing-header.mp3",
        "odd/flac-inside-ogg-mono.ogg",
    ] {
        let mut reader = Reader::open(folder.join(name)).expect(name);
        let whole = read(&mut reader);
        let frames = whole[0].len();
        // The STREAMINFO of that stream counts 1105 frames more than it holds.
        let missing = if name.contains("flac") { 1105 } else { 0 };
        assert_eq!(reader.facts().frames, frames as u64 + missing, "{name}");
        let mut block = Planar::new(whole.len(), 500);
        for frame in [frames / 2, 0, 1153, frames / 3, frames - 100] {
            reader.seek(frame as u64).expect("within the file");
            let got = reader.read(&mut block).expect("sound");
            for (channel, whole) in block.iter().zip(&whole) {
                assert_eq!(channel, &whole[frame..frame + got], "{name} at {frame}");
            }
        }
    }
}

#[test]
fn the_length_of_an_mp3_is_known_before_it_is_read() {
    let Some(folder) = corpus() else { return };
    let path = folder.join("song-mdn-funk/drums.mp3");
    let mut reader = Reader::open(path).expect("a stem");
    let frames = read(&mut reader)[0].len() as u64;
    assert_eq!(reader.facts().frames, frames);
    assert_eq!(reader.truncation(), None);
}
