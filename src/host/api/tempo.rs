//! Tempo, metre, grid, and what a change of tempo moves.

use std::sync::Arc;

use super::{Entry, measures};
use crate::host::lua::{Answer, Call, answer};
use crate::host::state::{Area, Host};
use crate::project::{Source, TempoMap, TempoPoint};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AddTempoTimeSigMarker", add_point),
    ("CountTempoTimeSigMarkers", count),
    ("DeleteTempoTimeSigMarker", delete_point),
    ("FindTempoTimeSigMarker", find_point),
    ("GetProjectTimeOffset", time_offset),
    ("GetProjectTimeSignature", signature),
    ("GetProjectTimeSignature2", signature),
    ("GetSetProjectGrid", get_set_grid),
    ("GetTempoTimeSigMarker", get_point),
    ("Master_GetTempo", tempo),
    ("SetCurrentBPM", set_bpm),
    ("SetProjectGrid", set_grid),
    ("SetTempoTimeSigMarker", set_point),
    ("SnapToGrid", snap_to_grid),
    ("TimeMap2_GetDividedBpmAtTime", divided_bpm2),
    ("TimeMap2_GetNextChangeTime", next_change),
    ("TimeMap2_QNToTime", qn_to_time2),
    ("TimeMap2_beatsToTime", beats_to_time),
    ("TimeMap2_timeToBeats", time_to_beats),
    ("TimeMap2_timeToQN", time_to_qn2),
    ("TimeMap_GetDividedBpmAtTime", divided_bpm),
    ("TimeMap_GetMeasureInfo", measure_info),
    ("TimeMap_GetTimeSigAtTime", signature_at),
    ("TimeMap_QNToMeasures", qn_to_measures),
    ("TimeMap_QNToTime", qn_to_time),
    ("TimeMap_QNToTime_abs", qn_to_time2),
    ("TimeMap_timeToQN", time_to_qn),
    ("TimeMap_timeToQN_abs", time_to_qn2),
];

/// REAPER's limits of a tempo in quarter notes per minute.
const BPM: (f64, f64) = (2.0, 960.0);

fn count(c: &mut Call) -> Answer {
    answer![c.host.project.tempo.points.len()]
}

/// Beats per measure are those of the project settings, not of the map.
fn signature(c: &mut Call) -> Answer {
    let tempo = &c.host.project.tempo;
    answer![tempo.bpm, f64::from(tempo.signature.0)]
}

fn time_offset(_: &mut Call) -> Answer {
    answer![0.0]
}

fn tempo(c: &mut Call) -> Answer {
    let at = c.host.play_or_edit_position();
    answer![c.host.project.tempo.bpm_at(at)]
}

fn divided_bpm(c: &mut Call) -> Answer {
    let time = c.num(0);
    divided(c.host, time)
}

fn divided_bpm2(c: &mut Call) -> Answer {
    let time = c.num(1);
    divided(c.host, time)
}

/// Tempo per beat of the metre: twice the quarter-note tempo in x/8.
fn divided(host: &Host, time: f64) -> Answer {
    let tempo = &host.project.tempo;
    let unit = f64::from(tempo.signature_at(time).1);
    answer![tempo.bpm_at(time) * unit / 4.0]
}

fn next_change(c: &mut Call) -> Answer {
    let time = c.num(1);
    let points = &c.host.project.tempo.points;
    let next = points.iter().find(|point| point.time_s > time + 1e-9);
    answer![next.map_or(-1.0, |point| point.time_s)]
}

fn qn_to_time(c: &mut Call) -> Answer {
    answer![c.host.project.tempo.qn_to_time(c.num(0))]
}

fn qn_to_time2(c: &mut Call) -> Answer {
    answer![c.host.project.tempo.qn_to_time(c.num(1))]
}

fn time_to_qn(c: &mut Call) -> Answer {
    answer![c.host.project.tempo.time_to_qn(c.num(0))]
}

fn time_to_qn2(c: &mut Call) -> Answer {
    answer![c.host.project.tempo.time_to_qn(c.num(1))]
}

fn signature_at(c: &mut Call) -> Answer {
    let time = c.num(1);
    let tempo = &c.host.project.tempo;
    let (beats, unit) = tempo.signature_at(time);
    answer![beats, unit, tempo.bpm_at(time)]
}

