//! MIDI items: notes, controllers, text, positions in ticks.
//!
//! Ticks count from the start of the source. Note and controller numbers
//! follow the order of start positions; equal positions keep the order of
//! insertion. Events before the start of the source are refused.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Entry;
use super::midi_events::{NoteAt, NoteList};
use crate::host::lua::{Answer, Call, Fail, Out, answer};
use crate::host::state::{Area, Host, TakeAt, TrackAt};
use crate::project::{Guid, Item, MidiEvent, MidiMessage, MidiSource, Source, Take};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("CreateNewMIDIItemInProj", create_item),
    ("EnumTrackMIDIProgramNames", no_programs),
    ("EnumTrackMIDIProgramNamesEx", no_programs),
    ("GetTrackMIDINoteName", no_name),
    ("GetTrackMIDINoteNameEx", no_name),
    ("HasTrackMIDIPrograms", no_name),
    ("HasTrackMIDIProgramsEx", no_name),
    ("MIDI_CountEvts", count),
    ("MIDI_DeleteCC", delete_cc),
    ("MIDI_DeleteNote", delete_note),
    ("MIDI_DeleteTextSysexEvt", delete_text),
    ("MIDI_DisableSort", disable_sort),
    ("MIDI_EnumSelCC", next_selected_cc),
    ("MIDI_EnumSelNotes", next_selected_note),
    ("MIDI_GetAllEvts", get_all),
    ("MIDI_GetCC", get_cc),
    ("MIDI_GetNote", get_note),
    ("MIDI_GetPPQPosFromProjQN", ppq_from_qn),
    ("MIDI_GetPPQPosFromProjTime", ppq_from_time),
    ("MIDI_GetProjQNFromPPQPos", qn_from_ppq),
    ("MIDI_GetProjTimeFromPPQPos", time_from_ppq),
    ("MIDI_GetTextSysexEvt", get_text),
    ("MIDI_InsertCC", insert_cc),
    ("MIDI_InsertNote", insert_note),
    ("MIDI_InsertTextSysexEvt", insert_text),
    ("MIDI_SelectAll", select_all),
    ("MIDI_SetAllEvts", set_all),
    ("MIDI_SetCC", set_cc),
    ("MIDI_SetItemExtents", set_extents),
    ("MIDI_SetNote", set_note),
    ("MIDI_Sort", disable_sort),
];

/// Notes of the take that was asked for last, valid until any MIDI changes.
#[derive(Debug, Default)]
pub(in crate::host) struct MidiCache {
    take: Option<Guid>,
    list: NoteList,
}

impl MidiCache {
    pub(in crate::host) fn clear(&mut self) {
        self.take = None;
    }
}

fn midi(host: &Host, at: TakeAt) -> Option<&Arc<MidiSource>> {
    match &host.take(at).source {
        Source::Midi(midi) => Some(midi),
        _ => None,
    }
}

/// The MIDI of a take for writing; forgets the cached list.
fn midi_mut(host: &mut Host, at: TakeAt) -> Option<&mut MidiSource> {
    host.midi_cache.clear();
    match &mut host.take_mut(at).source {
        Source::Midi(midi) => Some(Arc::make_mut(midi)),
        _ => None,
    }
}

/// Notes and other events of a take by their numbers.
fn list(host: &mut Host, at: TakeAt) -> Option<&NoteList> {
    let guid = host.take(at).guid;
    if host.midi_cache.take != Some(guid) {
        let list = NoteList::of(&midi(host, at)?.events);
        host.midi_cache = MidiCache {
            take: Some(guid),
            list,
        };
    }
    Some(&host.midi_cache.list)
}

fn tick(ppq: f64) -> Option<u64> {
    (ppq >= -0.5).then(|| ppq.round().max(0.0) as u64)
}

fn ppq(tick: u64) -> f64 {
    tick as f64
}

