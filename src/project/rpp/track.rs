//! Track chunks, and the slots that objects of the model take in their parents.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::line::{Field, args, fields, find, int, keyword, num, quote, set, set_fields, text};
use super::tree::{Chunk, Node, RppError, Slot};
use super::{envelope, fx, item};
use crate::project::{Guid, PanMode, Project, Send, SendMode, Track};

/// REAPER's number for "no colour" in `PEAKCOL`.
const NO_COLOR: i32 = 16_576;

/// A receive as it stands in the file: the index of its source track instead
/// of the GUID.
pub(super) struct Receive {
    pub source_index: i32,
    pub send: Send,
}

/// The state chunk of a track, as `GetTrackStateChunk` gives it.
pub fn track_chunk(project: &Project, index: usize) -> Option<String> {
    let track = project.tracks.get(index)?;
    let mut out = Vec::new();
    write(track, project).write(&mut out);
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// Reads a track's state chunk. Receives in it name their source by index and
/// are resolved against `project`; those of unknown tracks are dropped.
///
/// # Errors
///
/// The text is not one `<TRACK` chunk.
pub fn parse_track(text: &str, project: &Project) -> Result<(Track, Vec<Send>), RppError> {
    let (track, receives) = read(Chunk::parse(text.as_bytes(), "TRACK")?);
    let sends = receives
        .into_iter()
        .filter_map(|receive| {
            let index = usize::try_from(receive.source_index).ok()?;
            let source = project.tracks.get(index)?.guid;
            Some(Send {
                source,
                dest: Some(track.guid),
                ..receive.send
            })
        })
        .collect();
    Ok((track, sends))
}

/// Reads a track chunk; receives are returned with their source's index.
pub(super) fn read(mut chunk: Chunk) -> (Track, Vec<Receive>) {
    let mut track = Track {
        guid: guid(&chunk),
        ..Track::default()
    };
    let mut receives: Vec<Receive> = Vec::new();
    let mut own = Vec::new();
    let mut after_receive = false;
    for node in std::mem::take(&mut chunk.children) {
        let still_receive = match node {
            Node::Line(line) if keyword(&line) == b"AUXRECV" => {
                if receives.is_empty() {
                    own.push(Node::Slot(Slot::Receives));
                }
                receives.push(read_receive(line));
                true
            }
            Node::Chunk(aux) if after_receive && aux.keyword().starts_with(b"AUX") => {
                if let Some(Receive { send, .. }) = receives.last_mut()
                    && let Some(raw) = &mut send.raw
                {
                    Arc::make_mut(raw).push(Node::Chunk(aux));
                }
                true
            }
            Node::Chunk(item) if item.keyword() == b"ITEM" => {
                slot_once(&mut own, Slot::Items);
                track.items.push(item::read(item));
                false
            }
            Node::Chunk(mut chain) if chain.keyword() == b"FXCHAIN" => {
                track.fx = fx::take(&mut chain);
                own.push(Node::Chunk(chain));
                false
            }
            Node::Chunk(lane) => {
                match envelope::kind_of(&lane) {
                    Some(kind) => {
                        own.push(Node::Slot(Slot::Envelopes));
                        track.envelopes.push(envelope::read(&lane, kind));
                    }
                    None => own.push(Node::Chunk(lane)),
                }
                false
            }
            other => {
                own.push(other);
                false
            }
        };
        after_receive = still_receive;
    }
    read_lines(&mut track, &own);
    chunk.children = own;
    track.raw = Some(Arc::new(chunk));
    (track, receives)
}

/// The chunk of a track.
pub(super) fn write(track: &Track, project: &Project) -> Chunk {
    let mut chunk = match &track.raw {
        Some(raw) => Chunk::clone(raw),
        None => new_chunk(track),
    };
    if guid(&chunk) != track.guid {
        let id = Field::Text(track.guid.to_string());
        set_fields(&mut chunk.open, &[(0, id.clone())]);
        set(&mut chunk.children, "TRACKID", &[(0, id)], &[]);
    }
    let nodes = &mut chunk.children;
    write_lines(track, nodes);
    write_receives(track, project, nodes);
    if !track.envelopes.is_empty() && !nodes.contains(&Node::Slot(Slot::Envelopes)) {
        insert_before(nodes, Node::Slot(Slot::Envelopes), |node| {
            matches!(node, Node::Chunk(_)) || *node == Node::Slot(Slot::Items)
        });
    }
    envelope::splice(nodes, &track.envelopes, false);
    write_chain(track, nodes);
    if !track.items.is_empty() && !nodes.contains(&Node::Slot(Slot::Items)) {
        nodes.push(Node::Slot(Slot::Items));
    }
    fill(nodes, Slot::Items, |i| {
        track
            .items
            .get(i)
            .map(|item| vec![Node::Chunk(item::write(item))])
    });
    chunk
}

/// Replaces the slots of a kind: the n-th slot by the n-th object, the last
/// slot by all that are left. Slots without an object vanish.
pub(super) fn fill(nodes: &mut Vec<Node>, slot: Slot, object: impl Fn(usize) -> Option<Vec<Node>>) {
    let mut slots = nodes
        .iter()
        .filter(|node| **node == Node::Slot(slot))
        .count();
    let mut filled = Vec::with_capacity(nodes.len());
    let mut next = 0;
    for node in std::mem::take(nodes) {
        if node != Node::Slot(slot) {
            filled.push(node);
            continue;
        }
        slots -= 1;
        while let Some(new) = object(next) {
            filled.extend(new);
            next += 1;
            if slots > 0 {
                break;
            }
        }
    }
    *nodes = filled;
}

/// The true text of a name that the `NAME` line could not hold.
pub(super) fn long_name(nodes: &[Node]) -> Option<String> {
    nodes.iter().find_map(|node| match node {
        Node::Chunk(chunk) if chunk.keyword() == b"NAME" => match chunk.children.first() {
            Some(Node::Line(line)) => {
                let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
                Some(line.strip_prefix('|').unwrap_or(&line).to_owned())
            }
            _ => None,
        },
        _ => None,
    })
}

/// Makes `NAME`, and the chunk for names with all kinds of quotes, say `name`.
pub(super) fn name_lines(nodes: &mut Vec<Node>, name: &str) {
    let says = long_name(nodes).unwrap_or_else(|| text(&fields(nodes, "NAME"), 0));
    if says == name && find(nodes, "NAME").is_some() {
        return;
    }
    nodes.retain(|node| !matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"NAME"));
    let name = name.replace(['\r', '\n'], " ");
    set(nodes, "NAME", &[(0, Field::Text(name.clone()))], &[]);
    let written = quote(&name);
    if written.starts_with('`') && name.contains('`') {
        let place = nodes
            .iter()
            .position(|node| matches!(node, Node::Line(line) if keyword(line) == b"NAME"))
            .map_or(0, |place| place + 1);
        nodes.insert(
            place,
            Node::Chunk(Chunk {
                open: b"  <NAME".to_vec(),
                children: vec![Node::Line(format!("    |{name}").into_bytes())],
                close: b"  >".to_vec(),
            }),
        );
    }
}

