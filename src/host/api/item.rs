//! Media items: finding, making, splitting, moving, their values.

use std::path::Path;
use std::sync::Arc;

use super::{Entry, flag, on};
use crate::host::lua::{Answer, Call, Object, Out, answer};
use crate::host::state::{Area, Host, ItemAt, TrackAt};
use crate::project::{Guid, Item, MidiSource, Source, Take};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AddMediaItemToTrack", add),
    ("CountMediaItems", count),
    ("CountSelectedMediaItems", count_selected),
    ("CountTrackMediaItems", count_on_track),
    ("DeleteTrackMediaItem", delete),
    ("GetMediaItem", get),
    ("GetMediaItemInfo_Value", get_value),
    ("GetMediaItemTrack", track),
    ("GetMediaItem_Track", track),
    ("GetSelectedMediaItem", selected),
    ("GetSetMediaItemInfo_String", string),
    ("GetTrackMediaItem", get_on_track),
    ("InsertMedia", insert_media),
    ("IsMediaItemSelected", is_selected),
    ("MoveMediaItemToTrack", move_to_track),
    ("SelectAllMediaItems", select_all),
    ("SetMediaItemInfo_Value", set_value),
    ("SetMediaItemLength", set_length),
    ("SetMediaItemPosition", set_position),
    ("SetMediaItemSelected", select),
    ("SplitMediaItem", split),
    ("UpdateItemInProject", nothing),
];

/// Keys that are kept but have no effect here.
const OTHER: &[(&str, f64)] = &[
    ("B_ALLTAKESPLAY", 0.0),
    ("C_LOCK", 0.0),
    ("C_BEATATTACHMODE", -1.0),
    ("C_AUTOSTRETCH", -1.0),
    ("I_GROUPID", 0.0),
    ("I_FIXEDLANE", 0.0),
    ("C_MUTE_SOLO", 0.0),
    ("F_FREEMODE_Y", 0.0),
    ("F_FREEMODE_H", 1.0),
];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

/// Places of all items: by track, then by position.
pub(super) fn all(host: &Host) -> Vec<ItemAt> {
    let tracks = host.project.tracks.iter().enumerate();
    tracks
        .flat_map(|(track, data)| (0..data.items.len()).map(move |item| ItemAt { track, item }))
        .collect()
}

fn selection(host: &Host) -> Vec<ItemAt> {
    let mut places = all(host);
    places.retain(|&at| host.item(at).selected);
    places
}

fn count(c: &mut Call) -> Answer {
    answer![
        c.host
            .project
            .tracks
            .iter()
            .map(|track| track.items.len())
            .sum::<usize>()
    ]
}

fn get(c: &mut Call) -> Answer {
    let mut left = c.index(1);
    let mut found = None;
    for (track, data) in c.host.project.tracks.iter().enumerate() {
        let Some(item) = left else { break };
        if item < data.items.len() {
            found = Some(ItemAt { track, item });
            break;
        }
        left = Some(item - data.items.len());
    }
    answer![found.map(|at| c.host.item_pointer(at))]
}

fn count_on_track(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).items.len()]
}

fn get_on_track(c: &mut Call) -> Answer {
    let (at, index) = (c.track(0)?, c.index(1));
    let found = match (at, index) {
        (TrackAt::Index(track), Some(item)) if item < c.host.track(at).items.len() => {
            Some(ItemAt { track, item })
        }
        _ => None,
    };
    answer![found.map(|at| c.host.item_pointer(at))]
}

fn track(c: &mut Call) -> Answer {
    let at = c.item(0)?;
    answer![c.host.track_pointer(TrackAt::Index(at.track))]
}

fn count_selected(c: &mut Call) -> Answer {
    answer![selection(c.host).len()]
}

fn selected(c: &mut Call) -> Answer {
    let found = c
        .index(1)
        .and_then(|index| selection(c.host).get(index).copied());
    answer![found.map(|at| c.host.item_pointer(at))]
}

fn is_selected(c: &mut Call) -> Answer {
    let at = c.item(0)?;
    answer![c.host.item(at).selected]
}

fn select(c: &mut Call) -> Answer {
    let (at, on) = (c.item(0)?, c.bool(1));
    set_selected(c.host, at, on);
    answer![]
}

