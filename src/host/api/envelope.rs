//! Automation lanes of tracks and of their effects.
//!
//! Volume lanes hold amplitudes; with fader scaling the API shows them on the
//! fader's scale, as REAPER does.

use super::{Entry, fader};
use crate::host::lua::{Answer, Call, EnvelopeId, Fail, Object, Out, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::{Envelope, EnvelopeKind, EnvelopePoint, FxEnvelope};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("CountEnvelopePoints", count_points),
    ("CountEnvelopePointsEx", count_points),
    ("CountTrackEnvelopes", count),
    ("DeleteEnvelopePointEx", delete_point),
    ("DeleteEnvelopePointRange", delete_range),
    ("DeleteEnvelopePointRangeEx", delete_range_ex),
    ("Envelope_Evaluate", evaluate),
    ("Envelope_GetParentTrack", parent_track),
    ("Envelope_SortPoints", sort),
    ("Envelope_SortPointsEx", sort),
    ("GetEnvelopeName", name),
    ("GetEnvelopePoint", get_point),
    ("GetEnvelopePointByTime", point_by_time),
    ("GetEnvelopePointEx", get_point_ex),
    ("GetEnvelopeScalingMode", scaling_mode),
    ("GetFXEnvelope", fx_envelope),
    ("GetTrackEnvelope", get),
    ("GetTrackEnvelopeByChunkName", by_chunk_name),
    ("GetTrackEnvelopeByName", by_name),
    ("InsertEnvelopePoint", insert_point),
    ("InsertEnvelopePointEx", insert_point_ex),
    ("ScaleFromEnvelopeMode", scale_from),
    ("ScaleToEnvelopeMode", scale_to),
    ("SetEnvelopePoint", set_point),
    ("SetEnvelopePointEx", set_point_ex),
];

/// Kinds with the names people see and those of the project file.
const KINDS: [(EnvelopeKind, &str, &str); 8] = [
    (EnvelopeKind::Volume, "Volume", "VOLENV2"),
    (EnvelopeKind::VolumePreFx, "Volume (Pre-FX)", "VOLENV"),
    (EnvelopeKind::VolumeTrim, "Trim Volume", "VOLENV3"),
    (EnvelopeKind::Pan, "Pan", "PANENV2"),
    (EnvelopeKind::PanPreFx, "Pan (Pre-FX)", "PANENV"),
    (EnvelopeKind::Width, "Width", "WIDTHENV2"),
    (EnvelopeKind::WidthPreFx, "Width (Pre-FX)", "WIDTHENV"),
    (EnvelopeKind::Mute, "Mute", "MUTEENV"),
];

/// Where a lane is: a track, and a lane of its own or of an effect.
#[derive(Debug, Clone, Copy)]
struct At {
    track: TrackAt,
    lane: Lane,
}

#[derive(Debug, Clone, Copy)]
enum Lane {
    Track(usize),
    Fx(usize, usize),
}

fn find(host: &Host, object: Object) -> Option<At> {
    let Object::Envelope(guid, id) = object else {
        return None;
    };
    let track = match guid {
        None => TrackAt::Master,
        Some(guid) => TrackAt::Index(host.project.track_index(guid)?),
    };
    let data = host.track(track);
    let lane = match id {
        EnvelopeId::Track(kind) => Lane::Track(
            data.envelopes
                .iter()
                .position(|lane| lane.kind as u8 == kind)?,
        ),
        EnvelopeId::Fx(guid, param) => {
            let fx = data.fx.iter().position(|fx| fx.guid == guid)?;
            let lanes = &data.fx[fx].envelopes;
            Lane::Fx(fx, lanes.iter().position(|lane| lane.param == param)?)
        }
    };
    Some(At { track, lane })
}

/// A lane that lives still, for `ValidatePtr2`.
pub(super) fn exists(host: &Host, object: Object) -> bool {
    find(host, object).is_some()
}

fn at(c: &Call) -> Result<At, Fail> {
    c.object(0)
        .and_then(|object| find(c.host, object))
        .ok_or(Fail::Argument {
            index: 1,
            expected: "TrackEnvelope*",
        })
}

fn lane(host: &Host, at: At) -> &Envelope {
    let track = host.track(at.track);
    match at.lane {
        Lane::Track(index) => &track.envelopes[index],
        Lane::Fx(fx, index) => &track.fx[fx].envelopes[index].envelope,
    }
}

