//! The ReaScript functions by domain.
//!
//! Each module lists its functions by name; [`signatures`] has their argument
//! and result lists, from which arguments are checked and converted before a
//! function runs.

mod signatures;
mod undo;

use super::lua::{Answer, Call};

type Body = fn(&mut Call) -> Answer;
type Entry = (&'static str, Body);

/// A function of the `reaper` table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) domain: &'static str,
    pub(super) args: &'static str,
    /// Missing pointers and values are allowed where others must be given.
    pub(super) nullable: bool,
    pub(super) call: Body,
}

const DOMAINS: &[(&str, &[Entry])] = &[("undo", undo::FUNCTIONS)];

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
        entries.iter().map(|&(name, call)| Function {
            name,
            domain,
            args: arguments(name).unwrap_or_default(),
            nullable: NULLABLE.contains(&name),
            call,
        })
    })
}

fn arguments(name: &str) -> Option<&'static str> {
    signatures::SIGNATURES
        .binary_search_by_key(&name, |entry| entry.0)
        .ok()
        .map(|at| signatures::SIGNATURES[at].1)
}

/// Notes of the take that was asked for last.
#[derive(Debug, Default)]
pub(super) struct MidiCache;

impl MidiCache {
    pub(super) fn clear(&mut self) {}
}

/// Listing of the folder that was asked for last.
#[derive(Debug, Default)]
pub(super) struct FolderCache;
