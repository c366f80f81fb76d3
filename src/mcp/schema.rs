//! Schemas of arguments and results, short enough for a model's context, and
//! the reading of arguments with errors that name the argument.

use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_output, schema_for_type};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Schema of a tool's arguments.
pub(super) fn input<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    let mut schema = Value::Object((*schema_for_type::<T>()).clone());
    slim(&mut schema);
    optional(&mut schema);
    object(schema)
}

/// Schema of a tool's structured content.
pub(super) fn output<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    let mut schema = Value::Object((*schema_for_output::<T>()).clone());
    slim(&mut schema);
    object(schema)
}

/// Reads the arguments of a tool; `null` is the same as left out.
pub(super) fn parse<T: DeserializeOwned>(mut arguments: JsonObject) -> Result<T, String> {
    arguments.retain(|_, value| !value.is_null());
    let read = |arguments: JsonObject| T::deserialize(Value::Object(arguments));
    let error = match read(arguments.clone()) {
        Ok(read) => return Ok(read),
        Err(error) => error.to_string(),
    };
    // Serde tells what is wrong but not where: the argument without which the
    // complaint is another one is the culprit.
    let culprit = arguments.keys().find(|name| {
        let mut others = arguments.clone();
        others.remove(*name);
        read(others).err().map(|other| other.to_string()) != Some(error.clone())
    });
    Err(match culprit {
        Some(name) if !error.contains(&format!("`{name}`")) => {
            format!("argument `{name}`: {error}")
        }
        _ => format!("arguments: {error}"),
    })
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}

/// Takes out what only generators of code look at.
fn slim(schema: &mut Value) {
    if let Value::Object(map) = schema {
        for key in ["$schema", "title", "format"] {
            // A property of that name is an object, the annotation is text.
            if map.get(key).is_some_and(Value::is_string) {
                map.remove(key);
            }
        }
        if let Some(Value::String(text)) = map.get_mut("description") {
            *text = text.replace('\n', " ");
        }
    }
    children(schema, slim);
}

/// Optional arguments are left out rather than null.
fn optional(schema: &mut Value) {
    if let Value::Object(map) = schema {
        if map.get("default").is_some_and(|default| match default {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(items) => items.is_empty(),
            _ => false,
        }) {
            map.remove("default");
        }
        if let Some(Value::Array(types)) = map.get_mut("type") {
            types.retain(|name| name != "null");
            if let [one] = types.as_slice() {
                let one = one.clone();
                map.insert("type".to_owned(), one);
            }
        }
        if let Some(Value::Array(either)) = map.get_mut("anyOf") {
            either.retain(|schema| schema["type"] != "null");
            if let [Value::Object(one)] = either.as_slice() {
                let one = one.clone();
                map.remove("anyOf");
                map.extend(one);
            }
        }
    }
    children(schema, optional);
}

fn children(schema: &mut Value, visit: fn(&mut Value)) {
    match schema {
        Value::Object(map) => map.values_mut().for_each(visit),
        Value::Array(items) => items.iter_mut().for_each(visit),
        _ => {}
    }
}
