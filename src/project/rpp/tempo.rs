//! The tempo line and the tempo envelope.

use super::line::{Field, args, fields, int, keyword, num, set};
use super::track;
use super::tree::{Chunk, Node, Slot};
use crate::project::{TempoMap, TempoPoint};

pub(super) fn read_tempo(nodes: &[Node]) -> TempoMap {
    let tempo = fields(nodes, "TEMPO");
    let points = nodes
        .iter()
        .filter_map(|node| match node {
            Node::Chunk(chunk) if matches!(chunk.keyword(), b"TEMPOENVEX" | b"TEMPOENVNEW") => {
                Some(&chunk.children)
            }
            _ => None,
        })
        .flatten()
        .filter_map(|node| match node {
            Node::Line(line) if keyword(line) == b"PT" => read_tempo_point(&args(line)),
            _ => None,
        })
        .collect();
    TempoMap {
        bpm: num(&tempo, 0, 120.0).clamp(1.0, 10_000.0),
        signature: (
            int(&tempo, 1, 4).clamp(1, 255) as u32,
            int(&tempo, 2, 4).clamp(1, 255) as u32,
        ),
        points,
    }
}

fn read_tempo_point(f: &[String]) -> Option<TempoPoint> {
    let bpm = num(f, 1, 0.0);
    let signature = int(f, 3, 0);
    (bpm > 0.0).then(|| TempoPoint {
        time_s: num(f, 0, 0.0),
        bpm,
        signature: (signature > 0)
            .then_some(((signature & 0xffff) as u32, (signature >> 16) as u32))
            .filter(|(beats, unit)| *beats > 0 && *unit > 0),
        linear: int(f, 2, 1) == 0,
    })
}

pub(super) fn write_tempo(tempo: &TempoMap, nodes: &mut Vec<Node>) {
    let old = read_tempo(nodes);
    set(
        nodes,
        "TEMPO",
        &[
            (0, Field::Num(tempo.bpm)),
            (1, Field::int(tempo.signature.0)),
            (2, Field::int(tempo.signature.1)),
        ],
        &[Field::Num(120.0), Field::int(4), Field::int(4)],
    );
    if old.points == tempo.points {
        return;
    }
    let lines = tempo.points.iter().map(|point| {
        let shape = if point.linear { 0 } else { 1 };
        let time = super::line::number(point.time_s);
        let bpm = super::line::number(point.bpm);
        let line = match point.signature {
            Some((beats, unit)) => {
                format!("    PT {time} {bpm} {shape} {} 0 1", (unit << 16) | beats)
            }
            None => format!("    PT {time} {bpm} {shape}"),
        };
        Node::Line(line.into_bytes())
    });
    for node in nodes.iter_mut() {
        if let Node::Chunk(chunk) = node
            && matches!(chunk.keyword(), b"TEMPOENVEX" | b"TEMPOENVNEW")
        {
            chunk
                .children
                .retain(|node| !matches!(node, Node::Line(line) if keyword(line) == b"PT"));
            chunk.children.extend(lines);
            return;
        }
    }
    let mut children: Vec<Node> = [
        "ACT 1 -1",
        "VIS 1 0 1",
        "LANEHEIGHT 0 0",
        "ARM 0",
        "DEFSHAPE 1 -1 -1",
    ]
    .iter()
    .map(|line| Node::Line(format!("    {line}").into_bytes()))
    .collect();
    children.extend(lines);
    let chunk = Node::Chunk(Chunk {
        open: b"  <TEMPOENVEX".to_vec(),
        children,
        close: b"  >".to_vec(),
    });
    track::insert_before(nodes, chunk, |node| {
        matches!(node, Node::Line(line) if matches!(keyword(line), b"MARKER" | b"RULERHEIGHT"))
            || matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"PROJBAY")
            || *node == Node::Slot(Slot::Tracks)
    });
}
