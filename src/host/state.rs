//! The model behind the `reaper` table: one project, its undo history, and
//! what REAPER keeps outside of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::project::{Guid, Item, Project, Source, Take, Track, UndoHistory};

use super::lua::{Handles, Object, Out};

/// Position of a track: the master or a track by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrackAt {
    Master,
    Index(usize),
}

/// Position of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemAt {
    pub(super) track: usize,
    pub(super) item: usize,
}

/// Position of a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TakeAt {
    pub(super) item: ItemAt,
    pub(super) take: usize,
}

/// What a change concerns, for `Undo_EndBlock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Items,
    Rest,
}

/// Everything that API functions read and write.
pub(super) struct Host {
    pub(super) project: Project,
    pub(super) history: UndoHistory,
    pub(super) handles: Handles,
    pub(super) undo: UndoState,
    pub(super) changes: Changes,
    pub(super) transport: Transport,
    /// Values of scripts by section and key; the flag says "kept on disk".
    pub(super) ext_state: BTreeMap<String, BTreeMap<String, (String, bool)>>,
    pub(super) resource_path: PathBuf,
    pub(super) ipc: Option<PathBuf>,
    pub(super) premix_cache: Option<PathBuf>,
    pub(super) threads: usize,
    /// Raised from outside when this process shall end.
    pub(super) end_renders: Arc<AtomicBool>,
    /// Scripts by command id, from `AddRemoveReaScript`.
    pub(super) actions: BTreeMap<i64, PathBuf>,
    /// Scripts to start after the running function has returned.
    pub(super) to_start: Vec<(PathBuf, i64)>,
    pub(super) free_sources: BTreeMap<u64, Source>,
    pub(super) media: super::files::MediaFacts,
    pub(super) midi_cache: super::api::MidiCache,
    pub(super) onsets: super::api::OnsetCache,
    pub(super) folder_cache: super::api::FolderCache,
    pub(super) gmem: BTreeMap<String, Vec<f64>>,
    pub(super) last_touched: Option<Guid>,
    /// `RENDER_STATS` of the last render.
    pub(super) render_stats: String,
    /// Action ids that were asked for and do not exist here.
    pub(super) unknown_actions: BTreeSet<i64>,
    /// GUIDs given to objects at opening, with what the file says of them.
    pub(super) given_guids: BTreeMap<Guid, Guid>,
    /// The process was asked to end (action 40004).
    pub(super) quit: bool,
    pub(super) started: Instant,
    pub(super) ui_refresh_holds: i64,
    next_id: u64,
}

/// Undo blocks and what has been recorded.
#[derive(Debug, Default)]
pub(super) struct UndoState {
    pub(super) open_blocks: u32,
    recorded_items: u64,
    recorded_rest: u64,
}

/// Counters of changes.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) items: u64,
    pub(super) rest: u64,
    pub(super) undo_steps: u64,
    pub(super) dirty: bool,
}

/// Playback that never sounds: a state and a position.
#[derive(Debug)]
pub(super) struct Transport {
    /// 1 playing, 2 paused, 4 recording.
    pub(super) play_state: i64,
    /// When playback began, and where.
    pub(super) since: Option<(Instant, f64)>,
    pub(super) repeat: bool,
    pub(super) metronome: bool,
    pub(super) snap: bool,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            play_state: 0,
            since: None,
            repeat: false,
            metronome: false,
            snap: true,
        }
    }
}

impl Host {
    /// A host with a new project.
    pub(super) fn new(resource_path: PathBuf, ipc: Option<PathBuf>, threads: usize) -> Self {
        let project = Project::default();
        Self {
            history: UndoHistory::new(project.clone()),
            end_renders: Arc::default(),
            project,
            handles: Handles::default(),
            undo: UndoState::default(),
            changes: Changes::default(),
            transport: Transport::default(),
            ext_state: BTreeMap::new(),
            resource_path,
            ipc,
            premix_cache: None,
            threads: threads.max(1),
            actions: BTreeMap::new(),
            to_start: Vec::new(),
            free_sources: BTreeMap::new(),
            media: super::files::MediaFacts::default(),
            midi_cache: super::api::MidiCache::default(),
            onsets: super::api::OnsetCache::default(),
            folder_cache: super::api::FolderCache::default(),
            gmem: BTreeMap::new(),
            last_touched: None,
            render_stats: String::new(),
            unknown_actions: BTreeSet::new(),
            given_guids: BTreeMap::new(),
            quit: false,
            started: Instant::now(),
            ui_refresh_holds: 0,
            next_id: 0,
        }
    }

