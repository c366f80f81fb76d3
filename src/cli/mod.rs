//! Arguments, one short file per command, stdout and exit codes.
//!
//! Results go to stdout, everything else to stderr. This is the only room
//! that prints and the only one that turns an outcome into an exit code.

mod args;
mod check;
mod commands;
mod completions;
mod doctor;
mod engine;
mod exit;
mod host;
mod init;
mod log;
mod man;
mod mcp;
mod plan;
mod progress;
mod report;
mod run;
mod schema;
mod signals;
mod specs;
mod styles;
mod ui;
mod vocabulary;

use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
pub use exit::Exit;
pub use schema::generated;
use ui::Ui;

/// Runs the program and returns its exit code.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // The host takes REAPER's options, which begin with a single dash.
    if args.get(1).is_some_and(|command| command == "host")
        && !args
            .get(2)
            .is_some_and(|arg| arg == "--help" || arg == "-h")
    {
        log::start(0, false);
        return crate::host::main(args.into_iter().skip(2));
    }

    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let ui = Ui::new(&cli.global);
    log::start(
        i16::from(cli.global.verbose) - i16::from(cli.global.quiet),
        ui.color_err,
    );
    let result = catch_unwind(AssertUnwindSafe(|| dispatch(cli.command, &ui)));
    let exit = match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            ui.error(&error);
            exit::of_error(&error)
        }
        Err(_) => {
            ui.remark("this is a bug of reaper-batch: please report the lines above");
            Exit::Bug
        }
    };
    exit.into()
}

/// Reads the command line. A variable that is set to nothing counts as not
/// set: CI systems make such ones of inputs that nobody gave.
fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let mut command = Cli::command().mut_subcommands(|command| {
        command.mut_args(|arg| {
            if arg.get_env().is_some_and(is_empty) {
                arg.env(Resettable::Reset)
            } else {
                arg
            }
        })
    });
    let matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn dispatch(command: Command, ui: &Ui) -> anyhow::Result<Exit> {
    match command {
        Command::Run(args) => run::run(args, ui),
        Command::Plan(args) => plan::run(&args, ui),
        Command::Check(args) => check::run(&args, ui),
        Command::Report(args) => report::run(&args, ui),
        Command::Init(args) => init::run(&args, ui),
        Command::Styles(args) => styles::run(&args, ui),
        Command::Specs(args) => specs::run(&args, ui),
        Command::Commands(args) => commands::run(&args, ui),
        Command::Schema(args) => schema::run(&args, ui),
        Command::Doctor(args) => doctor::run(&args, ui),
        Command::Mcp(args) => mcp::run(&args),
        Command::Host(args) => host::run(args),
        Command::Completions(args) => completions::run(&args, ui),
        Command::Man(args) => man::run(&args, ui),
    }
}

/// What clap has to say: help and version are results, the rest is usage.
fn usage(error: &clap::Error) -> ExitCode {
    // A broken pipe under `--help` is nothing to report.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage.into()
    } else {
        Exit::Passed.into()
    }
}
