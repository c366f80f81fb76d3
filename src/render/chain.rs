//! The effect chain of a node: which effects run, and their automation.

use crate::fx::{self, Kind, Model, Setup};
use crate::project::{Envelope, Fx, Project, Track};

use super::RenderError;
use super::envelope::value_at;
use super::graph::{node_name, node_track};
use super::schedule::StageKey;

/// An effect that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActiveFx<'a> {
    pub(super) fx: &'a Fx,
    pub(super) model: &'static Model,
    pub(super) key: StageKey,
}

/// The effects of a node that take part. Offline ones do not, bypassed ones
/// only when their bypass is automated.
///
/// # Errors
///
/// A plug-in without a model, and pins that are not the plug-in's own.
pub(super) fn active<'a>(
    project: &'a Project,
    node: usize,
    setup: Setup,
) -> Result<Vec<ActiveFx<'a>>, RenderError> {
    let track: &Track = node_track(project, node);
    if !track.fx_enabled {
        return Ok(Vec::new());
    }
    let running = track.fx.iter().filter(|fx| !fx.offline);
    running
        .filter(|fx| !fx.bypassed || automates_bypass(fx))
        .map(|fx| {
            let model = fx::model_of(fx).ok_or_else(|| RenderError::UnknownPlugin {
                track: node_name(project, node),
                plugin: fx.name.clone(),
            })?;
            let straight = |pins: &[u64]| pins.iter().enumerate().all(|(p, &mask)| mask == 1 << p);
            if !straight(&fx.pins_in) || !straight(&fx.pins_out) {
                return Err(RenderError::Unsupported {
                    what: format!("a changed pin mapping of `{}`", fx.name),
                    place: format!("track `{}`", node_name(project, node)),
                });
            }
            Ok(ActiveFx {
                fx,
                model,
                key: StageKey {
                    model: model.name,
                    latency_frames: match model.kind {
                        Kind::Effect => model.latency_frames(fx, setup),
                        Kind::Instrument => 0,
                    },
                    instrument: model.kind == Kind::Instrument,
                },
            })
        })
        .collect()
}

fn automates_bypass(fx: &Fx) -> bool {
    fx.envelopes
        .iter()
        .any(|lane| lane.param == fx.params.len() && plays(&lane.envelope))
}

fn plays(envelope: &Envelope) -> bool {
    envelope.active && !envelope.points.is_empty()
}

/// An effect with its automation, moved between blocks.
#[derive(Debug, Clone)]
pub(super) struct Automated {
    pub(super) fx: Fx,
    lanes: Vec<(usize, Envelope)>,
}

impl Automated {
    pub(super) fn new(fx: &Fx) -> Self {
        let lanes = fx
            .envelopes
            .iter()
            .filter(|lane| plays(&lane.envelope))
            .map(|lane| (lane.param, lane.envelope.clone()))
            .collect();
        let mut fx = fx.clone();
        // What processing does not need would only be carried along.
        fx.raw = None;
        fx.state = None;
        fx.envelopes = Vec::new();
        Self { fx, lanes }
    }

    /// Moves to the values at a project time; true when one has changed.
    pub(super) fn move_to(&mut self, time_s: f64) -> bool {
        let mut changed = false;
        for (param, envelope) in &self.lanes {
            let Some(value) = value_at(envelope, time_s) else {
                continue;
            };
            // Behind the parameters stand bypass, wet and delta.
            let own = self.fx.params.len();
            let fx = &mut self.fx;
            match param.checked_sub(own) {
                None => changed |= replace(&mut fx.params[*param], value),
                Some(0) => changed |= replace(&mut fx.bypassed, value >= 0.5),
                Some(1) => changed |= replace(&mut fx.wet, value),
                Some(2) => changed |= replace(&mut fx.delta, value >= 0.5),
                Some(_) => {}
            }
        }
        changed
    }
}

fn replace<T: PartialEq>(place: &mut T, value: T) -> bool {
    let changed = *place != value;
    *place = value;
    changed
}