fn create_item(c: &mut Call) -> Answer {
    let (track, start, end, in_qn) = (c.track(0)?, c.num(1), c.num(2), c.bool(3));
    let TrackAt::Index(track) = track else {
        return answer![Out::Nil];
    };
    let tempo = &c.host.project.tempo;
    let (start_s, end_s) = if in_qn {
        (tempo.qn_to_time(start), tempo.qn_to_time(end))
    } else {
        (start, end)
    };
    let start_s = start_s.max(0.0);
    let is_span = end_s > start_s;
    if !is_span {
        return answer![Out::Nil];
    }
    let length_qn = tempo.time_to_qn(end_s) - tempo.time_to_qn(start_s);
    let take = Take {
        guid: c.host.fresh_guid(),
        source: super::item::empty_midi(c.host, length_qn),
        ..Take::default()
    };
    let item = Item {
        guid: c.host.fresh_guid(),
        position_s: start_s,
        length_s: end_s - start_s,
        takes: vec![take],
        ..Item::default()
    };
    let at = super::item::insert(c.host, track, item);
    answer![c.host.item_pointer(at)]
}

/// No modelled instrument names its programs or notes.
fn no_programs(_: &mut Call) -> Answer {
    answer![false, ""]
}

fn no_name(_: &mut Call) -> Answer {
    answer![Out::Nil]
}

fn count(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let Some(list) = list(c.host, at) else {
        return answer![0, 0, 0, 0];
    };
    let (notes, ccs, texts) = (list.notes.len(), list.ccs.len(), list.texts.len());
    answer![notes + ccs + texts, notes, ccs, texts]
}

/// Events are always in order here.
fn disable_sort(c: &mut Call) -> Answer {
    c.take(0)?;
    answer![]
}

fn note_at(c: &mut Call) -> Result<(TakeAt, Option<NoteAt>), Fail> {
    let (at, index) = (c.take(0)?, c.index(1));
    let found = list(c.host, at)
        .zip(index)
        .and_then(|(list, index)| list.notes.get(index).copied());
    Ok((at, found))
}

fn get_note(c: &mut Call) -> Answer {
    let (at, found) = note_at(c)?;
    let (Some(note), Some(midi)) = (found, midi(c.host, at)) else {
        return answer![false, false, false, 0.0, 0.0, 0, 0, 0];
    };
    let start = &midi.events[note.on];
    let end = note
        .off
        .map_or(midi.length_ticks, |off| midi.events[off].tick);
    let MidiMessage::Short([status, pitch, velocity]) = start.message else {
        return answer![false, false, false, 0.0, 0.0, 0, 0, 0];
    };
    answer![
        true,
        start.selected,
        start.muted,
        ppq(start.tick),
        ppq(end),
        i32::from(status & 0x0f),
        i32::from(pitch),
        i32::from(velocity)
    ]
}

/// A byte of a message cut to its range.
fn byte(value: i64, low: i64, high: i64) -> u8 {
    value.clamp(low, high) as u8
}

/// A note as the API gives it.
#[derive(Debug, Clone, Copy)]
struct Note {
    selected: bool,
    muted: bool,
    start: u64,
    end: u64,
    channel: u8,
    pitch: u8,
    velocity: u8,
}

fn insert_note(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let (Some(start), Some(end)) = (tick(c.num(3)), tick(c.num(4))) else {
        return answer![false];
    };
    let note = Note {
        selected: c.bool(1),
        muted: c.bool(2),
        start,
        end,
        channel: byte(c.int(5), 0, 15),
        pitch: byte(c.int(6), 0, 127),
        velocity: byte(c.int(7), 1, 127),
    };
    answer![put_note(c.host, at, note)]
}

fn put_note(host: &mut Host, at: TakeAt, note: Note) -> bool {
    if note.end <= note.start {
        return false;
    }
    let Some(midi) = midi_mut(host, at) else {
        return false;
    };
    let event = |tick, message| MidiEvent {
        tick,
        selected: note.selected,
        muted: note.muted,
        message: MidiMessage::Short(message),
    };
    insert_event(
        midi,
        event(note.start, [0x90 | note.channel, note.pitch, note.velocity]),
    );
    insert_event(midi, event(note.end, [0x80 | note.channel, note.pitch, 0]));
    host.touch(Area::Items);
    true
}

/// Puts an event where it belongs: note ends before everything else of the
/// same tick, the rest behind. The source grows to hold it.
fn insert_event(midi: &mut MidiSource, event: MidiEvent) {
    let tick = event.tick;
    let place = if super::midi_events::is_note_off(&event.message) {
        let first = midi.events.partition_point(|other| other.tick < tick);
        let ends = midi.events[first..]
            .iter()
            .take_while(|other| {
                other.tick == tick && super::midi_events::is_note_off(&other.message)
            })
            .count();
        first + ends
    } else {
        midi.events.partition_point(|other| other.tick <= tick)
    };
    midi.length_ticks = midi.length_ticks.max(tick);
    midi.events.insert(place, event);
}

