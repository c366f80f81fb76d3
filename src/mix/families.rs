//! Which maker's plug-in does which job.

use std::collections::BTreeSet;

use super::model::{Families, Family};

/// Kinds of effect that the engine uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Eq,
    Compressor,
    Reverb,
    Limiter,
}

impl Family {
    /// Name by which the plug-in of that kind is added.
    pub fn plugin(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Family::Stock, Kind::Eq) => "ReaEQ",
            (Family::Stock, Kind::Compressor) => "ReaComp",
            (Family::Stock, Kind::Reverb) => "ReaVerbate",
            (Family::Stock, Kind::Limiter) => "ReaLimit",
            (Family::FabFilter, Kind::Eq) => "Pro-Q 3",
            (Family::FabFilter, Kind::Compressor) => "Pro-C 2",
            (Family::FabFilter, Kind::Reverb) => "Pro-R",
            (Family::FabFilter, Kind::Limiter) => "Pro-L 2",
        }
    }
}

impl Families {
    /// Stock effects for everything: they are in every REAPER and in the
    /// embedded host, and their maps are proven.
    pub const STOCK: Self = Self {
        eq: Family::Stock,
        compressor: Family::Stock,
        reverb: Family::Stock,
        limiter: Family::Stock,
    };

    /// FabFilter's plug-in for every kind where it is installed, stock elsewhere.
    pub fn preferring_fabfilter(installed: &BTreeSet<String>) -> Self {
        let pick = |kind| {
            let wanted = Family::FabFilter.plugin(kind);
            if installed.iter().any(|name| name.contains(wanted)) {
                Family::FabFilter
            } else {
                Family::Stock
            }
        };
        Self {
            eq: pick(Kind::Eq),
            compressor: pick(Kind::Compressor),
            reverb: pick(Kind::Reverb),
            limiter: pick(Kind::Limiter),
        }
    }
}
