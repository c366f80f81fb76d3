//! Envelope chunks.

use std::sync::Arc;

use super::line::{Field, args, fields, int, keyword, num, set, set_fields};
use super::tree::{Chunk, Node, Slot};
use crate::project::{Envelope, EnvelopeKind, EnvelopePoint};

/// Chunk keywords of track envelopes; those of the master start with `MASTER`.
const KEYS: [(&str, EnvelopeKind); 8] = [
    ("VOLENV", EnvelopeKind::VolumePreFx),
    ("VOLENV2", EnvelopeKind::Volume),
    ("VOLENV3", EnvelopeKind::VolumeTrim),
    ("PANENV", EnvelopeKind::PanPreFx),
    ("PANENV2", EnvelopeKind::Pan),
    ("WIDTHENV", EnvelopeKind::WidthPreFx),
    ("WIDTHENV2", EnvelopeKind::Width),
    ("MUTEENV", EnvelopeKind::Mute),
];

/// The kind of a track or master envelope chunk, if it is one.
pub(super) fn kind_of(chunk: &Chunk) -> Option<EnvelopeKind> {
    let key = chunk.keyword();
    let key = key.strip_prefix(b"MASTER").unwrap_or(key);
    KEYS.iter()
        .find(|(name, _)| name.as_bytes() == key)
        .map(|(_, kind)| *kind)
}

/// Reads an envelope chunk; its points move into the model.
pub(super) fn read(chunk: &Chunk, kind: EnvelopeKind) -> Envelope {
    let points = chunk
        .children
        .iter()
        .filter_map(|node| match node {
            Node::Line(line) if keyword(line) == b"PT" => Some(read_point(&args(line))),
            _ => None,
        })
        .collect();
    Envelope {
        kind,
        active: int(&fields(&chunk.children, "ACT"), 0, 1) != 0,
        points,
        fader_scaling: int(&fields(&chunk.children, "VOLTYPE"), 0, 0) == 1,
        raw: Some(Arc::new(chunk.clone())),
    }
}

/// The chunk of an envelope. `open` is the opening line of a new one.
pub(super) fn write(envelope: &Envelope, open: &str) -> Chunk {
    let mut chunk = match &envelope.raw {
        Some(raw) => Chunk::clone(raw),
        None => Chunk {
            open: open.as_bytes().to_vec(),
            children: Vec::new(),
            close: b">".to_vec(),
        },
    };
    set(
        &mut chunk.children,
        "ACT",
        &[(0, Field::flag(envelope.active))],
        &[Field::flag(true)],
    );
    set(
        &mut chunk.children,
        "VOLTYPE",
        &[(0, Field::flag(envelope.fader_scaling))],
        &[Field::flag(false)],
    );
    write_points(&mut chunk.children, &envelope.points);
    chunk
}

/// Opening line of a new track envelope; `master` for those of the master.
pub(super) fn open_line(kind: EnvelopeKind, master: bool) -> String {
    let key = KEYS
        .iter()
        .find(|(_, k)| *k == kind)
        .map_or("PARMENV", |(key, _)| key);
    format!("<{}{key}", if master { "MASTER" } else { "" })
}

/// Replaces all envelope chunks of a node list by the model's.
pub(super) fn splice(nodes: &mut Vec<Node>, envelopes: &[Envelope], master: bool) {
    super::track::fill(nodes, Slot::Envelopes, |i| {
        envelopes.get(i).map(|envelope| {
            vec![Node::Chunk(write(
                envelope,
                &open_line(envelope.kind, master),
            ))]
        })
    });
}

fn read_point(fields: &[String]) -> EnvelopePoint {
    EnvelopePoint {
        time_s: num(fields, 0, 0.0),
        value: num(fields, 1, 0.0),
        shape: int(fields, 2, 0),
        tension: num(fields, 6, 0.0),
        selected: int(fields, 4, 0) & 1 != 0,
    }
}

fn write_points(nodes: &mut Vec<Node>, points: &[EnvelopePoint]) {
    let is_point = |node: &Node| matches!(node, Node::Line(line) if keyword(line) == b"PT");
    let old: Vec<Vec<u8>> = nodes
        .iter()
        .filter_map(|node| match node {
            Node::Line(line) if keyword(line) == b"PT" => Some(line.clone()),
            _ => None,
        })
        .collect();
    let same = old.len() == points.len()
        && old
            .iter()
            .zip(points)
            .all(|(line, point)| read_point(&args(line)) == *point);
    if same {
        return;
    }
    let place = nodes.iter().position(is_point).unwrap_or(nodes.len());
    nodes.retain(|node| !is_point(node));
    let new = points.iter().map(|point| {
        let mut line = b"  PT".to_vec();
        let mut values = vec![
            (0, Field::Num(point.time_s)),
            (1, Field::Num(point.value)),
            (2, Field::int(point.shape)),
        ];
        if point.selected || point.tension != 0.0 {
            values.push((4, Field::flag(point.selected)));
            values.push((6, Field::Num(point.tension)));
        }
        set_fields(&mut line, &values);
        Node::Line(line)
    });
    nodes.splice(place..place, new);
}
