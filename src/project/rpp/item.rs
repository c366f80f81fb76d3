//! Item chunks: item lines, then takes with their sources.

use std::sync::Arc;

use super::line::{Field, args, fields, find, int, keyword, num, quote_always, set, text};
use super::midi;
use super::track::{fill, long_name, name_lines};
use super::tree::{Chunk, Node, RppError, Slot};
use crate::project::{Fade, Item, Source, Take};

/// Lines of an item that belong to its first take.
const TAKE_LINES: [&[u8]; 9] = [
    b"NAME",
    b"VOLPAN",
    b"SOFFS",
    b"PLAYRATE",
    b"CHANMODE",
    b"GUID",
    b"RECPASS",
    b"TKM",
    b"SM",
];

/// The state chunk of an item, one line each, as `GetItemStateChunk` gives it.
pub fn item_chunk(item: &Item) -> String {
    let mut out = Vec::new();
    write(item).write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads an item's state chunk.
///
/// # Errors
///
/// The text is not one `<ITEM` chunk.
pub fn parse_item(text: &str) -> Result<Item, RppError> {
    Chunk::parse(text.as_bytes(), "ITEM").map(read)
}

pub(super) fn read(mut chunk: Chunk) -> Item {
    let nodes = std::mem::take(&mut chunk.children);
    let mut takes: Vec<Vec<Node>> = Vec::new();
    let mut own = Vec::new();
    for node in nodes {
        let starts_next = matches!(&node, Node::Line(line) if keyword(line) == b"TAKE");
        let in_first = match &node {
            Node::Line(line) => TAKE_LINES.contains(&keyword(line)),
            Node::Chunk(chunk) => {
                let key = chunk.keyword();
                matches!(key, b"SOURCE" | b"TAKEFX" | b"NAME")
                    || matches!(key, b"VOLENV" | b"PANENV" | b"MUTEENV" | b"PITCHENV")
            }
            Node::Slot(_) => false,
        };
        if starts_next {
            if takes.is_empty() {
                own.push(Node::Slot(Slot::Takes));
                takes.push(Vec::new());
            }
            takes.push(vec![node]);
        } else if takes.len() > 1 {
            takes[..]
                .last_mut()
                .into_iter()
                .for_each(|take| take.push(node.clone()));
        } else if in_first {
            if takes.is_empty() {
                own.push(Node::Slot(Slot::Takes));
                takes.push(Vec::new());
            }
            takes[0].push(node);
        } else {
            own.push(node);
        }
    }
    let volpan = takes
        .first()
        .map(|t| fields(t, "VOLPAN"))
        .unwrap_or_default();
    let active_take = takes
        .iter()
        .position(|take| fields(take, "TAKE").first().is_some_and(|f| f == "SEL"))
        .unwrap_or(0);
    let item = Item {
        guid: fields(&own, "IGUID")
            .first()
            .and_then(|text| text.parse().ok())
            .unwrap_or_default(),
        position_s: num(&fields(&own, "POSITION"), 0, 0.0),
        length_s: num(&fields(&own, "LENGTH"), 0, 0.0),
        snap_offset_s: num(&fields(&own, "SNAPOFFS"), 0, 0.0),
        volume: num(&volpan, 0, 1.0),
        muted: int(&fields(&own, "MUTE"), 0, 0) != 0,
        selected: int(&fields(&own, "SEL"), 0, 0) != 0,
        loop_source: int(&fields(&own, "LOOP"), 0, 0) != 0,
        fade_in: read_fade(&fields(&own, "FADEIN")),
        fade_out: read_fade(&fields(&own, "FADEOUT")),
        color: int(&fields(&own, "COLOR"), 0, 0),
        notes: notes(&own),
        takes: takes
            .into_iter()
            .enumerate()
            .map(|(i, t)| read_take(t, i))
            .collect(),
        active_take,
        other: Default::default(),
        raw: None,
    };
    chunk.children = own;
    // An item whose only take has no source is an empty item with a note.
    Item {
        raw: Some(Arc::new(chunk)),
        ..item
    }
}

pub(super) fn write(item: &Item) -> Chunk {
    let mut chunk = match &item.raw {
        Some(raw) => Chunk::clone(raw),
        None => Chunk {
            open: b"<ITEM".to_vec(),
            children: vec![
                Node::Line(b"  POSITION 0".to_vec()),
                Node::Line(b"  SNAPOFFS 0".to_vec()),
                Node::Line(b"  LENGTH 0".to_vec()),
                Node::Line(b"  LOOP 1".to_vec()),
                Node::Line(b"  ALLTAKES 0".to_vec()),
                Node::Line(b"  FADEIN 1 0 0 1 0 0 0".to_vec()),
                Node::Line(b"  FADEOUT 1 0 0 1 0 0 0".to_vec()),
                Node::Line(b"  MUTE 0 0".to_vec()),
                Node::Line(b"  SEL 0".to_vec()),
                Node::Line(format!("  IGUID {}", item.guid).into_bytes()),
                Node::Slot(Slot::Takes),
            ],
            close: b">".to_vec(),
        },
    };
    let nodes = &mut chunk.children;
    let zero = [Field::int(0)];
    set(
        nodes,
        "POSITION",
        &[(0, Field::Num(item.position_s))],
        &[Field::Num(0.0)],
    );
    set(
        nodes,
        "SNAPOFFS",
        &[(0, Field::Num(item.snap_offset_s))],
        &zero,
    );
    set(
        nodes,
        "LENGTH",
        &[(0, Field::Num(item.length_s))],
        &[Field::Num(0.0)],
    );
    set(nodes, "LOOP", &[(0, Field::flag(item.loop_source))], &zero);
    write_fade(nodes, "FADEIN", &item.fade_in);
    write_fade(nodes, "FADEOUT", &item.fade_out);
    set(nodes, "MUTE", &[(0, Field::flag(item.muted))], &zero);
    set(nodes, "SEL", &[(0, Field::flag(item.selected))], &zero);
    set(nodes, "COLOR", &[(0, Field::int(item.color))], &zero);
    let guid = Field::Text(item.guid.to_string());
    if find(nodes, "IGUID").is_some() || item.guid != Default::default() {
        set(nodes, "IGUID", &[(0, guid)], &[]);
    }
    if notes(nodes) != item.notes {
        nodes.retain(|node| !matches!(node, Node::Chunk(c) if c.keyword() == b"NOTES"));
        if !item.notes.is_empty() {
            nodes.push(Node::Chunk(notes_chunk("<NOTES", &item.notes)));
        }
    }
    if !nodes.contains(&Node::Slot(Slot::Takes)) {
        nodes.push(Node::Slot(Slot::Takes));
    }
    fill(nodes, Slot::Takes, |i| {
        item.takes.get(i).map(|take| write_take(take, item, i))
    });
    chunk
}

/// Text of a `NOTES` chunk among the children.
pub(super) fn notes(nodes: &[Node]) -> String {
    let lines: Vec<String> = nodes
        .iter()
        .find_map(|node| match node {
            Node::Chunk(chunk) if chunk.keyword() == b"NOTES" => Some(&chunk.children),
            _ => None,
        })
        .into_iter()
        .flatten()
        .filter_map(|node| match node {
            Node::Line(line) => {
                let line = String::from_utf8_lossy(line);
                let line = line.trim_start().trim_end_matches('\r');
                Some(line.strip_prefix('|').unwrap_or(line).to_owned())
            }
            _ => None,
        })
        .collect();
    lines.join("\n")
}

/// A `NOTES` chunk with a text.
pub(super) fn notes_chunk(open: &str, text: &str) -> Chunk {
    Chunk {
        open: open.as_bytes().to_vec(),
        children: text
            .lines()
            .map(|line| Node::Line(format!("  |{line}").into_bytes()))
            .collect(),
        close: b">".to_vec(),
    }
}

fn read_fade(fields: &[String]) -> Fade {
    Fade {
        shape: int(fields, 0, 0),
        length_s: num(fields, 1, 0.0),
        auto_length_s: num(fields, 2, 0.0),
        curvature: num(fields, 5, 0.0),
    }
}

fn write_fade(nodes: &mut Vec<Node>, key: &str, fade: &Fade) {
    let values = [
        (0, Field::int(fade.shape)),
        (1, Field::Num(fade.length_s)),
        (2, Field::Num(fade.auto_length_s)),
        (5, Field::Num(fade.curvature)),
    ];
    let zero = Field::Num(0.0);
    let absent = [Field::int(0), zero.clone(), zero.clone(), zero];
    set(nodes, key, &values, &absent);
}

fn read_take(nodes: Vec<Node>, index: usize) -> Take {
    // Later takes have no item trim in front of their volume line.
    let (volume, pan) = if index == 0 {
        let volpan = fields(&nodes, "VOLPAN");
        (num(&volpan, 2, 1.0), num(&volpan, 1, 0.0))
    } else {
        let volpan = fields(&nodes, "TAKEVOLPAN");
        (num(&volpan, 1, 1.0), num(&volpan, 0, 0.0))
    };
    let rate = fields(&nodes, "PLAYRATE");
    Take {
        guid: fields(&nodes, "GUID")
            .first()
            .and_then(|text| text.parse().ok())
            .unwrap_or_default(),
        name: long_name(&nodes).unwrap_or_else(|| text(&fields(&nodes, "NAME"), 0)),
        volume,
        pan,
        start_offset_s: num(&fields(&nodes, "SOFFS"), 0, 0.0),
        play_rate: num(&rate, 0, 1.0),
        preserve_pitch: int(&rate, 1, 1) != 0,
        pitch_semitones: num(&rate, 2, 0.0),
        channel_mode: int(&fields(&nodes, "CHANMODE"), 0, 0),
        source: nodes
            .iter()
            .find_map(|node| match node {
                Node::Chunk(chunk) if chunk.keyword() == b"SOURCE" => Some(read_source(chunk)),
                _ => None,
            })
            .unwrap_or(Source::Empty),
        raw: Some(Arc::new(nodes)),
    }
}

fn write_take(take: &Take, item: &Item, index: usize) -> Vec<Node> {
    let mut nodes = match &take.raw {
        Some(raw) => raw.to_vec(),
        None => vec![
            Node::Line(b"  NAME \"\"".to_vec()),
            Node::Line(format!("  GUID {}", take.guid).into_bytes()),
        ],
    };
    let starts_with_take = find(&nodes, "TAKE").is_some();
    if index == 0 {
        nodes.retain(|node| !matches!(node, Node::Line(line) if keyword(line) == b"TAKE"));
        set(
            &mut nodes,
            "VOLPAN",
            &[
                (0, Field::Num(item.volume)),
                (1, Field::Num(take.pan)),
                (2, Field::Num(take.volume)),
            ],
            &[1.0, 0.0, 1.0].map(Field::Num),
        );
    } else {
        if !starts_with_take {
            nodes.retain(|node| !matches!(node, Node::Line(line) if keyword(line) == b"VOLPAN"));
            nodes.insert(0, Node::Line(b"  TAKE".to_vec()));
        }
        let selected = item.active_take == index;
        let says = fields(&nodes, "TAKE").first().is_some_and(|f| f == "SEL");
        if selected != says
            && let Some(Node::Line(line)) = nodes.first_mut()
        {
            *line = if selected {
                b"  TAKE SEL".to_vec()
            } else {
                b"  TAKE".to_vec()
            };
        }
        set(
            &mut nodes,
            "TAKEVOLPAN",
            &[(0, Field::Num(take.pan)), (1, Field::Num(take.volume))],
            &[Field::int(0), Field::int(1)],
        );
    }
    name_lines(&mut nodes, &take.name);
    let zero = [Field::int(0)];
    set(
        &mut nodes,
        "SOFFS",
        &[(0, Field::Num(take.start_offset_s))],
        &zero,
    );
    set(
        &mut nodes,
        "PLAYRATE",
        &[
            (0, Field::Num(take.play_rate)),
            (1, Field::flag(take.preserve_pitch)),
            (2, Field::Num(take.pitch_semitones)),
        ],
        &[Field::int(1), Field::flag(true), Field::int(0)],
    );
    set(
        &mut nodes,
        "CHANMODE",
        &[(0, Field::int(take.channel_mode))],
        &zero,
    );
    if find(&nodes, "GUID").is_some() || take.guid != Default::default() {
        set(
            &mut nodes,
            "GUID",
            &[(0, Field::Text(take.guid.to_string()))],
            &[],
        );
    }
    write_source_into(&mut nodes, &take.source);
    nodes
}

fn read_source(chunk: &Chunk) -> Source {
    let kind = text(&args(&chunk.open), 0);
    let file = find(&chunk.children, "FILE").map(|line| text(&args(line), 0));
    match kind.as_str() {
        "MIDI" | "MIDIPOOL" => Source::Midi(Arc::new(midi::read(chunk))),
        "SECTION" => Source::Section {
            start_s: num(&fields(&chunk.children, "STARTPOS"), 0, 0.0),
            length_s: num(&fields(&chunk.children, "LENGTH"), 0, 0.0),
            reversed: int(&fields(&chunk.children, "MODE"), 0, 0) & 2 != 0,
            source: Box::new(
                chunk
                    .chunks("SOURCE")
                    .next()
                    .map_or(Source::Empty, read_source),
            ),
        },
        "EMPTY" | "" => Source::Empty,
        "WAVE" | "MP3" | "FLAC" | "VORBIS" | "WAVPACK" | "OPUS" | "AIFF" => match file {
            Some(file) => Source::Audio { file, kind },
            None => Source::Empty,
        },
        _ => Source::Other { kind, file },
    }
}

fn write_source_into(nodes: &mut Vec<Node>, source: &Source) {
    for node in nodes.iter_mut() {
        if let Node::Chunk(chunk) = node
            && chunk.keyword() == b"SOURCE"
        {
            if read_source(chunk) != *source {
                *chunk = source_chunk(source, Some(chunk));
            }
            return;
        }
    }
    if *source != Source::Empty {
        nodes.push(Node::Chunk(source_chunk(source, None)));
    }
}

fn source_chunk(source: &Source, old: Option<&Chunk>) -> Chunk {
    let lines = |open: String, lines: Vec<String>| Chunk {
        open: format!("  <SOURCE {open}").into_bytes(),
        children: lines
            .into_iter()
            .map(|line| Node::Line(format!("    {line}").into_bytes()))
            .collect(),
        close: b"  >".to_vec(),
    };
    match source {
        Source::Empty => lines("EMPTY".to_owned(), Vec::new()),
        Source::Audio { file, kind } => {
            lines(kind.clone(), vec![format!("FILE {}", quote_always(file))])
        }
        Source::Midi(data) => {
            let old = old.filter(|chunk| args(&chunk.open).first().is_some_and(|k| k == "MIDI"));
            match old {
                Some(chunk) if midi::says(chunk, data) => chunk.clone(),
                _ => midi::write(data, old),
            }
        }
        Source::Section {
            start_s,
            length_s,
            reversed,
            source,
        } => {
            let mode = if *reversed { 3 } else { 1 };
            let mut chunk = lines(
                "SECTION".to_owned(),
                vec![
                    format!("LENGTH {}", super::line::number(*length_s)),
                    format!("MODE {mode}"),
                    format!("STARTPOS {}", super::line::number(*start_s)),
                ],
            );
            chunk.children.push(Node::Chunk(source_chunk(source, None)));
            chunk
        }
        Source::Other { kind, file } => lines(
            kind.clone(),
            file.iter()
                .map(|file| format!("FILE {}", quote_always(file)))
                .collect(),
        ),
    }
}
