//! Moving the cursor to transients of selected items.
//!
//! REAPER does not publish how it finds transients; this is our own
//! approximation: a place where the level of 5 ms rises by 9 dB above the mean
//! of the 50 ms before, at least 60 ms after the last one and not more than
//! 40 dB below the loudest place of the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::audio::{Planar, Reader};
use crate::host::state::{Host, ItemAt};
use crate::project::Source;

/// Onsets of files in seconds, found once each.
#[derive(Debug, Default)]
pub(in crate::host) struct OnsetCache {
    known: BTreeMap<PathBuf, Vec<f64>>,
}

const WINDOW_S: f64 = 0.005;
const PAST_WINDOWS: usize = 10;
const RISE: f64 = 7.943; // 9 dB as energy
const FLOOR: f64 = 1e-4; // -40 dB as energy
const DISTANCE_WINDOWS: usize = 12;

/// To the next or previous transient of the items, when there is one.
pub(super) fn move_cursor(host: &mut Host, items: &[ItemAt], forward: bool) {
    let cursor = host.project.edit_cursor_s;
    let mut places: Vec<f64> = items
        .iter()
        .flat_map(|&at| onsets_of_item(host, at))
        .collect();
    places.sort_by(f64::total_cmp);
    let found = if forward {
        places.into_iter().find(|&place| place > cursor + 1e-6)
    } else {
        places
            .into_iter()
            .rev()
            .find(|&place| place < cursor - 1e-6)
    };
    if let Some(place) = found {
        host.set_cursor(place);
    }
}

/// Project times of the onsets that the item plays, once through its source.
fn onsets_of_item(host: &mut Host, at: ItemAt) -> Vec<f64> {
    let item = host.item(at);
    let Some(take) = item.take() else {
        return Vec::new();
    };
    if !matches!(take.source, Source::Audio { .. }) {
        return Vec::new();
    }
    let (start_s, end_s) = (item.position_s, item.end_s());
    let (offset_s, rate) = (take.start_offset_s, take.play_rate);
    let Some(file) = host.source_file(&take.source).map(PathBuf::from) else {
        return Vec::new();
    };
    let onsets = host
        .onsets
        .known
        .entry(file)
        .or_insert_with_key(|file| onsets_of_file(file).unwrap_or_default());
    onsets
        .iter()
        .map(|onset| start_s + (onset - offset_s) / rate)
        .filter(|&time| time >= start_s && time < end_s)
        .collect()
}

fn onsets_of_file(file: &Path) -> Option<Vec<f64>> {
    let mut reader = Reader::open(file).ok()?;
    let rate = f64::from(reader.facts().sample_rate);
    let channels = usize::try_from(reader.facts().channels).ok()?;
    let window = ((rate * WINDOW_S) as usize).max(1);
    let mut block: Planar = Planar::new(channels, window);
    let mut energies = Vec::new();
    while reader.read(&mut block).ok()? > 0 {
        let sum: f64 = block
            .iter()
            .flat_map(|channel| channel.iter())
            .map(|&sample| f64::from(sample) * f64::from(sample))
            .sum();
        energies.push(sum / (window * channels.max(1)) as f64);
    }
    let window_s = window as f64 / rate;
    Some(rises(&energies, window_s))
}

fn rises(energies: &[f64], window_s: f64) -> Vec<f64> {
    let loudest = energies.iter().copied().fold(0.0, f64::max);
    let mut last: Option<usize> = None;
    let mut onsets = Vec::new();
    for (index, &energy) in energies.iter().enumerate() {
        let past = &energies[index.saturating_sub(PAST_WINDOWS)..index];
        let mean = past.iter().sum::<f64>() / past.len().max(1) as f64;
        let apart = last.is_none_or(|last| index - last >= DISTANCE_WINDOWS);
        if apart && energy > loudest * FLOOR && energy > mean * RISE {
            onsets.push(index as f64 * window_s);
            last = Some(index);
        }
    }
    onsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_burst_after_silence_is_one_onset() {
        let mut energies = vec![1e-9; 200];
        for start in [40, 120] {
            for (index, energy) in energies[start..start + 20].iter_mut().enumerate() {
                *energy = 0.5_f64.powi(i32::try_from(index).unwrap_or(0));
            }
        }
        assert_eq!(rises(&energies, 0.005), [0.2, 0.6]);
    }

    #[test]
    fn a_steady_level_has_no_onset_but_its_start() {
        assert_eq!(rises(&[0.3; 100], 0.005), [0.0]);
        assert!(rises(&[0.0; 100], 0.005).is_empty());
    }
}
