//! The root chunk: settings, tempo, master, markers, tracks.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::line::{Field, args, fields, int, keyword, num, quote, set, text, tokens};
use super::tree::{Chunk, Document, Node, RppError, Slot};
use super::{Warning, envelope, fx, item, track};
use crate::project::{
    Guid, Marker, PanMode, Project, RenderSettings, Send, Settings, TempoMap, TempoPoint, Track,
};

/// Reads a project file.
///
/// # Errors
///
/// When no `<REAPER_PROJECT` chunk is there or the file ends inside a chunk.
/// Anything odd that can be lived with is a [`Warning`].
pub fn parse(bytes: &[u8]) -> Result<(Project, Vec<Warning>), RppError> {
    let mut document = Document::parse(bytes, "REAPER_PROJECT")?;
    let mut warnings = Vec::new();
    if !document.before.is_empty() {
        warnings.push(Warning {
            line: 1,
            message: "text stands before the project; it is kept".to_owned(),
        });
    }
    if document
        .after
        .iter()
        .any(|byte| !byte.is_ascii_whitespace())
    {
        warnings.push(Warning {
            line: 0,
            message: "bytes stand after the end of the project; they are kept".to_owned(),
        });
    }
    let mut tracks: Vec<Track> = Vec::new();
    let mut receives = Vec::new();
    let mut master = master_base();
    let mut own = Vec::new();
    for node in std::mem::take(&mut document.root.children) {
        match node {
            Node::Chunk(chunk) if chunk.keyword() == b"TRACK" => {
                track::slot_once(&mut own, Slot::Tracks);
                let (track, received) = track::read(chunk);
                receives.push(received);
                tracks.push(track);
            }
            Node::Chunk(mut chain) if chain.keyword() == b"MASTERFXLIST" => {
                master.fx = fx::take(&mut chain);
                own.push(Node::Chunk(chain));
            }
            Node::Chunk(lane)
                if lane.keyword().starts_with(b"MASTER") && envelope::kind_of(&lane).is_some() =>
            {
                if let Some(kind) = envelope::kind_of(&lane) {
                    own.push(Node::Slot(Slot::Envelopes));
                    master.envelopes.push(envelope::read(&lane, kind));
                }
            }
            other => own.push(other),
        }
    }
    give_ids(&mut tracks, &mut warnings);
    let sends = resolve(&tracks, receives, &mut warnings);
    read_master(&mut master, &own);
    let markers = read_markers(&own);
    let selection = fields(&own, "SELECTION");
    let loop_range = fields(&own, "SELECTION2");
    let project = Project {
        settings: read_settings(&own),
        tempo: read_tempo(&own),
        master: Arc::new(master),
        tracks: tracks.into_iter().map(Arc::new).collect(),
        sends,
        markers,
        render: read_render(&own),
        time_selection_s: (num(&selection, 0, 0.0), num(&selection, 1, 0.0)),
        loop_range_s: (num(&loop_range, 0, 0.0), num(&loop_range, 1, 0.0)),
        edit_cursor_s: num(&fields(&own, "CURSOR"), 0, 0.0),
        ext_state: read_ext_state(&own),
        raw: None,
    };
    document.root.children = own;
    Ok((
        Project {
            raw: Some(Arc::new(document)),
            ..project
        },
        warnings,
    ))
}

/// The bytes of a project file.
pub fn write(project: &Project) -> Vec<u8> {
    let mut document = match &project.raw {
        Some(raw) => Document::clone(raw),
        None => new_document(),
    };
    let nodes = &mut document.root.children;
    write_settings(&project.settings, nodes);
    write_render(&project.render, nodes);
    write_tempo(&project.tempo, nodes);
    write_master(&project.master, nodes);
    write_markers(&project.markers, nodes);
    let zero = [Field::int(0)];
    let range = |(start, end): (f64, f64)| [(0, Field::Num(start)), (1, Field::Num(end))];
    let none = [Field::int(0), Field::int(0)];
    set(nodes, "SELECTION", &range(project.time_selection_s), &none);
    set(nodes, "SELECTION2", &range(project.loop_range_s), &none);
    set(
        nodes,
        "CURSOR",
        &[(0, Field::Num(project.edit_cursor_s))],
        &zero,
    );
    if read_ext_state(nodes) != project.ext_state {
        write_ext_state(&project.ext_state, nodes);
    }
    if !project.tracks.is_empty() && !nodes.contains(&Node::Slot(Slot::Tracks)) {
        track::insert_before(
            nodes,
            Node::Slot(Slot::Tracks),
            |node| matches!(node, Node::Chunk(chunk) if matches!(chunk.keyword(), b"EXTENSIONS" | b"EXTSTATE")),
        );
    }
    track::fill(nodes, Slot::Tracks, |i| {
        let track = project.tracks.get(i)?;
        Some(vec![Node::Chunk(track::write(track, project))])
    });
    document.write()
}

