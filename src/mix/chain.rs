//! One chain of effects: what is there, what is wanted, what has to be written.

use serde_json::{Map, Value, json};

use crate::bridge::Call;

use super::FX_TAG;
use super::apply::MixError;
use super::observe::FxState;
use super::params::{Effect, Target};

/// What has to happen to the tagged effects of a track.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// They are there, in order; these have other values than wanted.
    Set(Vec<(i64, Effect)>),
    /// Remove the first list, then add the second.
    Rebuild(Vec<i64>, Vec<Effect>),
}

/// Tagged effects of a chain.
pub(super) fn tagged(fx: &[FxState]) -> Vec<&FxState> {
    fx.iter().filter(|fx| fx.name.starts_with(FX_TAG)).collect()
}

/// The tagged effects are the wanted ones, by name and order.
pub(super) fn same_line_up(fx: &[FxState], wanted: &[Effect]) -> bool {
    let there = tagged(fx);
    there.len() == wanted.len()
        && there
            .iter()
            .zip(wanted)
            .all(|(fx, effect)| fx.name == effect.shown)
}

/// Calls that read everything that an effect sets.
pub(super) fn read_calls(address: &Value, fx_index: i64, effect: &Effect) -> Vec<Call> {
    let with = |extra: Value| {
        let mut params = address.clone();
        params["fx_index"] = fx_index.into();
        if let (Value::Object(params), Value::Object(extra)) = (&mut params, extra) {
            params.extend(extra);
        }
        params
    };
    let all = json!({ "max_results": 2000, "include_hidden": true });
    let mut calls = vec![Call::new("fx_get_params", with(all))];
    for (key, _) in &effect.named {
        calls.push(Call::new(
            "fx_get_named_config",
            with(json!({ "key": key })),
        ));
    }
    calls
}

/// The replies to [`read_calls`] show the wanted values; else the first that
/// differs.
pub(super) fn difference(effect: &Effect, replies: &[Value]) -> Option<(String, String)> {
    let (params, named) = replies.split_first()?;
    let list = params["params"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for setting in &effect.settings {
        let found = list.iter().find(|param| match setting.target {
            Target::Index(index) => param["index"].as_u64() == Some(index.into()),
            Target::Name(name) => contains(&param["name"], name),
        });
        let raw = found.and_then(|param| param["raw"].as_f64());
        if !raw.is_some_and(|raw| close(raw, setting.value)) {
            let found = raw.map_or("nothing".to_owned(), |raw| raw.to_string());
            return Some((format!("{} ({})", setting.text, setting.value), found));
        }
    }
    for ((key, wanted), reply) in effect.named.iter().zip(named) {
        let found = reply["value"].as_str().unwrap_or_default();
        if !same_text(found, wanted) {
            return Some((format!("{key} {wanted}"), found.to_owned()));
        }
    }
    None
}

/// The entry of `setup_fx_chain` that sets an effect, or adds it.
pub(super) fn entry(effect: &Effect, fx_index: Option<i64>) -> Value {
    let mut entry = match fx_index {
        Some(index) => json!({ "fx_index": index }),
        None => json!({
            "name": effect.plugin,
            "add_mode": "add",
            "renamed_name": effect.shown,
        }),
    };
    // Values in the parameter's own range.
    entry["raw"] = true.into();
    let mut by_index = Map::new();
    let mut by_name = Map::new();
    for setting in &effect.settings {
        match setting.target {
            Target::Index(index) => by_index.insert(index.to_string(), setting.value.into()),
            Target::Name(name) => by_name.insert(name.to_owned(), setting.value.into()),
        };
    }
    let named: Map<String, Value> = effect
        .named
        .iter()
        .map(|(key, value)| (key.clone(), value.clone().into()))
        .collect();
    for (key, map) in [
        ("named_config", named),
        ("params", by_name),
        ("params_by_index", by_index),
    ] {
        if !map.is_empty() {
            entry[key] = map.into();
        }
    }
    entry
}

/// Checks what `setup_fx_chain` and its relatives report of the effects they
/// wrote, and returns how many values were read back as wanted.
pub(super) fn check(track: &str, effects: &[Effect], added: &Value) -> Result<u32, MixError> {
    let reports = added.as_array().map(Vec::as_slice).unwrap_or_default();
    if reports.len() != effects.len() {
        return Err(MixError::NotTaken {
            place: track.to_owned(),
            wanted: format!("{} effects", effects.len()),
            found: format!("{} effects", reports.len()),
        });
    }
    let mut verified = 0;
    for (effect, report) in effects.iter().zip(reports) {
        verified += check_one(track, effect, report)?;
    }
    Ok(verified)
}

fn check_one(track: &str, effect: &Effect, report: &Value) -> Result<u32, MixError> {
    let not_taken = |wanted: String, found: String| MixError::NotTaken {
        place: format!("{track}, {}", effect.shown),
        wanted,
        found,
    };
    let problem = match &report["errors"] {
        Value::Array(errors) => errors.first().map(text),
        _ => None,
    };
    if let Some(problem) = problem.or_else(|| report.get("error").map(text)) {
        return Err(not_taken("its values".into(), problem));
    }
    let empty = Vec::new();
    let list = report["params_set"].as_array().unwrap_or(&empty);
    let mut verified = 0;
    for setting in &effect.settings {
        let found = list.iter().find(|param| match setting.target {
            Target::Index(index) => param["index"].as_u64() == Some(index.into()),
            Target::Name(name) => contains(&param["name"], name),
        });
        let raw = found.and_then(|param| param["raw"].as_f64());
        match raw {
            Some(raw) if close(raw, setting.value) => verified += 1,
            _ => {
                let found = raw.map_or("nothing".to_owned(), |raw| raw.to_string());
                let wanted = format!("{} ({})", setting.text, setting.value);
                return Err(not_taken(wanted, found));
            }
        }
    }
    let named = report["named_config_set"].as_array().unwrap_or(&empty);
    for (key, wanted) in &effect.named {
        let found = named.iter().find(|set| set["key"] == key.as_str());
        let value = found.map(|set| text(&set["value"])).unwrap_or_default();
        if !same_text(&value, wanted) {
            return Err(not_taken(format!("{key} {wanted}"), value));
        }
        verified += 1;
    }
    Ok(verified)
}

/// Plug-ins keep 32-bit floats, and text forms cut digits.
fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-5 + 1e-4 * wanted.abs()
}

/// The same text, or the same number written in another way.
fn same_text(found: &str, wanted: &str) -> bool {
    found == wanted
        || matches!((found.trim().parse::<f64>(), wanted.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

fn contains(name: &Value, part: &str) -> bool {
    let name = name.as_str().unwrap_or_default().to_lowercase();
    name.contains(&part.to_lowercase())
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
