//! FX chains: each effect is a group of lines from `BYPASS` to the next one.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::envelope;
use super::line::{Field, args, fields, int, keyword, num, quote, set, set_fields, text, tokens};
use super::tree::{Chunk, Node, Slot};
use crate::project::{EnvelopeKind, Fx, FxEnvelope};

/// Columns of base64 lines since REAPER 5.5.
const COLUMNS: usize = 128;

/// Takes the effects out of a chain chunk and leaves a slot in their place.
pub(super) fn take(chain: &mut Chunk) -> Vec<Fx> {
    let mut effects = Vec::new();
    let mut kept = Vec::new();
    let mut group: Vec<Node> = Vec::new();
    for node in std::mem::take(&mut chain.children) {
        let starts = matches!(&node, Node::Line(line) if keyword(line) == b"BYPASS");
        if starts {
            flush(&mut group, &mut effects, &mut kept);
            group.push(node);
        } else if group.is_empty() {
            kept.push(node);
        } else {
            group.push(node);
        }
    }
    flush(&mut group, &mut effects, &mut kept);
    chain.children = kept;
    effects
}

/// Puts the effects of the model into a chain chunk.
pub(super) fn put(chain: &mut Chunk, effects: &[Fx]) {
    if !chain.children.contains(&Node::Slot(Slot::Fx)) {
        chain.children.push(Node::Slot(Slot::Fx));
    }
    super::track::fill(&mut chain.children, Slot::Fx, |i| effects.get(i).map(write));
}

/// A new chain chunk.
pub(super) fn new_chain(key: &str) -> Chunk {
    Chunk {
        open: format!("<{key}").into_bytes(),
        children: vec![
            Node::Line(b"  SHOW 0".to_vec()),
            Node::Line(b"  LASTSEL 0".to_vec()),
            Node::Line(b"  DOCKED 0".to_vec()),
            Node::Slot(Slot::Fx),
        ],
        close: b">".to_vec(),
    }
}

fn flush(group: &mut Vec<Node>, effects: &mut Vec<Fx>, kept: &mut Vec<Node>) {
    if group.is_empty() {
        return;
    }
    let nodes = std::mem::take(group);
    match read(&nodes) {
        Some(fx) => {
            if effects.is_empty() {
                kept.push(Node::Slot(Slot::Fx));
            }
            effects.push(fx);
        }
        None => kept.extend(nodes),
    }
}

fn read(nodes: &[Node]) -> Option<Fx> {
    let chunk = nodes.iter().find_map(|node| match node {
        Node::Chunk(chunk) if chunk.keyword() != b"PARMENV" => Some(chunk),
        _ => None,
    })?;
    let bypass = fields(nodes, "BYPASS");
    let wet = fields(nodes, "WET");
    let open = tokens(&chunk.open);
    let mut fx = Fx {
        guid: fields(nodes, "FXID")
            .first()
            .and_then(|text| text.parse().ok())
            .unwrap_or_default(),
        bypassed: int(&bypass, 0, 0) != 0,
        offline: int(&bypass, 1, 0) != 0,
        wet: num(&wet, 0, 1.0),
        delta: int(&wet, 1, 0) != 0,
        preset: text(&fields(nodes, "PRESETNAME"), 0),
        envelopes: envelopes(nodes),
        raw: Some(Arc::new(nodes.to_vec())),
        ..Fx::default()
    };
    match chunk.keyword() {
        b"VST" | b"AU" | b"CLAP" | b"DX" | b"LV2" => {
            fx.name = text(&open, 1);
            fx.file = text(&open, 2);
            fx.alias = text(&open, 4);
        }
        b"JS" => {
            fx.file = text(&open, 1);
            fx.name = format!("JS: {}", fx.file);
            fx.alias = text(&open, 2);
        }
        other => fx.name = String::from_utf8_lossy(other).into_owned(),
    }
    let state = state_bytes(chunk);
    if chunk.keyword() == b"VST" {
        if let Some((pins_in, pins_out)) = pins(&state) {
            (fx.pins_in, fx.pins_out) = (pins_in, pins_out);
        }
        fx.state = Some(Arc::new(state));
    } else if chunk.keyword() == b"JS" {
        fx.state = Some(Arc::new(state));
    }
    Some(fx)
}

