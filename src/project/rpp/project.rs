//! The root chunk: which part is read and written where, the master, ids.

use std::sync::Arc;

use super::ext_state::{read_ext_state, write_ext_state};
use super::line::{Field, fields, int, keyword, num, set};
use super::markers::{read_markers, write_markers};
use super::settings::{read_render, read_settings, write_render, write_settings};
use super::tempo::{read_tempo, write_tempo};
use super::tree::{Chunk, Document, Node, RppError, Slot};
use super::{Warning, envelope, fx, track};
use crate::project::{Guid, Project, Send, Track};

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