/// Adds a slot unless the nodes have one of this kind already.
pub(super) fn slot_once(nodes: &mut Vec<Node>, slot: Slot) {
    if !nodes.contains(&Node::Slot(slot)) {
        nodes.push(Node::Slot(slot));
    }
}

/// Inserts a node before the first that `stop` holds for, else at the end.
pub(super) fn insert_before(nodes: &mut Vec<Node>, node: Node, stop: impl Fn(&Node) -> bool) {
    let place = nodes.iter().position(stop).unwrap_or(nodes.len());
    nodes.insert(place, node);
}

/// Reads the lines that tracks and the master share in form.
fn read_lines(track: &mut Track, nodes: &[Node]) {
    let volpan = fields(nodes, "VOLPAN");
    let mute_solo = fields(nodes, "MUTESOLO");
    let main_send = fields(nodes, "MAINSEND");
    let record = fields(nodes, "REC");
    track.name = long_name(nodes).unwrap_or_else(|| text(&fields(nodes, "NAME"), 0));
    track.volume = num(&volpan, 0, 1.0);
    track.pan = num(&volpan, 1, 0.0);
    let law = num(&volpan, 2, -1.0);
    track.pan_law = (law >= 0.0).then_some(law);
    track.width = num(&fields(nodes, "WIDTH"), 0, 1.0);
    track.dual_pan = (num(&volpan, 3, -1.0), num(&volpan, 4, 1.0));
    track.pan_mode = fields(nodes, "PANMODE")
        .first()
        .and_then(|mode| PanMode::from_number(mode.parse().ok()?));
    track.muted = int(&mute_solo, 0, 0) != 0;
    track.solo = int(&mute_solo, 1, 0);
    track.solo_defeat = int(&mute_solo, 2, 0) != 0;
    track.phase_inverted = int(&fields(nodes, "IPHASE"), 0, 0) != 0;
    track.fx_enabled = int(&fields(nodes, "FX"), 0, 1) != 0;
    track.channels = int(&fields(nodes, "NCHAN"), 0, 2).clamp(2, 128) as u32;
    track.folder_depth = int(&fields(nodes, "ISBUS"), 1, 0);
    track.main_send = int(&main_send, 0, 1) != 0;
    track.main_send_offset = int(&main_send, 1, 0).max(0) as u32;
    track.color = read_color(nodes, "PEAKCOL");
    track.selected = int(&fields(nodes, "SEL"), 0, 0) != 0;
    track.armed = int(&record, 0, 0) != 0;
    track.record_input = int(&record, 1, 0);
    track.automation_mode = int(&fields(nodes, "AUTOMODE"), 0, 0);
    track.ext = read_ext(nodes);
}

