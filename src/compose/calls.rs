//! Bridge commands that put a score into the open project.

use serde_json::{Map, Value, json};

use super::{Part, Score};
use crate::bridge::Call;

/// Commands for an empty project: tempo, tracks, instruments, notes, regions.
///
/// Carrying them out again changes nothing: tracks are named by index, an
/// instrument is found before it is added, and a track's MIDI is replaced.
#[must_use]
pub fn calls(score: &Score) -> Vec<Call> {
    calls_at(score, 0)
}

/// The same for a project whose first `first_track` tracks are taken.
#[must_use]
pub fn calls_at(score: &Score, first_track: usize) -> Vec<Call> {
    let tracks = || {
        score
            .parts
            .iter()
            .enumerate()
            .map(|(i, part)| (first_track + i, part))
    };
    let mut calls = vec![
        Call::new("transport_set_bpm", json!({ "bpm": score.bpm })),
        Call::new(
            "transport_set_time_signature",
            json!({ "numerator": score.signature.0, "denominator": score.signature.1 }),
        ),
    ];
    // The bridge takes at most 50 tracks at a time.
    let named: Vec<Value> = tracks()
        .map(|(index, part)| json!({ "track_index": index, "name": part.name }))
        .collect();
    for chunk in named.chunks(50) {
        calls.push(Call::new("configure_tracks", json!({ "tracks": chunk })));
    }
    let chains: Vec<Value> = tracks()
        .map(|(index, part)| json!({ "track_index": index, "fx_chain": [fx_entry(part)] }))
        .collect();
    for chunk in chains.chunks(50) {
        calls.push(Call::new("setup_fx_chain", json!({ "tracks": chunk })));
    }
    for (index, part) in tracks() {
        calls.push(Call::new(
            "compose_single_track",
            json!({
                "track_data": track_data(score, index, part),
                "clear_existing": true,
            }),
        ));
    }
    let regions: Vec<Value> = score
        .sections
        .iter()
        .map(|section| {
            json!({
                "name": section.name,
                "is_region": true,
                "start": seconds(score, section.start_qn),
                "end": seconds(score, section.end_qn),
            })
        })
        .collect();
    for chunk in regions.chunks(200) {
        calls.push(Call::new("add_markers_batch", json!({ "markers": chunk })));
    }
    calls
}

/// Length of the song in quarter notes: the end of its last section.
#[must_use]
pub fn length_qn(score: &Score) -> f64 {
    score.sections.iter().map(|s| s.end_qn).fold(0.0, f64::max)
}

fn seconds(score: &Score, qn: f64) -> f64 {
    qn * 60.0 / score.bpm
}

fn fx_entry(part: &Part) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(part.instrument.fx));
    entry.insert("add_mode".to_owned(), json!("find_or_add"));
    let map = |pairs: Vec<(String, Value)>| Value::Object(pairs.into_iter().collect());
    if !part.instrument.config.is_empty() {
        let config = part.instrument.config.iter();
        entry.insert(
            "named_config".to_owned(),
            map(config.map(|(k, v)| (k.clone(), json!(v))).collect()),
        );
    }
    if !part.instrument.params.is_empty() {
        let params = part.instrument.params.iter();
        entry.insert(
            "params".to_owned(),
            map(params.map(|(k, v)| (k.clone(), json!(v))).collect()),
        );
    }
    Value::Object(entry)
}

fn track_data(score: &Score, index: usize, part: &Part) -> Value {
    let notes: Vec<Value> = part
        .notes
        .iter()
        .map(|note| {
            json!({
                "pitch": note.pitch,
                "velocity": note.velocity,
                "start": seconds(score, note.start_qn),
                "end": seconds(score, note.start_qn + note.length_qn),
                "channel": note.channel,
            })
        })
        .collect();
    json!({
        "track_index": index,
        "track_name": part.name,
        "position": 0.0,
        "length": seconds(score, length_qn(score)),
        "notes": notes,
    })
}
