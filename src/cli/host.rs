//! `host`: the embedded REAPER by itself.

use super::Exit;
use super::args::HostArgs;

/// Reached only with options of ours before `host`; the plain form goes
/// straight to the host.
pub(super) fn run(args: HostArgs) -> anyhow::Result<Exit> {
    let code = crate::host::main(args.arguments.into_iter());
    Ok(if code == std::process::ExitCode::SUCCESS {
        Exit::Passed
    } else {
        Exit::Broken
    })
}
