//! Actions by number. One that does not exist here has no effect and is noted.

use std::path::PathBuf;

use super::{Entry, envelope, item, track};
use crate::host::lua::{Answer, Call, Fail, Out, answer};
use crate::host::state::{Area, Host, ItemAt, TrackAt};
use crate::project::{EnvelopeKind, Source};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AddRemoveReaScript", add_remove_script),
    ("GetToggleCommandState", toggle_state),
    ("GetToggleCommandStateEx", toggle_state_ex),
    ("Main_OnCommand", on_command),
    ("Main_OnCommandEx", on_command),
    ("NamedCommandLookup", named_lookup),
    ("ReverseNamedCommandLookup", reverse_lookup),
    ("kbd_getTextFromCmd", action_name),
];

/// Numbers and names of the actions that work here.
const ACTIONS: &[(i64, &str)] = &[
    (1007, "Transport: Play"),
    (1008, "Transport: Pause"),
    (1013, "Transport: Record"),
    (1016, "Transport: Stop"),
    (1068, "Transport: Toggle repeat"),
    (1157, "Options: Toggle snapping"),
    (40001, "Track: Insert new track"),
    (40004, "File: Quit REAPER"),
    (40005, "Track: Remove tracks"),
    (40006, "Item: Remove items"),
    (40012, "Item: Split items at edit or play cursor"),
    (
        40020,
        "Time selection: Remove (unselect) time selection and loop points",
    ),
    (40023, "File: New project"),
    (40026, "File: Save project"),
    (40029, "Edit: Undo"),
    (40030, "Edit: Redo"),
    (40129, "Take: Delete active take from items"),
    (40131, "Take: Crop to active take in items"),
    (40157, "Markers: Insert marker at current position"),
    (40182, "Item: Select all items"),
    (40270, "Item: Reverse items to new take"),
    (40289, "Item: Unselect all items"),
    (40296, "Track: Select all tracks"),
    (40297, "Track: Unselect all tracks"),
    (40309, "Options: Ripple editing off"),
    (40310, "Options: Ripple editing per-track"),
    (40311, "Options: Ripple editing all tracks"),
    (40339, "Track: Unmute all tracks"),
    (40340, "Track: Unsolo all tracks"),
    (40364, "Options: Toggle metronome"),
    (
        40375,
        "Item navigation: Move cursor to next transient in items",
    ),
    (
        40376,
        "Item navigation: Move cursor to previous transient in items",
    ),
    (40406, "Track: Toggle track volume envelope visible"),
    (40407, "Track: Toggle track pan envelope visible"),
    (40408, "Track: Toggle track pre-FX volume envelope visible"),
    (40409, "Track: Toggle track pre-FX pan envelope visible"),
    (40635, "Time selection: Remove time selection"),
    (40769, "Unselect all tracks/items/envelope points"),
    (40867, "Track: Toggle track mute envelope visible"),
    (
        40914,
        "Track: Set first selected track as last touched track",
    ),
    (41039, "Loop points: Set loop points to items"),
    (41295, "Item: Duplicate items"),
    (41869, "Track: Select pre-FX width envelope"),
    (41870, "Track: Select width envelope"),
    (42020, "Track: Toggle trim envelope visible"),
    (
        42230,
        "File: Render project, using the most recent render settings, auto-close render dialog",
    ),
];

/// Actions of REAPER that change sound or items and that scripts rely on, but
/// that do not exist here: asking for one is an error, not a silent nothing.
const MISSING: &[(i64, &str)] = &[
    (40209, "apply track FX to items, stereo"),
    (40361, "apply track FX to items, mono"),
    (40362, "glue items"),
    (40405, "render tracks to stem tracks, post-fader"),
    (40537, "render tracks to mono stem tracks, post-fader"),
    (40601, "render items to new take"),
    (40642, "explode takes in place"),
    (40788, "render tracks to stereo stem tracks"),
    (40789, "render tracks to mono stem tracks"),
    (40877, "freeze tracks to multichannel"),
    (40892, "render tracks to stem tracks, post-fader"),
    (40893, "render tracks to multichannel stem tracks"),
    (40901, "freeze tracks to mono"),
    (41223, "freeze tracks to stereo"),
    (41644, "unfreeze tracks"),
    (41716, "render area of tracks to stem tracks, post-fader"),
    (
        41717,
        "render area of tracks to multichannel stem tracks, post-fader",
    ),
    (
        41718,
        "render area of tracks to mono stem tracks, post-fader",
    ),
    (41719, "render area of tracks to stem tracks"),
    (41720, "render area of tracks to multichannel stem tracks"),
    (41721, "render area of tracks to mono stem tracks"),
    (41823, "add project to render queue"),
    (41824, "render project, keep dialog open"),
    (41999, "render items to new take"),
    (42332, "save project and render its proxy"),
];