fn write_lines(track: &Track, nodes: &mut Vec<Node>) {
    let zero = [Field::int(0)];
    name_lines(nodes, &track.name);
    if read_color(nodes, "PEAKCOL") != track.color {
        let color = if track.color == 0 {
            NO_COLOR
        } else {
            track.color
        };
        set(nodes, "PEAKCOL", &[(0, Field::int(color))], &[]);
    }
    set(
        nodes,
        "AUTOMODE",
        &[(0, Field::int(track.automation_mode))],
        &zero,
    );
    set(
        nodes,
        "VOLPAN",
        &[
            (0, Field::Num(track.volume)),
            (1, Field::Num(track.pan)),
            (2, Field::Num(track.pan_law.unwrap_or(-1.0))),
            (3, Field::Num(track.dual_pan.0)),
            (4, Field::Num(track.dual_pan.1)),
        ],
        &[1.0, 0.0, -1.0, -1.0, 1.0].map(Field::Num),
    );
    set(
        nodes,
        "WIDTH",
        &[(0, Field::Num(track.width))],
        &[Field::int(1)],
    );
    if let Some(mode) = track.pan_mode {
        set(nodes, "PANMODE", &[(0, Field::int(mode as i32))], &[]);
    }
    set(
        nodes,
        "MUTESOLO",
        &[
            (0, Field::flag(track.muted)),
            (1, Field::int(track.solo)),
            (2, Field::flag(track.solo_defeat)),
        ],
        &[0, 0, 0].map(Field::int),
    );
    set(
        nodes,
        "IPHASE",
        &[(0, Field::flag(track.phase_inverted))],
        &zero,
    );
    write_folder(track, nodes);
    set(
        nodes,
        "REC",
        &[
            (0, Field::flag(track.armed)),
            (1, Field::int(track.record_input)),
        ],
        &[0, 0].map(Field::int),
    );
    set(nodes, "SEL", &[(0, Field::flag(track.selected))], &zero);
    set(
        nodes,
        "NCHAN",
        &[(0, Field::int(track.channels))],
        &[Field::int(2)],
    );
    set(
        nodes,
        "FX",
        &[(0, Field::flag(track.fx_enabled))],
        &[Field::int(1)],
    );
    set(
        nodes,
        "MAINSEND",
        &[
            (0, Field::flag(track.main_send)),
            (1, Field::int(track.main_send_offset)),
        ],
        &[Field::flag(true), Field::int(0)],
    );
    if read_ext(nodes) != track.ext {
        write_ext(nodes, &track.ext);
    }
}

