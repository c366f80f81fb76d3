//! Parameters, named values and presets of effects.

use super::fx::{
    at, change, format, get, ident, is_instrument, own_count, param_count, param_name, param_range,
    param_value, set_param,
};
use super::{Entry, flag};
use crate::fx::{Setup, model_of};
use crate::host::lua::{Answer, Call, answer};
use crate::host::state::Area;
use crate::project::Fx;

pub(super) const FUNCTIONS: &[Entry] = &[
    ("TrackFX_FormatParamValue", format_value),
    ("TrackFX_FormatParamValueNormalized", format_normalized),
    ("TrackFX_GetFormattedParamValue", formatted),
    ("TrackFX_GetNamedConfigParm", get_named),
    ("TrackFX_GetNumParams", count),
    ("TrackFX_GetParam", get_param),
    ("TrackFX_GetParamEx", get_param_ex),
    ("TrackFX_GetParamFromIdent", from_ident),
    ("TrackFX_GetParamIdent", param_ident),
    ("TrackFX_GetParamName", name),
    ("TrackFX_GetParamNormalized", get_normalized),
    ("TrackFX_GetParameterStepSizes", step_sizes),
    ("TrackFX_GetPreset", preset),
    ("TrackFX_GetPresetIndex", preset_index),
    ("TrackFX_NavigatePresets", navigate_presets),
    ("TrackFX_SetNamedConfigParm", set_named),
    ("TrackFX_SetParam", set),
    ("TrackFX_SetParamNormalized", set_normalized),
    ("TrackFX_SetPreset", set_preset),
    ("TrackFX_SetPresetByIndex", set_preset_by_index),
];

fn count(c: &mut Call) -> Answer {
    answer![get(c)?.map_or(0, param_count)]
}

/// The effect and the parameter that argument 3 names.
fn param<'a>(c: &'a Call) -> Result<Option<(&'a Fx, usize)>, crate::host::lua::Fail> {
    let index = c.index(2);
    Ok(get(c)?.and_then(|fx| Some((fx, index.filter(|&index| index < param_count(fx))?))))
}

fn get_param(c: &mut Call) -> Answer {
    let mut answer = get_param_ex(c)?;
    answer.truncate(3);
    Ok(answer)
}

fn get_param_ex(c: &mut Call) -> Answer {
    match param(c)? {
        None => answer![0.0, 0.0, 0.0, 0.0],
        Some((fx, index)) => {
            let (low, high, middle) = param_range(fx, index);
            answer![param_value(fx, index), low, high, middle]
        }
    }
}

fn set(c: &mut Call) -> Answer {
    let (index, value) = (c.index(2), c.num(3));
    write(c, index, value)
}

fn write(c: &mut Call, index: Option<usize>, value: f64) -> Answer {
    let Some((_, index)) = param(c)?
        .filter(|_| !value.is_nan())
        .zip(index)
        .map(|(p, _)| p)
    else {
        return answer![false];
    };
    answer![change(c, |fx| set_param(fx, index, value))?]
}

fn get_normalized(c: &mut Call) -> Answer {
    answer![param(c)?.map_or(-1.0, |(fx, index)| {
        let (low, high, _) = param_range(fx, index);
        (param_value(fx, index) - low) / (high - low)
    })]
}

/// The raw value at a place between 0 and 1.
fn raw(fx: &Fx, index: usize, normalized: f64) -> f64 {
    let (low, high, _) = param_range(fx, index);
    low + normalized.clamp(0.0, 1.0) * (high - low)
}

fn set_normalized(c: &mut Call) -> Answer {
    let (index, value) = (c.index(2), c.num(3));
    let Some(value) = param(c)?.map(|(fx, index)| raw(fx, index, value)) else {
        return answer![false];
    };
    write(c, index, value)
}

fn name(c: &mut Call) -> Answer {
    let found = param(c)?.map(|(fx, index)| param_name(fx, index));
    answer![found.is_some(), found.unwrap_or_default()]
}

fn formatted(c: &mut Call) -> Answer {
    let text = param(c)?.map(|(fx, index)| format(fx, index, param_value(fx, index)));
    answer![text.is_some(), text.unwrap_or_default()]
}

fn format_value(c: &mut Call) -> Answer {
    let value = c.num(3);
    let text = param(c)?.map(|(fx, index)| format(fx, index, value));
    answer![text.is_some(), text.unwrap_or_default()]
}