/// Selecting is no change that undo or the change count sees.
fn set_selected(host: &mut Host, at: ItemAt, on: bool) {
    if host.item(at).selected != on {
        host.item_mut(at).selected = on;
    }
}

fn select_all(c: &mut Call) -> Answer {
    let on = c.bool(1);
    select_every(c.host, on);
    answer![]
}

pub(super) fn select_every(host: &mut Host, on: bool) {
    for at in all(host) {
        set_selected(host, at, on);
    }
}

fn add(c: &mut Call) -> Answer {
    let TrackAt::Index(track) = c.track(0)? else {
        return answer![Out::Nil];
    };
    let item = Item {
        guid: c.host.fresh_guid(),
        ..Item::default()
    };
    let at = insert(c.host, track, item);
    answer![c.host.item_pointer(at)]
}

/// Puts an item on a track, where its position belongs.
pub(super) fn insert(host: &mut Host, track: usize, item: Item) -> ItemAt {
    let items = &mut host.track_mut(TrackAt::Index(track)).items;
    let place = items.partition_point(|other| other.position_s <= item.position_s);
    items.insert(place, item);
    host.touch(Area::Items);
    ItemAt { track, item: place }
}

/// Restores the order by position after an item was moved; equal positions
/// keep their order.
pub(super) fn sort(host: &mut Host, track: usize) {
    let items = &host.project.tracks[track].items;
    if !items.is_sorted_by(|a, b| a.position_s <= b.position_s) {
        host.track_mut(TrackAt::Index(track))
            .items
            .sort_by(|a, b| a.position_s.total_cmp(&b.position_s));
    }
}

fn delete(c: &mut Call) -> Answer {
    let (track, at) = (c.track(0)?, c.item(1)?);
    if track != TrackAt::Index(at.track) {
        return answer![false];
    }
    c.host.track_mut(track).items.remove(at.item);
    c.host.touch(Area::Items);
    answer![true]
}

fn move_to_track(c: &mut Call) -> Answer {
    let (at, track) = (c.item(0)?, c.track(1)?);
    let TrackAt::Index(track) = track else {
        return answer![false];
    };
    if track == at.track {
        return answer![false];
    }
    let item = c
        .host
        .track_mut(TrackAt::Index(at.track))
        .items
        .remove(at.item);
    insert(c.host, track, item);
    answer![true]
}

fn split(c: &mut Call) -> Answer {
    let (at, position) = (c.item(0)?, c.num(1));
    let found = split_at(c.host, at, position);
    answer![found.map(|at| c.host.item_pointer(at))]
}

/// Cuts an item in two and returns the right part; `None` when the position
/// is not inside.
pub(super) fn split_at(host: &mut Host, at: ItemAt, position_s: f64) -> Option<ItemAt> {
    let item = host.item(at);
    let is_inside = position_s > item.position_s && position_s < item.end_s();
    if !is_inside {
        return None;
    }
    let mut right = item.clone();
    let offset = position_s - right.position_s;
    right.guid = host.fresh_guid();
    right.raw = None;
    right.position_s = position_s;
    right.length_s -= offset;
    right.snap_offset_s = 0.0;
    right.fade_in = crate::project::Fade::default();
    for take in &mut right.takes {
        take.guid = host.fresh_guid();
        take.start_offset_s += offset * take.play_rate;
        if let Source::Midi(midi) = &mut take.source {
            Arc::make_mut(midi).pool = host.fresh_guid();
        }
    }
    let left = host.item_mut(at);
    left.length_s = offset;
    left.fade_out = crate::project::Fade::default();
    Some(insert(host, at.track, right))
}

fn get_value(c: &mut Call) -> Answer {
    let (at, key) = (c.item(0)?, c.text(1));
    if key == "P_TRACK" {
        return answer![c.host.track_pointer(TrackAt::Index(at.track))];
    }
    answer![value(c.host, at, &key)]
}