/// Pin masks from the header of a saved VST state.
fn pins(state: &[u8]) -> Option<(Vec<u64>, Vec<u64>)> {
    let mut at = 8;
    let mut masks = || {
        let count = u32::from_le_bytes(state.get(at..at + 4)?.try_into().ok()?) as usize;
        at += 4;
        let bytes = state.get(at..at.checked_add(count.checked_mul(8)?)?)?;
        at += bytes.len();
        Some(
            bytes
                .chunks_exact(8)
                .map(|mask| {
                    mask.iter()
                        .rev()
                        .fold(0, |all, &b| (all << 8) | u64::from(b))
                })
                .collect::<Vec<u64>>(),
        )
    };
    Some((masks()?, masks()?))
}

/// Decoded state of a plug-in chunk: for VST every base64 line on its own,
/// joined; for JS the parameter lines as text.
fn state_bytes(chunk: &Chunk) -> Vec<u8> {
    let is_js = chunk.keyword() == b"JS";
    let mut bytes = Vec::new();
    for node in &chunk.children {
        if let Node::Line(line) = node {
            let line = line.trim_ascii();
            if is_js {
                if !bytes.is_empty() {
                    bytes.push(b' ');
                }
                bytes.extend_from_slice(line);
            } else {
                bytes.extend(BASE64.decode(line).unwrap_or_default());
            }
        }
    }
    bytes
}

fn write(fx: &Fx) -> Vec<Node> {
    let mut nodes = match &fx.raw {
        Some(raw) => raw.to_vec(),
        None => new_nodes(fx),
    };
    set(
        &mut nodes,
        "BYPASS",
        &[(0, Field::flag(fx.bypassed)), (1, Field::flag(fx.offline))],
        &[0, 0].map(Field::int),
    );
    let mut wet = vec![(0, Field::Num(fx.wet))];
    if fx.delta {
        wet.push((1, Field::flag(true)));
    }
    set_wet(&mut nodes, &wet, fx.wet == 1.0 && !fx.delta);
    set(
        &mut nodes,
        "PRESETNAME",
        &[(0, Field::Text(fx.preset.clone()))],
        &[Field::Text(String::new())],
    );
    for node in &mut nodes {
        if let Node::Chunk(chunk) = node
            && chunk.keyword() != b"PARMENV"
        {
            write_chunk(chunk, fx);
            break;
        }
    }
    write_envelopes(&mut nodes, fx);
    nodes
}

/// `WET` stands only where an effect is not fully wet, behind `FXID`.
fn set_wet(nodes: &mut Vec<Node>, values: &[(usize, Field)], neutral: bool) {
    let place = nodes
        .iter()
        .position(|node| matches!(node, Node::Line(line) if keyword(line) == b"WET"));
    match place {
        Some(place) => {
            if let Node::Line(line) = &mut nodes[place] {
                set_fields(line, values);
            }
        }
        None if neutral => {}
        None => {
            let place = nodes
                .iter()
                .position(|node| matches!(node, Node::Line(line) if keyword(line) == b"WAK"))
                .unwrap_or(nodes.len());
            let mut line = b"  WET".to_vec();
            set_fields(&mut line, values);
            nodes.insert(place, Node::Line(line));
        }
    }
}

fn write_chunk(chunk: &mut Chunk, fx: &Fx) {
    let is_js = chunk.keyword() == b"JS";
    let alias = if is_js { 1 } else { 3 };
    if matches!(chunk.keyword(), b"VST" | b"JS" | b"AU" | b"CLAP")
        && text(&args(&chunk.open), alias) != fx.alias
    {
        set_fields(&mut chunk.open, &[(alias, Field::Quoted(fx.alias.clone()))]);
    }
    let Some(state) = &fx.state else { return };
    if state_bytes(chunk) == **state {
        return;
    }
    chunk.children.retain(|node| !matches!(node, Node::Line(_)));
    let lines: Vec<Node> = if is_js {
        vec![Node::Line([b"    ".as_slice(), state].concat())]
    } else {
        let (header, own, trailer) = segments(state);
        [header, own, trailer]
            .into_iter()
            .flat_map(base64_lines)
            .collect()
    };
    chunk.children.splice(0..0, lines);
}

