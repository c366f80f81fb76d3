//! `mcp`: the other front door.

use super::args::McpArgs;
use super::{Exit, engine, vocabulary::vocabulary};
use crate::mcp::{ServeOptions, serve};

pub(super) fn run(args: &McpArgs) -> anyhow::Result<Exit> {
    // The output folder comes with each call.
    let run = engine::run_options(&args.engine, std::env::temp_dir())?;
    serve(ServeOptions {
        run,
        control: crate::runner::Control::default(),
        vocabulary,
    })?;
    Ok(Exit::Passed)
}
