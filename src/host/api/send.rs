//! Sends, receives and hardware outputs.

use super::{Entry, flag, on};
use crate::host::lua::{Answer, Call, Object, Out, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::{Guid, Send, SendMode};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("CreateTrackSend", create),
    ("GetTrackNumSends", count),
    ("GetTrackReceiveName", receive_name),
    ("GetTrackReceiveUIMute", receive_mute),
    ("GetTrackReceiveUIVolPan", receive_volume_pan),
    ("GetTrackSendInfo_Value", get_value),
    ("GetTrackSendName", send_name),
    ("GetTrackSendUIMute", send_mute),
    ("GetTrackSendUIVolPan", send_volume_pan),
    ("RemoveTrackSend", remove),
    ("SetTrackSendInfo_Value", set_value),
];

/// Positions in `Project::sends` of what a track has in a category: below 0
/// receives, 0 sends, above 0 hardware outputs.
fn of(host: &Host, track: TrackAt, category: i64) -> Vec<usize> {
    let guid = host.track(track).guid;
    let belongs = |send: &Send| match category {
        ..0 => send.dest == Some(guid),
        0 => send.source == guid && send.dest.is_some(),
        1.. => send.source == guid && send.dest.is_none(),
    };
    (0..host.project.sends.len())
        .filter(|&index| belongs(&host.project.sends[index]))
        .collect()
}

fn at(c: &Call, track: TrackAt, category: i64, index: Option<usize>) -> Option<usize> {
    index.and_then(|index| of(c.host, track, category).get(index).copied())
}

fn count(c: &mut Call) -> Answer {
    let (track, category) = (c.track(0)?, c.int(1));
    answer![of(c.host, track, category).len()]
}

fn create(c: &mut Call) -> Answer {
    let source = c.track(0)?;
    let dest = c.given(1).then(|| c.track(1)).transpose()?;
    if source == TrackAt::Master || dest == Some(TrackAt::Master) {
        return answer![-1];
    }
    let source_guid = c.host.track(source).guid;
    let dest_guid = dest.map(|dest| c.host.track(dest).guid);
    if let (TrackAt::Index(from), Some(TrackAt::Index(to))) = (source, dest)
        && feeds(c.host, to, from)
    {
        tracing::warn!("refused a send that would feed back");
        return answer![-1];
    }
    c.host.project.sends.push(Send::new(source_guid, dest_guid));
    c.host.touch(Area::Rest);
    let category = if dest.is_some() { 0 } else { 1 };
    answer![of(c.host, source, category).len() - 1]
}

/// Sound of `from` reaches `to` through sends or folders.
fn feeds(host: &Host, from: usize, to: usize) -> bool {
    let parents = host.project.parents();
    let mut seen = vec![false; host.project.tracks.len()];
    let mut open = vec![from];
    while let Some(index) = open.pop() {
        if index == to {
            return true;
        }
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let track = &host.project.tracks[index];
        open.extend(parents[index].filter(|_| track.main_send));
        open.extend(
            host.project
                .sends
                .iter()
                .filter(|send| send.source == track.guid)
                .filter_map(|send| host.project.track_index(send.dest?)),
        );
    }
    false
}

fn remove(c: &mut Call) -> Answer {
    let (track, category, index) = (c.track(0)?, c.int(1), c.index(2));
    let Some(index) = at(c, track, category, index) else {
        return answer![false];
    };
    c.host.project.sends.remove(index);
    c.host.touch(Area::Rest);
    answer![true]
}

fn get_value(c: &mut Call) -> Answer {
    let (track, category, index, key) = (c.track(0)?, c.int(1), c.index(2), c.text(3));
    let Some(index) = at(c, track, category, index) else {
        return answer![0.0];
    };
    let send = &c.host.project.sends[index];
    let end = match key.as_str() {
        "P_DESTTRACK" => send.dest,
        "P_SRCTRACK" => Some(send.source),
        _ => return answer![value(send, &key)],
    };
    let pointer = end.map(|guid| c.host.pointer(Object::Track(guid)));
    answer![pointer.unwrap_or(Out::Num(0.0))]
}

