//! `Get/SetMediaTrackInfo_Value` and the string form.

use super::{Entry, flag, on};
use crate::host::lua::{Answer, Call, Object, Out, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::{Guid, PanMode};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("GetMediaTrackInfo_Value", get_value),
    ("GetSetMediaTrackInfo_String", string),
    ("GetTrackAutomationMode", automation_mode),
    ("GetTrackUIMute", ui_mute),
    ("GetTrackUIPan", ui_pan),
    ("GetTrackUIVolPan", ui_volume_pan),
    ("SetMediaTrackInfo_Value", set_value),
    ("SetTrackAutomationMode", set_automation_mode),
    ("SetTrackUIMute", set_ui_mute),
    ("SetTrackUIPan", set_ui_pan),
    ("SetTrackUISolo", set_ui_solo),
    ("SetTrackUIVolume", set_ui_volume),
];

/// Keys that are kept but have no effect here, with what a new track has.
const OTHER: &[(&str, f64)] = &[
    ("I_RECMODE", 0.0),
    ("I_RECMODE_FLAGS", 0.0),
    ("I_RECMON", 0.0),
    ("I_RECMONITEMS", 0.0),
    ("B_AUTO_RECARM", 0.0),
    ("I_VUMODE", 0.0),
    ("I_FOLDERCOMPACT", 0.0),
    ("C_MAINSEND_NCH", 0.0),
    ("I_MIDIHWOUT", -1.0),
    ("I_MIDI_INPUT_CHANMAP", -1.0),
    ("I_MIDI_CTL_CHAN", -1.0),
    ("I_MIDI_TRACKSEL_FLAG", 0.0),
    ("I_HEIGHTOVERRIDE", 0.0),
    ("B_HEIGHTLOCK", 0.0),
    ("B_SHOWINMIXER", 1.0),
    ("B_SHOWINTCP", 1.0),
    ("I_SPACER", 0.0),
    ("F_MCP_FXSEND_SCALE", 0.0),
    ("F_MCP_FXPARM_SCALE", 0.0),
    ("F_MCP_SENDRGN_SCALE", 0.0),
    ("F_TCP_FXPARM_SCALE", 0.0),
    ("I_PERFFLAGS", 0.0),
    ("I_PANLAW_FLAGS", -1.0),
    ("I_PLAY_OFFSET_FLAG", 1.0),
    ("D_PLAY_OFFSET", 0.0),
    ("C_BEATATTACHMODE", -1.0),
    ("I_FREEMODE", 0.0),
    ("I_NUMFIXEDLANES", 1.0),
    ("C_LANESETTINGS", 0.0),
    ("C_LANESCOLLAPSED", 0.0),
    ("C_ALLLANESPLAY", 0.0),
    ("B_FREEMODE", 0.0),
];

fn get_value(c: &mut Call) -> Answer {
    let (at, key) = (c.track(0)?, c.text(1));
    let pointer = match key.as_str() {
        "P_PROJECT" => Some(c.host.pointer(Object::Project)),
        "P_PARTRACK" => match at {
            TrackAt::Index(index) => c.host.project.parents()[index]
                .map(|parent| c.host.track_pointer(TrackAt::Index(parent))),
            TrackAt::Master => None,
        },
        _ => return answer![value(c.host, at, &key)],
    };
    answer![pointer.unwrap_or(Out::Num(0.0))]
}