fn delete_note(c: &mut Call) -> Answer {
    let (at, found) = note_at(c)?;
    let Some(note) = found else {
        return answer![false];
    };
    remove_note(c.host, at, note);
    answer![true]
}

fn remove_note(host: &mut Host, at: TakeAt, note: NoteAt) {
    if let Some(midi) = midi_mut(host, at) {
        if let Some(off) = note.off {
            midi.events.remove(off);
        }
        // The end of a note stands behind its start.
        midi.events.remove(note.on);
        host.touch(Area::Items);
    }
}

fn set_note(c: &mut Call) -> Answer {
    let (at, found) = note_at(c)?;
    let (Some(place), Some(midi)) = (found, midi(c.host, at)) else {
        return answer![false];
    };
    let start = &midi.events[place.on];
    let MidiMessage::Short([status, pitch, velocity]) = start.message else {
        return answer![false];
    };
    let old_end = place
        .off
        .map_or(midi.length_ticks, |off| midi.events[off].tick);
    let new_tick = |index: usize, old: u64| match c.opt_num(index) {
        None => Some(old),
        Some(value) => tick(value),
    };
    let (Some(new_start), Some(new_end)) = (new_tick(4, start.tick), new_tick(5, old_end)) else {
        return answer![false];
    };
    let note = Note {
        selected: c.opt_bool(2).unwrap_or(start.selected),
        muted: c.opt_bool(3).unwrap_or(start.muted),
        start: new_start,
        end: new_end,
        channel: c.opt_int(6).map_or(status & 0x0f, |v| byte(v, 0, 15)),
        pitch: c.opt_int(7).map_or(pitch, |v| byte(v, 0, 127)),
        velocity: c.opt_int(8).map_or(velocity, |v| byte(v, 1, 127)),
    };
    if note.end <= note.start {
        return answer![false];
    }
    if note.start == start.tick && note.end == old_end && place.off.is_some() {
        edit_note(c.host, at, place, note);
    } else {
        remove_note(c.host, at, place);
        put_note(c.host, at, note);
    }
    answer![true]
}

/// Changes a note that stays where it is, so that its number stays too.
fn edit_note(host: &mut Host, at: TakeAt, place: NoteAt, note: Note) {
    let Some(midi) = midi_mut(host, at) else {
        return;
    };
    let messages = [
        (
            Some(place.on),
            [0x90 | note.channel, note.pitch, note.velocity],
        ),
        (place.off, [0x80 | note.channel, note.pitch, 0]),
    ];
    for (index, message) in messages {
        if let Some(index) = index {
            let event = &mut midi.events[index];
            event.selected = note.selected;
            event.muted = note.muted;
            event.message = MidiMessage::Short(message);
        }
    }
    host.touch(Area::Items);
}

fn next_selected_note(c: &mut Call) -> Answer {
    let (at, after) = (c.take(0)?, c.int(1));
    let places: Vec<usize> = list(c.host, at)
        .map(|list| list.notes.iter().map(|note| note.on).collect())
        .unwrap_or_default();
    next_selected(c, at, after, &places)
}

fn next_selected_cc(c: &mut Call) -> Answer {
    let (at, after) = (c.take(0)?, c.int(1));
    let places = list(c.host, at)
        .map(|list| list.ccs.clone())
        .unwrap_or_default();
    next_selected(c, at, after, &places)
}

/// The first selected number above `after`, -1 at the end.
fn next_selected(c: &Call, at: TakeAt, after: i64, places: &[usize]) -> Answer {
    let from = usize::try_from(after + 1).unwrap_or(0);
    let found = midi(c.host, at)
        .and_then(|midi| (from..places.len()).find(|&index| midi.events[places[index]].selected));
    answer![found.map_or(Out::Int(-1), Out::from)]
}

fn cc_at(c: &mut Call) -> Result<(TakeAt, Option<usize>), Fail> {
    let (at, index) = (c.take(0)?, c.index(1));
    let found = list(c.host, at)
        .zip(index)
        .and_then(|(list, index)| list.ccs.get(index).copied());
    Ok((at, found))
}

