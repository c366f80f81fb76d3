//! Effects and instruments in track chains.
//!
//! Only plug-ins that `crate::fx` models can be added. Others, read from a
//! project, stay in their chain: they can be listed, bypassed, moved and
//! removed, and have no parameters but REAPER's common three. Input and
//! monitor chains and containers do not exist here.

use super::{Entry, on};
use crate::fx::{Model, find, model_of, models};
use crate::host::lua::{Answer, Call, Fail, answer};
use crate::host::state::{Area, Host, TrackAt};
use crate::project::Fx;

pub(super) const FUNCTIONS: &[Entry] = &[
    ("BypassFxAllTracks", bypass_all),
    ("EnumInstalledFX", installed),
    ("TrackFX_AddByName", add_by_name),
    ("TrackFX_CopyToTrack", copy_to_track),
    ("TrackFX_Delete", delete),
    ("TrackFX_EndParamEdit", end_edit),
    ("TrackFX_GetByName", by_name),
    ("TrackFX_GetChainVisible", chain_visible),
    ("TrackFX_GetCount", count),
    ("TrackFX_GetEnabled", enabled),
    ("TrackFX_GetFXGUID", guid),
    ("TrackFX_GetFXName", name),
    ("TrackFX_GetIOSize", io_size),
    ("TrackFX_GetInstrument", instrument),
    ("TrackFX_GetOffline", offline),
    ("TrackFX_GetOpen", open),
    ("TrackFX_GetPinMappings", pins),
    ("TrackFX_GetRecCount", rec_count),
    ("TrackFX_SetEnabled", set_enabled),
    ("TrackFX_SetOffline", set_offline),
    ("TrackFX_SetOpen", nothing),
    ("TrackFX_SetPinMappings", set_pins),
    ("TrackFX_Show", nothing),
];

/// REAPER's parameters after those of the plug-in.
const COMMON: [&str; 3] = ["Bypass", "Wet", "Delta"];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

/// Track and index of an effect; `None` when it is not there.
pub(super) fn at(c: &Call) -> Result<(TrackAt, Option<usize>), Fail> {
    let track = c.track(0)?;
    let count = c.host.track(track).fx.len();
    Ok((track, c.index(1).filter(|&index| index < count)))
}

/// The effect that arguments 1 and 2 name.
pub(super) fn get<'a>(c: &'a Call) -> Result<Option<&'a Fx>, Fail> {
    let (track, index) = at(c)?;
    Ok(index.map(|index| &c.host.track(track).fx[index]))
}

/// Changes an effect; false when it is not there.
pub(super) fn change(c: &mut Call, edit: impl FnOnce(&mut Fx)) -> Result<bool, Fail> {
    let (track, index) = at(c)?;
    let Some(index) = index else {
        return Ok(false);
    };
    edit(&mut c.host.track_mut(track).fx[index]);
    c.host.touch(Area::Rest);
    Ok(true)
}

/// The name people see: their own, else the plug-in's.
pub(super) fn shown_name(fx: &Fx) -> &str {
    if fx.alias.is_empty() {
        &fx.name
    } else {
        &fx.alias
    }
}

/// Parameters of the plug-in itself.
pub(super) fn own_count(fx: &Fx) -> usize {
    model_of(fx).map_or(0, |model| model.param_count(fx))
}

pub(super) fn param_count(fx: &Fx) -> usize {
    own_count(fx) + COMMON.len()
}

