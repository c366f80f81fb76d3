//! MIDI sources: event lines with delta ticks, long messages in base64.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::line::{args, fields, keyword, num};
use super::tree::{Chunk, Node};
use crate::project::{MidiEvent, MidiMessage, MidiSource};

/// Reads a `<SOURCE MIDI` chunk.
pub(super) fn read(chunk: &Chunk) -> MidiSource {
    let ticks_per_qn = num(&fields(&chunk.children, "HASDATA"), 1, 960.0) as u32;
    let pool = fields(&chunk.children, "POOLEDEVTS");
    let mut source = MidiSource {
        ticks_per_qn: ticks_per_qn.max(1),
        pool: pool
            .first()
            .and_then(|text| text.parse().ok())
            .unwrap_or_default(),
        ..MidiSource::default()
    };
    let mut tick = 0u64;
    for node in &chunk.children {
        if let Some((delta, event)) = read_event(node) {
            tick = tick.saturating_add(delta);
            source.events.push(MidiEvent { tick, ..event });
        }
    }
    // The closing all-notes-off marks the length and is no event.
    source.length_ticks = tick;
    if source
        .events
        .last()
        .is_some_and(|last| matches!(last.message, MidiMessage::Short([status, 0x7b, _]) if status & 0xf0 == 0xb0))
    {
        source.events.pop();
    }
    source
}

/// Children of a new `<SOURCE MIDI` chunk, or those of `chunk` with its event
/// lines replaced.
pub(super) fn write(source: &MidiSource, chunk: Option<&Chunk>) -> Chunk {
    let mut chunk = chunk.cloned().unwrap_or_else(|| Chunk {
        open: b"<SOURCE MIDI".to_vec(),
        children: vec![
            Node::Line(format!("  HASDATA 1 {} QN", source.ticks_per_qn).into_bytes()),
            Node::Line(b"  CCINTERP 32".to_vec()),
            Node::Line(format!("  POOLEDEVTS {}", source.pool).into_bytes()),
            Node::Line(b"  IGNTEMPO 0 120 4 4".to_vec()),
        ],
        close: b">".to_vec(),
    });
    let place = chunk
        .children
        .iter()
        .position(|node| read_event(node).is_some())
        .unwrap_or(1.min(chunk.children.len()));
    chunk.children.retain(|node| read_event(node).is_none());
    let mut last = 0;
    let mut lines: Vec<Node> = Vec::with_capacity(source.events.len() + 1);
    for event in &source.events {
        lines.push(write_event(event, event.tick.saturating_sub(last)));
        last = event.tick;
    }
    let rest = source.length_ticks.saturating_sub(last);
    lines.push(Node::Line(format!("  E {rest} b0 7b 00").into_bytes()));
    chunk.children.splice(place..place, lines);
    chunk
}

fn read_event(node: &Node) -> Option<(u64, MidiEvent)> {
    let (line, long) = match node {
        Node::Line(line) if matches!(keyword(line), b"E" | b"e" | b"Em" | b"em") => (line, None),
        Node::Chunk(chunk) if matches!(chunk.keyword(), b"X" | b"x" | b"Xm" | b"xm") => {
            (&chunk.open, Some(chunk))
        }
        _ => return None,
    };
    let key = keyword(line);
    let selected = key[0].is_ascii_lowercase();
    let muted = key.len() > 1;
    let fields = args(line);
    let delta = num(&fields, 0, 0.0).max(0.0) as u64;
    let message = match long {
        None => MidiMessage::Short([hex(&fields, 1), hex(&fields, 2), hex(&fields, 3)]),
        Some(chunk) => {
            let mut bytes = Vec::new();
            for child in &chunk.children {
                if let Node::Line(text) = child {
                    bytes.extend(BASE64.decode(text.trim_ascii()).unwrap_or_default());
                }
            }
            MidiMessage::Long(bytes)
        }
    };
    Some((
        delta,
        MidiEvent {
            tick: 0,
            selected,
            muted,
            message,
        },
    ))
}

fn write_event(event: &MidiEvent, delta: u64) -> Node {
    let letter = |upper: char| {
        let letter = if event.selected {
            upper.to_ascii_lowercase()
        } else {
            upper
        };
        let muted = if event.muted { "m" } else { "" };
        format!("{letter}{muted}")
    };
    match &event.message {
        MidiMessage::Short([status, data1, data2]) => Node::Line(
            format!(
                "  {} {delta} {status:02x} {data1:02x} {data2:02x}",
                letter('E')
            )
            .into_bytes(),
        ),
        MidiMessage::Long(bytes) => Node::Chunk(Chunk {
            open: format!("  <{} {delta} 0", letter('X')).into_bytes(),
            children: vec![Node::Line(
                format!("    {}", BASE64.encode(bytes)).into_bytes(),
            )],
            close: b"  >".to_vec(),
        }),
    }
}

fn hex(fields: &[String], index: usize) -> u8 {
    fields
        .get(index)
        .and_then(|field| u8::from_str_radix(field, 16).ok())
        .unwrap_or(0)
}

/// Whether a chunk already says what a source holds.
pub(super) fn says(chunk: &Chunk, source: &Arc<MidiSource>) -> bool {
    read(chunk) == **source
}
