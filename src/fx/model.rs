//! The static description of a plug-in and what can be asked of it.

use std::collections::BTreeMap;
use std::fmt;

use super::group::Core;
use super::instrument::{Instrument, SampleLoader};
use super::param::Param;
use super::processor::{Processor, Setup};
use crate::project::Fx;

/// Effect or instrument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Effect,
    Instrument,
}

/// Why a plug-in cannot run.
#[derive(Debug, thiserror::Error)]
pub enum FxError {
    /// An instrument was asked to process audio.
    #[error("`{fx}` is an instrument, it has no audio input to process")]
    NotAnEffect { fx: &'static str },
    /// An effect was asked to play notes.
    #[error("`{fx}` is an effect, it plays no notes")]
    NotAnInstrument { fx: &'static str },
    /// An instrument's saved state is needed to play it and is of a form that
    /// the model does not know.
    #[error(
        "the saved state of `{fx}` is not understood, so its sample file is unknown; set `FILE0`"
    )]
    UnknownState { fx: &'static str },
    /// A sample of a sampler could not be had.
    #[error("cannot load the sample `{file}` of `{fx}`")]
    Sample {
        fx: &'static str,
        file: String,
        #[source]
        source: Box<dyn std::error::Error + std::marker::Send + Sync>,
    },
}

/// A plug-in as REAPER lists it, with our model of it.
pub struct Model {
    /// As REAPER reports it: `VST: ReaEQ (Cockos)`, `JS: Volume Adjustment`.
    pub name: &'static str,
    /// File of the project line: `reaeq.dll`, or the script's path: `utility/volume`.
    pub file: &'static str,
    /// VST2 id; scripts have none.
    pub id: Option<u32>,
    pub kind: Kind,
    /// `VST`, `VSTi` or `JS`, as `fx_type` says it.
    pub type_text: &'static str,
    /// Input pins of a new instance; pin `p` takes track channel `p`.
    pub pins_in: usize,
    pub pins_out: usize,
    pub(crate) plug: &'static dyn Plug,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What a plug-in's own file implements. `fx` gives the number of bands or
/// taps where that varies.
pub(crate) trait Plug: Sync {
    fn param_count(&self, fx: &Fx) -> usize;
    fn param(&self, fx: &Fx, index: usize) -> Option<Param>;

    /// Named values a new instance has.
    fn default_config(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn get_config(&self, _fx: &Fx, _key: &str) -> Option<String> {
        None
    }

    fn set_config(&self, _fx: &mut Fx, _key: &str, _value: &str) -> bool {
        false
    }

    /// A VST that saves its own chunk instead of REAPER's list of floats.
    fn own_chunk(&self) -> bool {
        true
    }

    fn decode(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)>;

    /// `old` is the plug-in state that the project holds, whose unknown parts
    /// are kept.
    fn encode(&self, fx: &Fx, old: Option<&[u8]>) -> Vec<u8>;

    /// Latency that these parameters ask for.
    fn latency_frames(&self, _fx: &Fx, _setup: Setup) -> usize {
        0
    }

    /// Latency of a group of instances: that of the one that asks for most.
    fn group_latency_frames(&self, setup: Setup, slots: &[Option<&Fx>]) -> usize {
        let each = slots.iter().flatten();
        each.map(|fx| self.latency_frames(fx, setup))
            .max()
            .unwrap_or(0)
    }

    fn group(&self, _setup: Setup, _slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        None
    }

    fn instrument(
        &self,
        _setup: Setup,
        _fx: &Fx,
        _samples: &dyn SampleLoader,
    ) -> Result<Option<Box<dyn Instrument>>, FxError> {
        Ok(None)
    }
}

impl Model {
    /// A new instance with REAPER's defaults, fully wet.
    pub fn instantiate(&self) -> Fx {
        let mut fx = Fx {
            name: self.name.to_owned(),
            file: self.file.to_owned(),
            wet: 1.0,
            config: self.plug.default_config(),
            ..Fx::default()
        };
        fx.params = (0..self.plug.param_count(&fx))
            .filter_map(|index| self.plug.param(&fx, index))
            .map(|param| param.default)
            .collect();
        fx
    }

    /// Number of own parameters, without REAPER's bypass, wet and delta.
    pub fn param_count(&self, fx: &Fx) -> usize {
        self.plug.param_count(fx)
    }

    /// Name of a parameter; empty past the end.
    pub fn param_name(&self, fx: &Fx, index: usize) -> String {
        self.plug
            .param(fx, index)
            .map(|param| param.name.into_owned())
            .unwrap_or_default()
    }

    /// Lowest, highest and middle raw value; `(0, 1, 0.5)` past the end.
    pub fn param_range(&self, fx: &Fx, index: usize) -> (f64, f64, f64) {
        self.plug
            .param(fx, index)
            .map_or((0.0, 1.0, 0.5), |param| (param.min, param.max, param.mid))
    }

    /// Raw value of a new instance.
    pub fn param_default(&self, fx: &Fx, index: usize) -> f64 {
        self.plug
            .param(fx, index)
            .map_or(0.0, |param| param.default)
    }

    /// Distance between values a person can set and whether it is a switch;
    /// `None` where any value is possible.
    pub fn param_steps(&self, fx: &Fx, index: usize) -> Option<(f64, bool)> {
        let param = self.plug.param(fx, index)?;
        (param.step > 0.0).then_some((param.step, param.max - param.min == param.step))
    }

    /// The text REAPER shows for a raw value, without the unit.
    pub fn format(&self, fx: &Fx, index: usize, raw: f64) -> String {
        self.plug
            .param(fx, index)
            .map(|param| param.format(raw))
            .unwrap_or_default()
    }

    /// A named value (`TrackFX_GetNamedConfigParm`), only those of the plug-in
    /// itself.
    pub fn get_config(&self, fx: &Fx, key: &str) -> Option<String> {
        self.plug.get_config(fx, key)
    }

    /// Sets a named value. What it returns is what REAPER returns, which is
    /// not always the truth: `BANDENABLEDx` of ReaEQ works and says false.
    pub fn set_config(&self, fx: &mut Fx, key: &str, value: &str) -> bool {
        self.plug.set_config(fx, key, value)
    }

    /// Raw parameters and named values in a plug-in state (without the header
    /// that a VST has in the project); `None` when it is no state of this one.
    pub fn decode_state(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        self.plug.decode(state)
    }

    /// The plug-in state: what a VST has between header and trailer, the
    /// parameter line of a script. Parts of the saved state that the model
    /// does not know are kept.
    pub fn encode_state(&self, fx: &Fx) -> Vec<u8> {
        let old = self.plugin_state(fx);
        self.plug.encode(fx, old.as_deref())
    }

    /// Frames of latency that the parameters ask for. Only instances with the
    /// same latency should share a group.
    pub fn latency_frames(&self, fx: &Fx, setup: Setup) -> usize {
        self.plug.latency_frames(fx, setup)
    }
}

/// Makes the processor of a plug-in for all slots of a group.
pub(crate) fn processor<C: Core + 'static>(
    core: C,
    slots: &[Option<&Fx>],
) -> Option<Box<dyn Processor>> {
    Some(Box::new(super::group::Group::new(core, slots)))
}
