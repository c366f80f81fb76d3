//! `schema`: JSON Schemas of what people write and scripts read.

use super::args::{SchemaArgs, SchemaKind};
use super::{Exit, Ui, vocabulary::vocabulary};

pub(super) fn run(args: &SchemaArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let schema = match args.what {
        SchemaKind::Job => crate::job::schema(&vocabulary()),
        SchemaKind::Report => crate::report::schema(),
    };
    ui.result(&format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
    Ok(Exit::Passed)
}
