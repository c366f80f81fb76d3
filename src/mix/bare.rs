//! Hearing a project without what the engine added to its tracks.
//!
//! Stems are measured bare: a mix that is made again must see the sources,
//! not the equalisers, compressors and pans of its own first time.

use serde_json::json;

use crate::bridge::{Bridge, Call};

use super::FX_TAG;
use super::apply::MixError;
use super::observe::{Scene, Trips};

/// What was set aside, to be put back.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "the mix stays bare until `restore`"]
pub struct SetAside {
    /// Track and position of the engine's effects that were on.
    effects: Vec<(i64, i64)>,
    /// Track, its pan before the engine's first mix, and its pan now.
    pans: Vec<(i64, f64, f64)>,
}

/// Switches the engine's own effects on tracks off, and pans tracks as they
/// were before it. Effects that somebody else has switched off stay out of it,
/// and so does the master. Faders stay: a plan takes them into account.
///
/// # Errors
///
/// The bridge failed.
pub fn set_aside(bridge: &mut dyn Bridge) -> Result<SetAside, MixError> {
    let mut trips = Trips::new(bridge);
    let scene = Scene::read(&mut trips)?;
    let memories = scene.memories(&mut trips)?;
    let mut aside = SetAside::default();
    for (track, memory) in scene.tracks.iter().zip(memories) {
        let own = |name: &str| name.starts_with(FX_TAG);
        let on = track.fx.iter().filter(|fx| fx.enabled && own(&fx.name));
        aside.effects.extend(on.map(|fx| (track.index, fx.index)));
        if let Some(original) = memory.original
            && original.pan != track.pan
        {
            aside.pans.push((track.index, original.pan, track.pan));
        }
    }
    let pans = aside
        .pans
        .iter()
        .map(|(track, before, _)| pan(*track, *before));
    let calls = aside.switches("fx_disable").chain(pans).collect();
    trips.run_all(calls)?;
    Ok(aside)
}

/// Puts everything back.
///
/// # Errors
///
/// The bridge failed.
pub fn restore(bridge: &mut dyn Bridge, aside: &SetAside) -> Result<(), MixError> {
    let pans = aside.pans.iter().map(|(track, _, now)| pan(*track, *now));
    let calls = aside.switches("fx_enable").chain(pans).collect();
    Trips::new(bridge).run_all(calls)?;
    Ok(())
}

impl SetAside {
    fn switches(&self, command: &'static str) -> impl Iterator<Item = Call> {
        self.effects.iter().map(move |(track, fx)| {
            Call::new(command, json!({ "track_index": track, "fx_index": fx }))
        })
    }
}

fn pan(track: i64, pan: f64) -> Call {
    Call::new("track_set_pan", json!({ "track_index": track, "pan": pan }))
}