fn master_base() -> Track {
    Track::clone(&Project::default().master)
}

/// Every track needs an id of its own: old files have none, copies share one.
fn give_ids(tracks: &mut [Track], warnings: &mut Vec<Warning>) {
    let mut seen = std::collections::BTreeSet::new();
    for (index, track) in tracks.iter_mut().enumerate() {
        let mut salt = 0;
        while track.guid == Guid::default() || !seen.insert(track.guid) {
            if salt == 0 && track.guid != Guid::default() {
                warnings.push(Warning {
                    line: 0,
                    message: format!("track `{}` shares its id with another track", track.name),
                });
            }
            track.guid = Guid::from_seed(&format!("track {index} {salt} {}", track.name));
            salt += 1;
        }
    }
}

fn resolve(
    tracks: &[Track],
    receives: Vec<Vec<track::Receive>>,
    warnings: &mut Vec<Warning>,
) -> Vec<Send> {
    let mut sends = Vec::new();
    for (track, receives) in tracks.iter().zip(receives) {
        for receive in receives {
            let source = usize::try_from(receive.source_index)
                .ok()
                .and_then(|index| tracks.get(index));
            match source {
                Some(source) => sends.push(Send {
                    source: source.guid,
                    dest: Some(track.guid),
                    ..receive.send
                }),
                None => warnings.push(Warning {
                    line: 0,
                    message: format!(
                        "track `{}` receives from track {}, which does not exist; the receive is dropped",
                        track.name, receive.source_index
                    ),
                }),
            }
        }
    }
    sends
}