/// The value of a numeric key; 0 for keys that do not exist.
pub(super) fn value(host: &Host, at: TrackAt, key: &str) -> f64 {
    let track = host.track(at);
    match key {
        "D_VOL" => track.volume,
        "D_PAN" => track.pan,
        "D_WIDTH" => track.width,
        "D_DUALPANL" => track.dual_pan.0,
        "D_DUALPANR" => track.dual_pan.1,
        "I_PANMODE" => track.pan_mode.map_or(-1.0, |mode| f64::from(mode as i32)),
        "D_PANLAW" => track.pan_law.unwrap_or(-1.0),
        "B_MUTE" => flag(track.muted),
        "B_PHASE" => flag(track.phase_inverted),
        "I_SOLO" => f64::from(track.solo),
        "B_SOLO_DEFEAT" => flag(track.solo_defeat),
        "I_FXEN" => flag(track.fx_enabled),
        "I_RECARM" => flag(track.armed),
        "I_RECINPUT" => f64::from(track.record_input),
        "I_AUTOMODE" => f64::from(track.automation_mode),
        "I_NCHAN" => f64::from(track.channels),
        "I_SELECTED" => flag(track.selected),
        "I_FOLDERDEPTH" => f64::from(track.folder_depth),
        "B_MAINSEND" => flag(track.main_send),
        "C_MAINSEND_OFFS" => f64::from(track.main_send_offset),
        "I_CUSTOMCOLOR" => f64::from(track.color),
        "IP_TRACKNUMBER" => match at {
            TrackAt::Master => -1.0,
            TrackAt::Index(index) => (index + 1) as f64,
        },
        _ => track.other.get(key).copied().unwrap_or_else(|| {
            OTHER
                .iter()
                .find(|(name, _)| *name == key)
                .map_or(0.0, |(_, default)| *default)
        }),
    }
}

fn set_value(c: &mut Call) -> Answer {
    let (at, key, value) = (c.track(0)?, c.text(1), c.num(2));
    answer![write(c.host, at, &key, value)]
}

/// Sets a numeric key; false when it does not exist or cannot be written.
fn write(host: &mut Host, at: TrackAt, key: &str, value: f64) -> bool {
    if value.is_nan() {
        return false;
    }
    if key == "I_SELECTED" {
        super::track::set_selected(host, at, on(value));
        return true;
    }
    let track = host.track_mut(at);
    match key {
        "D_VOL" => track.volume = value.max(0.0),
        "D_PAN" => track.pan = value.clamp(-1.0, 1.0),
        "D_WIDTH" => track.width = value.clamp(-1.0, 1.0),
        "D_DUALPANL" => track.dual_pan.0 = value.clamp(-1.0, 1.0),
        "D_DUALPANR" => track.dual_pan.1 = value.clamp(-1.0, 1.0),
        "I_PANMODE" => track.pan_mode = PanMode::from_number(value as i32),
        "D_PANLAW" => track.pan_law = (value >= 0.0).then_some(value),
        "B_MUTE" => track.muted = on(value),
        "B_PHASE" => track.phase_inverted = on(value),
        "I_SOLO" => track.solo = value as i32,
        "B_SOLO_DEFEAT" => track.solo_defeat = on(value),
        "I_FXEN" => track.fx_enabled = on(value),
        "I_RECARM" => track.armed = on(value),
        "I_RECINPUT" => track.record_input = value as i32,
        "I_AUTOMODE" => track.automation_mode = value as i32,
        // Even, up to 128: an odd number is rounded up as REAPER does.
        "I_NCHAN" => track.channels = (value.clamp(2.0, 128.0) as u32).next_multiple_of(2),
        "I_FOLDERDEPTH" => track.folder_depth = value as i32,
        "B_MAINSEND" => track.main_send = on(value),
        "C_MAINSEND_OFFS" => track.main_send_offset = value.max(0.0) as u32,
        "I_CUSTOMCOLOR" => track.color = value as i32,
        _ if OTHER.iter().any(|(name, _)| *name == key) => {
            track.other.insert(key.to_owned(), value);
        }
        _ => return false,
    }
    host.touch(Area::Rest);
    true
}

