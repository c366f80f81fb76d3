//! `completions`: scripts for shells.

use clap::CommandFactory as _;

use super::args::{Cli, CompletionsArgs};
use super::{Exit, Ui};

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "reaper-batch", &mut script);
    ui.result(&String::from_utf8(script)?)?;
    Ok(Exit::Passed)
}
