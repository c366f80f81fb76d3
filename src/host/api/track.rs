//! Tracks: finding, making, ordering, selecting, names and colours.

use std::sync::Arc;

use super::Entry;
use crate::host::lua::{Answer, Call, Object, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::Track;

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AnyTrackSolo", any_solo),
    ("CountSelectedTracks", count_selected),
    ("CountSelectedTracks2", count_selected2),
    ("CountTracks", count),
    ("DeleteTrack", delete),
    ("GetLastTouchedTrack", last_touched),
    ("GetMasterTrack", master),
    ("GetNumTracks", count),
    ("GetParentTrack", parent),
    ("GetSelectedTrack", selected),
    ("GetSelectedTrack2", selected2),
    ("GetTrack", get),
    ("GetTrackColor", color),
    ("GetTrackDepth", depth),
    ("GetTrackGUID", guid),
    ("GetTrackName", name),
    ("GetTrackNumMediaItems", item_count),
    ("GetTrackState", state),
    ("InsertTrackAtIndex", insert),
    ("InsertTrackInProject", insert_in_project),
    ("IsTrackSelected", is_selected),
    ("IsTrackVisible", is_visible),
    ("MuteAllTracks", mute_all),
    ("ReorderSelectedTracks", reorder),
    ("SetOnlyTrackSelected", select_only),
    ("SetTrackColor", set_color),
    ("SetTrackSelected", select),
    ("SoloAllTracks", solo_all),
    ("TrackList_AdjustWindows", nothing),
    ("TrackList_UpdateAllExternalSurfaces", nothing),
];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

fn count(c: &mut Call) -> Answer {
    answer![c.host.project.tracks.len()]
}

fn get(c: &mut Call) -> Answer {
    let found = c
        .index(1)
        .filter(|&index| index < c.host.project.tracks.len());
    answer![found.map(|index| c.host.track_pointer(TrackAt::Index(index)))]
}

fn master(c: &mut Call) -> Answer {
    answer![c.host.pointer(Object::Master)]
}

fn parent(c: &mut Call) -> Answer {
    let parent = match c.track(0)? {
        TrackAt::Master => None,
        TrackAt::Index(index) => c.host.project.parents()[index],
    };
    answer![parent.map(|index| c.host.track_pointer(TrackAt::Index(index)))]
}

fn last_touched(c: &mut Call) -> Answer {
    let index = c
        .host
        .last_touched
        .and_then(|guid| c.host.project.track_index(guid));
    answer![index.map(|index| c.host.track_pointer(TrackAt::Index(index)))]
}

fn guid(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).guid.to_string()]
}

/// The name a person sees.
pub(super) fn shown_name(host: &Host, at: TrackAt) -> String {
    match at {
        TrackAt::Master => "MASTER".to_owned(),
        TrackAt::Index(index) => match host.project.tracks[index].name.as_str() {
            "" => format!("Track {}", index + 1),
            name => name.to_owned(),
        },
    }
}

fn name(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![true, shown_name(c.host, at)]
}

fn item_count(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).items.len()]
}

/// Flags: 1 folder, 2 selected, 4 has FX on, 8 muted, 16 soloed, 64 armed.
fn state(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    let track = c.host.track(at);
    let flags = i64::from(track.folder_depth > 0)
        | i64::from(track.selected) << 1
        | i64::from(!track.fx.is_empty() && track.fx_enabled) << 2
        | i64::from(track.muted) << 3
        | i64::from(track.solo != 0) << 4
        | i64::from(track.armed) << 6;
    answer![shown_name(c.host, at), flags]
}

fn depth(c: &mut Call) -> Answer {
    let depth = match c.track(0)? {
        TrackAt::Master => 0,
        TrackAt::Index(index) => {
            let parents = c.host.project.parents();
            std::iter::successors(parents[index], |&parent| parents[parent]).count()
        }
    };
    answer![depth]
}

fn is_visible(c: &mut Call) -> Answer {
    c.track(0)?;
    answer![true]
}

fn insert(c: &mut Call) -> Answer {
    let index = c.index(0).unwrap_or(0);
    insert_track(c.host, index);
    answer![]
}

fn insert_in_project(c: &mut Call) -> Answer {
    let index = c.index(1).unwrap_or(0);
    insert_track(c.host, index);
    answer![]
}

/// Inserts a plain track; an index past the end appends.
pub(in crate::host) fn insert_track(host: &mut Host, index: usize) -> usize {
    let index = index.min(host.project.tracks.len());
    let guid = host.fresh_guid();
    let track = Track {
        guid,
        ..Track::default()
    };
    host.project.tracks.insert(index, Arc::new(track));
    host.last_touched = Some(guid);
    host.touch(Area::Rest);
    index
}

fn delete(c: &mut Call) -> Answer {
    if let TrackAt::Index(index) = c.track(0)? {
        delete_track(c.host, index);
    }
    answer![]
}

/// Removes a track with its items and sends. What it opened is closed one
/// level earlier, what it closed is closed by the track before it.
pub(super) fn delete_track(host: &mut Host, index: usize) {
    let removed = host.project.tracks.remove(index);
    let depth = removed.folder_depth;
    if depth < 0
        && let Some(previous) = index.checked_sub(1)
        && let Some(track) = host.project.track_mut(previous)
    {
        track.folder_depth += depth;
    } else if depth > 0 {
        let mut level = depth;
        for at in index..host.project.tracks.len() {
            level += host.project.tracks[at].folder_depth;
            if level <= 0 {
                if let Some(track) = host.project.track_mut(at) {
                    track.folder_depth += depth;
                }
                break;
            }
        }
    }
    host.project
        .sends
        .retain(|send| send.source != removed.guid && send.dest != Some(removed.guid));
    host.midi_cache.clear();
    host.touch(Area::Rest);
    if !removed.items.is_empty() {
        host.touch(Area::Items);
    }
}

