//! `schema`: JSON Schemas of what people write and scripts read.

use super::args::{SchemaArgs, SchemaKind};
use super::{Exit, Ui, vocabulary::vocabulary};

/// The schemas as files: path in the repository and text.
pub fn generated() -> Vec<(&'static str, String)> {
    let text = |schema: &serde_json::Value| format!("{schema:#}\n");
    vec![
        (
            "jobs/job.schema.json",
            text(&crate::job::schema(&vocabulary())),
        ),
        ("docs/report.schema.json", text(&crate::report::schema())),
    ]
}

pub(super) fn run(args: &SchemaArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let schema = match args.what {
        SchemaKind::Job => crate::job::schema(&vocabulary()),
        SchemaKind::Report => crate::report::schema(),
    };
    ui.result(&format!("{schema:#}\n"))?;
    Ok(Exit::Passed)
}