fn time_to_beats(c: &mut Call) -> Answer {
    let tempo = &c.host.project.tempo;
    let qn = tempo.time_to_qn(c.num(1));
    let measure = measures::at_qn(tempo, qn);
    let per_qn = f64::from(measure.signature.1) / 4.0;
    answer![
        (qn - measure.start_qn) * per_qn,
        measure.number,
        measure.signature.0,
        qn * per_qn,
        measure.signature.1
    ]
}

fn beats_to_time(c: &mut Call) -> Answer {
    let (beats, measure) = (c.num(1), c.opt_int(2));
    let tempo = &c.host.project.tempo;
    let qn = match measure {
        None => beats * 4.0 / f64::from(tempo.signature_at(0.0).1),
        Some(number) => {
            let measure = measures::by_number(tempo, number);
            measure.start_qn + beats * 4.0 / f64::from(measure.signature.1)
        }
    };
    answer![tempo.qn_to_time(qn)]
}

fn measure_info(c: &mut Call) -> Answer {
    let tempo = &c.host.project.tempo;
    let measure = measures::by_number(tempo, c.int(1));
    let time = tempo.qn_to_time(measure.start_qn);
    answer![
        time,
        measure.start_qn,
        measure.end_qn,
        measure.signature.0,
        measure.signature.1,
        tempo.bpm_at(time)
    ]
}

fn qn_to_measures(c: &mut Call) -> Answer {
    let measure = measures::at_qn(&c.host.project.tempo, c.num(1));
    answer![measure.number + 1, measure.start_qn, measure.end_qn]
}

fn get_point(c: &mut Call) -> Answer {
    let tempo = &c.host.project.tempo;
    let Some(point) = c.index(1).and_then(|index| tempo.points.get(index)) else {
        return answer![false, 0.0, 0, 0.0, 0.0, 0, 0, false];
    };
    let qn = tempo.time_to_qn(point.time_s);
    let measure = measures::at_qn(tempo, qn);
    let beat = (qn - measure.start_qn) * f64::from(measure.signature.1) / 4.0;
    let (beats, unit) = point.signature.unwrap_or((0, 0));
    answer![
        true,
        point.time_s,
        measure.number,
        beat,
        point.bpm,
        beats,
        unit,
        point.linear
    ]
}

