//! Chores of the repository: `cargo xtask fixtures`, `codegen`, `tidy`.

mod codegen;
mod fixtures;
mod synth;
mod tidy;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Chores of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Make the stems and the project of `fixtures/` from their code
    Fixtures {
        /// Compare with what is there, and write nothing
        #[arg(long)]
        check: bool,
    },
    /// Write the schemas, the Lua tables and the documents that come from code
    Codegen {
        /// Compare with what is there, and write nothing
        #[arg(long)]
        check: bool,
    },
    /// Check the directions between rooms, links of documents, and stray paths
    Tidy,
}

fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Fixtures { check } => fixtures::run(&root(), check),
        Chore::Codegen { check } => codegen::run(&root(), check),
        Chore::Tidy => {
            let problems = tidy::check(&root());
            if !problems.is_empty() {
                bail!("{}", problems.join("\n"));
            }
            Ok(())
        }
    }
}

/// The repository's folder.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
