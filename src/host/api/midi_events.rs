//! Lists of MIDI events: which belong together, and the packed form of
//! `MIDI_GetAllEvts`.

use std::collections::{HashMap, VecDeque};

use crate::project::{MidiEvent, MidiMessage, MidiSource};

/// Places of a note's start and end in the event list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoteAt {
    pub(super) on: usize,
    /// `None` for a note that never ends: it lasts to the end of the source.
    pub(super) off: Option<usize>,
}

/// Events by kind, as the API numbers them.
#[derive(Debug, Default)]
pub(super) struct NoteList {
    pub(super) notes: Vec<NoteAt>,
    pub(super) ccs: Vec<usize>,
    pub(super) texts: Vec<usize>,
}

pub(super) fn is_note_off(message: &MidiMessage) -> bool {
    match message {
        MidiMessage::Short([status, _, velocity]) => match status & 0xf0 {
            0x80 => true,
            0x90 => *velocity == 0,
            _ => false,
        },
        MidiMessage::Long(_) => false,
    }
}

impl NoteList {
    /// A note ends with the first end of its pitch and channel that no
    /// earlier note has taken.
    pub(super) fn of(events: &[MidiEvent]) -> Self {
        let mut list = Self::default();
        let mut open: HashMap<(u8, u8), VecDeque<usize>> = HashMap::new();
        for (index, event) in events.iter().enumerate() {
            match &event.message {
                MidiMessage::Long(_) => list.texts.push(index),
                MidiMessage::Short([status, pitch, _]) => {
                    let key = (status & 0x0f, *pitch);
                    if is_note_off(&event.message) {
                        if let Some(note) = open.get_mut(&key).and_then(VecDeque::pop_front) {
                            list.notes[note].off = Some(index);
                        }
                    } else if status & 0xf0 == 0x90 {
                        open.entry(key).or_default().push_back(list.notes.len());
                        list.notes.push(NoteAt {
                            on: index,
                            off: None,
                        });
                    } else {
                        list.ccs.push(index);
                    }
                }
            }
        }
        list
    }
}

/// The packed form: per event a 32-bit distance in ticks, flags (1 selected,
/// 2 muted), a 32-bit length and the bytes; an all-notes-off closes it.
pub(super) fn pack(midi: &MidiSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut last = 0;
    let mut push = |tick: u64, flags: u8, message: &[u8]| {
        let delta = u32::try_from(tick - last).unwrap_or(u32::MAX);
        last = tick;
        bytes.extend(delta.to_le_bytes());
        bytes.push(flags);
        bytes.extend(
            u32::try_from(message.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        bytes.extend(message);
    };
    for event in &midi.events {
        let flags = u8::from(event.selected) | u8::from(event.muted) << 1;
        match &event.message {
            MidiMessage::Short(message) => {
                // Program change and channel pressure have one data byte.
                let length = match message[0] & 0xf0 {
                    0xc0 | 0xd0 => 2,
                    _ => 3,
                };
                push(event.tick, flags, &message[..length]);
            }
            MidiMessage::Long(message) => push(event.tick, flags, message),
        }
    }
    let end = midi.events.last().map_or(0, |event| event.tick);
    push(midi.length_ticks.max(end), 0, &[0xb0, 0x7b, 0x00]);
    bytes
}

/// Events and the tick of the closing mark; `None` when the text is broken.
pub(super) fn unpack(mut bytes: &[u8]) -> Option<(Vec<MidiEvent>, u64)> {
    let mut events: Vec<MidiEvent> = Vec::new();
    let mut tick: i64 = 0;
    while !bytes.is_empty() {
        let (delta, rest) = bytes.split_first_chunk::<4>()?;
        let (flags, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (message, rest) = rest.split_at_checked(length)?;
        bytes = rest;
        tick += i64::from(i32::from_le_bytes(*delta));
        let at = u64::try_from(tick).ok()?;
        let message = match message {
            [] => continue,
            [status, ..] if *status >= 0xf0 => MidiMessage::Long(message.to_vec()),
            [status, first] => MidiMessage::Short([*status, *first, 0]),
            [status, first, second] => MidiMessage::Short([*status, *first, *second]),
            _ => return None,
        };
        events.push(MidiEvent {
            tick: at,
            selected: flags & 1 != 0,
            muted: flags & 2 != 0,
            message,
        });
    }
    events.sort_by_key(|event| event.tick);
    let closes = events.last().is_some_and(|event| {
        matches!(event.message, MidiMessage::Short([status, 0x7b, _]) if status & 0xf0 == 0xb0)
    });
    let length = events.last().map_or(0, |event| event.tick);
    if closes {
        events.pop();
    }
    Some((events, length))
}