pub(super) fn param_name(fx: &Fx, index: usize) -> String {
    let own = own_count(fx);
    match model_of(fx) {
        Some(model) if index < own => model.param_name(fx, index),
        _ => COMMON
            .get(index.wrapping_sub(own))
            .copied()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Raw value; 0 past the end.
pub(super) fn param_value(fx: &Fx, index: usize) -> f64 {
    let own = own_count(fx);
    match index.checked_sub(own) {
        None => fx
            .params
            .get(index)
            .copied()
            .unwrap_or_else(|| model_of(fx).map_or(0.0, |model| model.param_default(fx, index))),
        Some(0) => f64::from(u8::from(fx.bypassed)),
        Some(1) => fx.wet,
        Some(2) => f64::from(u8::from(fx.delta)),
        Some(_) => 0.0,
    }
}

/// Lowest, highest and middle raw value.
pub(super) fn param_range(fx: &Fx, index: usize) -> (f64, f64, f64) {
    match model_of(fx) {
        Some(model) if index < model.param_count(fx) => model.param_range(fx, index),
        _ => (0.0, 1.0, 0.5),
    }
}

/// Sets a raw value, clamped to its range.
pub(super) fn set_param(fx: &mut Fx, index: usize, value: f64) {
    let own = own_count(fx);
    let (low, high, _) = param_range(fx, index);
    let value = value.clamp(low.min(high), high.max(low));
    match index.checked_sub(own) {
        None => {
            if let Some(model) = model_of(fx) {
                while fx.params.len() < own {
                    let default = model.param_default(fx, fx.params.len());
                    fx.params.push(default);
                }
            }
            if let Some(param) = fx.params.get_mut(index) {
                *param = value;
            }
        }
        Some(0) => fx.bypassed = on(value),
        Some(1) => fx.wet = value,
        Some(2) => fx.delta = on(value),
        Some(_) => {}
    }
}

/// The text of a raw value.
pub(super) fn format(fx: &Fx, index: usize, value: f64) -> String {
    let own = own_count(fx);
    match (model_of(fx), index.checked_sub(own)) {
        (Some(model), None) => model.format(fx, index, value),
        (_, Some(0)) => if on(value) { "bypassed" } else { "normal" }.to_owned(),
        (_, Some(1)) => format!("{:.0}", value * 100.0),
        (_, Some(2)) => if on(value) { "delta" } else { "normal" }.to_owned(),
        _ => String::new(),
    }
}

fn count(c: &mut Call) -> Answer {
    let track = c.track(0)?;
    answer![c.host.track(track).fx.len()]
}

fn rec_count(c: &mut Call) -> Answer {
    c.track(0)?;
    answer![0]
}

fn installed(c: &mut Call) -> Answer {
    match c.index(0).and_then(|index| models().get(index)) {
        Some(model) => answer![true, model.name, ident(model)],
        None => answer![false, "", ""],
    }
}

/// `reaeq.dll<1919247729` for a VST, the path for a script.
pub(super) fn ident(model: &Model) -> String {
    match model.id {
        Some(id) => format!("{}<{id}", model.file),
        None => model.file.to_owned(),
    }
}

fn add_by_name(c: &mut Call) -> Answer {
    let (track, name, input, mode) = (c.track(0)?, c.text(1), c.bool(2), c.int(3));
    if input {
        if mode != 0 {
            tracing::warn!(fx = name, "there are no input or monitor chains here");
        }
        return answer![-1];
    }
    let index = if mode >= 0 {
        query(c.host, track, &name)
    } else {
        None
    };
    match (index, mode) {
        (Some(index), _) => answer![index],
        (None, 0) => answer![-1],
        (None, mode) => {
            let place = if mode <= -1000 {
                usize::try_from(-(mode + 1000)).ok()
            } else {
                None
            };
            let added = add(c.host, track, &name, place);
            answer![added.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
        }
    }
}

/// The first instance that a name means, by the plug-in's name.
fn query(host: &Host, track: TrackAt, name: &str) -> Option<usize> {
    let chain = &host.track(track).fx;
    let wanted = find(name);
    let lower = name.trim().to_lowercase();
    chain
        .iter()
        .position(|fx| wanted.is_some() && model_of(fx) == wanted)
        .or_else(|| {
            chain
                .iter()
                .position(|fx| !lower.is_empty() && fx.name.to_lowercase().contains(&lower))
        })
}

fn add(host: &mut Host, track: TrackAt, name: &str, place: Option<usize>) -> Option<usize> {
    let Some(model) = find(name) else {
        tracing::warn!(fx = name, "no such plug-in here");
        return None;
    };
    let mut fx = model.instantiate();
    fx.guid = host.fresh_guid();
    let chain = &mut host.track_mut(track).fx;
    let place = place.unwrap_or(chain.len()).min(chain.len());
    chain.insert(place, fx);
    host.touch(Area::Rest);
    Some(place)
}

fn by_name(c: &mut Call) -> Answer {
    let (track, name, instantiate) = (c.track(0)?, c.text(1), c.bool(2));
    let found = query(c.host, track, &name).or_else(|| {
        instantiate
            .then(|| add(c.host, track, &name, None))
            .flatten()
    });
    answer![found.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
}

fn delete(c: &mut Call) -> Answer {
    let (track, index) = at(c)?;
    let Some(index) = index else {
        return answer![false];
    };
    c.host.track_mut(track).fx.remove(index);
    c.host.touch(Area::Rest);
    answer![true]
}

/// Inside one chain the effect ends at the wanted index, also when it moves
/// down.
fn copy_to_track(c: &mut Call) -> Answer {
    let (source, index) = at(c)?;
    let (dest, place, is_move) = (c.track(2)?, c.index(3), c.bool(4));
    let Some(index) = index else {
        return answer![];
    };
    let mut fx = c.host.track(source).fx[index].clone();
    if is_move {
        c.host.track_mut(source).fx.remove(index);
    } else {
        fx.guid = c.host.fresh_guid();
    }
    let chain = &mut c.host.track_mut(dest).fx;
    let place = place.unwrap_or(chain.len()).min(chain.len());
    chain.insert(place, fx);
    c.host.touch(Area::Rest);
    answer![]
}

fn bypass_all(c: &mut Call) -> Answer {
    let mode = c.int(0);
    for index in 0..c.host.project.tracks.len() {
        for fx in &mut c.host.track_mut(TrackAt::Index(index)).fx {
            // -1 bypasses when anything is on, 0 and 1 set it.
            fx.bypassed = mode != 0;
        }
    }
    c.host.touch(Area::Rest);
    answer![]
}

fn name(c: &mut Call) -> Answer {
    let found = get(c)?.map(|fx| shown_name(fx).to_owned());
    answer![found.is_some(), found.unwrap_or_default()]
}

fn guid(c: &mut Call) -> Answer {
    answer![get(c)?.map(|fx| fx.guid.to_string())]
}

fn enabled(c: &mut Call) -> Answer {
    answer![get(c)?.is_some_and(|fx| !fx.bypassed)]
}

fn set_enabled(c: &mut Call) -> Answer {
    let enabled = c.bool(2);
    change(c, |fx| fx.bypassed = !enabled)?;
    answer![]
}

fn offline(c: &mut Call) -> Answer {
    answer![get(c)?.is_some_and(|fx| fx.offline)]
}

fn set_offline(c: &mut Call) -> Answer {
    let offline = c.bool(2);
    change(c, |fx| fx.offline = offline)?;
    answer![]
}

fn open(_: &mut Call) -> Answer {
    answer![false]
}

/// No chain window is ever open.
fn chain_visible(_: &mut Call) -> Answer {
    answer![-1]
}

fn end_edit(c: &mut Call) -> Answer {
    answer![get(c)?.is_some()]
}

fn instrument(c: &mut Call) -> Answer {
    let track = c.track(0)?;
    let found = c.host.track(track).fx.iter().position(is_instrument);
    answer![found.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
}

/// By its model, or by the name of one that is not modelled.
pub(super) fn is_instrument(fx: &Fx) -> bool {
    match model_of(fx) {
        Some(model) => model.kind == crate::fx::Kind::Instrument,
        None => ["VSTi:", "VST3i:", "AUi:", "CLAPi:", "LV2i:"]
            .iter()
            .any(|prefix| fx.name.starts_with(prefix)),
    }
}

/// Plug-in type (3 VST, 2 JS, -1 not known) and pins.
fn io_size(c: &mut Call) -> Answer {
    let Some(fx) = get(c)? else {
        return answer![-1, 0, 0];
    };
    match model_of(fx) {
        Some(model) => {
            let kind = if model.type_text == "JS" { 2 } else { 3 };
            answer![kind, model.pins_in, model.pins_out]
        }
        None => answer![-1, fx.pins_in.len(), fx.pins_out.len()],
    }
}

/// The masks of the pins of one side; the plug-in's default where none are set.
fn masks(fx: &Fx, output: bool) -> Vec<u64> {
    let set = if output { &fx.pins_out } else { &fx.pins_in };
    if !set.is_empty() {
        return set.clone();
    }
    let count = model_of(fx).map_or(0, |model| {
        if output {
            model.pins_out
        } else {
            model.pins_in
        }
    });
    (0..count)
        .map(|pin| {
            1_u64
                .checked_shl(u32::try_from(pin).unwrap_or(64))
                .unwrap_or(0)
        })
        .collect()
}

fn pins(c: &mut Call) -> Answer {
    let (output, pin) = (c.int(2) != 0, c.index(3));
    let mask = get(c)?
        .and_then(|fx| masks(fx, output).get(pin?).copied())
        .unwrap_or(0);
    let low = mask & 0xffff_ffff;
    let high = mask >> 32;
    answer![
        i64::try_from(low).unwrap_or(0),
        i64::try_from(high).unwrap_or(0)
    ]
}

fn set_pins(c: &mut Call) -> Answer {
    let (output, pin) = (c.int(2) != 0, c.index(3));
    // Scripts give the 32-bit halves signed or unsigned.
    let mask = (c.int(4) as u64 & 0xffff_ffff) | (c.int(5) as u64 & 0xffff_ffff) << 32;
    let Some(fx) = get(c)? else {
        return answer![false];
    };
    let mut masks = masks(fx, output);
    let Some(slot) = pin.and_then(|pin| masks.get_mut(pin)) else {
        return answer![false];
    };
    *slot = mask;
    let done = change(c, |fx| {
        if output {
            fx.pins_out = masks;
        } else {
            fx.pins_in = masks;
        }
    })?;
    answer![done]
}
