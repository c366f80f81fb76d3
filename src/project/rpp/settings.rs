//! Lines of project and render settings.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::item;
use super::line::{Field, fields, int, keyword, num, set, text};
use super::track;
use super::tree::{Chunk, Node, Slot};
use crate::project::{PanMode, RenderSettings, Settings};

pub(super) fn read_settings(nodes: &[Node]) -> Settings {
    let rate = fields(nodes, "SAMPLERATE");
    let defaults = Settings::default();
    Settings {
        path: None,
        title: text(&fields(nodes, "TITLE"), 0),
        author: text(&fields(nodes, "AUTHOR"), 0),
        notes: item::notes(nodes),
        sample_rate_hz: num(&rate, 0, 44_100.0).clamp(1.0, 768_000.0) as u32,
        sample_rate_forced: int(&rate, 1, 0) != 0,
        pan_law: num(&fields(nodes, "PANLAW"), 0, defaults.pan_law),
        pan_law_flags: int(&fields(nodes, "PANLAWFLAGS"), 0, defaults.pan_law_flags),
        pan_mode: PanMode::from_number(int(&fields(nodes, "PANMODE"), 0, 3))
            .unwrap_or(defaults.pan_mode),
        record_path: text(&fields(nodes, "RECORD_PATH"), 0),
        play_rate: num(&fields(nodes, "PLAYRATE"), 0, 1.0),
        ripple: int(&fields(nodes, "RIPPLE"), 0, 0),
        grid: defaults.grid,
    }
}

pub(super) fn write_settings(settings: &Settings, nodes: &mut Vec<Node>) {
    let defaults = Settings::default();
    let empty = [Field::Text(String::new())];
    set(
        nodes,
        "RIPPLE",
        &[(0, Field::int(settings.ripple))],
        &[Field::int(0)],
    );
    set(
        nodes,
        "PANLAW",
        &[(0, Field::Num(settings.pan_law))],
        &[Field::Num(1.0)],
    );
    set(
        nodes,
        "PANMODE",
        &[(0, Field::int(settings.pan_mode as i32))],
        &[Field::int(3)],
    );
    set(
        nodes,
        "PANLAWFLAGS",
        &[(0, Field::int(settings.pan_law_flags))],
        &[Field::int(defaults.pan_law_flags)],
    );
    set(
        nodes,
        "SAMPLERATE",
        &[
            (0, Field::int(settings.sample_rate_hz)),
            (1, Field::flag(settings.sample_rate_forced)),
        ],
        &[Field::int(44_100), Field::flag(false)],
    );
    set(
        nodes,
        "TITLE",
        &[(0, Field::Text(settings.title.clone()))],
        &empty,
    );
    set(
        nodes,
        "AUTHOR",
        &[(0, Field::Text(settings.author.clone()))],
        &empty,
    );
    set(
        nodes,
        "RECORD_PATH",
        &[(0, Field::Text(settings.record_path.clone()))],
        &empty,
    );
    set(
        nodes,
        "PLAYRATE",
        &[(0, Field::Num(settings.play_rate))],
        &[Field::int(1)],
    );
    if item::notes(nodes) != settings.notes {
        let is_notes =
            |node: &Node| matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"NOTES");
        let place = nodes.iter().position(is_notes).unwrap_or(0);
        nodes.retain(|node| !is_notes(node));
        let chunk = item::notes_chunk("  <NOTES 0 2", &settings.notes);
        nodes.insert(place, Node::Chunk(chunk));
    }
}

pub(super) fn read_render(nodes: &[Node]) -> RenderSettings {
    let range = fields(nodes, "RENDER_RANGE");
    let format = fields(nodes, "RENDER_FMT");
    let defaults = RenderSettings::default();
    RenderSettings {
        folder: text(&fields(nodes, "RENDER_FILE"), 0),
        pattern: text(&fields(nodes, "RENDER_PATTERN"), 0),
        format: render_cfg(nodes).unwrap_or_default(),
        settings: int(&fields(nodes, "RENDER_STEMS"), 0, 0).max(0) as u32,
        bounds: int(&range, 0, 1).max(0) as u32,
        start_s: num(&range, 1, 0.0),
        end_s: num(&range, 2, 0.0),
        tail_flags: int(&range, 3, 18).max(0) as u32,
        tail_ms: num(&range, 4, defaults.tail_ms),
        channels: int(&format, 1, 2).clamp(1, 128) as u32,
        sample_rate_hz: int(&format, 2, 0).max(0) as u32,
        dither: int(&fields(nodes, "RENDER_DITHER"), 0, 0).max(0) as u32,
        other: BTreeMap::new(),
    }
}

pub(super) fn write_render(render: &RenderSettings, nodes: &mut Vec<Node>) {
    let empty = [Field::Text(String::new())];
    set(
        nodes,
        "RENDER_FILE",
        &[(0, Field::Quoted(render.folder.clone()))],
        &[Field::Quoted(String::new())],
    );
    set(
        nodes,
        "RENDER_PATTERN",
        &[(0, Field::Text(render.pattern.clone()))],
        &empty,
    );
    let defaults = RenderSettings::default();
    set(
        nodes,
        "RENDER_FMT",
        &[
            (0, Field::int(0)),
            (1, Field::int(render.channels)),
            (2, Field::int(render.sample_rate_hz)),
        ],
        &[Field::int(0), Field::int(2), Field::int(0)],
    );
    let range = |r: &RenderSettings| {
        [
            Field::int(r.bounds),
            Field::Num(r.start_s),
            Field::Num(r.end_s),
            Field::int(r.tail_flags),
            Field::Num(r.tail_ms),
        ]
    };
    let values: Vec<(usize, Field)> = range(render).into_iter().enumerate().collect();
    set(nodes, "RENDER_RANGE", &values, &range(&defaults));
    let zero = [Field::int(0)];
    set(
        nodes,
        "RENDER_STEMS",
        &[(0, Field::int(render.settings))],
        &zero,
    );
    set(
        nodes,
        "RENDER_DITHER",
        &[(0, Field::int(render.dither))],
        &zero,
    );
    if render_cfg(nodes).unwrap_or_default() != render.format {
        let is_cfg =
            |node: &Node| matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"RENDER_CFG");
        let place = nodes.iter().position(is_cfg);
        nodes.retain(|node| !is_cfg(node));
        let chunk = Node::Chunk(Chunk {
            open: b"  <RENDER_CFG".to_vec(),
            children: vec![Node::Line(
                format!("    {}", BASE64.encode(&render.format)).into_bytes(),
            )],
            close: b"  >".to_vec(),
        });
        match place {
            Some(place) => nodes.insert(place, chunk),
            None => track::insert_before(nodes, chunk, |node| {
                matches!(node, Node::Line(line) if keyword(line) == b"TEMPO")
                    || *node == Node::Slot(Slot::Tracks)
            }),
        }
    }
}

fn render_cfg(nodes: &[Node]) -> Option<Vec<u8>> {
    let chunk = nodes.iter().find_map(|node| match node {
        Node::Chunk(chunk) if chunk.keyword() == b"RENDER_CFG" => Some(chunk),
        _ => None,
    })?;
    let mut bytes = Vec::new();
    for node in &chunk.children {
        if let Node::Line(line) = node {
            bytes.extend(BASE64.decode(line.trim_ascii()).unwrap_or_default());
        }
    }
    Some(bytes)
}
