//! `man`: manual pages.

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::args::{Cli, ManArgs};
use super::{Exit, Ui};

pub(super) fn run(args: &ManArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        ui.result(&String::from_utf8(page)?)?;
        return Ok(Exit::Passed);
    };
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .with_context(|| format!("cannot write manual pages to `{}`", dir.display()))?;
    ui.remark(&format!("wrote manual pages to {}", dir.display()));
    Ok(Exit::Passed)
}
