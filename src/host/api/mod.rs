//! The ReaScript functions by domain.
//!
//! Each module lists its functions by name; `signatures` has their argument
//! lists, by which arguments are checked and converted before a function
//! runs. Results keep REAPER's own shapes, also where they invite mistakes.

mod action;
mod chunk;
mod envelope;
mod fader;
mod filesystem;
mod fx;
mod fx_params;
mod item;
mod marker;
mod measures;
mod midi;
mod midi_events;
mod project;
mod send;
mod signatures;
mod take;
mod tempo;
mod track;
mod track_info;
mod transients;
mod transport;
mod undo;
mod util;
mod values;

pub(super) use filesystem::FolderCache;
pub(super) use midi::MidiCache;
pub(super) use transients::OnsetCache;

use super::lua::{Answer, Call};

type Body = fn(&mut Call) -> Answer;
type Entry = (&'static str, Body);

/// A function of the `reaper` table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) domain: &'static str,
    pub(super) args: &'static str,
    pub(super) results: &'static str,
    /// `nil` may stand for a value, as where a missing pointer has a meaning.
    pub(super) nullable: bool,
    pub(super) call: Body,
}

const DOMAINS: &[(&str, &[Entry])] = &[
    ("project", project::FUNCTIONS),
    ("transport", transport::FUNCTIONS),
    ("track", track::FUNCTIONS),
    ("track", track_info::FUNCTIONS),
    ("send", send::FUNCTIONS),
    ("fx", fx::FUNCTIONS),
    ("fx", fx_params::FUNCTIONS),
    ("item", item::FUNCTIONS),
    ("take", take::FUNCTIONS),
    ("midi", midi::FUNCTIONS),
    ("envelope", envelope::FUNCTIONS),
    ("marker", marker::FUNCTIONS),
    ("tempo", tempo::FUNCTIONS),
    ("state chunk", chunk::FUNCTIONS),
    ("undo", undo::FUNCTIONS),
    ("action", action::FUNCTIONS),
    ("values", values::FUNCTIONS),
    ("filesystem", filesystem::FUNCTIONS),
    ("utility", util::FUNCTIONS),
];

/// Functions where `nil` means something.
const NULLABLE: &[&str] = &[
    "CreateTrackSend",
    "SetOnlyTrackSelected",
    "ValidatePtr",
    "ValidatePtr2",
];

/// All functions, domain by domain.
pub(super) fn functions() -> impl Iterator<Item = Function> {
    DOMAINS.iter().flat_map(|(domain, entries)| {
        entries.iter().map(|&(name, call)| {
            let (args, results) = signature(name).unwrap_or_default();
            Function {
                name,
                domain,
                args,
                results,
                nullable: NULLABLE.contains(&name),
                call,
            }
        })
    })
}

/// Arguments and results of a function.
fn signature(name: &str) -> Option<(&'static str, &'static str)> {
    signatures::SIGNATURES
        .binary_search_by_key(&name, |entry| entry.0)
        .ok()
        .map(|at| (signatures::SIGNATURES[at].1, signatures::SIGNATURES[at].2))
}

/// A flag as a numeric value.
fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// A numeric value as a flag.
fn on(value: f64) -> bool {
    // Half is the threshold for values that a plug-in parameter gives too.
    value >= 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_signature_and_one_home() {
        let mut names: Vec<&str> = functions().map(|function| function.name).collect();
        for name in &names {
            assert!(signature(name).is_some(), "{name}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
