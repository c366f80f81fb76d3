//! What all scripts (JSFX) share: a fixed slider table and the parameter line.

use std::collections::BTreeMap;

use super::param::{Param, plain_number};

/// Values a parameter line of a project holds; unused ones are `-`.
const LINE_VALUES: usize = 64;

/// Reads the parameter line of a script; values that are missing or not
/// numbers take their defaults.
pub(crate) fn decode(
    sliders: &[Param],
    line: &[u8],
) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let params = sliders
        .iter()
        .map(|slider| {
            let value = words.next().and_then(|word| word.parse::<f64>().ok());
            value
                .filter(|value| value.is_finite())
                .unwrap_or(slider.default)
        })
        .collect();
    Some((params, BTreeMap::new()))
}

/// Writes the parameter line; what stands behind the sliders is kept.
pub(crate) fn encode(params: &[f64], old: Option<&[u8]>) -> Vec<u8> {
    let old = old
        .and_then(|line| std::str::from_utf8(line).ok())
        .unwrap_or_default();
    let old: Vec<&str> = old.split_ascii_whitespace().collect();
    let count = if old.is_empty() {
        LINE_VALUES
    } else {
        old.len().max(params.len())
    };
    let words: Vec<String> = (0..count)
        .map(|index| match params.get(index) {
            Some(&value) => plain_number(value),
            None => old.get(index).copied().unwrap_or("-").to_owned(),
        })
        .collect();
    words.join(" ").into_bytes()
}

/// Implements [`super::model::Plug`] for a script: sliders and the core.
macro_rules! script {
    ($plug:ident, $sliders:expr, $core:ty) => {
        pub(super) struct $plug;

        impl $crate::fx::model::Plug for $plug {
            fn param_count(&self, _fx: &$crate::project::Fx) -> usize {
                $sliders.len()
            }

            fn param(
                &self,
                _fx: &$crate::project::Fx,
                index: usize,
            ) -> Option<$crate::fx::param::Param> {
                $sliders.get(index).cloned()
            }

            fn decode(
                &self,
                state: &[u8],
            ) -> Option<(Vec<f64>, std::collections::BTreeMap<String, String>)> {
                $crate::fx::js::decode(&$sliders, state)
            }

            fn encode(&self, fx: &$crate::project::Fx, old: Option<&[u8]>) -> Vec<u8> {
                $crate::fx::js::encode(&fx.params, old)
            }

            fn group(
                &self,
                setup: $crate::fx::Setup,
                slots: &[Option<&$crate::project::Fx>],
            ) -> Option<Box<dyn $crate::fx::Processor>> {
                $crate::fx::model::processor(<$core>::new(setup), slots)
            }
        }
    };
}
pub(crate) use script;