/// First number of actions that scripts have registered.
const FIRST_SCRIPT: i64 = 57_000;

fn on_command(c: &mut Call) -> Answer {
    let command = c.int(0);
    if let Some(path) = c.host.actions.get(&command).cloned() {
        c.host.to_start.push((path, command));
        return answer![];
    }
    if let Some((_, what)) = MISSING.iter().find(|(id, _)| *id == command) {
        return Err(Fail::Other(format!(
            "action {command} ({what}) is not supported by this host"
        )));
    }
    if !ACTIONS.iter().any(|(id, _)| *id == command) {
        if c.host.unknown_actions.insert(command) {
            tracing::warn!(command, "no such action here, it had no effect");
        }
        return answer![];
    }
    run(c.host, command)?;
    answer![]
}

fn run(host: &mut Host, command: i64) -> Result<(), Fail> {
    match command {
        1007 => host.play(false),
        1008 => host.pause(),
        1013 => host.play(true),
        1016 => host.stop(),
        1068 => host.transport.repeat = !host.transport.repeat,
        1157 => host.transport.snap = !host.transport.snap,
        40364 => host.transport.metronome = !host.transport.metronome,
        40004 => host.quit = true,
        40023 => host.new_project(),
        40026 => host.save_known(),
        40029 => drop(host.step(true)),
        40030 => drop(host.step(false)),
        42230 => host.render()?,
        40309..=40311 => {
            host.project.settings.ripple = i32::try_from(command - 40309).unwrap_or(0);
        }
        40296 => track::select_all(host, true),
        40297 => track::select_all(host, false),
        40182 => item::select_every(host, true),
        40289 => item::select_every(host, false),
        40769 => {
            track::select_all(host, false);
            item::select_every(host, false);
        }
        40001 => {
            let after = track::selection(host, false).last().copied();
            let index = match after {
                Some(TrackAt::Index(index)) => index + 1,
                _ => host.project.tracks.len(),
            };
            let index = track::insert_track(host, index);
            track::select_all(host, false);
            track::set_selected(host, TrackAt::Index(index), true);
        }
        40005 => {
            for index in (0..host.project.tracks.len()).rev() {
                if host.project.tracks[index].selected {
                    track::delete_track(host, index);
                }
            }
        }
        40339 => {
            for index in 0..host.project.tracks.len() {
                host.track_mut(TrackAt::Index(index)).muted = false;
            }
            host.touch(Area::Rest);
        }
        40340 => track::unsolo_all(host, 0),
        40914 => {
            if let Some(at) = track::selection(host, false).first().copied() {
                host.last_touched = Some(host.track(at).guid);
            }
        }
        40020 => {
            host.project.time_selection_s = (0.0, 0.0);
            host.project.loop_range_s = (0.0, 0.0);
        }
        40635 => host.project.time_selection_s = (0.0, 0.0),
        40157 => insert_marker(host),
        _ => return run_on_selection(host, command),
    }
    Ok(())
}

/// Actions on selected tracks' lanes and on selected items.
fn run_on_selection(host: &mut Host, command: i64) -> Result<(), Fail> {
    let lane = match command {
        40406 => Some(EnvelopeKind::Volume),
        40407 => Some(EnvelopeKind::Pan),
        40408 => Some(EnvelopeKind::VolumePreFx),
        40409 => Some(EnvelopeKind::PanPreFx),
        40867 => Some(EnvelopeKind::Mute),
        41869 => Some(EnvelopeKind::WidthPreFx),
        41870 => Some(EnvelopeKind::Width),
        42020 => Some(EnvelopeKind::VolumeTrim),
        _ => None,
    };
    if let Some(kind) = lane {
        for at in track::selection(host, true) {
            envelope::ensure(host, at, kind);
        }
        return Ok(());
    }
    let mut items = item::all(host);
    items.retain(|&at| host.item(at).selected);
    match command {
        40375 | 40376 => super::transients::move_cursor(host, &items, command == 40375),
        41039 => {
            let start = items.iter().map(|&at| host.item(at).position_s);
            let end = items.iter().map(|&at| host.item(at).end_s());
            if let (Some(start), Some(end)) =
                (start.min_by(f64::total_cmp), end.max_by(f64::total_cmp))
            {
                host.project.loop_range_s = (start, end);
            }
        }
        // From the last to the first, so that earlier places stay right.
        _ => {
            for &at in items.iter().rev() {
                edit_item(host, at, command);
            }
            if !items.is_empty() {
                host.midi_cache.clear();
                host.touch(Area::Items);
            }
        }
    }
    Ok(())
}

