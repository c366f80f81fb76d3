//! Real files with facts measured by other programs, where they are at hand.

use super::super::{FileReport, MeasureError, measure};
use crate::audio::tests::corpus;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that other readers refuse too.
const REFUSED: [&str; 7] = [
    "empty-file-0-bytes.mp3",
    "flac-invalid-streaminfo.flac",
    "fuzz-bad-fmt-37-bytes.wav",
    "s36-odd-width-3ch.wav",
    "truncated-13-bytes.wav",
    "truncated-before-data.wav",
    // Opus is not among the formats we read.
    "opus-mono.opus",
];

fn read(path: &Path) -> Result<FileReport, MeasureError> {
    measure(path, &[], &mut |_| {})
}

/// The cells of a table row.
fn cells(line: &str) -> Vec<&str> {
    line.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect()
}

/// What a table says about a file: channels, rate, seconds, LUFS, dBTP.
struct Row {
    file: PathBuf,
    channels: u32,
    rate: u32,
    seconds: f64,
    lufs: f64,
    dbtp: f64,
}

fn rows(folder: &Path) -> Vec<Row> {
    let text = fs::read_to_string(folder.join("INDEX.md")).expect("the index is text");
    let mut section = String::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            section = title.trim_end_matches('/').to_owned();
        } else if line.starts_with("## Odd") {
            section = "odd".to_owned();
        } else if line.starts_with("## Speech") {
            section = "speech".to_owned();
        }
        let cells = cells(line);
        let (format, lufs, dbtp) = match cells.as_slice() {
            [_, format, lufs, dbtp, _] => (*format, *lufs, *dbtp),
            [_, _, format, levels, _, _, _, _] => match levels.split_once(" / ") {
                Some((lufs, dbtp)) => (*format, lufs, dbtp),
                None => continue,
            },
            _ => continue,
        };
        let number = |text: &str| -> Option<f64> {
            text.split_whitespace()
                .next()
                .and_then(|word| word.parse().ok())
        };
        let parts: Vec<&str> = format.split(" / ").collect();
        let [_, channels, rate, seconds] = parts.as_slice() else {
            continue;
        };
        let (Some(channels), Some(rate), Some(seconds)) =
            (number(channels), number(rate), number(seconds))
        else {
            continue;
        };
        rows.push(Row {
            file: folder.join(&section).join(cells[0]),
            channels: channels as u32,
            rate: rate as u32,
            seconds,
            lufs: number(lufs).unwrap_or(f64::NAN),
            dbtp: number(dbtp).unwrap_or(f64::NEG_INFINITY),
        });
    }
    rows
}

#[test]
fn every_file_of_the_index_reads_as_others_read_it() {
    let Some(folder) = corpus() else { return };
    let rows = rows(&folder);
    assert!(rows.len() > 50, "{} rows were understood", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        let name = row
            .file
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default()
            .to_owned();
        if REFUSED.contains(&name.as_str()) {
            continue;
        }
        let report = match read(&row.file) {
            Ok(report) => report,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let file = &report.file;
        if (file.channels, file.sample_rate) != (row.channels, row.rate) {
            wrong.push(format!("{name}: {file:?}"));
        }
        // The header of the truncated file only wishes for 0.1 s; the index
        // counts the padding of MP3 encoders and of one Ogg stream, which
        // decoders leave out.
        let slack = match name.as_str() {
            "truncated-data-chunk.wav" => 0.1,
            "flac-inside-ogg-mono.ogg" => 0.03,
            _ if file.format == "mp3" => 0.16,
            _ => 0.001,
        };
        if (file.duration_s - row.seconds).abs() > slack {
            wrong.push(format!(
                "{name}: {} s for {} s",
                file.duration_s, row.seconds
            ));
        }
        let m = &report.measurements;
        // The index is rounded to 0.1, and its meter pads the end of a file.
        let lufs = m.integrated_lufs.unwrap_or(-70.0);
        if (lufs - row.lufs).abs() > 0.15 {
            wrong.push(format!("{name}: {lufs} LUFS for {}", row.lufs));
        }
        // Meters of true peak differ by 0.2 dB on clipped material.
        let dbtp = m.true_peak_dbtp.unwrap_or(f64::NEG_INFINITY);
        if dbtp != row.dbtp && (dbtp - row.dbtp).abs() > 0.35 && row.dbtp > -80.0 {
            wrong.push(format!("{name}: {dbtp} dBTP for {}", row.dbtp));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bad_files_give_named_errors() {
    let Some(folder) = corpus() else { return };
    for name in REFUSED {
        let error = read(&folder.join("odd").join(name))
            .expect_err(name)
            .to_string();
        assert!(error.contains(name), "{error}");
    }
    let error = |name: &str| {
        let error = read(&folder.join("odd").join(name)).expect_err(name);
        error.to_string()
    };
    assert!(error("empty-file-0-bytes.mp3").contains("empty"));
    assert!(error("opus-mono.opus").contains("Opus"));
    assert!(error("s36-odd-width-3ch.wav").contains("36-bit PCM"));
    assert!(error("truncated-before-data.wav").contains("no `data` chunk"));
}

#[test]
fn the_truncated_file_tells_both_counts() {
    let Some(folder) = corpus() else { return };
    let report = read(&folder.join("odd/truncated-data-chunk.wav")).expect("it can be read");
    let truncation = report.truncation().expect("it is truncated");
    assert_eq!(truncation.decoded_frames, 236);
    assert_eq!(truncation.declared_frames, 4410);
}

#[test]
fn a_header_cut_anywhere_never_panics() {
    let Some(folder) = corpus() else { return };
    let temp = tempfile::tempdir().expect("a folder");
    for name in [
        "rf64-data-size-ffffffff-s24-3ch.wav",
        "aifc-sowt-little-endian.aif",
        "wavex-f64-stereo-peak-chunk.wav",
        "mulaw-mono-8k.wav",
        "junk-bext-minf-chunks-s24.wav",
    ] {
        let bytes = fs::read(folder.join("odd").join(name)).expect("it is there");
        for end in 0..bytes.len().min(600) {
            let path = temp.path().join("cut");
            fs::write(&path, &bytes[..end]).expect("written");
            // Any answer will do, as long as it is one.
            let _ = read(&path);
            let mut flipped = bytes.clone();
            flipped[end] ^= 0xff;
            fs::write(&path, &flipped).expect("written");
            let _ = read(&path);
        }
    }
}

#[test]
fn damaged_compressed_files_never_panic() {
    let Some(folder) = corpus() else { return };
    let temp = tempfile::tempdir().expect("a folder");
    let path = temp.path().join("damaged");
    let mut state = 1u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for name in [
        "flac-s24-hits-0dBTP.flac",
        "same-audio-a.ogg",
        "mp3-xing-header.mp3",
        "mp3-mpeg2.5-12k.mp3",
        "flac-inside-ogg-mono.ogg",
    ] {
        let bytes = fs::read(folder.join("odd").join(name)).expect("it is there");
        for round in 0..40 {
            let mut damaged = bytes.clone();
            // Half of the hits go to the headers.
            for _ in 0..8 {
                let reach = if round % 2 == 0 { 400 } else { damaged.len() };
                let at = random(reach.min(damaged.len()));
                damaged[at] = random(256) as u8;
            }
            if round % 5 == 0 {
                damaged.truncate(random(bytes.len()));
            }
            fs::write(&path, &damaged).expect("written");
            let _ = read(&path);
        }
    }
}
