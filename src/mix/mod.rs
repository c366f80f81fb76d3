//! Musical decisions as data: roles, styles, mix plan, master chain.
//!
//! The room speaks bridge commands and gets measured numbers as data, so a
//! real REAPER and the embedded host get the same treatment. It never sees a
//! project, a host or a render.
//!
//! 1. [`observe`] reads the tracks through the bridge.
//! 2. [`plan::mix`] turns tracks, stem levels and a [`Style`] into a
//!    [`MixPlan`]: pure, serialisable, printable.
//! 3. [`apply::mix`] makes the project what the plan says, and reads back.
//! 4. [`master::run`] builds the master chain and finds the drive by measuring.

pub mod apply;
pub mod bare;
pub mod catalogue;
mod chain;
#[cfg(test)]
mod fake;
pub mod families;
pub mod master;
mod model;
mod observe;
mod options;
pub mod params;
pub mod plan;
pub mod roles;
pub mod solver;
mod style;

pub use model::*;
pub use observe::observe;
pub use options::{MasterOptions, MixOptions};
pub use style::*;

/// Prefix of the name of every effect that the engine adds to a chain.
pub const FX_TAG: &str = "[MIX] ";

/// Prefix of the name of every bus track that the engine adds.
pub const BUS_TAG: &str = "MIX: ";

/// Most bands of an equaliser beside its high-pass, as ReaEQ has them.
pub const MAX_EQ_BANDS: usize = 4;

/// Documents that are made from this room's data: path in the repository and text.
pub fn generated() -> Vec<(&'static str, String)> {
    vec![("docs/styles.md", catalogue::markdown())]
}