fn value(host: &Host, at: ItemAt, key: &str) -> f64 {
    let item = host.item(at);
    match key {
        "D_POSITION" => item.position_s,
        "D_LENGTH" => item.length_s,
        "D_SNAPOFFSET" => item.snap_offset_s,
        "D_VOL" => item.volume,
        "B_MUTE" | "B_MUTE_ACTUAL" => flag(item.muted),
        "B_LOOPSRC" => flag(item.loop_source),
        "B_UISEL" => flag(item.selected),
        "D_FADEINLEN" => item.fade_in.length_s,
        "D_FADEOUTLEN" => item.fade_out.length_s,
        "D_FADEINLEN_AUTO" => auto_length(item.fade_in.auto_length_s),
        "D_FADEOUTLEN_AUTO" => auto_length(item.fade_out.auto_length_s),
        "C_FADEINSHAPE" => f64::from(item.fade_in.shape),
        "C_FADEOUTSHAPE" => f64::from(item.fade_out.shape),
        "D_FADEINDIR" => item.fade_in.curvature,
        "D_FADEOUTDIR" => item.fade_out.curvature,
        "I_CUSTOMCOLOR" => f64::from(item.color),
        "I_CURTAKE" => item.active_take as f64,
        "IP_ITEMNUMBER" => at.item as f64,
        _ => item.other.get(key).copied().unwrap_or_else(|| {
            OTHER
                .iter()
                .find(|(name, _)| *name == key)
                .map_or(0.0, |(_, default)| *default)
        }),
    }
}

/// The API says -1 where there is no automatic fade.
fn auto_length(length_s: f64) -> f64 {
    if length_s > 0.0 { length_s } else { -1.0 }
}

fn set_value(c: &mut Call) -> Answer {
    let (at, key, value) = (c.item(0)?, c.text(1), c.num(2));
    answer![write(c.host, at, &key, value)]
}

fn write(host: &mut Host, at: ItemAt, key: &str, value: f64) -> bool {
    if value.is_nan() {
        return false;
    }
    if key == "B_UISEL" {
        set_selected(host, at, on(value));
        return true;
    }
    let item = host.item_mut(at);
    match key {
        "D_POSITION" => item.position_s = value.max(0.0),
        "D_LENGTH" => item.length_s = value.max(0.0),
        "D_SNAPOFFSET" => item.snap_offset_s = value.max(0.0),
        "D_VOL" => item.volume = value.max(0.0),
        "B_MUTE" => item.muted = on(value),
        "B_LOOPSRC" => item.loop_source = on(value),
        "D_FADEINLEN" => item.fade_in.length_s = value.max(0.0),
        "D_FADEOUTLEN" => item.fade_out.length_s = value.max(0.0),
        "D_FADEINLEN_AUTO" => item.fade_in.auto_length_s = value.max(0.0),
        "D_FADEOUTLEN_AUTO" => item.fade_out.auto_length_s = value.max(0.0),
        "C_FADEINSHAPE" => item.fade_in.shape = (value as i32).clamp(0, 6),
        "C_FADEOUTSHAPE" => item.fade_out.shape = (value as i32).clamp(0, 6),
        "D_FADEINDIR" => item.fade_in.curvature = value.clamp(-1.0, 1.0),
        "D_FADEOUTDIR" => item.fade_out.curvature = value.clamp(-1.0, 1.0),
        "I_CUSTOMCOLOR" => item.color = value as i32,
        "I_CURTAKE" if value >= 0.0 && (value as usize) < item.takes.len() => {
            item.active_take = value as usize;
        }
        _ if OTHER.iter().any(|(name, _)| *name == key) => {
            item.other.insert(key.to_owned(), value);
        }
        _ => return false,
    }
    if key == "D_POSITION" {
        sort(host, at.track);
    }
    host.touch(Area::Items);
    true
}

fn set_position(c: &mut Call) -> Answer {
    let (at, value) = (c.item(0)?, c.num(1));
    answer![write(c.host, at, "D_POSITION", value)]
}

fn set_length(c: &mut Call) -> Answer {
    let (at, value) = (c.item(0)?, c.num(1));
    answer![write(c.host, at, "D_LENGTH", value)]
}

fn string(c: &mut Call) -> Answer {
    let (at, key, text, set) = (c.item(0)?, c.text(1), c.text(2), c.bool(3));
    match key.as_str() {
        "P_NOTES" if set => {
            c.host.item_mut(at).notes = text.clone();
            c.host.touch(Area::Items);
            answer![true, text]
        }
        "P_NOTES" => answer![true, c.host.item(at).notes.as_str()],
        "GUID" if set => match text.parse::<Guid>() {
            Ok(guid) if c.host.find_item(Object::Item(guid)).is_none() => {
                let old = std::mem::replace(&mut c.host.item_mut(at).guid, guid);
                c.host
                    .handles
                    .retarget(Object::Item(old), Object::Item(guid));
                c.host.touch(Area::Items);
                answer![true, text]
            }
            _ => answer![false, ""],
        },
        "GUID" => answer![true, c.host.item(at).guid.to_string()],
        _ => answer![false, ""],
    }
}

