//! One versioned report model and its renderers. Nothing here computes: every
//! number comes in with the run.

mod model;

pub use model::*;