fn lane_mut(host: &mut Host, at: At) -> &mut Envelope {
    host.touch(Area::Rest);
    let track = host.track_mut(at.track);
    match at.lane {
        Lane::Track(index) => &mut track.envelopes[index],
        Lane::Fx(fx, index) => &mut track.fx[fx].envelopes[index].envelope,
    }
}

fn pointer(host: &mut Host, at: At) -> Out {
    let track = host.track(at.track);
    let id = match at.lane {
        Lane::Track(index) => EnvelopeId::of(track.envelopes[index].kind),
        Lane::Fx(fx, index) => {
            EnvelopeId::Fx(track.fx[fx].guid, track.fx[fx].envelopes[index].param)
        }
    };
    let guid = match at.track {
        TrackAt::Master => None,
        TrackAt::Index(_) => Some(track.guid),
    };
    host.pointer(Object::Envelope(guid, id))
}

/// All lanes of a track: its own, then those of its effects.
fn lanes(host: &Host, track: TrackAt) -> Vec<At> {
    let data = host.track(track);
    let own = (0..data.envelopes.len()).map(Lane::Track);
    let of_fx = data
        .fx
        .iter()
        .enumerate()
        .flat_map(|(fx, data)| (0..data.envelopes.len()).map(move |index| Lane::Fx(fx, index)));
    own.chain(of_fx).map(|lane| At { track, lane }).collect()
}

fn count(c: &mut Call) -> Answer {
    let track = c.track(0)?;
    answer![lanes(c.host, track).len()]
}

fn get(c: &mut Call) -> Answer {
    let (track, index) = (c.track(0)?, c.index(1));
    let found = index.and_then(|index| lanes(c.host, track).get(index).copied());
    answer![found.map(|at| pointer(c.host, at))]
}

fn by_name(c: &mut Call) -> Answer {
    let (track, wanted) = (c.track(0)?, c.text(1));
    let found = lanes(c.host, track)
        .into_iter()
        .find(|&at| shown_name(c.host, at) == wanted);
    answer![found.map(|at| pointer(c.host, at))]
}

fn by_chunk_name(c: &mut Call) -> Answer {
    let (track, wanted) = (c.track(0)?, c.text(1));
    let wanted = wanted.trim_start_matches('<');
    let kind = KINDS
        .iter()
        .find(|kind| kind.2 == wanted)
        .map(|kind| kind.0);
    let index = c
        .host
        .track(track)
        .envelopes
        .iter()
        .position(|lane| Some(lane.kind) == kind);
    let found = index.map(|index| At {
        track,
        lane: Lane::Track(index),
    });
    answer![found.map(|at| pointer(c.host, at))]
}

fn shown_name(host: &Host, at: At) -> String {
    match at.lane {
        Lane::Track(index) => {
            let kind = host.track(at.track).envelopes[index].kind;
            KINDS
                .iter()
                .find(|entry| entry.0 == kind)
                .map_or(String::new(), |entry| entry.1.to_owned())
        }
        Lane::Fx(fx, index) => {
            let fx = &host.track(at.track).fx[fx];
            let param = fx.envelopes[index].param;
            format!(
                "{} / {}",
                super::fx::param_name(fx, param),
                super::fx::shown_name(fx)
            )
        }
    }
}

fn name(c: &mut Call) -> Answer {
    let at = at(c)?;
    answer![true, shown_name(c.host, at)]
}

fn parent_track(c: &mut Call) -> Answer {
    let at = at(c)?;
    let (fx, param) = match at.lane {
        Lane::Track(_) => (-1, -1),
        Lane::Fx(fx, index) => {
            let param = c.host.track(at.track).fx[fx].envelopes[index].param;
            (
                i64::try_from(fx).unwrap_or(-1),
                i64::try_from(param).unwrap_or(-1),
            )
        }
    };
    answer![c.host.track_pointer(at.track), fx, param]
}

fn fx_envelope(c: &mut Call) -> Answer {
    let (track, fx, param, create) = (c.track(0)?, c.index(1), c.index(2), c.bool(3));
    let (Some(fx), Some(param)) = (fx, param) else {
        return answer![Out::Nil];
    };
    let Some(data) = c.host.track(track).fx.get(fx) else {
        return answer![Out::Nil];
    };
    if param >= super::fx::param_count(data) {
        return answer![Out::Nil];
    }
    let found = data.envelopes.iter().position(|lane| lane.param == param);
    let index = match found {
        Some(index) => {
            if create {
                let at = At {
                    track,
                    lane: Lane::Fx(fx, index),
                };
                lane_mut(c.host, at).active = true;
            }
            index
        }
        None if create => {
            let value = super::fx::param_value(data, param);
            let lanes = &mut c.host.track_mut(track).fx[fx].envelopes;
            lanes.push(FxEnvelope {
                param,
                envelope: new_lane(EnvelopeKind::FxParam, value),
            });
            let index = lanes.len() - 1;
            c.host.touch(Area::Rest);
            index
        }
        None => return answer![Out::Nil],
    };
    let at = At {
        track,
        lane: Lane::Fx(fx, index),
    };
    answer![pointer(c.host, at)]
}