    /// Takes over another project as newly opened: no history, not dirty.
    pub(super) fn open(&mut self, mut project: Project) {
        self.give_missing_guids(&mut project);
        self.history = UndoHistory::new(project.clone());
        self.project = project;
        self.midi_cache.clear();
        self.last_touched = None;
        self.touch(Area::Items);
        self.touch(Area::Rest);
        self.undo = UndoState {
            open_blocks: 0,
            recorded_items: self.changes.items,
            recorded_rest: self.changes.rest,
        };
        self.changes.dirty = false;
    }

    /// Notes a change that undo, dirty state and change count must see.
    pub(super) fn touch(&mut self, area: Area) {
        match area {
            Area::Items => self.changes.items += 1,
            Area::Rest => self.changes.rest += 1,
        }
        self.changes.dirty = true;
    }

    /// `GetProjectStateChangeCount`.
    pub(super) fn change_count(&self) -> u64 {
        self.changes.items + self.changes.rest + self.changes.undo_steps
    }

    /// Records an undo step, whether or not anything changed.
    pub(super) fn record(&mut self, name: &str) {
        self.history.record(name, &self.project);
        self.undo.recorded_items = self.changes.items;
        self.undo.recorded_rest = self.changes.rest;
        self.changes.undo_steps += 1;
        self.changes.dirty = true;
    }

    /// Ends an undo block: a step when something that `flags` cover has changed.
    pub(super) fn end_block(&mut self, name: &str, flags: i64) {
        self.undo.open_blocks = self.undo.open_blocks.saturating_sub(1);
        if self.undo.open_blocks > 0 {
            return;
        }
        let items = self.changes.items != self.undo.recorded_items;
        let rest = self.changes.rest != self.undo.recorded_rest;
        if rest || (items && flags & 4 != 0) {
            self.record(name);
        }
    }

    /// Goes a step back or forward; false when there is none.
    pub(super) fn step(&mut self, back: bool) -> bool {
        let target = if back {
            self.history.undo()
        } else {
            self.history.redo()
        };
        let Some(mut target) = target else {
            return false;
        };
        // REAPER does not undo where the file lives, how it is rendered and
        // where the cursor stands.
        target.settings.path = self.project.settings.path.take();
        target.render = std::mem::take(&mut self.project.render);
        target.edit_cursor_s = self.project.edit_cursor_s;
        self.project = target;
        self.midi_cache.clear();
        self.touch(Area::Items);
        self.touch(Area::Rest);
        self.undo.recorded_items = self.changes.items;
        self.undo.recorded_rest = self.changes.rest;
        true
    }

    /// A GUID that nothing in the project has, the same in every run.
    pub(super) fn fresh_guid(&mut self) -> Guid {
        loop {
            self.next_id += 1;
            let guid = Guid::from_seed(&format!("reaper-batch {}", self.next_id));
            if !uses(&self.project, guid) {
                return guid;
            }
        }
    }

    /// A number that no free source has.
    pub(super) fn add_free_source(&mut self, source: Source) -> Object {
        self.next_id += 1;
        self.free_sources.insert(self.next_id, source);
        Object::FreeSource(self.next_id)
    }

    pub(super) fn pointer(&mut self, object: Object) -> Out {
        Out::Ptr(self.handles.address(object))
    }

    pub(super) fn track_pointer(&mut self, at: TrackAt) -> Out {
        let object = match at {
            TrackAt::Master => Object::Master,
            TrackAt::Index(index) => Object::Track(self.project.tracks[index].guid),
        };
        self.pointer(object)
    }

    pub(super) fn item_pointer(&mut self, at: ItemAt) -> Out {
        let guid = self.item(at).guid;
        self.pointer(Object::Item(guid))
    }

    pub(super) fn take_pointer(&mut self, at: TakeAt) -> Out {
        let guid = self.take(at).guid;
        self.pointer(Object::Take(guid))
    }

    pub(super) fn find_track(&self, object: Object) -> Option<TrackAt> {
        match object {
            Object::Master => Some(TrackAt::Master),
            Object::Track(guid) => self.project.track_index(guid).map(TrackAt::Index),
            _ => None,
        }
    }

    pub(super) fn find_item(&self, object: Object) -> Option<ItemAt> {
        let Object::Item(guid) = object else {
            return None;
        };
        self.items_where(|item| item.guid == guid)
    }

