//! The master chain and the closed loop that finds its drive.
//!
//! Chain: subtractive high-pass, glue compressor, shelves, width, ReaLimit.
//! The drive is the limiter's own: its output gain is ceiling less threshold,
//! so a threshold of ceiling less drive lifts by exactly the drive. Nothing
//! else in the chain raises what is quiet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bridge::{Bridge, Call};
use crate::mix::MasterOptions;

use super::apply::MixError;
use super::chain;
use super::model::{EqPlan, Families};
use super::observe::{Scene, Trips};
use super::params::{self, Detector, Effect};
use super::solver::{Decision, Solver};
use super::style::{Compressor, EqBand, Shape, Style};

/// Loudness of the mix that the catalogue's glue thresholds are meant for, in
/// LUFS (an assumption: the catalogue tells no level).
pub const NOMINAL_MIX_LUFS: f64 = -14.0;

/// Readings of one rendered pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MasterReading {
    /// `None` is silence.
    pub integrated_lufs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    pub max_short_term_lufs: Option<f64>,
}

/// Gain by which an open limiter turns down: the most ReaLimit can at a ceiling
/// of 0 dBFS. What peaks under +12 dBFS passes untouched.
const OPEN_DB: f64 = 12.0;

impl MasterReading {
    /// The same signal with more gain.
    fn raised(self, db: f64) -> Self {
        Self {
            integrated_lufs: self.integrated_lufs.map(|lufs| lufs + db),
            true_peak_dbtp: self.true_peak_dbtp.map(|peak| peak + db),
            max_short_term_lufs: self.max_short_term_lufs.map(|lufs| lufs + db),
        }
    }
}

/// One pass of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// Gain into the limiter.
    pub drive_db: f64,
    /// Limiter ceiling, in dBFS.
    pub ceiling_db: f64,
    pub integrated_lufs: Option<f64>,
    pub true_peak_dbtp: Option<f64>,
    /// Loudness that the limiter took from the loudest 3 s: what the drive
    /// should have given, less what came out. Measured against the mix without
    /// its master chain, or against the pass that was limited least, so it is
    /// approximate by what the chain before the limiter changes.
    pub limiting_db: Option<f64>,
}

/// How a master ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MasterOutcome {
    pub target_lufs: f64,
    pub ceiling_dbtp: f64,
    pub passes: Vec<Pass>,
    /// Position of the pass at which the project is left.
    pub best: usize,
    /// The target is met within ±0.5 LU and the true peak under the ceiling.
    pub reached: bool,
    /// Measured minus target, in LU.
    pub distance_lu: Option<f64>,
    pub notes: Vec<String>,
}

/// Why a master could not be made; `E` is what measuring failed with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MasterError<E> {
    #[error(transparent)]
    Mix(#[from] MixError),
    /// Pass 0 is the mix without its master chain.
    #[error("measuring pass {pass}: {source}")]
    Measure { pass: usize, source: E },
}

/// The effects of the master chain at a drive and a ceiling; the limiter is last.
///
/// `mix_lufs` is the loudness of what comes in: the glue threshold moves with it.
pub fn effects(
    style: &Style,
    mix_lufs: Option<f64>,
    drive_db: f64,
    ceiling_db: f64,
) -> Vec<Effect> {
    let master = &style.master;
    let families = &Families::STOCK;
    let mut chain = Vec::new();
    if master.high_pass_hz > 20.0 {
        let plan = EqPlan {
            high_pass_hz: Some(master.high_pass_hz),
            bands: Vec::new(),
        };
        chain.push(params::equaliser(families.eq, "low cut", &plan));
    }
    if let Some(glue) = &master.glue {
        let moved = mix_lufs.map_or(0.0, |lufs| lufs - NOMINAL_MIX_LUFS);
        let glue = Compressor {
            threshold_db: (glue.threshold_db + moved).clamp(-60.0, 0.0),
            ..*glue
        };
        chain.push(params::compressor(
            families.compressor,
            "glue",
            &glue,
            Detector::Main,
        ));
    }
    // The classic chain's quality factors.
    let shelves = [
        (Shape::LowShelf, master.low_shelf, 0.8),
        (Shape::HighShelf, master.high_shelf, 0.7),
    ];
    let bands: Vec<EqBand> = shelves
        .into_iter()
        .filter(|(_, shelf, _)| shelf.db != 0.0)
        .map(|(shape, shelf, q)| EqBand {
            shape,
            hz: shelf.hz,
            db: shelf.db,
            q,
        })
        .collect();
    if !bands.is_empty() {
        let plan = EqPlan {
            high_pass_hz: None,
            bands,
        };
        chain.push(params::equaliser(families.eq, "tone", &plan));
    }
    if (master.width - 1.0).abs() > 0.01 {
        chain.push(params::width(master.width));
    }
    chain.push(params::limiter(drive_db, ceiling_db, master.limiter));
    chain
}