/// A lane with one point at 0 that holds the current value.
fn new_lane(kind: EnvelopeKind, value: f64) -> Envelope {
    let is_volume = matches!(
        kind,
        EnvelopeKind::Volume | EnvelopeKind::VolumePreFx | EnvelopeKind::VolumeTrim
    );
    Envelope {
        kind,
        active: true,
        points: vec![EnvelopePoint {
            time_s: 0.0,
            value,
            shape: 0,
            tension: 0.0,
            selected: false,
        }],
        fader_scaling: is_volume,
        raw: None,
    }
}

/// What the actions "toggle ... envelope visible" do to a track: a lane that
/// is not there is made and holds the current value; one that is there stays.
pub(super) fn ensure(host: &mut Host, track: TrackAt, kind: EnvelopeKind) {
    let data = host.track(track);
    if data.envelopes.iter().any(|lane| lane.kind == kind) {
        return;
    }
    let value = match kind {
        EnvelopeKind::Volume => data.volume,
        // REAPER's pan lanes point the other way: +1 is left.
        EnvelopeKind::Pan => -data.pan,
        EnvelopeKind::Width => data.width,
        EnvelopeKind::Mute => f64::from(u8::from(!data.muted)),
        EnvelopeKind::PanPreFx | EnvelopeKind::FxParam => 0.0,
        EnvelopeKind::VolumePreFx | EnvelopeKind::VolumeTrim | EnvelopeKind::WidthPreFx => 1.0,
    };
    host.track_mut(track).envelopes.push(new_lane(kind, value));
    host.touch(Area::Rest);
}

fn scaling_mode(c: &mut Call) -> Answer {
    let at = at(c)?;
    answer![i32::from(lane(c.host, at).fader_scaling)]
}

fn scale_to(c: &mut Call) -> Answer {
    let (mode, value) = (c.int(0), c.num(1));
    answer![if mode == 1 {
        fader::from_amplitude(value)
    } else {
        value
    }]
}

fn scale_from(c: &mut Call) -> Answer {
    let (mode, value) = (c.int(0), c.num(1));
    answer![if mode == 1 {
        fader::to_amplitude(value)
    } else {
        value
    }]
}

/// A stored value as the API shows it.
fn shown(lane: &Envelope, value: f64) -> f64 {
    if lane.fader_scaling {
        fader::from_amplitude(value)
    } else {
        value
    }
}

fn stored(lane: &Envelope, value: f64) -> f64 {
    if lane.fader_scaling {
        fader::to_amplitude(value)
    } else {
        value
    }
}

fn count_points(c: &mut Call) -> Answer {
    let at = at(c)?;
    answer![lane(c.host, at).points.len()]
}

fn get_point(c: &mut Call) -> Answer {
    let (at, index) = (at(c)?, c.index(1));
    point(c.host, at, index)
}

fn get_point_ex(c: &mut Call) -> Answer {
    let (at, index) = (at(c)?, c.index(2));
    point(c.host, at, index)
}

fn point(host: &Host, at: At, index: Option<usize>) -> Answer {
    let lane = lane(host, at);
    match index.and_then(|index| lane.points.get(index)) {
        None => answer![false, 0.0, 0.0, 0, 0.0, false],
        Some(point) => answer![
            true,
            point.time_s,
            shown(lane, point.value),
            point.shape,
            point.tension,
            point.selected
        ],
    }
}

