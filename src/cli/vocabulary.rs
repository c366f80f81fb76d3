//! The names that the rooms know, for job files.

use std::path::Path;

use crate::bridge::{Call, commands};
use crate::job::{Problem, Vocabulary};
use crate::mix::{catalogue, roles};

/// What job files may name.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary {
        styles: catalogue::names().map(str::to_owned).collect(),
        specs: super::specs::names(),
        commands: commands::all()
            .map(|command| command.name.to_owned())
            .collect(),
        roles: roles::vocabulary().keys().cloned().collect(),
        style_file: Box::new(|path| {
            read_style(path)
                .map(drop)
                .map_err(|error| format!("{error:#}"))
        }),
        spec_file: Box::new(|path| {
            super::specs::read(path)
                .map(drop)
                .map_err(|error| format!("{error:#}"))
        }),
        command_params: Box::new(|name, params| {
            let mut params = params.clone();
            // Jobs may name a track; the runner looks up its index.
            let takes_index = commands::find(name)
                .is_some_and(|command| command.params.iter().any(|p| p.name == "track_index"));
            if takes_index
                && params
                    .get("track")
                    .is_some_and(serde_json::Value::is_string)
            {
                params.remove("track");
                params.entry("track_index").or_insert(0.into());
            }
            let call = Call {
                command: name.to_owned(),
                params,
            };
            let errors = commands::validate(&call).err().unwrap_or_default();
            errors.iter().map(problem).collect()
        }),
    }
}

/// A style file of the user's.
pub(super) fn read_style(path: &Path) -> anyhow::Result<crate::mix::Style> {
    let text = std::fs::read_to_string(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(catalogue::parse(&name, &text)?)
}

fn problem(error: &commands::ParamError) -> Problem {
    use commands::ParamError as E;
    let parameter = match error {
        E::UnknownParam { param, .. } | E::BadValue { param, .. } => Some(param.clone()),
        E::Missing { .. } | E::UnknownCommand { .. } => None,
    };
    Problem {
        parameter,
        message: error.to_string(),
        help: None,
    }
}
