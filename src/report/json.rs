//! The report as JSON: what scripts read.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{Report, SCHEMA_VERSION};

/// Indented, keys in the order of the model, a line feed at the end. A number
/// that does not exist is `null`; its reason is in `missing`.
pub fn json(report: &Report) -> String {
    // Derived serialisation of text, numbers and string-keyed maps into
    // memory cannot fail; a float that is not finite becomes null.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads a report back.
///
/// # Errors
///
/// A message that says where the text is not a report of version 1.
pub fn from_json(text: &str) -> Result<Report, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match value.get("schema").and_then(Value::as_u64) {
        Some(version) if version == u64::from(SCHEMA_VERSION) => {
            serde_json::from_value(value).map_err(|error| error.to_string())
        }
        Some(version) => Err(format!(
            "the report has version {version}, this program reads version {SCHEMA_VERSION}"
        )),
        None => Err("the file is no report: it has no `schema` number".to_owned()),
    }
}

/// JSON Schema (draft 7) of `report.json`.
pub fn schema() -> Value {
    let mut schema = SchemaSettings::draft07()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>();
    schema.insert("title".to_owned(), "reaper-batch report".into());
    schema.to_value()
}
