//! What can be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0    everything passed
  1    a check missed its target
  2    the command line or the job file is wrong; nothing ran
  3    an engine, a render or a file failed
  4    nothing was selected, or nothing was checked
  70   a bug of reaper-batch
  130  interrupted (143: terminated)";

/// Mixes, masters, renders and checks music with REAPER, or without it.
#[derive(Debug, Parser)]
#[command(name = "reaper-batch", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Args)]
pub(super) struct Global {
    /// Form of messages and results
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub(super) message_format: MessageFormat,
    /// When to use colour; `auto` honours NO_COLOR, CLICOLOR and TERM
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(super) color: Color,
    /// Tell more (-vv: even more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
    /// No progress and no remarks, only errors and results
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// For people
    #[default]
    Human,
    /// As `human`, but one line per problem of a job file
    Short,
    /// One JSON object a line on stdout, and nothing else there
    JsonLines,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a job: mix, master, render and check its songs
    Run(RunArgs),
    /// Show what a job would do, and write nothing
    Plan(PlanArgs),
    /// Measure audio files and judge them
    Check(CheckArgs),
    /// Look at a report
    Report(ReportArgs),
    /// Write a job file from a folder of stems
    Init(InitArgs),
    /// List the styles, or show one
    Styles(ListArgs),
    /// List the delivery specs, or show one
    Specs(ListArgs),
    /// List the commands of the bridge, or show one
    Commands(ListArgs),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Tell what is installed, what would be used, and what is missing
    Doctor(DoctorArgs),
    /// Serve the Model Context Protocol on stdin and stdout
    Mcp(McpArgs),
    /// Be a REAPER without a window: options as REAPER takes them
    Host(HostArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Job file
    pub(super) job: PathBuf,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    /// Output folder [default: out/<name of the job>]
    #[arg(long, value_name = "DIR", env = "REAPER_BATCH_OUT")]
    pub(super) out: Option<PathBuf>,
    /// Songs worked on at the same time [default: one per two processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// Render threads, shared among these songs [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: Option<u16>,
    /// Run only songs of this name; `*` and `?` are wildcards; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) only: Vec<String>,
    /// Start no further song after one that did not pass
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Replace files of an earlier run
    #[arg(long)]
    pub(super) overwrite: bool,
}

#[derive(Debug, Args)]
pub(super) struct EngineArgs {
    /// What renders: a REAPER that is installed, or the embedded host
    #[arg(long, value_enum, default_value_t, env = "REAPER_BATCH_ENGINE")]
    pub(super) engine: Engine,
    /// REAPER's executable, where it is not found by itself
    #[arg(long, value_name = "FILE", env = crate::engine::REAPER_ENV)]
    pub(super) reaper: Option<PathBuf>,
    /// REAPER's resource folder, whose licence and plug-in caches are copied
    #[arg(long, value_name = "DIR", env = "REAPER_BATCH_RESOURCES")]
    pub(super) reaper_resources: Option<PathBuf>,
    /// Longest start of the engine [default: 30 s, REAPER 120 s]
    #[arg(long, value_name = "SECONDS", env = "REAPER_BATCH_START_TIMEOUT", value_parser = seconds)]
    pub(super) start_timeout: Option<Duration>,
    /// Longest silence of the engine before it counts as frozen [default: 30 s]
    #[arg(long, value_name = "SECONDS", env = "REAPER_BATCH_FROZEN_AFTER", value_parser = seconds)]
    pub(super) frozen_after: Option<Duration>,
}

/// A time limit: above nothing, at most a day.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds above 0, at most 86400".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

#[derive(Debug, Args)]
pub(super) struct McpArgs {
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    /// REAPER where it is installed, else the embedded host
    #[default]
    Auto,
    Embedded,
    Reaper,
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// Job file
    pub(super) job: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Audio files
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Delivery spec to judge against: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "style")]
    pub(super) spec: Option<String>,
    /// Style whose targets to judge against: a name, or a file that ends in .toml
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) style: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    #[command(subcommand)]
    pub(super) action: ReportAction,
}

#[derive(Debug, Subcommand)]
pub(super) enum ReportAction {
    /// Print a report
    Show {
        /// report.json, or the folder it is in
        path: PathBuf,
        /// Form of the report
        #[arg(long, value_enum, default_value_t)]
        format: ReportFormat,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// A table for a terminal
    #[default]
    Table,
    Markdown,
    Junit,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Folder with stems, or with a folder of stems per song
    #[arg(default_value = ".", value_name = "FOLDER")]
    pub(super) folder: PathBuf,
    /// Job file to write; one that exists is left alone
    #[arg(long, default_value = "job.toml", value_name = "FILE")]
    pub(super) job: PathBuf,
    /// Style of the songs
    #[arg(long, default_value = "indie_pop", value_name = "NAME")]
    pub(super) style: String,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Show this one
    pub(super) name: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    #[arg(value_enum)]
    pub(super) what: SchemaKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaKind {
    /// Job files
    Job,
    /// report.json
    Report,
}

#[derive(Debug, Args)]
pub(super) struct HostArgs {
    /// As REAPER takes them: [-new] [-saveas FILE] [-renderproject FILE] [project.rpp] [script.lua…]
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub(super) arguments: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder for one page per command; without it the main page is printed
    pub(super) dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_holds() {
        super::Cli::command().debug_assert();
    }
}