fn string(c: &mut Call) -> Answer {
    let (at, key, text, set) = (c.track(0)?, c.text(1), c.text(2), c.bool(3));
    let key = key.as_str();
    if key == "P_NAME" {
        if at == TrackAt::Master {
            return answer![false, ""];
        }
        if set {
            c.host.track_mut(at).name = text.clone();
            c.host.touch(Area::Rest);
            return answer![true, text];
        }
        return answer![true, c.host.track(at).name.as_str()];
    }
    if key == "GUID" {
        return guid(c, at, &text, set);
    }
    if let Some(name) = key.strip_prefix("P_EXT:") {
        if !set {
            let found = c.host.track(at).ext.get(name).cloned();
            return answer![found.is_some(), found.unwrap_or_default()];
        }
        let ext = &mut c.host.track_mut(at).ext;
        if text.is_empty() {
            ext.remove(name);
        } else {
            ext.insert(name.to_owned(), text.clone());
        }
        c.host.touch(Area::Rest);
        return answer![true, text];
    }
    answer![false, ""]
}

fn guid(c: &mut Call, at: TrackAt, text: &str, set: bool) -> Answer {
    let old = c.host.track(at).guid;
    if !set {
        return answer![true, old.to_string()];
    }
    let Ok(new) = text.parse::<Guid>() else {
        return answer![false, ""];
    };
    set_guid(c.host, at, new);
    answer![true, text]
}

/// Gives a track another GUID; sends and pointers follow.
pub(super) fn set_guid(host: &mut Host, at: TrackAt, new: Guid) {
    let old = host.track(at).guid;
    if old == new || host.project.track_index(new).is_some() {
        return;
    }
    host.track_mut(at).guid = new;
    for send in &mut host.project.sends {
        if send.source == old {
            send.source = new;
        }
        if send.dest == Some(old) {
            send.dest = Some(new);
        }
    }
    host.handles
        .retarget(Object::Track(old), Object::Track(new));
    host.touch(Area::Rest);
}

fn automation_mode(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![c.host.track(at).automation_mode]
}

fn set_automation_mode(c: &mut Call) -> Answer {
    let (at, mode) = (c.track(0)?, c.num(1).max(f64::from(c.int32(1))));
    write(c.host, at, "I_AUTOMODE", mode);
    answer![]
}

fn ui_mute(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    answer![true, c.host.track(at).muted]
}

fn ui_volume_pan(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    let track = c.host.track(at);
    answer![true, track.volume, track.pan]
}

/// Both pans and the pan mode.
fn ui_pan(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    let mode = c
        .host
        .track(at)
        .pan_mode
        .unwrap_or(c.host.project.settings.pan_mode);
    let track = c.host.track(at);
    let (first, second) = match mode {
        PanMode::DualPan => track.dual_pan,
        _ => (track.pan, track.width),
    };
    answer![true, first, second, mode as i32]
}

fn set_ui_mute(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    let mute = match c.int(1) {
        negative if negative < 0 => !c.host.track(at).muted,
        other => other > 0,
    };
    write(c.host, at, "B_MUTE", flag(mute));
    answer![i32::from(mute)]
}

fn set_ui_solo(c: &mut Call) -> Answer {
    let at = c.track(0)?;
    let solo = match c.int32(1) {
        // Toggling gives solo in place, the default of the button.
        -1 if c.host.track(at).solo == 0 => 2,
        -1 => 0,
        other => other.max(0),
    };
    write(c.host, at, "I_SOLO", f64::from(solo));
    answer![solo]
}

fn set_ui_volume(c: &mut Call) -> Answer {
    let (at, volume, relative) = (c.track(0)?, c.num(1), c.bool(2));
    let volume = if relative {
        c.host.track(at).volume * volume
    } else {
        volume
    };
    write(c.host, at, "D_VOL", volume);
    answer![c.host.track(at).volume]
}

fn set_ui_pan(c: &mut Call) -> Answer {
    let (at, pan, relative) = (c.track(0)?, c.num(1), c.bool(2));
    let pan = if relative {
        c.host.track(at).pan + pan
    } else {
        pan
    };
    write(c.host, at, "D_PAN", pan);
    answer![c.host.track(at).pan]
}
