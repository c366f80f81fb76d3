//! Checks a TOML document against the schema of the type it is read into:
//! unknown keys, wrong types, values out of range, missing keys; all of them,
//! each with its place. What is wrong is taken out of the document, so that
//! the rest can still be read and checked further.

use std::ops::Range;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_spanned::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::{code, schema::shape_of};
use crate::diag::{Diagnostic, suggest};

/// Reads a document as far as it can be. `None` after a syntax error, or when
/// a required key of the type itself is missing.
pub(super) fn read<T: JsonSchema + DeserializeOwned>(
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<T> {
    let (mut document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // What the parser made of the rest is a guess: more reports would mislead.
        diagnostics.extend(errors.iter().map(syntax));
        return None;
    }
    let schema = shape_of::<T>();
    let span = document.span();
    let before = diagnostics.len();
    let usable = table(document.get_mut(), span, &schema, &Place::Root, diagnostics);
    if !usable {
        return None;
    }
    match T::deserialize(toml::de::Deserializer::from(document)) {
        Ok(value) => Some(value),
        Err(error) => {
            // The schema is from the same type, so this is a rule that a
            // schema cannot express.
            if diagnostics.len() == before {
                let message = first_line(error.message());
                diagnostics.push(
                    Diagnostic::error(code::WRONG_TYPE, message)
                        .at(error.span().unwrap_or(0..0), ""),
                );
            }
            None
        }
    }
}

/// Where the walk is, for messages.
enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>),
}

impl Place<'_> {
    /// ` in `project`` after a key, nothing at the top.
    fn within(&self) -> String {
        match self.name() {
            Some(name) => format!(" in `{name}`"),
            None => String::new(),
        }
    }

    fn name(&self) -> Option<String> {
        match self {
            Self::Root => None,
            Self::Key(parent, key) => Some(match parent.name() {
                Some(name) => format!("{name}.{key}"),
                None => (*key).to_owned(),
            }),
            Self::Item(parent) => parent.name(),
        }
    }

    fn quoted(&self) -> String {
        self.name()
            .map_or_else(|| "the document".to_owned(), |name| format!("`{name}`"))
    }
}

/// Checks a table and takes out what is wrong. `false` when it lacks a
/// required key and cannot be used.
fn table(
    entries: &mut DeTable<'_>,
    span: Range<usize>,
    schema: &Value,
    place: &Place<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let none = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let others = schema.get("additionalProperties");
    let count = entries.len() as u64;
    let written: Vec<String> = entries
        .keys()
        .map(|key| key.get_ref().to_string())
        .collect();

    for (key, mut value) in std::mem::take(entries) {
        let name = key.get_ref().as_ref();
        let rule = properties
            .get(name)
            .or(others.filter(|rule| rule.is_object()));
        let usable = match rule {
            Some(rule) => check(&mut value, rule, &Place::Key(place, name), diagnostics),
            None if others == Some(&Value::Bool(false)) => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                diagnostics.push(unknown_key(name, key.span(), &known, place));
                false
            }
            None => true,
        };
        if usable {
            entries.insert(key, value);
        }
    }

    let at_least = schema["minProperties"].as_u64().unwrap_or(0);
    let at_most = schema["maxProperties"].as_u64().unwrap_or(u64::MAX);
    if count < at_least || count > at_most {
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        let wanted = if at_least == at_most {
            "exactly"
        } else {
            "at least"
        };
        diagnostics.push(
            Diagnostic::error(
                code::CONFLICT,
                format!("{} needs {wanted} one key, it has {count}", place.quoted()),
            )
            .at(span.clone(), "")
            .help_if((!names.is_empty()).then(|| format!("one of {}", list(&names)))),
        );
        return false;
    }

    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut complete = true;
    for name in required.iter().filter_map(Value::as_str) {
        if entries.keys().any(|key| key.get_ref() == name) {
            continue;
        }
        complete = false;
        // A key that was there and wrong has been reported.
        if !written.iter().any(|written| written == name) {
            let message = format!("key `{name}` is missing{}", place.within());
            diagnostics.push(
                Diagnostic::error(code::MISSING_KEY, message)
                    .at(span.clone(), format!("needs `{name}`")),
            );
        }
    }
    complete
}

/// Checks a value and takes out of it what is wrong. `false` when the value
/// itself cannot be used.
fn check(
    value: &mut Spanned<DeValue<'_>>,
    schema: &Value,
    place: &Place<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let branches = branches(schema);
    let fitting: Vec<&Value> = branches
        .iter()
        .copied()
        .filter(|branch| accepts(branch, value.get_ref()))
        .collect();
    let Some(first) = fitting.first().copied() else {
        diagnostics.push(wrong_type(value, &branches, place));
        return false;
    };

    let span = value.span();
    let known: Vec<&Value> = fitting.iter().flat_map(|branch| values(branch)).collect();
    if !known.is_empty() {
        let found = plain(value.get_ref());
        if !known.iter().any(|known| same(known, &found)) {
            diagnostics.push(unknown_value(&found, span, &known, place));
            return false;
        }
        return true;
    }

    match value.get_mut() {
        DeValue::Table(entries) => table(entries, span, first, place, diagnostics),
        DeValue::Array(items) => {
            let count = items.len() as u64;
            if count < first["minItems"].as_u64().unwrap_or(0) {
                let message = format!("{} is empty", place.quoted());
                diagnostics.push(Diagnostic::error(code::OUT_OF_RANGE, message).at(span, ""));
                return false;
            }
            let Some(rule) = first.get("items") else {
                return true;
            };
            for mut item in std::mem::replace(items, DeArray::new()) {
                if check(&mut item, rule, &Place::Item(place), diagnostics) {
                    items.push(item);
                }
            }
            true
        }
        DeValue::String(text) => {
            let usable = text.chars().count() as u64 >= first["minLength"].as_u64().unwrap_or(0);
            if !usable {
                let message = format!("{} is empty", place.quoted());
                diagnostics.push(Diagnostic::error(code::OUT_OF_RANGE, message).at(span, ""));
            }
            usable
        }
        DeValue::Integer(_) | DeValue::Float(_) => number(value, first, place, diagnostics),
        DeValue::Boolean(_) | DeValue::Datetime(_) => true,
    }
}