/// Builds the master chain of a style, and sets its drive by rendering and
/// measuring until target and ceiling are met or a limit is hit.
///
/// `mix` is the reading of the mix without a master chain, where it is known;
/// without, `measure` is called twice more before the first pass: once without
/// the chain, and once with a limiter that is wide open, which tells later what
/// the limiter has taken. The project is left at the best pass.
///
/// # Errors
///
/// The bridge failed, a value did not take, or `measure` failed.
pub fn run<E>(
    bridge: &mut dyn Bridge,
    style: &Style,
    options: &MasterOptions,
    mix: Option<MasterReading>,
    measure: &mut dyn FnMut(&mut dyn Bridge) -> Result<MasterReading, E>,
) -> Result<MasterOutcome, MasterError<E>> {
    let solver = solver(style, options);
    let known = mix.is_some();
    let mix = match mix {
        Some(reading) => reading,
        None => {
            clear(bridge)?;
            measure(bridge).map_err(|source| MasterError::Measure { pass: 0, source })?
        }
    };
    let mix_lufs = mix.integrated_lufs;
    let mut limiter_at = None;
    // What the chain gives without limiting, at a drive of 0 dB.
    let bare = if known {
        mix
    } else {
        let chain = effects(style, mix_lufs, -OPEN_DB, 0.0);
        limiter_at = Some(set(bridge, &chain, None)?);
        let reading = measure(bridge).map_err(|source| MasterError::Measure { pass: 0, source })?;
        reading.raised(OPEN_DB)
    };
    let mut outcome = MasterOutcome {
        target_lufs: solver.target_lufs,
        ceiling_dbtp: solver.ceiling_dbtp,
        passes: Vec::new(),
        best: 0,
        reached: false,
        distance_lu: None,
        notes: Vec::new(),
    };
    // Loudness of the loudest 3 s at a drive of 0 dB without limiting.
    let mut unlimited = bare.max_short_term_lufs;
    let mut decision = solver.first(bare.integrated_lufs);
    let mut set_to = (f64::NAN, f64::NAN);
    let reason = loop {
        let (drive_db, ceiling_db) = match decision {
            Decision::Try {
                drive_db,
                ceiling_db,
            } => (drive_db, ceiling_db),
            Decision::Reached { best } => {
                outcome.best = best;
                outcome.reached = true;
                break None;
            }
            Decision::Unreachable { best, reason } => {
                outcome.best = best;
                break Some(reason);
            }
        };
        let chain = effects(style, mix_lufs, drive_db, ceiling_db);
        limiter_at = Some(set(bridge, &chain, limiter_at)?);
        set_to = (drive_db, ceiling_db);
        let pass = outcome.passes.len() + 1;
        let reading = measure(bridge).map_err(|source| MasterError::Measure { pass, source })?;
        let ungained = reading.max_short_term_lufs.map(|lufs| lufs - drive_db);
        unlimited = match (unlimited, ungained) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        outcome.passes.push(Pass {
            drive_db,
            ceiling_db,
            integrated_lufs: reading.integrated_lufs,
            true_peak_dbtp: reading.true_peak_dbtp,
            limiting_db: unlimited
                .zip(ungained)
                .map(|(unlimited, now)| unlimited - now),
        });
        decision = solver.next(&outcome.passes);
    };
    let best = outcome.passes[outcome.best];
    if set_to != (best.drive_db, best.ceiling_db) {
        let chain = effects(style, mix_lufs, best.drive_db, best.ceiling_db);
        set(bridge, &chain, limiter_at)?;
    }
    outcome.distance_lu = best.integrated_lufs.map(|lufs| lufs - solver.target_lufs);
    if let Some(reason) = reason {
        outcome.notes.push(match outcome.distance_lu {
            Some(distance) => format!(
                "{:.1} LUFS is out of reach by {:.1} LU: {reason}",
                solver.target_lufs,
                distance.abs()
            ),
            None => format!("{:.1} LUFS is out of reach: {reason}", solver.target_lufs),
        });
    }
    Ok(outcome)
}

