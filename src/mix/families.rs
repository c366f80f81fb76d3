//! Which maker's plug-in does which job.
//!
//! The limiter of the master has no family: its closed loop needs a known
//! gain law, and only ReaLimit's is.

use std::collections::BTreeSet;

use super::model::{Families, Family};

/// Kinds of effect of which there is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Eq,
    Compressor,
    Reverb,
}

impl Family {
    /// Name by which the plug-in of that kind is added.
    pub fn plugin(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Family::Stock, Kind::Eq) => "ReaEQ",
            (Family::Stock, Kind::Compressor) => "ReaComp",
            (Family::Stock, Kind::Reverb) => "ReaVerbate",
            (Family::FabFilter, Kind::Eq) => "Pro-Q 3",
            (Family::FabFilter, Kind::Compressor) => "Pro-C 2",
            (Family::FabFilter, Kind::Reverb) => "Pro-R",
        }
    }
}

impl Families {
    /// Stock effects for everything: they are in every REAPER and in the
    /// embedded host, and their maps are proven. What [`super::plan::mix`] takes.
    pub const STOCK: Self = Self {
        eq: Family::Stock,
        compressor: Family::Stock,
        reverb: Family::Stock,
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_chosen_by_what_is_installed() {
        let installed = BTreeSet::from(["VST3: FabFilter Pro-Q 3 (FabFilter)".to_owned()]);
        let families = Families::preferring_fabfilter(&installed);
        assert_eq!(families.eq, Family::FabFilter);
        assert_eq!(families.compressor, Family::Stock);
        assert_eq!(
            Families::preferring_fabfilter(&BTreeSet::new()),
            Families::STOCK
        );
    }
}