/// Header, plug-in state and trailer of a saved VST state; each starts a line.
fn segments(state: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let parts = || {
        let word = |at: usize| -> Option<usize> {
            let bytes = state.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(bytes) as usize)
        };
        let inputs = word(8)?;
        let outputs_at = 12usize.checked_add(inputs.checked_mul(8)?)?;
        let size_at = (outputs_at + 4).checked_add(word(outputs_at)?.checked_mul(8)?)?;
        let header = size_at + 12;
        let end = header.checked_add(word(size_at)?)?;
        (end <= state.len()).then(|| (&state[..header], &state[header..end], &state[end..]))
    };
    parts().unwrap_or((state, &[], &[]))
}

fn base64_lines(bytes: &[u8]) -> Vec<Node> {
    let encoded = BASE64.encode(bytes);
    encoded
        .as_bytes()
        .chunks(COLUMNS)
        .map(|line| Node::Line([b"    ".as_slice(), line].concat()))
        .collect()
}

fn new_nodes(fx: &Fx) -> Vec<Node> {
    let open = if let Some(path) = fx.name.strip_prefix("JS:").map(|_| &fx.file) {
        format!(
            "  <JS {} {}",
            quote(path),
            super::line::quote_always(&fx.alias)
        )
    } else {
        let id = fx
            .state
            .as_ref()
            .and_then(|state| Some(u32::from_le_bytes(state.get(..4)?.try_into().ok()?)))
            .unwrap_or(0);
        format!(
            "  <VST {} {} 0 {} {id}<{}> \"\"",
            super::line::quote_always(&fx.name),
            quote(&fx.file),
            super::line::quote_always(&fx.alias),
            vst2_hex(id, &fx.file),
        )
    };
    vec![
        Node::Line(b"  BYPASS 0 0 0".to_vec()),
        Node::Chunk(Chunk {
            open: open.into_bytes(),
            children: Vec::new(),
            close: b"  >".to_vec(),
        }),
        Node::Line(b"  FLOATPOS 0 0 0 0".to_vec()),
        Node::Line(format!("  FXID {}", fx.guid).into_bytes()),
        Node::Line(b"  WAK 0 0".to_vec()),
    ]
}

/// The 16 bytes after a VST2 id: `VST`, the id's letters, nine letters of the
/// file's base name.
fn vst2_hex(id: u32, file: &str) -> String {
    let base = file.split('.').next().unwrap_or(file).to_lowercase();
    let mut bytes = b"VST".to_vec();
    bytes.extend(id.to_be_bytes());
    bytes.extend(base.bytes().take(9));
    bytes.resize(16, 0);
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn envelopes(nodes: &[Node]) -> Vec<FxEnvelope> {
    nodes
        .iter()
        .filter_map(|node| match node {
            Node::Chunk(chunk) if chunk.keyword() == b"PARMENV" => {
                let param = text(&args(&chunk.open), 0);
                let index = param.split(':').next()?.parse().ok()?;
                Some(FxEnvelope {
                    param: index,
                    envelope: envelope::read(chunk, EnvelopeKind::FxParam),
                })
            }
            _ => None,
        })
        .collect()
}

fn write_envelopes(nodes: &mut Vec<Node>, fx: &Fx) {
    let is_envelope =
        |node: &Node| matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"PARMENV");
    let place = nodes.iter().position(is_envelope).unwrap_or_else(|| {
        nodes
            .iter()
            .position(|node| matches!(node, Node::Line(line) if keyword(line) == b"WAK"))
            .unwrap_or(nodes.len())
    });
    let new: Vec<Node> = fx
        .envelopes
        .iter()
        .map(|lane| {
            let open = format!("<PARMENV {} 0 1 0.5", lane.param);
            Node::Chunk(envelope::write(&lane.envelope, &open))
        })
        .collect();
    let old: Vec<&Node> = nodes.iter().filter(|node| is_envelope(node)).collect();
    if old.into_iter().eq(new.iter()) {
        return;
    }
    nodes.retain(|node| !is_envelope(node));
    let place = place.min(nodes.len());
    nodes.splice(place..place, new);
}
