//! Files and schemas made from the table.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{CommandSpec, Kind, Need, Param, Undo, all, find, guid_name};
use crate::bridge::{ErrorCode, PROTOCOL_VERSION};

/// `reaper_scripts/bridge/schema.lua`.
pub fn lua_schema() -> String {
    let mut out = String::from(
        "-- Generated from the command table of reaper-batch; do not edit.\n\
         -- `cargo xtask codegen` writes it.\n\nlocal schema = {}\n\n",
    );
    let _ = writeln!(out, "schema.protocol = {PROTOCOL_VERSION}");
    let _ = writeln!(
        out,
        "schema.version = {}\n",
        lua_string(env!("CARGO_PKG_VERSION"))
    );
    out.push_str("-- name = { number, retryable }\nschema.errors = {\n");
    for code in ErrorCode::ALL {
        let _ = writeln!(
            out,
            "  {} = {{ {}, {} }},",
            code.name(),
            code.number(),
            code.is_retryable()
        );
    }
    out.push_str("}\n\nschema.commands = {\n");
    for command in all() {
        lua_command(&mut out, command);
    }
    out.push_str("}\n\nreturn schema\n");
    out
}

/// The reference page `docs/bridge-commands.md`.
pub fn markdown() -> String {
    let mut out = String::from(
        "<!-- Generated from the command table; `cargo xtask codegen` writes it. -->\n\n\
         # Bridge commands\n\n\
         Every command goes into `command.json` as `{\"command\", \"params\", \"id\", \"token\"}`; \
         see [ipc.md](ipc.md). Indices count from 0, `-1` is the master track where the table says \
         so, times are seconds of the project, levels are dB, pan is -1 (left) to 1 (right).\n\n\
         Beside each parameter that is a track or item index stands its GUID: `track_index` has \
         `track_guid`, `dest_track` has `dest_track_guid`, `item_index` has `item_guid`. The GUID \
         alone is enough; when both are given and mean different objects the command fails with \
         `STALE_INDEX`.\n\n\
         Undo: **P** one step of the project state, **I** one step of items and MIDI, **B** the \
         command's own block, – none. *Long* commands have the long time limit.\n",
    );
    let mut domain = "";
    for command in all() {
        if command.domain != domain {
            domain = command.domain;
            let _ = writeln!(out, "\n## {domain}");
        }
        markdown_command(&mut out, command);
    }
    out.push_str("\n## Error codes\n\n| number | name | worth a retry |\n|---|---|---|\n");
    for code in ErrorCode::ALL {
        let retry = if code.is_retryable() { "yes" } else { "no" };
        let _ = writeln!(out, "| {} | `{}` | {retry} |", code.number(), code.name());
    }
    out
}