fn number(
    value: &Spanned<DeValue<'_>>,
    schema: &Value,
    place: &Place<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let number = plain(value.get_ref()).as_f64();
    let low = schema["minimum"].as_f64();
    let high = schema["maximum"].as_f64();
    let inside = number.is_some_and(|number| {
        low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high)
    });
    if !inside {
        let range = match (low, high) {
            (Some(low), Some(high)) => format!("must be {low} to {high}"),
            (Some(low), None) => format!("must be {low} or more"),
            (None, Some(high)) => format!("must be {high} or less"),
            (None, None) => "must be finite".to_owned(),
        };
        let written = match value.get_ref() {
            DeValue::Integer(integer) => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => "",
        };
        diagnostics.push(
            Diagnostic::error(
                code::OUT_OF_RANGE,
                format!("{} is {written}; it {range}", place.quoted()),
            )
            .at(value.span(), range),
        );
    }
    inside
}

fn branches(schema: &Value) -> Vec<&Value> {
    for choice in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(choice) {
            return branches.iter().flat_map(branches_of).collect();
        }
    }
    vec![schema]
}

fn branches_of(schema: &Value) -> Vec<&Value> {
    branches(schema)
}

/// The type of the value is one that the schema allows.
fn accepts(schema: &Value, value: &DeValue<'_>) -> bool {
    let fits = |name: &str| match value {
        DeValue::String(_) => name == "string",
        DeValue::Integer(_) => name == "integer" || name == "number",
        DeValue::Float(_) => name == "number",
        DeValue::Boolean(_) => name == "boolean",
        DeValue::Array(_) => name == "array",
        DeValue::Table(_) => name == "object",
        DeValue::Datetime(_) => false,
    };
    match &schema["type"] {
        Value::String(name) => fits(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(fits),
        _ => match schema.get("const") {
            Some(Value::String(_)) => fits("string"),
            _ => true,
        },
    }
}

fn values(schema: &Value) -> Vec<&Value> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => values.iter().collect(),
        (_, Some(value)) => vec![value],
        _ => Vec::new(),
    }
}

/// A scalar as JSON; a number that is not finite or too large is null.
fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(float) => float
            .as_str()
            .parse::<f64>()
            .map_or(Value::Null, Value::from),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => Value::Null,
    }
}

fn same(known: &Value, found: &Value) -> bool {
    match (known.as_f64(), found.as_f64()) {
        (Some(known), Some(found)) => known == found,
        _ => known == found,
    }
}

fn syntax(error: &toml::de::Error) -> Diagnostic {
    Diagnostic::error(code::SYNTAX, first_line(error.message()))
        .at(error.span().unwrap_or(0..0), "")
}

fn unknown_key(name: &str, span: Range<usize>, known: &[&str], place: &Place<'_>) -> Diagnostic {
    let help = match suggest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "no keys are known here".to_owned(),
        None => format!("known keys are {}", list(known)),
    };
    let message = format!("unknown key `{name}`{}", place.within());
    Diagnostic::error(code::UNKNOWN_KEY, message)
        .at(span, "unknown key")
        .help(help)
}

fn wrong_type(value: &Spanned<DeValue<'_>>, branches: &[&Value], place: &Place<'_>) -> Diagnostic {
    let mut wanted: Vec<&str> = Vec::new();
    for branch in branches {
        let name = match branch["type"].as_str() {
            Some("string") => "a string",
            Some("integer") => "an integer",
            Some("number") => "a number",
            Some("boolean") if !values(branch).is_empty() => "`true`",
            Some("boolean") => "`true` or `false`",
            Some("array") => "a list",
            Some("object") => "a table",
            _ => "another value",
        };
        if !wanted.contains(&name) {
            wanted.push(name);
        }
    }
    let wanted = wanted.join(" or ");
    let found = match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Diagnostic::error(
        code::WRONG_TYPE,
        format!("{} must be {wanted}, it is {found}", place.quoted()),
    )
    .at(value.span(), format!("must be {wanted}"))
}

fn unknown_value(
    found: &Value,
    span: Range<usize>,
    known: &[&Value],
    place: &Place<'_>,
) -> Diagnostic {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let names: Vec<String> = known.iter().map(|value| text(value)).collect();
    let near = found.as_str().and_then(|name| suggest(name, &names));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.len() == 1 => format!("the only value is `{}`", names[0]),
        None => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("known values are {}", list(&names))
        }
    };
    let message = format!("{} is `{}`, which is unknown", place.quoted(), text(found));
    Diagnostic::error(code::UNKNOWN_VALUE, message)
        .at(span, "unknown value")
        .help(help)
}

/// `a`, `b` and `c`.
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.join(""),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("not valid TOML")
}
