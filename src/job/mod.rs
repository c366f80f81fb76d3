//! The job file: spanned TOML, a resolved plan, checks, schema.

mod plan;

pub use plan::*;