fn get_cc(c: &mut Call) -> Answer {
    let (at, found) = cc_at(c)?;
    let event = found.and_then(|index| midi(c.host, at)?.events.get(index));
    let Some((event, MidiMessage::Short([status, first, second]))) =
        event.map(|event| (event, &event.message))
    else {
        return answer![false, false, false, 0.0, 0, 0, 0, 0];
    };
    answer![
        true,
        event.selected,
        event.muted,
        ppq(event.tick),
        i32::from(status & 0xf0),
        i32::from(status & 0x0f),
        i32::from(*first),
        i32::from(*second)
    ]
}

fn insert_cc(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let Some(tick) = tick(c.num(3)) else {
        return answer![false];
    };
    let kind = byte(c.int(4), 0, 255) & 0xf0;
    if !(0xa0..=0xe0).contains(&kind) {
        return answer![false];
    }
    let event = MidiEvent {
        tick,
        selected: c.bool(1),
        muted: c.bool(2),
        message: MidiMessage::Short([
            kind | byte(c.int(5), 0, 15),
            byte(c.int(6), 0, 127),
            byte(c.int(7), 0, 127),
        ]),
    };
    answer![put(c.host, at, event)]
}

fn put(host: &mut Host, at: TakeAt, event: MidiEvent) -> bool {
    let Some(midi) = midi_mut(host, at) else {
        return false;
    };
    insert_event(midi, event);
    host.touch(Area::Items);
    true
}

fn remove(host: &mut Host, at: TakeAt, index: usize) -> Option<MidiEvent> {
    let event = midi_mut(host, at).map(|midi| midi.events.remove(index));
    host.touch(Area::Items);
    event
}

fn delete_cc(c: &mut Call) -> Answer {
    let (at, found) = cc_at(c)?;
    answer![found.and_then(|index| remove(c.host, at, index)).is_some()]
}

fn set_cc(c: &mut Call) -> Answer {
    let (at, found) = cc_at(c)?;
    let Some((index, old)) =
        found.and_then(|index| Some((index, midi(c.host, at)?.events.get(index)?.clone())))
    else {
        return answer![false];
    };
    let MidiMessage::Short([status, first, second]) = old.message else {
        return answer![false];
    };
    let new_tick = match c.opt_num(4) {
        None => Some(old.tick),
        Some(value) => tick(value),
    };
    let Some(new_tick) = new_tick else {
        return answer![false];
    };
    let kind = c
        .opt_int(5)
        .map_or(status & 0xf0, |v| byte(v, 0, 255) & 0xf0);
    let channel = c.opt_int(6).map_or(status & 0x0f, |v| byte(v, 0, 15));
    let event = MidiEvent {
        tick: new_tick,
        selected: c.opt_bool(2).unwrap_or(old.selected),
        muted: c.opt_bool(3).unwrap_or(old.muted),
        message: MidiMessage::Short([
            kind | channel,
            c.opt_int(7).map_or(first, |v| byte(v, 0, 127)),
            c.opt_int(8).map_or(second, |v| byte(v, 0, 127)),
        ]),
    };
    if event.tick == old.tick {
        if let Some(midi) = midi_mut(c.host, at) {
            midi.events[index] = event;
            c.host.touch(Area::Items);
        }
    } else {
        remove(c.host, at, index);
        put(c.host, at, event);
    }
    answer![true]
}

fn text_at(c: &mut Call) -> Result<(TakeAt, Option<usize>), Fail> {
    let (at, index) = (c.take(0)?, c.index(1));
    let found = list(c.host, at)
        .zip(index)
        .and_then(|(list, index)| list.texts.get(index).copied());
    Ok((at, found))
}

fn get_text(c: &mut Call) -> Answer {
    let (at, found) = text_at(c)?;
    let event = found.and_then(|index| midi(c.host, at)?.events.get(index));
    let Some((event, MidiMessage::Long(bytes))) = event.map(|event| (event, &event.message)) else {
        return answer![false, false, false, 0.0, 0, ""];
    };
    // Text is framed as FF and its type, system exclusive as F0 … F7.
    let (kind, body) = match bytes.as_slice() {
        [0xff, kind, text @ ..] => (i32::from(*kind), text),
        [0xf0, body @ .., 0xf7] => (-1, body),
        other => (-1, other),
    };
    answer![
        true,
        event.selected,
        event.muted,
        ppq(event.tick),
        kind,
        body.to_vec()
    ]
}

