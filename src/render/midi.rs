//! MIDI of a track on the render's frame grid: items, loops, and what other
//! tracks send. Instruments do not pass MIDI on.

use crate::project::{Item, MidiMessage, MidiSource, Source, Take};

use super::RenderError;
use super::graph::{Graph, MidiEdge};
use super::item::Stage;
use super::media::Place;

/// A message and the frame at which it is heard.
pub(super) type TimedMessage = (i64, [u8; 3]);

/// Messages one track may hold; a broken loop length must not fill memory.
const MAX_MESSAGES: usize = 8_000_000;

/// All messages that reach the instruments of a node, in time order.
pub(super) fn gather(
    node: usize,
    graph: &Graph,
    stage: &Stage<'_>,
    has_instrument: &dyn Fn(usize) -> bool,
) -> Result<Vec<TimedMessage>, RenderError> {
    let mut messages = Vec::new();
    let mut path = Vec::new();
    collect(node, graph, stage, has_instrument, &mut path, &mut messages)?;
    // Stable: equal frames keep the order of items and of events, so that a
    // note-off written before a note-on stays before it.
    messages.sort_by_key(|&(frame, _)| frame);
    Ok(messages)
}

fn collect(
    node: usize,
    graph: &Graph,
    stage: &Stage<'_>,
    has_instrument: &dyn Fn(usize) -> bool,
    path: &mut Vec<usize>,
    messages: &mut Vec<TimedMessage>,
) -> Result<(), RenderError> {
    if path.contains(&node) {
        return Ok(());
    }
    path.push(node);
    if let Some(track) = stage.project.tracks.get(node) {
        let name = super::graph::node_name(stage.project, node);
        for (index, item) in track.items.iter().enumerate() {
            let Some(take) = item.take().filter(|_| !item.muted) else {
                continue;
            };
            if let Source::Midi(source) = &take.source {
                let place = Place {
                    track: &name,
                    item: index + 1,
                };
                item_messages(item, take, source, stage, place, messages)?;
            }
        }
    }
    for edge in &graph.midi[node] {
        if has_instrument(edge.from) {
            continue;
        }
        let mut sent = Vec::new();
        collect(edge.from, graph, stage, has_instrument, path, &mut sent)?;
        messages.extend(
            sent.into_iter()
                .filter_map(|(frame, message)| Some((frame, through(edge, message)?))),
        );
    }
    path.pop();
    Ok(())
}

fn through(edge: &MidiEdge, mut message: [u8; 3]) -> Option<[u8; 3]> {
    let channel = message[0] & 0x0f;
    if edge.from_channel.is_some_and(|from| from != channel) {
        return None;
    }
    if let Some(to) = edge.to_channel {
        message[0] = (message[0] & 0xf0) | to;
    }
    Some(message)
}

/// Messages of one item between its edges, loops unrolled. Notes that still
/// sound at the end of a repetition or of the item are switched off there.
fn item_messages(
    item: &Item,
    take: &Take,
    source: &MidiSource,
    stage: &Stage<'_>,
    place: Place<'_>,
    messages: &mut Vec<TimedMessage>,
) -> Result<(), RenderError> {
    let rate = f64::from(stage.sample_rate_hz);
    let start = ((item.position_s * rate).round() as i64).max(stage.start);
    let end = ((item.end_s() * rate).round() as i64).min(stage.end);
    if end <= start || source.ticks_per_qn == 0 {
        return Ok(());
    }
    let play_rate = take.play_rate;
    if !(1e-3..=1e3).contains(&play_rate) {
        return Err(RenderError::Unsupported {
            what: format!("play rate {play_rate}"),
            place: format!("item {} on track `{}`", place.item, place.track),
        });
    }
    let tempo = &stage.project.tempo;
    // Ticks count from the start of the source, which lies before the item
    // by the take's offset.
    let origin_qn = tempo.time_to_qn(item.position_s - take.start_offset_s / play_rate);
    let qn_per_tick = 1.0 / (f64::from(source.ticks_per_qn) * play_rate);
    let frame_of = |tick: u64| {
        let time_s = tempo.qn_to_time(origin_qn + tick as f64 * qn_per_tick);
        (time_s * rate).round() as i64
    };
    let length = source.length_ticks;
    let loops = item.loop_source && length > 0;
    let first_pass = if loops {
        let start_qn = tempo.time_to_qn(start as f64 / rate);
        ((start_qn - origin_qn) / qn_per_tick / length as f64)
            .floor()
            .max(0.0) as u64
    } else {
        0
    };
    let mut sounding: Vec<[u8; 2]> = Vec::new();
    let mut pass = first_pass;
    loop {
        let pass_start = pass.saturating_mul(length);
        let time_of = |tick: u64| tempo.qn_to_time(origin_qn + tick as f64 * qn_per_tick);
        // A tempo that stands still would repeat the source without end.
        let moves = time_of(pass_start.saturating_add(length)) > time_of(pass_start);
        if loops && (!moves || frame_of(pass_start) >= end) {
            break;
        }
        let pass_end = if loops {
            frame_of(pass_start.saturating_add(length)).min(end)
        } else {
            end
        };
        for event in source.events.iter().filter(|event| !event.muted) {
            let MidiMessage::Short(message) = event.message else {
                continue;
            };
            if loops && event.tick >= length {
                break;
            }
            let frame = frame_of(pass_start.saturating_add(event.tick));
            if frame < start || frame >= pass_end {
                continue;
            }
            track_notes(&mut sounding, message);
            messages.push((frame, message));
        }
        for [channel, key] in sounding.drain(..) {
            messages.push((pass_end, [0x80 | channel, key, 0]));
        }
        if messages.len() > MAX_MESSAGES {
            return Err(RenderError::OutOfRange {
                what: "number of MIDI messages on a track",
                value: messages.len() as f64,
                range: "0 to 8000000",
            });
        }
        pass += 1;
        if !loops {
            break;
        }
    }
    Ok(())
}

fn track_notes(sounding: &mut Vec<[u8; 2]>, [status, key, velocity]: [u8; 3]) {
    let note = [status & 0x0f, key];
    match (status & 0xf0, velocity) {
        (0x90, 1..) => sounding.push(note),
        (0x80, _) | (0x90, 0) => {
            if let Some(at) = sounding.iter().position(|&other| other == note) {
                sounding.remove(at);
            }
        }
        _ => {}
    }
}