fn read_settings(nodes: &[Node]) -> Settings {
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

fn write_settings(settings: &Settings, nodes: &mut Vec<Node>) {
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

fn read_render(nodes: &[Node]) -> RenderSettings {
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

fn write_render(render: &RenderSettings, nodes: &mut Vec<Node>) {
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

fn read_tempo(nodes: &[Node]) -> TempoMap {
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

fn write_tempo(tempo: &TempoMap, nodes: &mut Vec<Node>) {
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

fn read_master(master: &mut Track, nodes: &[Node]) {
    let volume = fields(nodes, "MASTER_VOLUME");
    let bits = int(&fields(nodes, "MASTERMUTESOLO"), 0, 0);
    master.volume = num(&volume, 0, 1.0);
    master.pan = num(&volume, 1, 0.0);
    let law = num(&volume, 2, -1.0);
    master.pan_law = (law >= 0.0).then_some(law);
    master.channels = int(&fields(nodes, "MASTER_NCH"), 0, 2).clamp(2, 128) as u32;
    master.fx_enabled = int(&fields(nodes, "MASTER_FX"), 0, 1) != 0;
    master.muted = bits & 1 != 0;
    master.solo = i32::from(bits & 2 != 0);
    master.color = track::read_color(nodes, "MASTERPEAKCOL");
}

fn write_master(master: &Track, nodes: &mut Vec<Node>) {
    set(
        nodes,
        "MASTER_VOLUME",
        &[
            (0, Field::Num(master.volume)),
            (1, Field::Num(master.pan)),
            (2, Field::Num(master.pan_law.unwrap_or(-1.0))),
        ],
        &[1.0, 0.0, -1.0].map(Field::Num),
    );
    let channels = Field::int(master.channels);
    set(nodes, "MASTER_NCH", &[(0, channels)], &[Field::int(2)]);
    let enabled = Field::flag(master.fx_enabled);
    set(nodes, "MASTER_FX", &[(0, enabled)], &[Field::int(1)]);
    let old = int(&fields(nodes, "MASTERMUTESOLO"), 0, 0);
    let bits = (old & !3) | i32::from(master.muted) | (i32::from(master.solo != 0) << 1);
    set(
        nodes,
        "MASTERMUTESOLO",
        &[(0, Field::int(bits))],
        &[Field::int(0)],
    );
    if !master.envelopes.is_empty() && !nodes.contains(&Node::Slot(Slot::Envelopes)) {
        track::insert_before(nodes, Node::Slot(Slot::Envelopes), |node| {
            matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"PROJBAY")
                || *node == Node::Slot(Slot::Tracks)
        });
    }
    envelope::splice(nodes, &master.envelopes, true);
    for node in nodes.iter_mut() {
        if let Node::Chunk(chain) = node
            && chain.keyword() == b"MASTERFXLIST"
        {
            fx::put(chain, &master.fx);
            return;
        }
    }
    if !master.fx.is_empty() {
        let mut chain = fx::new_chain("MASTERFXLIST");
        fx::put(&mut chain, &master.fx);
        track::insert_before(nodes, Node::Chunk(chain), |node| {
            matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"PROJBAY")
                || matches!(node, Node::Line(line) if keyword(line) == b"MARKER")
                || *node == Node::Slot(Slot::Tracks)
        });
    }
}

/// A region is two lines with the same number: the start, then the end.
fn read_markers(nodes: &[Node]) -> Vec<Marker> {
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

fn write_markers(markers: &[Marker], nodes: &mut Vec<Node>) {
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

fn read_ext_state(nodes: &[Node]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for node in nodes {
        let Node::Chunk(chunk) = node else { continue };
        if chunk.keyword() != b"EXTSTATE" {
            continue;
        }
        for child in &chunk.children {
            let Node::Chunk(section) = child else {
                continue;
            };
            let name = String::from_utf8_lossy(section.keyword()).into_owned();
            let values: BTreeMap<String, String> = section
                .children
                .iter()
                .filter_map(|node| match node {
                    Node::Line(line) => {
                        let parts = tokens(line);
                        Some((text(&parts, 0), text(&parts, 1)))
                    }
                    _ => None,
                })
                .collect();
            all.insert(name, values);
        }
    }
    all
}

fn write_ext_state(ext_state: &BTreeMap<String, BTreeMap<String, String>>, nodes: &mut Vec<Node>) {
    let is_ext = |node: &Node| matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"EXTSTATE");
    nodes.retain(|node| !is_ext(node));
    if ext_state.is_empty() {
        return;
    }
    let children = ext_state
        .iter()
        .map(|(section, values)| {
            Node::Chunk(Chunk {
                open: format!("    <{section}").into_bytes(),
                children: values
                    .iter()
                    .map(|(key, value)| {
                        Node::Line(format!("      {} {}", quote(key), quote(value)).into_bytes())
                    })
                    .collect(),
                close: b"    >".to_vec(),
            })
        })
        .collect();
    nodes.push(Node::Chunk(Chunk {
        open: b"  <EXTSTATE".to_vec(),
        children,
        close: b"  >".to_vec(),
    }));
}

/// A new project as REAPER 7 lays it out, with what a file must have.
fn new_document() -> Document {
    let lines = [
        "RIPPLE 0 0",
        "GROUPOVERRIDE 0 0 0 0",
        "AUTOXFADE 129",
        "ENVATTACH 3",
        "FEEDBACK 0",
        "PANLAW 1",
        "PROJOFFS 0 0 0",
        "MAXPROJLEN 0 0",
        "GRID 3199 8 1 8 1 0 0 0",
        "TIMEMODE 1 5 -1 30 0 0 -1 0",
        "PANMODE 3",
        "PANLAWFLAGS 3",
        "CURSOR 0",
        "LOOP 0",
        "RECORD_PATH \"\" \"\"",
        "RENDER_FILE \"\"",
        "RENDER_PATTERN \"\"",
        "RENDER_FMT 0 2 0",
        "RENDER_1X 0",
        "RENDER_RANGE 1 0 0 18 1000",
        "RENDER_RESAMPLE 3 0 1",
        "RENDER_ADDTOPROJ 0",
        "RENDER_STEMS 0",
        "RENDER_DITHER 0",
        "TIMELOCKMODE 1",
        "TEMPOENVLOCKMODE 1",
        "ITEMMIX 1",
        "DEFPITCHMODE 589824 0",
        "TAKELANE 1",
        "SAMPLERATE 44100 0 0",
        "LOCK 1",
        "GLOBAL_AUTO -1",
        "TEMPO 120 4 4",
        "PLAYRATE 1 0 0.25 4",
        "SELECTION 0 0",
        "SELECTION2 0 0",
        "MASTERAUTOMODE 0",
        "MASTERTRACKHEIGHT 0 0",
        "MASTERPEAKCOL 16576",
        "MASTERMUTESOLO 0",
        "MASTERTRACKVIEW 0 0.6667 0.5 0.5 0 0 0 0 0 0 0 0 0 0",
        "MASTERHWOUT 0 0 1 0 0 0 0 -1",
        "MASTER_NCH 2 2",
        "MASTER_VOLUME 1 0 -1 -1 1",
        "MASTER_PANMODE 3",
        "MASTER_FX 1",
        "MASTER_SEL 0",
    ];
    Document {
        before: Vec::new(),
        root: Chunk {
            // The saving time is 0: equal projects are equal files.
            open: b"<REAPER_PROJECT 0.1 \"7.0/reaper-batch\" 0".to_vec(),
            children: lines
                .iter()
                .map(|line| Node::Line(format!("  {line}").into_bytes()))
                .collect(),
            close: b">".to_vec(),
        },
        after: b"\n".to_vec(),
    }
}