fn reorder(c: &mut Call) -> Answer {
    let before = c.index(0).unwrap_or(0).min(c.host.project.tracks.len());
    let mode = c.int(1);
    let tracks = std::mem::take(&mut c.host.project.tracks);
    let any = tracks.iter().any(|track| track.selected);
    let (mut head, mut moved, mut tail) = (Vec::new(), Vec::new(), Vec::new());
    for (index, track) in tracks.into_iter().enumerate() {
        if track.selected {
            moved.push(track);
        } else if index < before {
            head.push(track);
        } else {
            tail.push(track);
        }
    }
    if let (Some(previous), Some(last)) = (head.last_mut(), moved.last_mut()) {
        let previous = Arc::make_mut(previous);
        let last = Arc::make_mut(last);
        match mode {
            // The track before becomes a folder around the moved ones.
            1 => {
                last.folder_depth += previous.folder_depth.min(0) - 1;
                previous.folder_depth = 1;
            }
            // The moved tracks join the folder that ends before them.
            2 if previous.folder_depth < 0 => {
                last.folder_depth += previous.folder_depth;
                previous.folder_depth = 0;
            }
            _ => {}
        }
    }
    head.append(&mut moved);
    head.append(&mut tail);
    c.host.project.tracks = head;
    if any {
        c.host.touch(Area::Rest);
    }
    answer![any]
}

fn any_solo(c: &mut Call) -> Answer {
    answer![c.host.project.tracks.iter().any(|track| track.solo != 0)]
}

fn mute_all(c: &mut Call) -> Answer {
    let mute = c.bool(0);
    for track in &mut c.host.project.tracks {
        if track.muted != mute {
            Arc::make_mut(track).muted = mute;
        }
    }
    c.host.touch(Area::Rest);
    answer![]
}

fn solo_all(c: &mut Call) -> Answer {
    let solo = c.int32(0).clamp(0, 2);
    unsolo_all(c.host, solo);
    answer![]
}

pub(super) fn unsolo_all(host: &mut Host, solo: i32) {
    for track in &mut host.project.tracks {
        if track.solo != solo {
            Arc::make_mut(track).solo = solo;
        }
    }
    host.touch(Area::Rest);
}

fn count_selected(c: &mut Call) -> Answer {
    answer![selection(c.host, false).len()]
}

fn count_selected2(c: &mut Call) -> Answer {
    let with_master = c.bool(1);
    answer![selection(c.host, with_master).len()]
}

fn selected(c: &mut Call) -> Answer {
    let index = c.index(1);
    nth_selected(c, index, false)
}

fn selected2(c: &mut Call) -> Answer {
    let (index, with_master) = (c.index(1), c.bool(2));
    nth_selected(c, index, with_master)
}

fn nth_selected(c: &mut Call, index: Option<usize>, with_master: bool) -> Answer {
    let found = index.and_then(|index| selection(c.host, with_master).get(index).copied());
    answer![found.map(|at| c.host.track_pointer(at))]
}

/// Selected tracks in order, the master first where it is asked for.
pub(super) fn selection(host: &Host, with_master: bool) -> Vec<TrackAt> {
    let master = (with_master && host.project.master.selected).then_some(TrackAt::Master);
    let tracks = host.project.tracks.iter().enumerate();
    master
        .into_iter()
        .chain(
            tracks
                .filter(|(_, track)| track.selected)
                .map(|(index, _)| TrackAt::Index(index)),
        )
        .collect()
}

fn is_selected(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).selected]
}

fn select(c: &mut Call) -> Answer {
    let (at, on) = (c.track(0)?, c.bool(1));
    set_selected(c.host, at, on);
    answer![]
}

/// Selecting is no change that undo or the change count sees.
pub(super) fn set_selected(host: &mut Host, at: TrackAt, on: bool) {
    if host.track(at).selected != on {
        host.track_mut(at).selected = on;
    }
    if on && matches!(at, TrackAt::Index(_)) {
        host.last_touched = Some(host.track(at).guid);
    }
}

fn select_only(c: &mut Call) -> Answer {
    let at = c.given(0).then(|| c.track(0)).transpose()?;
    select_all(c.host, false);
    if let Some(at) = at {
        set_selected(c.host, at, true);
    }
    answer![]
}

/// Selects or unselects all tracks; unselecting includes the master.
pub(super) fn select_all(host: &mut Host, on: bool) {
    for index in 0..host.project.tracks.len() {
        if host.project.tracks[index].selected != on {
            host.track_mut(TrackAt::Index(index)).selected = on;
        }
    }
    if !on && host.project.master.selected {
        host.track_mut(TrackAt::Master).selected = false;
    }
}

fn color(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).color]
}

fn set_color(c: &mut Call) -> Answer {
    let (at, color) = (c.track(0)?, c.int32(1));
    c.host.track_mut(at).color = if color == 0 { 0 } else { color | 0x100_0000 };
    c.host.touch(Area::Rest);
    answer![]
}
