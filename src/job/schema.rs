//! JSON Schema of the written types: for editors, and for our own check of
//! the shape.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::Vocabulary;
use super::written::JobFile;

/// JSON Schema (draft 7) of the job file. Unknown keys are forbidden. Styles,
/// specs and commands are examples, since styles and specs may be files of
/// the user's.
pub fn schema(vocabulary: &Vocabulary) -> Value {
    let mut schema = shape_of::<JobFile>();
    schema["title"] = json!("reaper-batch job");
    schema["required"] = json!(["project"]);
    let mut specs = vec!["style".to_owned()];
    specs.extend(vocabulary.specs.iter().cloned());
    let examples = [
        ("/properties/style", json!(vocabulary.styles)),
        ("/properties/spec", json!(specs)),
        (
            "/properties/project/items/properties/style",
            json!(vocabulary.styles),
        ),
        ("/properties/project/items/properties/spec", json!(specs)),
        (
            "/properties/project/items/properties/step/items/properties/command/properties/name",
            json!(vocabulary.commands),
        ),
    ];
    for (pointer, names) in examples {
        if let Some(Value::Object(property)) = schema.pointer_mut(pointer) {
            property.insert("examples".to_owned(), names);
        }
    }
    if let Some(Value::Object(project)) = schema.pointer_mut("/properties/project/items") {
        project.insert("required".to_owned(), json!(["name"]));
    }
    schema
}

/// The schema of a type without references, and without `null`, which TOML
/// does not have.
pub(super) fn shape_of<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft07()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    without_null(&mut schema);
    schema
}

fn without_null(schema: &mut Value) {
    let Value::Object(object) = schema else {
        if let Value::Array(items) = schema {
            items.iter_mut().for_each(without_null);
        }
        return;
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    for choice in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(choice) else {
            continue;
        };
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            // What was said at the use of the type wins.
            let mut merged: Map<String, Value> = only.clone();
            object.remove(choice);
            merged.extend(std::mem::take(object));
            *object = merged;
        }
    }
    object.values_mut().for_each(without_null);
}