fn value(send: &Send, key: &str) -> f64 {
    match key {
        "B_MUTE" => flag(send.muted),
        "B_PHASE" => flag(send.phase_inverted),
        "B_MONO" => flag(send.mono),
        "D_VOL" => send.volume,
        "D_PAN" => send.pan,
        "D_PANLAW" => send.pan_law.unwrap_or(-1.0),
        "I_SENDMODE" => f64::from(send.mode as i32),
        "I_SRCCHAN" => f64::from(send.source_channel),
        "I_DSTCHAN" => f64::from(send.dest_channel),
        "I_MIDIFLAGS" => f64::from(send.midi_flags),
        // A send without an own mode follows the track.
        "I_AUTOMODE" => -1.0,
        _ => 0.0,
    }
}

fn set_value(c: &mut Call) -> Answer {
    let (track, category, index) = (c.track(0)?, c.int(1), c.index(2));
    let (key, value) = (c.text(3), c.num(4));
    let Some(index) = at(c, track, category, index).filter(|_| !value.is_nan()) else {
        return answer![false];
    };
    let send = &mut c.host.project.sends[index];
    match key.as_str() {
        "B_MUTE" => send.muted = on(value),
        "B_PHASE" => send.phase_inverted = on(value),
        "B_MONO" => send.mono = on(value),
        "D_VOL" => send.volume = value.max(0.0),
        "D_PAN" => send.pan = value.clamp(-1.0, 1.0),
        "D_PANLAW" => send.pan_law = (value >= 0.0).then_some(value),
        "I_SENDMODE" => match SendMode::from_number(value as i32) {
            Some(mode) => send.mode = mode,
            None => return answer![false],
        },
        "I_SRCCHAN" => send.source_channel = (value as i32).max(-1),
        "I_DSTCHAN" => send.dest_channel = (value as i32).max(0),
        "I_MIDIFLAGS" => send.midi_flags = value as i32,
        _ => return answer![false],
    }
    c.host.touch(Area::Rest);
    answer![true]
}

fn name_of(host: &Host, guid: Option<Guid>) -> String {
    match guid.map(|guid| (guid, host.project.track_index(guid))) {
        Some((_, Some(index))) => super::track::shown_name(host, TrackAt::Index(index)),
        Some((guid, None)) if guid == host.project.master.guid => "MASTER".to_owned(),
        _ => "Hardware output".to_owned(),
    }
}

/// Index over hardware outputs first, then sends, as these functions count.
fn send_at(c: &Call) -> Result<Option<usize>, crate::host::lua::Fail> {
    let track = c.track(0)?;
    let mut all = of(c.host, track, 1);
    all.extend(of(c.host, track, 0));
    Ok(c.index(1).and_then(|index| all.get(index).copied()))
}

fn send_name(c: &mut Call) -> Answer {
    let Some(index) = send_at(c)? else {
        return answer![false, ""];
    };
    answer![true, name_of(c.host, c.host.project.sends[index].dest)]
}

fn send_mute(c: &mut Call) -> Answer {
    let found = send_at(c)?.map(|index| c.host.project.sends[index].muted);
    answer![found.is_some(), found.unwrap_or(false)]
}

fn send_volume_pan(c: &mut Call) -> Answer {
    let found = send_at(c)?.map(|index| &c.host.project.sends[index]);
    answer![
        found.is_some(),
        found.map_or(0.0, |send| send.volume),
        found.map_or(0.0, |send| send.pan)
    ]
}

fn receive_at(c: &Call) -> Result<Option<usize>, crate::host::lua::Fail> {
    let track = c.track(0)?;
    Ok(at(c, track, -1, c.index(1)))
}

fn receive_name(c: &mut Call) -> Answer {
    let Some(index) = receive_at(c)? else {
        return answer![false, ""];
    };
    let source = Some(c.host.project.sends[index].source);
    answer![true, name_of(c.host, source)]
}

fn receive_mute(c: &mut Call) -> Answer {
    let found = receive_at(c)?.map(|index| c.host.project.sends[index].muted);
    answer![found.is_some(), found.unwrap_or(false)]
}

fn receive_volume_pan(c: &mut Call) -> Answer {
    let found = receive_at(c)?.map(|index| &c.host.project.sends[index]);
    answer![
        found.is_some(),
        found.map_or(0.0, |send| send.volume),
        found.map_or(0.0, |send| send.pan)
    ]
}
