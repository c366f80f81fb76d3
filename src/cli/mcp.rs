//! `mcp`: the other front door.

use super::args::McpArgs;
use super::signals::Signals;
use super::{Exit, engine, vocabulary::vocabulary};
use crate::mcp::{ServeOptions, serve};
use crate::runner::Control;

pub(super) fn run(args: &McpArgs) -> anyhow::Result<Exit> {
    // The output folder comes with each call.
    let run = engine::run_options(&args.engine, std::env::temp_dir())?;
    let control = Control::default();
    let hosts = control.clone();
    // A client that signals does not wait for answers; what matters is that
    // no host outlives the server.
    let stop = move || {
        hosts.kill();
        #[expect(clippy::exit, reason = "the read from stdin cannot be interrupted")]
        std::process::exit(Exit::Terminated as i32);
    };
    Signals::listen(stop, || ())?;
    serve(ServeOptions {
        run,
        control,
        vocabulary,
    })?;
    Ok(Exit::Passed)
}