fn find_point(c: &mut Call) -> Answer {
    let time = c.num(1);
    let points = &c.host.project.tempo.points;
    let found = points.iter().rposition(|point| point.time_s <= time + 1e-9);
    answer![found.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
}

fn metre(beats: i64, unit: i64) -> Option<(u32, u32)> {
    let beats = u32::try_from(beats).ok()?;
    let unit = u32::try_from(unit).ok()?;
    ((1..=255).contains(&beats) && (1..=255).contains(&unit)).then_some((beats, unit))
}

fn add_point(c: &mut Call) -> Answer {
    let (time_s, bpm) = (c.num(1), c.num(2));
    let signature = metre(c.int(3), c.int(4));
    let linear = c.bool(5);
    place_point(c.host, None, time_s, bpm, signature, linear)
}

fn set_point(c: &mut Call) -> Answer {
    let (index, time, measure, beat) = (c.int(1), c.num(2), c.int(3), c.num(4));
    let (bpm, signature, linear) = (c.num(5), metre(c.int(6), c.int(7)), c.bool(8));
    let tempo = &c.host.project.tempo;
    let time_s = if measure >= 0 && time < 0.0 {
        let measure = measures::by_number(tempo, measure);
        let qn = measure.start_qn + beat.max(0.0) * 4.0 / f64::from(measure.signature.1);
        tempo.qn_to_time(qn)
    } else {
        time
    };
    let replaced = match index {
        -1 => None,
        index => match usize::try_from(index) {
            Ok(index) if index < tempo.points.len() => Some(index),
            _ => return answer![false],
        },
    };
    place_point(c.host, replaced, time_s, bpm, signature, linear)
}

/// Puts a point into the map in place of another; one at the same time is
/// replaced too.
fn place_point(
    host: &mut Host,
    replaced: Option<usize>,
    time_s: f64,
    bpm: f64,
    signature: Option<(u32, u32)>,
    linear: bool,
) -> Answer {
    if !time_s.is_finite() || time_s < 0.0 {
        return answer![false];
    }
    let mut points = host.project.tempo.points.clone();
    let old = replaced.map(|index| points.remove(index));
    points.retain(|point| (point.time_s - time_s).abs() > 1e-9);
    // A tempo that is not positive keeps what is in force there.
    let bpm = if bpm > 0.0 {
        bpm.clamp(BPM.0, BPM.1)
    } else {
        old.map_or_else(|| host.project.tempo.bpm_at(time_s), |point| point.bpm)
    };
    let place = points.partition_point(|point| point.time_s < time_s);
    points.insert(
        place,
        TempoPoint {
            time_s,
            bpm,
            signature,
            linear,
        },
    );
    retime(host, |map| map.points = points);
    answer![true]
}

fn delete_point(c: &mut Call) -> Answer {
    let index = c.index(1);
    let Some(index) = index.filter(|&index| index < c.host.project.tempo.points.len()) else {
        return answer![false];
    };
    retime(c.host, |map| {
        map.points.remove(index);
    });
    answer![true]
}

/// Without markers this is the project tempo, with markers the one in force
/// at the cursor.
fn set_bpm(c: &mut Call) -> Answer {
    let (bpm, want_undo) = (c.num(1), c.bool(2));
    if bpm.is_nan() || bpm <= 0.0 {
        return answer![];
    }
    let bpm = bpm.clamp(BPM.0, BPM.1);
    let at = c.host.play_or_edit_position();
    retime(c.host, |map| {
        let point = map
            .points
            .iter_mut()
            .rev()
            .find(|point| point.time_s <= at + 1e-9);
        match point {
            Some(point) => point.bpm = bpm,
            None => map.bpm = bpm,
        }
    });
    if want_undo {
        c.host.record("Change project tempo");
    }
    answer![]
}

/// Changes the tempo map and keeps items, markers, envelope points and the
/// time selection at their beats, as the default time base does. Audio keeps
/// its length, MIDI its beats. Later tempo points keep their seconds.
fn retime(host: &mut Host, change: impl FnOnce(&mut TempoMap)) {
    let old = host.project.tempo.clone();
    let mut new = old.clone();
    change(&mut new);
    if new == old {
        return;
    }
    let moved = |time_s: f64| new.qn_to_time(old.time_to_qn(time_s));
    for track in &mut host.project.tracks {
        let has_points = track.envelopes.iter().any(|lane| !lane.points.is_empty())
            || track.fx.iter().any(|fx| !fx.envelopes.is_empty());
        if track.items.is_empty() && !has_points {
            continue;
        }
        let track = Arc::make_mut(track);
        for item in &mut track.items {
            // 0 is the time base "time": the item stays where it is.
            if item.other.get("C_BEATATTACHMODE") == Some(&0.0) {
                continue;
            }
            let end_s = moved(item.end_s());
            item.position_s = moved(item.position_s);
            let is_midi = item
                .take()
                .is_some_and(|take| matches!(take.source, Source::Midi(_)));
            if is_midi {
                item.length_s = end_s - item.position_s;
            }
        }
        let lanes = track.envelopes.iter_mut().chain(
            track
                .fx
                .iter_mut()
                .flat_map(|fx| fx.envelopes.iter_mut().map(|lane| &mut lane.envelope)),
        );
        for point in lanes.flat_map(|lane| &mut lane.points) {
            point.time_s = moved(point.time_s);
        }
    }
    for marker in &mut host.project.markers {
        marker.position_s = moved(marker.position_s);
        marker.end_s = marker.end_s.map(moved);
    }
    let (start, end) = host.project.time_selection_s;
    host.project.time_selection_s = (moved(start), moved(end));
    host.project.tempo = new;
    host.touch(Area::Rest);
    host.touch(Area::Items);
}

fn set_grid(c: &mut Call) -> Answer {
    let division = c.num(1);
    if division > 0.0 && division.is_finite() {
        c.host.project.settings.grid = division;
        c.host.touch(Area::Rest);
    }
    answer![]
}

/// Flags (none), division, swing mode, swing amount; swing is not kept.
fn get_set_grid(c: &mut Call) -> Answer {
    if c.bool(1)
        && let Some(division) = c.opt_num(2).filter(|division| *division > 0.0)
    {
        c.host.project.settings.grid = division;
        c.host.touch(Area::Rest);
    }
    answer![0, c.host.project.settings.grid, 0, 0.0]
}

fn snap_to_grid(c: &mut Call) -> Answer {
    let time = c.num(1);
    let tempo = &c.host.project.tempo;
    let step_qn = c.host.project.settings.grid * 4.0;
    let qn = (tempo.time_to_qn(time) / step_qn).round() * step_qn;
    answer![tempo.qn_to_time(qn)]
}