fn solver(style: &Style, options: &MasterOptions) -> Solver {
    let ceiling_dbtp = options
        .ceiling_dbtp
        .unwrap_or(style.master.true_peak_max_dbtp);
    Solver {
        target_lufs: options.target_lufs.unwrap_or(style.master.integrated_lufs),
        ceiling_dbtp,
        max_passes: options.max_passes.max(1) as usize,
        max_limiting_db: options.max_limiting_db,
        drive_range_db: params::drive_range_db(ceiling_dbtp),
    }
}

/// Takes away an earlier master chain.
fn clear(bridge: &mut dyn Bridge) -> Result<(), MixError> {
    let mut trips = Trips::new(bridge);
    let scene = Scene::read(&mut trips)?;
    if !chain::tagged(&scene.master.fx).is_empty() {
        let nothing = json!({ "fx_chain": [], "clean": true, "clean_prefix": super::FX_TAG });
        trips.run_all(vec![Call::new("setup_master_chain", nothing)])?;
    }
    Ok(())
}

/// Makes the master chain what is wanted and returns the limiter's index. When
/// it is known already, only the limiter is written, in one round trip.
fn set(
    bridge: &mut dyn Bridge,
    wanted: &[Effect],
    limiter_at: Option<i64>,
) -> Result<i64, MixError> {
    let mut trips = Trips::new(bridge);
    if let (Some(index), Some(limiter)) = (limiter_at, wanted.last()) {
        write(&mut trips, &[(index, limiter.clone())])?;
        return Ok(index);
    }
    let scene = Scene::read(&mut trips)?;
    let tagged = chain::tagged(&scene.master.fx);
    if chain::same_line_up(&scene.master.fx, wanted) {
        let address = json!({ "track_index": -1 });
        let mut calls = Vec::new();
        let mut spans = Vec::new();
        for (fx, effect) in tagged.iter().zip(wanted) {
            let start = calls.len();
            calls.extend(chain::read_calls(&address, fx.index, effect));
            spans.push(start..calls.len());
        }
        let replies = trips.run_all(calls).map_err(MixError::from)?;
        let differing: Vec<(i64, Effect)> = tagged
            .iter()
            .zip(wanted)
            .zip(spans)
            .filter(|((_, effect), span)| {
                chain::difference(effect, &replies[span.clone()]).is_some()
            })
            .map(|((fx, effect), _)| (fx.index, effect.clone()))
            .collect();
        if !differing.is_empty() {
            write(&mut trips, &differing)?;
        }
        return last_index(tagged.last().map(|fx| fx.index));
    }
    let entries: Vec<Value> = wanted
        .iter()
        .map(|effect| chain::entry(effect, None))
        .collect();
    let call = Call::new(
        "setup_master_chain",
        json!({ "fx_chain": entries, "clean": true, "clean_prefix": super::FX_TAG }),
    );
    let replies = trips.run_all(vec![call]).map_err(MixError::from)?;
    let added = &replies[0]["fx_added"];
    chain::check("master", wanted, added)?;
    let last = added.as_array().and_then(|added| added.last());
    last_index(last.and_then(|last| last["fx_index"].as_i64()))
}

fn write(trips: &mut Trips, effects: &[(i64, Effect)]) -> Result<(), MixError> {
    let (entries, effects): (Vec<Value>, Vec<Effect>) = effects
        .iter()
        .map(|(index, effect)| (chain::entry(effect, Some(*index)), effect.clone()))
        .unzip();
    let track = json!({ "track_index": -1, "fx_chain": entries });
    let call = Call::new("setup_fx_chain", json!({ "tracks": [track] }));
    let replies = trips.run_all(vec![call])?;
    chain::check("master", &effects, &replies[0]["tracks"][0]["fx_added"])?;
    Ok(())
}

fn last_index(index: Option<i64>) -> Result<i64, MixError> {
    index.ok_or_else(|| MixError::Answer {
        command: "setup_master_chain",
        reason: "the limiter has no fx_index".into(),
    })
}

#[cfg(test)]
#[path = "master_tests.rs"]
mod tests;
