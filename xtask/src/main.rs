//! Chores of the repository: `cargo xtask fixtures`, `codegen`, `tidy`.

mod fixtures;
mod synth;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Chores of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Make the stems and projects of `fixtures/` from their code
    Fixtures {
        /// Compare with what is there, and write nothing
        #[arg(long)]
        check: bool,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Fixtures { check } => fixtures::run(&root(), check),
    }
}

/// The repository's folder.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