fn format_normalized(c: &mut Call) -> Answer {
    let value = c.num(3);
    let text = param(c)?.map(|(fx, index)| format(fx, index, raw(fx, index, value)));
    answer![text.is_some(), text.unwrap_or_default()]
}

/// `3:_Gain` for a plug-in's own parameter, `:wet` for REAPER's.
fn ident_of(fx: &Fx, index: usize) -> String {
    match index.checked_sub(own_count(fx)) {
        None => format!("{index}:_{}", param_name(fx, index).replace(' ', "_")),
        Some(common) => [":bypass", ":wet", ":delta"]
            .get(common)
            .copied()
            .unwrap_or_default()
            .to_owned(),
    }
}

fn param_ident(c: &mut Call) -> Answer {
    let text = param(c)?.map(|(fx, index)| ident_of(fx, index));
    answer![text.is_some(), text.unwrap_or_default()]
}

fn from_ident(c: &mut Call) -> Answer {
    let wanted = c.text(2);
    let found = get(c)?.and_then(|fx| {
        (0..param_count(fx)).find(|&index| {
            let ident = ident_of(fx, index);
            ident == wanted
                || ident.split_once(':').map(|(number, _)| number) == Some(wanted.as_str())
        })
    });
    answer![found.map_or(-1, |index| i64::try_from(index).unwrap_or(-1))]
}

fn step_sizes(c: &mut Call) -> Answer {
    let steps = param(c)?.and_then(|(fx, index)| {
        let own = index < own_count(fx);
        if own {
            model_of(fx)?.param_steps(fx, index)
        } else {
            None
        }
    });
    match steps {
        Some((step, toggle)) => answer![true, step, step, step, toggle],
        None => answer![false, 0.0, 0.0, 0.0, false],
    }
}

fn get_named(c: &mut Call) -> Answer {
    let key = c.text(2);
    let rate = c.host.project.settings.sample_rate_hz;
    let bpm = c.host.project.tempo.bpm;
    let found = get(c)?.and_then(|fx| named(fx, &key, f64::from(rate), bpm));
    answer![found.is_some(), found.unwrap_or_default()]
}

fn named(fx: &Fx, key: &str, sample_rate_hz: f64, bpm: f64) -> Option<String> {
    let model = model_of(fx);
    Some(match key {
        "fx_type" => match model {
            Some(model) => model.type_text.to_owned(),
            None => fx.name.split(':').next().unwrap_or_default().to_owned(),
        },
        "fx_ident" => model.map_or_else(|| fx.file.clone(), ident),
        "fx_name" | "original_name" => fx.name.clone(),
        "renamed_name" => fx.alias.clone(),
        "is_instrument" => flag_text(is_instrument(fx)),
        "pdc" => {
            let setup = Setup {
                sample_rate_hz,
                bpm,
            };
            model
                .map_or(0, |model| model.latency_frames(fx, setup))
                .to_string()
        }
        _ => return model?.get_config(fx, key),
    })
}

fn flag_text(on: bool) -> String {
    format!("{:.0}", flag(on))
}

fn set_named(c: &mut Call) -> Answer {
    let (key, value) = (c.text(2), c.text(3));
    let (track, index) = at(c)?;
    let Some(index) = index else {
        return answer![false];
    };
    let fx = &mut c.host.track_mut(track).fx[index];
    let done = match key.as_str() {
        "renamed_name" => {
            fx.alias = value;
            true
        }
        _ => model_of(fx).is_some_and(|model| model.set_config(fx, &key, &value)),
    };
    // What a setter answers does not say whether it did something.
    c.host.touch(Area::Rest);
    answer![done]
}

/// Presets: none are shipped with the models, so only the name that a project
/// carries is known.
fn preset(c: &mut Call) -> Answer {
    let found = get(c)?.map(|fx| fx.preset.clone());
    answer![
        found.as_ref().is_some_and(|preset| !preset.is_empty()),
        found.unwrap_or_default()
    ]
}

fn preset_index(c: &mut Call) -> Answer {
    get(c)?;
    answer![-1, 0]
}

fn set_preset(c: &mut Call) -> Answer {
    let wanted = c.text(2);
    answer![get(c)?.is_some_and(|fx| !wanted.is_empty() && fx.preset == wanted)]
}

fn set_preset_by_index(c: &mut Call) -> Answer {
    get(c)?;
    answer![false]
}

fn navigate_presets(c: &mut Call) -> Answer {
    get(c)?;
    answer![false]
}