fn edit_item(host: &mut Host, at: ItemAt, command: i64) {
    match command {
        40006 => {
            host.track_mut(TrackAt::Index(at.track))
                .items
                .remove(at.item);
        }
        40012 => {
            let position = host.play_or_edit_position();
            item::split_at(host, at, position);
        }
        40129 => {
            let item = host.item_mut(at);
            if item.active_take < item.takes.len() {
                item.takes.remove(item.active_take);
                item.active_take = item.active_take.min(item.takes.len().saturating_sub(1));
            }
        }
        40131 => {
            let item = host.item_mut(at);
            if let Some(take) = item.take().cloned() {
                item.takes = vec![take];
                item.active_take = 0;
            }
        }
        40270 => reverse_to_new_take(host, at),
        41295 => duplicate(host, at),
        _ => {}
    }
}

/// A new take that plays the same stretch of the source backwards.
fn reverse_to_new_take(host: &mut Host, at: ItemAt) {
    let item = host.item(at);
    let Some(take) = item.take() else {
        return;
    };
    if !matches!(take.source, Source::Audio { .. }) {
        tracing::warn!("only takes of audio files can be reversed here");
        return;
    }
    let mut take = take.clone();
    let length_s = item.length_s * take.play_rate;
    take.raw = None;
    take.name = format!("{} reversed", take.name);
    take.source = Source::Section {
        start_s: take.start_offset_s,
        length_s,
        reversed: true,
        source: Box::new(take.source),
    };
    take.start_offset_s = 0.0;
    take.guid = host.fresh_guid();
    let item = host.item_mut(at);
    item.takes.push(take);
    item.active_take = item.takes.len() - 1;
}

/// A copy right behind, which is selected in place of the original.
fn duplicate(host: &mut Host, at: ItemAt) {
    let mut copy = host.item(at).clone();
    copy.guid = host.fresh_guid();
    copy.raw = None;
    copy.position_s = copy.end_s();
    for take in &mut copy.takes {
        take.guid = host.fresh_guid();
        take.raw = None;
        if let Source::Midi(midi) = &mut take.source {
            std::sync::Arc::make_mut(midi).pool = host.fresh_guid();
        }
    }
    host.item_mut(at).selected = false;
    item::insert(host, at.track, copy);
}

fn insert_marker(host: &mut Host) {
    let number = super::marker::free_number(host, false, -1);
    let guid = host.fresh_guid();
    let position_s = host.play_or_edit_position();
    host.project.markers.push(crate::project::Marker {
        number,
        name: String::new(),
        position_s,
        end_s: None,
        color: 0,
        guid,
    });
    super::marker::sort(host);
}

fn add_remove_script(c: &mut Call) -> Answer {
    let (add, path) = (c.bool(0), PathBuf::from(c.text(2)));
    let known = c
        .host
        .actions
        .iter()
        .find(|(_, other)| **other == path)
        .map(|(&id, _)| id);
    match (add, known) {
        (true, Some(id)) => answer![id],
        (true, None) => {
            if !path.is_file() {
                return answer![0];
            }
            let id = c
                .host
                .actions
                .keys()
                .max()
                .map_or(FIRST_SCRIPT, |id| id + 1);
            c.host.actions.insert(id, path);
            answer![id]
        }
        (false, Some(id)) => {
            c.host.actions.remove(&id);
            answer![id]
        }
        (false, None) => answer![0],
    }
}

fn toggle_state(c: &mut Call) -> Answer {
    let command = c.int(0);
    answer![toggle(c.host, command)]
}

fn toggle_state_ex(c: &mut Call) -> Answer {
    let command = c.int(1);
    answer![toggle(c.host, command)]
}

/// 1 on, 0 off, -1 no toggle.
fn toggle(host: &Host, command: i64) -> i32 {
    let ripple = host.project.settings.ripple;
    match command {
        1068 => i32::from(host.transport.repeat),
        1157 => i32::from(host.transport.snap),
        40364 => i32::from(host.transport.metronome),
        40309 => i32::from(ripple == 0),
        40310 => i32::from(ripple == 1),
        40311 => i32::from(ripple == 2),
        _ => -1,
    }
}

/// Named commands belong to extensions and to scripts in REAPER's own list.
fn named_lookup(_: &mut Call) -> Answer {
    answer![0]
}

fn reverse_lookup(_: &mut Call) -> Answer {
    answer![Out::Nil]
}

fn action_name(c: &mut Call) -> Answer {
    let command = c.int(0);
    let name = ACTIONS.iter().find(|(id, _)| *id == command);
    let script = c.host.actions.get(&command);
    answer![match (name, script) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, Some(path)) => format!(
            "Script: {}",
            path.file_name().unwrap_or_default().to_string_lossy()
        ),
        (None, None) => String::new(),
    }]
}
