//! The names that the rooms know, for job files.

use std::path::Path;

use crate::bridge::{Call, commands};
use crate::job::{Problem, Vocabulary};
use crate::mix::{catalogue, roles};

/// What job files may name.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary {
        styles: catalogue::names().map(str::to_owned).collect(),
        specs: vec!["spotify".to_owned()],
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
            let _ = path;
            Ok(())
        }),
        command_params: Box::new(|name, params| {
            let call = Call {
                command: name.to_owned(),
                params: params.clone(),
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
