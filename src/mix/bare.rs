//! Hearing a project without what the engine added to its tracks.
//!
//! Stems are measured bare: a mix that is made again must see the sources,
//! not the effects, faders and pans of its own first time.

use serde_json::json;

use crate::bridge::{Bridge, Call};

use super::FX_TAG;
use super::apply::MixError;
use super::model::Original;
use super::observe::{Scene, Trips};

/// What was set aside, to be put back.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "the mix stays bare until `restore`"]
pub struct SetAside {
    /// Track and position of the engine's effects that were on.
    effects: Vec<(i64, i64)>,
    /// Track, its fader and pan before the engine's first mix, and now.
    mixers: Vec<(i64, Original, Original)>,
}

/// Switches the engine's own effects on tracks off, and puts faders and pans
/// where they were before it. Effects that somebody else has switched off stay
/// out of it, and so does the master.
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
        let now = Original {
            volume_db: track.volume_db,
            pan: track.pan,
        };
        if let Some(original) = memory.original
            && original != now
        {
            aside.mixers.push((track.index, original, now));
        }
    }
    let before = aside
        .mixers
        .iter()
        .map(|(track, before, _)| (*track, *before));
    let calls = aside
        .switches("fx_disable")
        .chain(before.flat_map(mixer))
        .collect();
    trips.run_all(calls)?;
    Ok(aside)
}

/// Puts everything back.
///
/// # Errors
///
/// The bridge failed.
pub fn restore(bridge: &mut dyn Bridge, aside: &SetAside) -> Result<(), MixError> {
    let now = aside.mixers.iter().map(|(track, _, now)| (*track, *now));
    let calls = aside
        .switches("fx_enable")
        .chain(now.flat_map(mixer))
        .collect();
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

fn mixer((track, to): (i64, Original)) -> [Call; 2] {
    [
        Call::new(
            "track_set_volume",
            json!({ "track_index": track, "volume_db": to.volume_db }),
        ),
        Call::new(
            "track_set_pan",
            json!({ "track_index": track, "pan": to.pan }),
        ),
    ]
}