fn insert_text(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let Some(tick) = tick(c.num(3)) else {
        return answer![false];
    };
    let body = c.bytes(5);
    let message = match c.int(4) {
        -1 => [&[0xf0], body, &[0xf7]].concat(),
        kind @ 1..=15 => [&[0xff, byte(kind, 1, 15)], body].concat(),
        _ => return answer![false],
    };
    let event = MidiEvent {
        tick,
        selected: c.bool(1),
        muted: c.bool(2),
        message: MidiMessage::Long(message),
    };
    answer![put(c.host, at, event)]
}

fn delete_text(c: &mut Call) -> Answer {
    let (at, found) = text_at(c)?;
    answer![found.and_then(|index| remove(c.host, at, index)).is_some()]
}

fn select_all(c: &mut Call) -> Answer {
    let (at, on) = (c.take(0)?, c.bool(1));
    if let Some(midi) = midi_mut(c.host, at) {
        for event in &mut midi.events {
            event.selected = on;
        }
    }
    answer![]
}

fn get_all(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let Some(midi) = midi(c.host, at) else {
        return answer![false, ""];
    };
    answer![true, super::midi_events::pack(midi)]
}

fn set_all(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let Some((events, length)) = super::midi_events::unpack(c.bytes(1)) else {
        return answer![false];
    };
    let Some(midi) = midi_mut(c.host, at) else {
        return answer![false];
    };
    midi.events = events;
    midi.length_ticks = length;
    c.host.touch(Area::Items);
    answer![true]
}

/// Quarter note at which the source of a take starts, and ticks per quarter
/// note of the project.
fn origin(host: &Host, at: TakeAt) -> (f64, f64) {
    let item = host.item(at.item);
    let take = host.take(at);
    let start_s = item.position_s - take.start_offset_s / take.play_rate;
    let ticks = midi(host, at).map_or(960, |midi| midi.ticks_per_qn);
    (
        host.project.tempo.time_to_qn(start_s),
        f64::from(ticks) * take.play_rate,
    )
}

fn ppq_from_qn(c: &mut Call) -> Answer {
    let (at, qn) = (c.take(0)?, c.num(1));
    let (start, ticks) = origin(c.host, at);
    answer![(qn - start) * ticks]
}

fn ppq_from_time(c: &mut Call) -> Answer {
    let (at, time) = (c.take(0)?, c.num(1));
    let (start, ticks) = origin(c.host, at);
    answer![(c.host.project.tempo.time_to_qn(time) - start) * ticks]
}

fn qn_from_ppq(c: &mut Call) -> Answer {
    let (at, ppq) = (c.take(0)?, c.num(1));
    let (start, ticks) = origin(c.host, at);
    answer![start + ppq / ticks]
}

fn time_from_ppq(c: &mut Call) -> Answer {
    let (at, ppq) = (c.take(0)?, c.num(1));
    let (start, ticks) = origin(c.host, at);
    answer![c.host.project.tempo.qn_to_time(start + ppq / ticks)]
}

fn set_extents(c: &mut Call) -> Answer {
    let (item, start_qn, end_qn) = (c.item(0)?, c.num(1), c.num(2));
    let take = c.host.item(item).active_take;
    let at = TakeAt { item, take };
    let is_midi = c
        .host
        .item(item)
        .take()
        .is_some_and(|take| matches!(take.source, Source::Midi(_)));
    let is_span = end_qn > start_qn;
    if !is_midi || !is_span {
        return answer![false];
    }
    let tempo = &c.host.project.tempo;
    let (start_s, end_s) = (
        tempo.qn_to_time(start_qn).max(0.0),
        tempo.qn_to_time(end_qn),
    );
    // The notes stay where they are in the project.
    let (old_origin, ticks) = origin(c.host, at);
    let shift = (old_origin - start_qn) * ticks;
    if let Some(midi) = midi_mut(c.host, at) {
        let mut kept = VecDeque::with_capacity(midi.events.len());
        for mut event in midi.events.drain(..) {
            if let Some(moved) = tick(ppq(event.tick) + shift) {
                event.tick = moved;
                kept.push_back(event);
            }
        }
        midi.events = kept.into();
        midi.length_ticks = tick((end_qn - start_qn) * ticks).unwrap_or(0);
    }
    let data = c.host.item_mut(item);
    data.position_s = start_s;
    data.length_s = end_s - start_s;
    if let Some(take) = data.takes.get_mut(take) {
        take.start_offset_s = 0.0;
    }
    super::item::sort(c.host, item.track);
    c.host.touch(Area::Items);
    answer![true]
}