/// A colour counts only with its "is set" bit; 16576 and 0 are both "none".
pub(super) fn read_color(nodes: &[Node], key: &str) -> i32 {
    let color = int(&fields(nodes, key), 0, NO_COLOR);
    if color & 0x0100_0000 == 0 { 0 } else { color }
}

fn write_folder(track: &Track, nodes: &mut Vec<Node>) {
    if int(&fields(nodes, "ISBUS"), 1, 0) == track.folder_depth {
        return;
    }
    let kind = match track.folder_depth {
        0 => 0,
        depth if depth > 0 => 1,
        _ => 2,
    };
    let values = [(0, Field::int(kind)), (1, Field::int(track.folder_depth))];
    set(nodes, "ISBUS", &values, &[]);
}

/// Values set by scripts: `EXT` lines in a chunk of the track.
fn read_ext(nodes: &[Node]) -> BTreeMap<String, String> {
    nodes
        .iter()
        .filter_map(|node| match node {
            Node::Chunk(chunk) if chunk.keyword() == b"EXT" => Some(&chunk.children),
            _ => None,
        })
        .flatten()
        .filter_map(|node| match node {
            Node::Line(line) => {
                let parts = super::line::tokens(line);
                Some((text(&parts, 0), text(&parts, 1)))
            }
            _ => None,
        })
        .collect()
}

fn write_ext(nodes: &mut Vec<Node>, ext: &BTreeMap<String, String>) {
    nodes.retain(|node| !matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"EXT"));
    if ext.is_empty() {
        return;
    }
    let chunk = Chunk {
        open: b"  <EXT".to_vec(),
        children: ext
            .iter()
            .map(|(key, value)| {
                Node::Line(format!("    {} {}", quote(key), quote(value)).into_bytes())
            })
            .collect(),
        close: b"  >".to_vec(),
    };
    insert_before(nodes, Node::Chunk(chunk), |node| {
        matches!(node, Node::Chunk(_) | Node::Slot(_))
    });
}

fn write_chain(track: &Track, nodes: &mut Vec<Node>) {
    for node in nodes.iter_mut() {
        if let Node::Chunk(chain) = node
            && chain.keyword() == b"FXCHAIN"
        {
            fx::put(chain, &track.fx);
            return;
        }
    }
    if track.fx.is_empty() {
        return;
    }
    let mut chain = fx::new_chain("FXCHAIN");
    fx::put(&mut chain, &track.fx);
    insert_before(nodes, Node::Chunk(chain), |node| {
        *node == Node::Slot(Slot::Items)
    });
}

fn read_receive(line: Vec<u8>) -> Receive {
    let f = args(&line);
    let law = text(&f, 9);
    let law = law.split(':').next().unwrap_or_default().parse::<f64>();
    Receive {
        source_index: int(&f, 0, -1),
        send: Send {
            mode: SendMode::from_number(int(&f, 1, 0)).unwrap_or(SendMode::PostFader),
            volume: num(&f, 2, 1.0),
            pan: num(&f, 3, 0.0),
            muted: int(&f, 4, 0) != 0,
            mono: int(&f, 5, 0) != 0,
            phase_inverted: int(&f, 6, 0) != 0,
            source_channel: int(&f, 7, 0),
            dest_channel: int(&f, 8, 0),
            pan_law: law.ok().filter(|law| *law >= 0.0),
            midi_flags: int(&f, 10, 0),
            raw: Some(Arc::new(vec![Node::Line(line)])),
            ..Send::new(Guid::default(), None)
        },
    }
}

