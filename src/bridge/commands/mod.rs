//! The table of all bridge commands: the one definition from which the Lua
//! validation table, the JSON Schemas and the reference page are made.
//!
//! A command that is not in the table does not exist; a command in the table
//! has a handler in `reaper_scripts/bridge`, which a test checks.

mod check;
mod compose;
mod control;
mod envelopes;
mod fx;
mod generate;
mod items;
mod markers;
mod midi;
mod project;
mod sends;
mod setup;
mod tracks;
mod transport;

pub use check::{ParamError, nearest, validate};
pub use generate::{json_schema, lua_schema, markdown};

/// One command of the bridge.
#[derive(Debug, Clone, Copy)]
pub struct CommandSpec {
    pub name: &'static str,
    pub domain: &'static str,
    pub params: &'static [Param],
    /// What it does, as one sentence.
    pub doc: &'static str,
    /// The keys of its result.
    pub result: &'static str,
    pub undo: Undo,
    /// Its time grows with the project, so it gets the long time limit.
    pub long_running: bool,
}

/// How a command becomes an undo step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// It changes nothing that undo covers.
    None,
    /// The dispatcher records one step of the project's state.
    Project,
    /// The dispatcher records one step of items and MIDI, which the other call
    /// does not notice.
    Items,
    /// The handler opens its own block.
    Block,
}

/// One parameter of a command.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    pub doc: &'static str,
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Bool,
    Int {
        min: i64,
        max: i64,
    },
    /// A finite number.
    Number {
        min: f64,
        max: f64,
    },
    Text {
        max_len: usize,
    },
    /// A 0-based track index; -1 is the master where it is allowed. A sibling
    /// parameter that ends in `_guid` may stand beside or instead of it.
    Track {
        master: bool,
    },
    /// A 0-based item index of the project; `item_guid` and so on beside it.
    Item,
    /// A 0-based index of anything else.
    Index,
    /// An absolute path.
    Path,
    /// An array with at most so many entries, or a string that holds one as
    /// JSON, as the classic protocol sends it.
    List {
        max: usize,
    },
    Object,
    OneOf(&'static [&'static str]),
    Any,
}

/// Whether a parameter may be left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Need {
    Required,
    Optional,
    /// Left out it has this value, written as JSON.
    Default(&'static str),
}

impl CommandSpec {
    /// It changes the project.
    pub fn changes(&self) -> bool {
        self.undo != Undo::None || self.is_change_without_undo()
    }

    fn is_change_without_undo(&self) -> bool {
        // Opening, saving and undo itself leave no step, and are no reads.
        matches!(
            self.name,
            "batch"
                | "project_new"
                | "project_open"
                | "project_save"
                | "project_save_as"
                | "project_undo"
                | "project_redo"
                | "project_undo_group"
                | "project_set_notes"
                | "project_main_action"
                | "project_export_audio"
                | "transport_set_playrate"
        )
    }

    /// The parameter that a GUID may stand in for, with the GUID's name:
    /// `track_index` has `track_guid`, `dest_track` has `dest_track_guid`.
    pub fn guid_params(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.params.iter().filter_map(|param| match param.kind {
            Kind::Track { .. } | Kind::Item => Some((param.name, guid_name(param.name))),
            _ => None,
        })
    }
}

/// The name of the GUID parameter beside an index parameter.
pub(super) fn guid_name(index_name: &str) -> String {
    let stem = index_name.strip_suffix("_index").unwrap_or(index_name);
    format!("{stem}_guid")
}

/// All commands, by domain and in the order of the reference page.
pub fn all() -> impl Iterator<Item = &'static CommandSpec> {
    DOMAINS.iter().flat_map(|domain| domain.iter())
}

/// The command with exactly this name.
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    all().find(|command| command.name == name)
}

const DOMAINS: &[&[CommandSpec]] = &[
    control::COMMANDS,
    transport::COMMANDS,
    tracks::COMMANDS,
    project::COMMANDS,
    fx::COMMANDS,
    items::COMMANDS,
    midi::COMMANDS,
    markers::COMMANDS,
    sends::COMMANDS,
    envelopes::COMMANDS,
    setup::COMMANDS,
    compose::COMMANDS,
];

// Builders, short because the tables are long.

const fn read(
    domain: &'static str,
    name: &'static str,
    params: &'static [Param],
    doc: &'static str,
    result: &'static str,
) -> CommandSpec {
    CommandSpec {
        name,
        domain,
        params,
        doc,
        result,
        undo: Undo::None,
        long_running: false,
    }
}

impl CommandSpec {
    const fn undo(mut self, undo: Undo) -> Self {
        self.undo = undo;
        self
    }

    const fn long(mut self) -> Self {
        self.long_running = true;
        self
    }
}

const fn req(name: &'static str, kind: Kind, doc: &'static str) -> Param {
    Param {
        name,
        kind,
        need: Need::Required,
        doc,
    }
}

const fn opt(name: &'static str, kind: Kind, doc: &'static str) -> Param {
    Param {
        name,
        kind,
        need: Need::Optional,
        doc,
    }
}

const fn def(name: &'static str, kind: Kind, json: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        kind,
        need: Need::Default(json),
        doc,
    }
}

const TRACK: Kind = Kind::Track { master: false };
const TRACK_OR_MASTER: Kind = Kind::Track { master: true };
/// A name or label.
const LABEL: Kind = Kind::Text { max_len: 1000 };
/// A time in seconds of the project.
const SECONDS: Kind = Kind::Number { min: 0.0, max: 1e6 };
/// A level; -150 dB and below is silence.
const LEVEL_DB: Kind = Kind::Number {
    min: -1000.0,
    max: 60.0,
};
const PAN: Kind = Kind::Number {
    min: -1.0,
    max: 1.0,
};
const BYTE: Kind = Kind::Int { min: 0, max: 255 };
const MIDI_CHANNEL: Kind = Kind::Int { min: 0, max: 15 };
const MIDI_VALUE: Kind = Kind::Int { min: 0, max: 127 };
/// Entries of one batch command.
const ENTRIES: Kind = Kind::List { max: 200 };
/// Tracks of one batch command. The classic limit is 50; large sessions have
/// several hundred tracks.
const TRACK_ENTRIES: Kind = Kind::List { max: 1000 };
