//! What a project is made from, looked at before a host starts: a broken stem
//! costs seconds, not a render.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::StepError;
use crate::audio::{Planar, Reader, Truncation};
use crate::job::{ProjectPlan, Source};
use crate::project::{self, Project, resolve_media, rpp};

/// Frames at the end of a file that are decoded to see whether it is whole.
const TAIL_FRAMES: u64 = 4096;

/// Checks everything that the source of a plan reads, and returns remarks on
/// what of it will not be heard.
///
/// # Errors
///
/// The first file that is missing, unreadable or cut off.
pub fn check(plan: &ProjectPlan) -> Result<Vec<String>, StepError> {
    let mut remarks = Vec::new();
    match &plan.source {
        Source::Empty => {}
        Source::Project(path) => check_project(path)?,
        Source::Stems(stems) => {
            for stem in stems {
                if !stem.file.is_file() {
                    return Err(StepError::MediaGone {
                        path: stem.file.clone(),
                    });
                }
                let channels = check_audio(&stem.file)?;
                if channels > 2 {
                    remarks.push(format!(
                        "{}: has {channels} channels, only the first two are played",
                        stem.track
                    ));
                }
            }
        }
    }
    Ok(remarks)
}

/// A project and the media that are heard in it.
fn check_project(path: &Path) -> Result<(), StepError> {
    if !path.is_file() {
        return Err(StepError::MediaGone {
            path: path.to_owned(),
        });
    }
    let bytes = std::fs::read(path).map_err(StepError::io("cannot read", path))?;
    let (parsed, _) = rpp::parse(&bytes).map_err(|source| StepError::BadProject {
        path: path.to_owned(),
        source,
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut seen = BTreeSet::new();
    for (track, file) in played(&parsed, folder) {
        if !seen.insert(file.clone()) {
            continue;
        }
        if !file.is_file() {
            return Err(StepError::MediaOffline {
                project: path.to_owned(),
                track: track.to_owned(),
                path: file,
            });
        }
        check_audio(&file)?;
    }
    Ok(())
}

/// Track name and file of every audio source that is heard: what is muted
/// needs no file.
fn played<'a>(
    parsed: &'a Project,
    folder: &'a Path,
) -> impl Iterator<Item = (&'a str, PathBuf)> + 'a {
    let heard = parsed.tracks.iter().filter(|track| !track.muted);
    heard.flat_map(move |track| {
        let items = track.items.iter().filter(|item| !item.muted);
        items.filter_map(move |item| {
            let take = item.takes.get(item.active_take)?;
            let file = audio_file(&take.source)?;
            Some((track.name.as_str(), resolve_media(file, folder)))
        })
    })
}

fn audio_file(source: &project::Source) -> Option<&str> {
    match source {
        project::Source::Audio { file, .. } => Some(file),
        project::Source::Section { source, .. } => audio_file(source),
        // Other kinds are the engine's to judge.
        _ => None,
    }
}

/// Channels of a sound file that opens and holds what its header promises.
/// Only the end is decoded, where jumping there is cheap.
fn check_audio(path: &Path) -> Result<u32, StepError> {
    let unreadable = |source| StepError::Media { source };
    let mut reader = Reader::open(path).map_err(unreadable)?;
    let channels = reader.facts().channels;
    let Some(declared_frames) = reader.declared_frames() else {
        return Ok(channels);
    };
    let cut = |decoded_frames| StepError::MediaCutOff {
        path: path.to_owned(),
        truncation: Truncation {
            declared_frames,
            decoded_frames,
        },
    };
    // WAV and AIFF: the bytes that are there tell.
    if reader.facts().frames < declared_frames {
        return Err(cut(reader.facts().frames));
    }
    if reader.facts().format == "flac" {
        // A cut packet may count as damaged or as the end.
        let reached = read_tail(&mut reader, declared_frames).unwrap_or(reader.position());
        if reached < declared_frames {
            return Err(cut(reached));
        }
    }
    Ok(channels)
}

/// The position that reading gets to.
fn read_tail(reader: &mut Reader, declared_frames: u64) -> Result<u64, crate::audio::ReadError> {
    reader.seek(declared_frames.saturating_sub(TAIL_FRAMES))?;
    let mut block = Planar::new(reader.facts().channels as usize, TAIL_FRAMES as usize);
    while reader.read(&mut block)? > 0 {}
    Ok(reader.position())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::{BitDepth, FileFormat, WriteSpec, Writer};

    #[test]
    fn a_cut_file_is_told_from_a_whole_one_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        for (format, name) in [(FileFormat::Wav, "a.wav"), (FileFormat::Flac, "a.flac")] {
            let path = folder.path().join(name);
            let spec = WriteSpec {
                format,
                bit_depth: BitDepth::Int16,
                channels: 1,
                sample_rate_hz: 48_000,
            };
            let mut writer = Writer::create(&path, spec, true).unwrap();
            let wave: Vec<f64> = (0..80_000)
                .map(|n| 0.5 * (f64::from(n) * 0.05).sin())
                .collect();
            writer.write(&[wave]).unwrap();
            writer.finish().unwrap();
            check_audio(&path).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            let error = check_audio(&path).unwrap_err();
            assert!(
                matches!(error, StepError::MediaCutOff { .. }),
                "{name}: {error}"
            );
        }
    }
}