/// JSON Schema of the parameters of one command.
pub fn json_schema(name: &str) -> Option<Value> {
    let command = find(name)?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for param in command.params {
        properties.insert(param.name.to_owned(), param_schema(param));
        let addressed = matches!(param.kind, Kind::Track { .. } | Kind::Item);
        if addressed {
            properties.insert(
                guid_name(param.name),
                json!({ "type": "string", "description": format!("GUID that guards `{}`, or stands for it.", param.name) }),
            );
        }
        if param.need == Need::Required && !addressed {
            required.push(param.name);
        }
    }
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": command.name,
        "description": command.doc,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

fn param_schema(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Int { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Text { max_len } => json!({ "type": "string", "maxLength": max_len }),
        Kind::Track { master } => {
            json!({ "type": "integer", "minimum": if master { -1 } else { 0 } })
        }
        Kind::Item | Kind::Index => json!({ "type": "integer", "minimum": 0 }),
        Kind::Path => json!({ "type": "string", "minLength": 1 }),
        Kind::List { max } => json!({ "type": ["array", "string"], "maxItems": max }),
        Kind::Object => json!({ "type": "object" }),
        Kind::OneOf(words) => json!({ "enum": words }),
        Kind::Any => json!({}),
    };
    schema["description"] = param.doc.into();
    if let Need::Default(text) = param.need
        && let Ok(value) = serde_json::from_str(text)
    {
        schema["default"] = value;
    }
    schema
}

fn lua_command(out: &mut String, command: &CommandSpec) {
    let undo = match command.undo {
        Undo::None => "",
        Undo::Project => ", undo = \"P\"",
        Undo::Items => ", undo = \"I\"",
        Undo::Block => ", undo = \"B\"",
    };
    let long = if command.long_running {
        ", long = true"
    } else {
        ""
    };
    if command.params.is_empty() {
        let _ = writeln!(out, "  {} = {{ params = {{}}{undo}{long} }},", command.name);
        return;
    }
    let _ = writeln!(out, "  {} = {{ params = {{", command.name);
    for param in command.params {
        let _ = write!(
            out,
            "    {{ name = {}, {}",
            lua_string(param.name),
            lua_kind(param.kind)
        );
        match param.need {
            Need::Required => out.push_str(", required = true"),
            Need::Optional => {}
            Need::Default(text) => {
                if let Ok(value) = serde_json::from_str(text) {
                    let _ = write!(out, ", default = {}", lua_value(&value));
                }
            }
        }
        out.push_str(" },\n");
    }
    let _ = writeln!(out, "  }}{undo}{long} }},");
}

fn lua_kind(kind: Kind) -> String {
    match kind {
        Kind::Bool => "kind = \"bool\"".to_owned(),
        Kind::Int { min, max } => format!("kind = \"int\", min = {min}, max = {max}"),
        Kind::Number { min, max } => format!("kind = \"number\", min = {min:?}, max = {max:?}"),
        Kind::Text { max_len } => format!("kind = \"text\", max = {max_len}"),
        Kind::Track { master: false } => "kind = \"track\"".to_owned(),
        Kind::Track { master: true } => "kind = \"track\", master = true".to_owned(),
        Kind::Item => "kind = \"item\"".to_owned(),
        Kind::Index => "kind = \"index\"".to_owned(),
        Kind::Path => "kind = \"path\"".to_owned(),
        Kind::List { max } => format!("kind = \"list\", max = {max}"),
        Kind::Object => "kind = \"object\"".to_owned(),
        Kind::OneOf(words) => {
            let words: Vec<String> = words.iter().map(|word| lua_string(word)).collect();
            format!("kind = \"one_of\", words = {{ {} }}", words.join(", "))
        }
        Kind::Any => "kind = \"any\"".to_owned(),
    }
}

fn lua_value(value: &Value) -> String {
    match value {
        Value::String(text) => lua_string(text),
        // Defaults are numbers, booleans and text; lists and objects have none.
        other => other.to_string(),
    }
}

fn lua_string(text: &str) -> String {
    // Debug escapes of ASCII are escapes of Lua too.
    format!("{text:?}")
}

fn markdown_command(out: &mut String, command: &CommandSpec) {
    let undo = match command.undo {
        Undo::None => "–",
        Undo::Project => "P",
        Undo::Items => "I",
        Undo::Block => "B",
    };
    let long = if command.long_running { ", long" } else { "" };
    let _ = writeln!(
        out,
        "\n### `{}`\n\n{}\n\nReturns: {}. Undo: {undo}{long}.",
        command.name, command.doc, command.result
    );
    if command.params.is_empty() {
        return;
    }
    out.push_str("\n| parameter | value | left out | meaning |\n|---|---|---|---|\n");
    for param in command.params {
        let need = match param.need {
            Need::Required => "required".to_owned(),
            Need::Optional => "–".to_owned(),
            Need::Default(text) => format!("`{text}`"),
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {need} | {} |",
            param.name,
            param.kind.expectation().replace('|', "\\|"),
            param.doc.replace('|', "\\|")
        );
    }
}
