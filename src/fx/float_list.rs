//! States that are a plain list of 32-bit floats, one per parameter
//! (`docs/fx-models.md`): ReaComp, ReaGate, ReaVerbate, ReaSynth.

use std::collections::BTreeMap;

use super::param::Param;

/// The two words before the floats.
const MAGIC: [u8; 8] = [0xEF, 0xBE, 0xAD, 0xDE, 0x0D, 0xF0, 0xAD, 0xDE];

/// Reads a list. Older versions of a plug-in wrote shorter lists; what is
/// missing takes its default. Longer ones are cut to what the model knows.
pub(crate) fn decode(
    params: &[Param],
    state: &[u8],
) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
    let floats = floats(state)?;
    let values = params
        .iter()
        .enumerate()
        .map(|(index, param)| match floats.get(index) {
            Some(value) if value.is_finite() => f64::from(*value),
            _ => f64::from(param.default as f32),
        })
        .collect();
    Some((values, BTreeMap::new()))
}

/// Writes a list as long as `old`, or with all parameters when there is none
/// or when a value beyond its end is not the default.
pub(crate) fn encode(params: &[Param], values: &[f64], old: Option<&[u8]>) -> Vec<u8> {
    let mut list = old.and_then(floats).unwrap_or_default();
    let default = |index: usize| params.get(index).map_or(0.0, |param| param.default as f32);
    let needed = values
        .iter()
        .enumerate()
        .rposition(|(index, &value)| value as f32 != default(index))
        .map_or(0, |last| last + 1);
    let length = if list.is_empty() {
        params.len()
    } else {
        list.len().max(needed)
    };
    while list.len() < length {
        list.push(default(list.len()));
    }
    for (place, &value) in list.iter_mut().zip(values) {
        *place = value as f32;
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(list.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

fn floats(state: &[u8]) -> Option<Vec<f32>> {
    let list = state.strip_prefix(&MAGIC)?;
    let (chunks, rest) = list.as_chunks::<4>();
    rest.is_empty().then(|| {
        chunks
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect()
    })
}

/// Implements the parameter half of [`super::model::Plug`] for a fixed table
/// that is saved as a list of floats.
macro_rules! float_list {
    ($params:expr) => {
        fn param_count(&self, _fx: &$crate::project::Fx) -> usize {
            $params.len()
        }

        fn param(
            &self,
            _fx: &$crate::project::Fx,
            index: usize,
        ) -> Option<$crate::fx::param::Param> {
            $params.get(index).cloned()
        }

        fn own_chunk(&self) -> bool {
            false
        }

        fn decode(
            &self,
            state: &[u8],
        ) -> Option<(Vec<f64>, std::collections::BTreeMap<String, String>)> {
            $crate::fx::float_list::decode(&$params, state)
        }

        fn encode(&self, fx: &$crate::project::Fx, old: Option<&[u8]>) -> Vec<u8> {
            $crate::fx::float_list::encode(&$params, &fx.params, old)
        }
    };
}
pub(crate) use float_list;
