//! Argument lists as text, and the conversion of Lua values by them.

use mlua::{Lua, Value};

use super::pointers::Handles;
use super::value::{Arg, Fail};

/// One parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Param {
    kind: Kind,
    optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Num,
    Str,
    Project,
    /// A pointer of the named type.
    Pointer(&'static str),
    /// Any value, judged by the function itself.
    Any,
}

/// The parameters of a function.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    params: Vec<Param>,
    required: usize,
}

impl Signature {
    /// Reads a list such as `MediaTrack tr, integer idx, boolean noSort?`.
    /// A `?` marks what may be left out; `|nil` a pointer that may be null.
    pub(crate) fn parse(text: &'static str) -> Self {
        let params: Vec<Param> = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let optional = part.ends_with('?');
                let kind = match part.split(' ').next().unwrap_or_default() {
                    "boolean" => Kind::Bool,
                    "integer" => Kind::Int,
                    "number" => Kind::Num,
                    "string" => Kind::Str,
                    "ReaProject" => Kind::Project,
                    "MediaTrack" => Kind::Pointer("MediaTrack*"),
                    "MediaItem" => Kind::Pointer("MediaItem*"),
                    "MediaItem_Take" => Kind::Pointer("MediaItem_Take*"),
                    "TrackEnvelope" => Kind::Pointer("TrackEnvelope*"),
                    "PCM_source" => Kind::Pointer("PCM_source*"),
                    _ => Kind::Any,
                };
                Param { kind, optional }
            })
            .collect();
        let required = params
            .iter()
            .rposition(|param| !param.optional)
            .map_or(0, |last| last + 1);
        Self { params, required }
    }

    /// Converts the values of a call by REAPER's rules: extra ones are
    /// ignored, floats are cut to integers, numeric text is a number.
    pub(crate) fn convert(
        &self,
        lua: &Lua,
        handles: &Handles,
        values: &[Value],
        nullable: bool,
    ) -> Result<Vec<Arg>, Fail> {
        if values.len() < self.required {
            return Err(Fail::Missing(self.required));
        }
        self.params
            .iter()
            .enumerate()
            .map(|(index, param)| {
                let value = values.get(index).unwrap_or(&Value::Nil);
                if value.is_nil() && (param.optional || nullable) {
                    return Ok(Arg::Nil);
                }
                convert(lua, handles, value, param.kind).ok_or(Fail::Argument {
                    index: index + 1,
                    expected: param.kind.name(),
                })
            })
            .collect()
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Int | Self::Num => "number",
            Self::Str => "string",
            Self::Project => "ReaProject*",
            Self::Pointer(name) => name,
            Self::Any => "value",
        }
    }
}

fn convert(lua: &Lua, handles: &Handles, value: &Value, kind: Kind) -> Option<Arg> {
    match kind {
        Kind::Bool => Some(Arg::Bool(!matches!(
            value,
            Value::Nil | Value::Boolean(false)
        ))),
        // `as` saturates and turns NaN into 0: every float has an integer.
        Kind::Int => match value {
            Value::Integer(number) => Some(Arg::Int(*number)),
            _ => number(lua, value).map(|number| Arg::Int(number as i64)),
        },
        Kind::Num => number(lua, value).map(Arg::Num),
        Kind::Str => match value {
            Value::String(text) => Some(Arg::Str(text.as_bytes().to_vec())),
            Value::Integer(_) | Value::Number(_) => lua
                .coerce_string(value.clone())
                .ok()
                .flatten()
                .map(|text| Arg::Str(text.as_bytes().to_vec())),
            _ => None,
        },
        Kind::Project => match value {
            Value::Nil | Value::Integer(0) => Some(Arg::Nil),
            Value::Number(number) if *number == 0.0 => Some(Arg::Nil),
            Value::LightUserData(pointer) => {
                let object = handles.object(pointer.0.addr())?;
                (object.type_name() == "ReaProject*").then_some(Arg::Nil)
            }
            _ => None,
        },
        Kind::Pointer(name) => {
            let Value::LightUserData(pointer) = value else {
                return None;
            };
            let address = pointer.0.addr();
            let object = handles.object(address)?;
            (object.type_name() == name).then_some(Arg::Ptr(address))
        }
        Kind::Any => Some(match value {
            Value::Boolean(on) => Arg::Bool(*on),
            Value::Integer(number) => Arg::Int(*number),
            Value::Number(number) => Arg::Num(*number),
            Value::String(text) => Arg::Str(text.as_bytes().to_vec()),
            Value::LightUserData(pointer) => Arg::Ptr(pointer.0.addr()),
            _ => Arg::Nil,
        }),
    }
}

fn number(lua: &Lua, value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Number(number) => Some(*number),
        Value::String(_) => lua.coerce_number(value.clone()).ok().flatten(),
        _ => None,
    }
}