fn point_by_time(c: &mut Call) -> Answer {
    let (at, time) = (at(c)?, c.num(1));
    let points = &lane(c.host, at).points;
    let found = points.iter().rposition(|point| point.time_s <= time + 1e-9);
    answer![found.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
}

fn insert_point(c: &mut Call) -> Answer {
    add_point(c, 1)
}

fn insert_point_ex(c: &mut Call) -> Answer {
    add_point(c, 2)
}

/// The arguments time, value, shape, tension, selected from `first` on.
fn add_point(c: &mut Call, first: usize) -> Answer {
    let at = at(c)?;
    let (time_s, value) = (c.num(first), c.num(first + 1));
    if !time_s.is_finite() || !value.is_finite() {
        return answer![false];
    }
    let point = EnvelopePoint {
        time_s,
        value: stored(lane(c.host, at), value),
        shape: c.int32(first + 2).clamp(0, 5),
        tension: c.num(first + 3).clamp(-1.0, 1.0),
        selected: c.bool(first + 4),
    };
    let points = &mut lane_mut(c.host, at).points;
    let place = points.partition_point(|other| other.time_s <= time_s);
    points.insert(place, point);
    answer![true]
}

fn set_point(c: &mut Call) -> Answer {
    change_point(c, 1)
}

fn set_point_ex(c: &mut Call) -> Answer {
    change_point(c, 2)
}

/// The index at `first`, then what changes; what is left out stays.
fn change_point(c: &mut Call, first: usize) -> Answer {
    let (at, index) = (at(c)?, c.index(first));
    let (time, value, shape, tension, selected) = (
        c.opt_num(first + 1),
        c.opt_num(first + 2),
        c.opt_int(first + 3),
        c.opt_num(first + 4),
        c.opt_bool(first + 5),
    );
    let value = value.map(|value| stored(lane(c.host, at), value));
    let lane = lane_mut(c.host, at);
    let Some(point) = index.and_then(|index| lane.points.get_mut(index)) else {
        return answer![false];
    };
    point.time_s = time.unwrap_or(point.time_s);
    point.value = value.unwrap_or(point.value);
    if let Some(shape) = shape {
        point.shape = i32::try_from(shape.clamp(0, 5)).unwrap_or(0);
    }
    point.tension = tension.map_or(point.tension, |tension| tension.clamp(-1.0, 1.0));
    point.selected = selected.unwrap_or(point.selected);
    sort_points(lane);
    answer![true]
}

fn delete_point(c: &mut Call) -> Answer {
    let (at, index) = (at(c)?, c.index(2));
    let points = &mut lane_mut(c.host, at).points;
    let Some(index) = index.filter(|&index| index < points.len()) else {
        return answer![false];
    };
    points.remove(index);
    answer![true]
}

fn delete_range(c: &mut Call) -> Answer {
    let (at, start, end) = (at(c)?, c.num(1), c.num(2));
    delete_between(c.host, at, start, end)
}

fn delete_range_ex(c: &mut Call) -> Answer {
    let (at, start, end) = (at(c)?, c.num(2), c.num(3));
    delete_between(c.host, at, start, end)
}

/// Half open; the first point stays when nothing else would be left.
fn delete_between(host: &mut Host, at: At, start: f64, end: f64) -> Answer {
    let points = &mut lane_mut(host, at).points;
    let before = points.len();
    let first = points.first().copied();
    points.retain(|point| point.time_s < start || point.time_s >= end);
    if points.is_empty() {
        points.extend(first);
    }
    answer![points.len() < before]
}

fn sort(c: &mut Call) -> Answer {
    let at = at(c)?;
    sort_points(lane_mut(c.host, at));
    answer![true]
}

fn sort_points(lane: &mut Envelope) {
    lane.points.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
}

/// Value at a time; the derivatives are not computed and are 0.
fn evaluate(c: &mut Call) -> Answer {
    let (at, time, samples) = (at(c)?, c.num(1), c.int(3));
    let lane = lane(c.host, at);
    let value = value_at(lane, time);
    answer![samples.max(1), value, 0.0, 0.0, 0.0]
}

/// The shapes other than linear and square are approximations.
fn value_at(lane: &Envelope, time: f64) -> f64 {
    let points = &lane.points;
    let next = points.partition_point(|point| point.time_s <= time);
    let (Some(before), after) = (next.checked_sub(1).map(|i| points[i]), points.get(next)) else {
        return points.first().map_or(0.0, |point| shown(lane, point.value));
    };
    let from = shown(lane, before.value);
    let Some(after) = after else {
        return from;
    };
    let to = shown(lane, after.value);
    let t = (time - before.time_s) / (after.time_s - before.time_s);
    let t = match before.shape {
        1 => 0.0,
        2 => t * t * (3.0 - 2.0 * t),
        3 => 1.0 - (1.0 - t).powi(3),
        4 => t.powi(3),
        _ => t,
    };
    from + (to - from) * t
}
