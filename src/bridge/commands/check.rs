//! Checking a call before anything runs.

use serde_json::Value;

use super::{CommandSpec, Kind, Need, Param, all, find, guid_name};
use crate::{bridge::Call, diag::suggest};

/// What is wrong with one call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The command does not exist.
    #[error("unknown command `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownCommand {
        name: String,
        nearest: Option<String>,
    },
    /// A required parameter is missing.
    #[error("`{command}` needs the parameter `{param}`: {doc}")]
    Missing {
        command: &'static str,
        param: &'static str,
        doc: &'static str,
    },
    /// The command has no such parameter.
    #[error("`{command}` has no parameter `{param}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownParam {
        command: &'static str,
        param: String,
        nearest: Option<String>,
    },
    /// The value does not fit.
    #[error("`{param}` of `{command}` must be {expected}, not {got}")]
    BadValue {
        command: &'static str,
        param: String,
        expected: String,
        got: String,
    },
}

/// Checks name and parameters; reports everything that is wrong.
///
/// # Errors
///
/// Every parameter that is missing, unknown or out of its range, in the order
/// of the command's table; an unknown command alone.
pub fn validate(call: &Call) -> Result<(), Vec<ParamError>> {
    let Some(command) = find(&call.command) else {
        return Err(vec![ParamError::UnknownCommand {
            name: call.command.clone(),
            nearest: nearest(&call.command).map(str::to_owned),
        }]);
    };
    let mut errors = Vec::new();
    for param in command.params {
        check_param(command, param, call, &mut errors);
    }
    for (name, value) in &call.params {
        check_known(command, name, value, &mut errors);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// The existing command whose name is most like `name`, when one is close.
pub fn nearest(name: &str) -> Option<&'static str> {
    suggest(name, all().map(|command| command.name))
}

fn check_param(command: &CommandSpec, param: &Param, call: &Call, errors: &mut Vec<ParamError>) {
    let value = call.params.get(param.name).filter(|value| !value.is_null());
    let Some(value) = value else {
        let has_guid = matches!(param.kind, Kind::Track { .. } | Kind::Item)
            && call
                .params
                .get(&guid_name(param.name))
                .is_some_and(Value::is_string);
        if param.need == Need::Required && !has_guid {
            errors.push(ParamError::Missing {
                command: command.name,
                param: param.name,
                doc: param.doc,
            });
        }
        return;
    };
    if !fits(param.kind, value) {
        errors.push(ParamError::BadValue {
            command: command.name,
            param: param.name.to_owned(),
            expected: param.kind.expectation(),
            got: shown(value),
        });
    }
}

fn check_known(
    command: &'static CommandSpec,
    name: &str,
    value: &Value,
    errors: &mut Vec<ParamError>,
) {
    if command.params.iter().any(|param| param.name == name) {
        return;
    }
    if command.guid_params().any(|(_, guid)| guid == name) {
        if !value.is_string() && !value.is_null() {
            errors.push(ParamError::BadValue {
                command: command.name,
                param: name.to_owned(),
                expected: "a GUID as text".to_owned(),
                got: shown(value),
            });
        }
        return;
    }
    let nearest = suggest(name, command.params.iter().map(|param| param.name));
    errors.push(ParamError::UnknownParam {
        command: command.name,
        param: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    });
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Bool => value.is_boolean(),
        Kind::Int { min, max } => integer(value).is_some_and(|n| (min..=max).contains(&n)),
        Kind::Number { min, max } => value.as_f64().is_some_and(|n| (min..=max).contains(&n)),
        Kind::Text { max_len } => value.as_str().is_some_and(|text| text.len() <= max_len),
        Kind::Track { master } => integer(value).is_some_and(|n| n >= 0 || (master && n == -1)),
        Kind::Item | Kind::Index => integer(value).is_some_and(|n| n >= 0),
        Kind::Path => value.as_str().is_some_and(is_absolute),
        Kind::List { max } => match value {
            Value::Array(list) => list.len() <= max,
            Value::String(text) => {
                serde_json::from_str::<Vec<Value>>(text).is_ok_and(|list| list.len() <= max)
            }
            _ => false,
        },
        Kind::Object => value.is_object(),
        Kind::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        Kind::Any => true,
    }
}

/// An integer, also when it is written as `2.0`.
fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    })
}

/// Absolute in the notation of any system, as the host may run under Wine.
fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    !path.contains('\0') && (path.starts_with('/') || path.starts_with(r"\\") || drive)
}

impl Kind {
    /// What a value must be, for a message.
    pub(super) fn expectation(self) -> String {
        match self {
            Kind::Bool => "true or false".to_owned(),
            Kind::Int { min, max } => format!("an integer from {min} to {max}"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Text { max_len } => format!("text of at most {max_len} bytes"),
            Kind::Track { master: true } => "a track index from 0, or -1 for the master".to_owned(),
            Kind::Track { master: false } => "a track index from 0".to_owned(),
            Kind::Item => "an item index from 0".to_owned(),
            Kind::Index => "an index from 0".to_owned(),
            Kind::Path => "an absolute path".to_owned(),
            Kind::List { max } => format!("a list of at most {max} entries"),
            Kind::Object => "an object".to_owned(),
            Kind::OneOf(words) => format!("one of `{}`", words.join("`, `")),
            Kind::Any => "any value".to_owned(),
        }
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(", did you mean `{name}`?"))
}