    pub(super) fn find_take(&self, object: Object) -> Option<TakeAt> {
        let Object::Take(guid) = object else {
            return None;
        };
        let item = self.items_where(|item| item.takes.iter().any(|take| take.guid == guid))?;
        let take = self
            .item(item)
            .takes
            .iter()
            .position(|take| take.guid == guid)?;
        Some(TakeAt { item, take })
    }

    fn items_where(&self, test: impl Fn(&Item) -> bool) -> Option<ItemAt> {
        self.project
            .tracks
            .iter()
            .enumerate()
            .find_map(|(track, data)| {
                let item = data.items.iter().position(&test)?;
                Some(ItemAt { track, item })
            })
    }

    pub(super) fn track(&self, at: TrackAt) -> &Track {
        match at {
            TrackAt::Master => &self.project.master,
            TrackAt::Index(index) => &self.project.tracks[index],
        }
    }

    pub(super) fn track_mut(&mut self, at: TrackAt) -> &mut Track {
        match at {
            TrackAt::Master => Arc::make_mut(&mut self.project.master),
            TrackAt::Index(index) => Arc::make_mut(&mut self.project.tracks[index]),
        }
    }

    pub(super) fn item(&self, at: ItemAt) -> &Item {
        &self.project.tracks[at.track].items[at.item]
    }

    pub(super) fn item_mut(&mut self, at: ItemAt) -> &mut Item {
        &mut Arc::make_mut(&mut self.project.tracks[at.track]).items[at.item]
    }

    pub(super) fn take(&self, at: TakeAt) -> &Take {
        &self.item(at.item).takes[at.take]
    }

    pub(super) fn take_mut(&mut self, at: TakeAt) -> &mut Take {
        &mut self.item_mut(at.item).takes[at.take]
    }

    /// Ends a tick: blocks left open are dropped, refresh holds released.
    pub(super) fn end_tick(&mut self) {
        if self.undo.open_blocks > 0 {
            tracing::warn!(
                blocks = self.undo.open_blocks,
                "undo blocks left open at the end of the tick were dropped"
            );
            self.undo.open_blocks = 0;
        }
        self.ui_refresh_holds = 0;
    }

    /// Old files lack GUIDs, and copied ones repeat them; pointers need both
    /// present and distinct. What is given here is taken back when the
    /// project is saved.
    fn give_missing_guids(&mut self, project: &mut Project) {
        let mut given = BTreeMap::new();
        let mut seen = BTreeSet::from([Guid::default()]);
        let mut count = 0_u64;
        let mut check = |guid: Guid| -> Option<Guid> {
            if seen.insert(guid) {
                return None;
            }
            loop {
                count += 1;
                let new = Guid::from_seed(&format!("reaper-batch opened {count}"));
                if seen.insert(new) {
                    given.insert(new, guid);
                    return Some(new);
                }
            }
        };
        for track in &mut project.tracks {
            let new_track = check(track.guid);
            let mut items = Vec::new();
            for (i, item) in track.items.iter().enumerate() {
                items.extend(check(item.guid).map(|guid| (i, None, guid)));
                for (t, take) in item.takes.iter().enumerate() {
                    items.extend(check(take.guid).map(|guid| (i, Some(t), guid)));
                }
            }
            let mut fx = Vec::new();
            for (f, instance) in track.fx.iter().enumerate() {
                fx.extend(check(instance.guid).map(|guid| (f, guid)));
            }
            if new_track.is_none() && items.is_empty() && fx.is_empty() {
                continue;
            }
            let track = Arc::make_mut(track);
            track.guid = new_track.unwrap_or(track.guid);
            for (i, take, guid) in items {
                match take {
                    None => track.items[i].guid = guid,
                    Some(t) => track.items[i].takes[t].guid = guid,
                }
            }
            for (f, guid) in fx {
                track.fx[f].guid = guid;
            }
        }
        self.given_guids = given;
    }
}

fn uses(project: &Project, guid: Guid) -> bool {
    project.master.guid == guid
        || project.markers.iter().any(|marker| marker.guid == guid)
        || std::iter::once(&project.master)
            .chain(&project.tracks)
            .any(|track| {
                track.guid == guid
                    || track.fx.iter().any(|fx| fx.guid == guid)
                    || track.items.iter().any(|item| {
                        item.guid == guid || item.takes.iter().any(|take| take.guid == guid)
                    })
            })
}
