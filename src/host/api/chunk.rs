//! State chunks: tracks and items as text of the project file.

use std::sync::Arc;

use super::Entry;
use crate::host::lua::{Answer, Call, Object, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::{Guid, Item, Track, rpp};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("GetItemStateChunk", get_item),
    ("GetTrackStateChunk", get_track),
    ("SetItemStateChunk", set_item),
    ("SetTrackStateChunk", set_track),
];

fn get_track(c: &mut Call) -> Answer {
    let TrackAt::Index(index) = c.track(0)? else {
        return answer![false, ""];
    };
    let mut project = c.host.project.clone();
    crate::fx::store_states(&mut project);
    let chunk = rpp::track_chunk(&project, index);
    answer![chunk.is_some(), chunk.unwrap_or_default()]
}

/// Replaces the whole track, identity included. The receives in the chunk
/// replace those the track has; its sends stay.
fn set_track(c: &mut Call) -> Answer {
    let TrackAt::Index(index) = c.track(0)? else {
        return answer![false];
    };
    let old = Arc::clone(&c.host.project.tracks[index]);
    let (mut track, receives) = match rpp::parse_track(&c.text(1), &c.host.project) {
        Ok(read) => read,
        Err(error) => {
            tracing::warn!("not a track chunk: {error}");
            return answer![false];
        }
    };
    let taken = c
        .host
        .project
        .track_index(track.guid)
        .is_some_and(|other| other != index);
    if track.guid == Guid::default() || taken {
        track.guid = c.host.fresh_guid();
    }
    give_guids(c.host, &mut track, &old);
    let guid = track.guid;
    let sends = &mut c.host.project.sends;
    sends.retain(|send| send.dest != Some(old.guid));
    sends.extend(receives.into_iter().map(|mut send| {
        send.dest = Some(guid);
        send
    }));
    for send in sends.iter_mut().filter(|send| send.source == old.guid) {
        send.source = guid;
    }
    c.host.project.tracks[index] = Arc::new(track);
    c.host
        .handles
        .retarget(Object::Track(old.guid), Object::Track(guid));
    load_states(c.host);
    c.host.midi_cache.clear();
    c.host.touch(Area::Rest);
    c.host.touch(Area::Items);
    answer![true]
}

/// Identities for what has none, or one that lives elsewhere in the project.
fn give_guids(host: &mut Host, track: &mut Track, old: &Track) {
    for item in &mut track.items {
        let own = old.items.iter().find(|own| own.guid == item.guid);
        let own = own.cloned().unwrap_or_default();
        super::item::with_own_guids(host, item, &own);
    }
    for fx in &mut track.fx {
        let own = old.fx.iter().any(|own| own.guid == fx.guid);
        let elsewhere = host
            .project
            .tracks
            .iter()
            .any(|track| track.fx.iter().any(|other| other.guid == fx.guid));
        if fx.guid == Guid::default() || (!own && elsewhere) {
            fx.guid = host.fresh_guid();
        }
    }
}

fn load_states(host: &mut Host) {
    crate::fx::load_states(&mut host.project);
}

fn get_item(c: &mut Call) -> Answer {
    let at = c.item(0)?;
    answer![true, rpp::item_chunk(c.host.item(at))]
}

/// The pointers to the item and its takes stay good, whatever identities the
/// chunk brings.
fn set_item(c: &mut Call) -> Answer {
    let at = c.item(0)?;
    let old = c.host.item(at).clone();
    let mut item = match rpp::parse_item(&c.text(1)) {
        Ok(item) => item,
        Err(error) => {
            tracing::warn!("not an item chunk: {error}");
            return answer![false];
        }
    };
    super::item::with_own_guids(c.host, &mut item, &old);
    retarget(c.host, &old, &item);
    *c.host.item_mut(at) = item;
    super::item::sort(c.host, at.track);
    c.host.midi_cache.clear();
    c.host.touch(Area::Items);
    answer![true]
}

fn retarget(host: &mut Host, old: &Item, new: &Item) {
    host.handles
        .retarget(Object::Item(old.guid), Object::Item(new.guid));
    for (old, new) in old.takes.iter().zip(&new.takes) {
        host.handles
            .retarget(Object::Take(old.guid), Object::Take(new.guid));
        host.handles.retarget(
            Object::TakeSource(old.guid, 0),
            Object::TakeSource(new.guid, 0),
        );
    }
}