fn insert_media(c: &mut Call) -> Answer {
    let (file, mode) = (c.text(0), c.int(1));
    let track = match mode {
        _ if mode & 512 != 0 => usize::try_from(mode >> 16)
            .ok()
            .filter(|&index| index < c.host.project.tracks.len()),
        _ if mode & 3 == 1 => None,
        _ => {
            let touched = c.host.last_touched;
            let selected = c
                .host
                .project
                .tracks
                .iter()
                .position(|track| track.selected);
            touched
                .and_then(|guid| c.host.project.track_index(guid))
                .filter(|&index| selected.is_none() || c.host.project.tracks[index].selected)
                .or(selected)
        }
    };
    if mode & 512 != 0 && track.is_none() {
        return answer![0];
    }
    let inserted = c.host.insert_media(Path::new(&file), track, mode & 3 == 3);
    match inserted {
        Ok(()) => answer![1],
        Err(fail) => {
            tracing::warn!("{fail}");
            answer![0]
        }
    }
}

impl Host {
    /// Puts a media file at the edit cursor on a track (a new one for `None`)
    /// or as a new take into the first selected item, and moves the cursor to
    /// its end.
    pub(in crate::host) fn insert_media(
        &mut self,
        file: &Path,
        track: Option<usize>,
        as_take: bool,
    ) -> Result<(), crate::host::lua::Fail> {
        let fail = |text: &str| {
            crate::host::lua::Fail::Other(format!("cannot insert `{}`: {text}", file.display()))
        };
        let source = self
            .source_of_file(file)
            .ok_or_else(|| fail("it is not a readable audio file"))?;
        let (length_s, _) = self.source_length(&source);
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let take = Take {
            guid: self.fresh_guid(),
            name: name.unwrap_or_default(),
            source,
            ..Take::default()
        };
        if as_take && let Some(&at) = selection(self).first() {
            let item = self.item_mut(at);
            item.takes.push(take);
            item.active_take = item.takes.len() - 1;
            self.touch(Area::Items);
            return Ok(());
        }
        let track = match track {
            Some(track) => track,
            None => {
                let end = self.project.tracks.len();
                let index = super::track::insert_track(self, end);
                if let Some(stem) = file.file_stem() {
                    self.track_mut(TrackAt::Index(index)).name =
                        stem.to_string_lossy().into_owned();
                }
                index
            }
        };
        let item = Item {
            guid: self.fresh_guid(),
            position_s: self.project.edit_cursor_s,
            length_s,
            takes: vec![take],
            selected: true,
            ..Item::default()
        };
        self.project.edit_cursor_s = item.end_s();
        select_every(self, false);
        insert(self, track, item);
        Ok(())
    }
}

/// Gives every object in an item fresh identities where another has them.
pub(super) fn with_own_guids(host: &mut Host, item: &mut Item, old: &Item) {
    if item.guid == Guid::default()
        || (item.guid != old.guid && host.find_item(Object::Item(item.guid)).is_some())
    {
        item.guid = host.fresh_guid();
    }
    for (index, take) in item.takes.iter_mut().enumerate() {
        let own = old
            .takes
            .get(index)
            .is_some_and(|own| own.guid == take.guid);
        if take.guid == Guid::default()
            || (!own && host.find_take(Object::Take(take.guid)).is_some())
        {
            take.guid = host.fresh_guid();
        }
    }
}

/// A MIDI source of a length in quarter notes.
pub(super) fn empty_midi(host: &mut Host, length_qn: f64) -> Source {
    let mut midi = MidiSource {
        pool: host.fresh_guid(),
        ..MidiSource::default()
    };
    // Ticks of any real length fit; negative ones become 0.
    midi.length_ticks = (length_qn * f64::from(midi.ticks_per_qn)).round().max(0.0) as u64;
    Source::Midi(Arc::new(midi))
}
