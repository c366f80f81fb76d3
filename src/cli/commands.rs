//! `commands`: what the bridge can do.

use serde_json::json;

use super::args::ListArgs;
use super::exit::Usage;
use super::{Exit, Ui};
use crate::bridge::commands::{self, CommandSpec, Need};

pub(super) fn run(args: &ListArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(name) = &args.name else {
        list(ui)?;
        return Ok(Exit::Passed);
    };
    let command = commands::find(name).ok_or_else(|| {
        let hint = match commands::nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`reaper-batch commands` lists them".to_owned(),
        };
        Usage(format!("bridge command `{name}` is unknown; {hint}"))
    })?;
    if ui.is_json() {
        ui.line(&entry(command))?;
    } else {
        ui.result(&text(command))?;
    }
    Ok(Exit::Passed)
}

fn list(ui: &Ui) -> anyhow::Result<()> {
    let width = commands::all()
        .map(|command| command.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for command in commands::all() {
        if ui.is_json() {
            ui.line(&entry(command))?;
        } else {
            text.push_str(&format!("{:<width$}  {}\n", command.name, command.doc));
        }
    }
    ui.result(&text)?;
    Ok(())
}

fn text(command: &CommandSpec) -> String {
    let mut text = format!("{}\n\n{}\n", command.name, command.doc);
    for param in command.params {
        let need = match param.need {
            Need::Required => "required".to_owned(),
            Need::Optional => "optional".to_owned(),
            Need::Default(value) => format!("default {value}"),
        };
        text.push_str(&format!(
            "\n  {} ({need})\n      {}\n",
            param.name, param.doc
        ));
    }
    if !command.result.is_empty() {
        text.push_str(&format!("\nresult: {}\n", command.result));
    }
    text
}

fn entry(command: &CommandSpec) -> serde_json::Value {
    json!({
        "type": "command",
        "name": command.name,
        "domain": command.domain,
        "doc": command.doc,
        "params": commands::json_schema(command.name),
    })
}