fn write_receives(track: &Track, project: &Project, nodes: &mut Vec<Node>) {
    let receives: Vec<&Send> = project
        .sends
        .iter()
        .filter(|send| send.dest == Some(track.guid))
        .collect();
    if !receives.is_empty() && !nodes.contains(&Node::Slot(Slot::Receives)) {
        insert_before(nodes, Node::Slot(Slot::Receives), |node| {
            matches!(node, Node::Chunk(_) | Node::Slot(_))
                || matches!(node, Node::Line(line) if matches!(keyword(line), b"MIDIOUT" | b"MAINSEND"))
        });
    }
    fill(nodes, Slot::Receives, |i| {
        receives.get(i).map(|send| write_receive(send, project))
    });
}

fn write_receive(send: &Send, project: &Project) -> Vec<Node> {
    let mut nodes = match &send.raw {
        Some(raw) => raw.to_vec(),
        None => vec![Node::Line(
            b"  AUXRECV 0 0 1 0 0 0 0 0 0 -1:U 0 -1 ''".to_vec(),
        )],
    };
    let Some(Node::Line(line)) = nodes.first_mut() else {
        return nodes;
    };
    let index = project
        .track_index(send.source)
        .map_or(-1, |index| i32::try_from(index).unwrap_or(-1));
    let mut values = vec![
        (0, Field::int(index)),
        (1, Field::int(send.mode as i32)),
        (2, Field::Num(send.volume)),
        (3, Field::Num(send.pan)),
        (4, Field::flag(send.muted)),
        (5, Field::flag(send.mono)),
        (6, Field::flag(send.phase_inverted)),
        (7, Field::int(send.source_channel)),
        (8, Field::int(send.dest_channel)),
        (10, Field::int(send.midi_flags)),
    ];
    if read_receive(line.clone()).send.pan_law != send.pan_law {
        values.push((9, Field::Num(send.pan_law.unwrap_or(-1.0))));
    }
    // Old files have short lines; leave out what says the default anyway.
    let old = args(line).len();
    values.retain(|(i, value)| *i < old || !matches!(value, Field::Int(0)));
    set_fields(line, &values);
    nodes
}

fn guid(chunk: &Chunk) -> Guid {
    let from_line = fields(&chunk.children, "TRACKID");
    from_line
        .first()
        .or(args(&chunk.open).first())
        .and_then(|text| text.parse().ok())
        .unwrap_or_default()
}

fn new_chunk(track: &Track) -> Chunk {
    let lines = [
        "NAME \"\"",
        "PEAKCOL 16576",
        "BEAT -1",
        "AUTOMODE 0",
        "VOLPAN 1 0 -1 -1 1",
        "MUTESOLO 0 0 0",
        "IPHASE 0",
        "PLAYOFFS 0 1",
        "ISBUS 0 0",
        "BUSCOMP 0 0 0 0 0",
        "SHOWINMIX 1 0.6667 0.5 1 0.5 0 0 0",
        "SEL 0",
        "REC 0 0 1 0 0 0 0 0",
        "VU 64",
        "TRACKHEIGHT 0 0 0 0 0 0 0",
        "INQ 0 0 0 0.5 100 0 0 100",
        "NCHAN 2",
        "FX 1",
    ];
    let id = track.guid.to_string();
    let mut children: Vec<Node> = lines
        .iter()
        .map(|line| Node::Line(format!("  {line}").into_bytes()))
        .collect();
    children.push(Node::Line(format!("  TRACKID {id}").into_bytes()));
    children.push(Node::Line(b"  PERF 0".to_vec()));
    children.push(Node::Slot(Slot::Receives));
    children.push(Node::Line(b"  MIDIOUT -1".to_vec()));
    children.push(Node::Line(b"  MAINSEND 1 0".to_vec()));
    Chunk {
        open: format!("<TRACK {id}").into_bytes(),
        children,
        close: b">".to_vec(),
    }
}
