//! Markers and regions.

use super::line::{args, int, keyword, num, quote, text};
use super::tree::{Node, Slot};
use crate::project::Marker;

/// A region is two lines with the same number: the start, then the end.
pub(super) fn read_markers(nodes: &[Node]) -> Vec<Marker> {
    let mut markers: Vec<Marker> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for node in nodes {
        let Node::Line(line) = node else { continue };
        if keyword(line) != b"MARKER" {
            continue;
        }
        let f = args(line);
        let number = int(&f, 0, 0);
        let position_s = num(&f, 1, 0.0);
        let is_region = int(&f, 3, 0) & 1 != 0;
        let started = is_region
            .then(|| open.iter().position(|&i| markers[i].number == number))
            .flatten();
        if let Some(at) = started {
            let index = open.swap_remove(at);
            markers[index].end_s = Some(position_s);
            continue;
        }
        if is_region {
            open.push(markers.len());
        }
        markers.push(Marker {
            number,
            name: text(&f, 2),
            position_s,
            end_s: is_region.then_some(position_s),
            color: int(&f, 4, 0),
            guid: f.get(7).and_then(|g| g.parse().ok()).unwrap_or_default(),
        });
    }
    markers.sort_by(|a, b| a.position_s.total_cmp(&b.position_s));
    markers
}

pub(super) fn write_markers(markers: &[Marker], nodes: &mut Vec<Node>) {
    if read_markers(nodes) == markers {
        return;
    }
    let is_marker = |node: &Node| matches!(node, Node::Line(line) if keyword(line) == b"MARKER");
    let place = nodes.iter().position(is_marker);
    nodes.retain(|node| !is_marker(node));
    let place = place.unwrap_or_else(|| {
        nodes
            .iter()
            .position(|node| {
                matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"PROJBAY")
                    || *node == Node::Slot(Slot::Tracks)
            })
            .unwrap_or(nodes.len())
    });
    let lines = markers.iter().flat_map(|marker| {
        let flags = i32::from(marker.end_s.is_some());
        let number = super::line::number;
        let start = format!(
            "  MARKER {} {} {} {flags} {} 1 R {} 0",
            marker.number,
            number(marker.position_s),
            quote(&marker.name.replace(['\r', '\n'], " ")),
            marker.color,
            marker.guid,
        );
        let end = marker
            .end_s
            .map(|end| format!("  MARKER {} {} \"\" {flags}", marker.number, number(end)));
        std::iter::once(start).chain(end)
    });
    let lines: Vec<Node> = lines.map(|line| Node::Line(line.into_bytes())).collect();
    nodes.splice(place..place, lines);
}
