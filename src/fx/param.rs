//! Parameters as data: range, default and the text REAPER shows.

use std::borrow::Cow;

use crate::project::Fx;
use crate::units::gain_to_db;

/// One automatable value of a plug-in.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub name: Cow<'static, str>,
    pub min: f64,
    pub max: f64,
    /// Shapes knobs and envelope lanes only.
    pub mid: f64,
    pub default: f64,
    /// Distance between values a person can set; 0 where any is possible.
    pub step: f64,
    pub text: Text,
}

/// How a raw value becomes the text REAPER shows (without its unit).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Text {
    /// `raw * scale + offset` with a number of decimals.
    Number {
        scale: f64,
        offset: f64,
        decimals: usize,
    },
    /// An amplitude `raw * scale`, shown in decibels.
    Decibels { scale: f64 },
    /// A switch or list; raw is rounded to an index.
    Choice(&'static [&'static str]),
    /// Anything else.
    By(fn(f64) -> String),
}

impl Param {
    /// A value from 0 to 1 shown as `scale` times that.
    pub(crate) const fn scaled(
        name: &'static str,
        default: f64,
        scale: f64,
        decimals: usize,
    ) -> Self {
        Self::new(
            name,
            (0.0, 1.0, 0.5),
            default,
            Text::Number {
                scale,
                offset: 0.0,
                decimals,
            },
        )
    }

    /// An amplitude from 0 to `max`, shown in decibels.
    pub(crate) const fn gain(name: &'static str, default: f64, max: f64) -> Self {
        Self::new(
            name,
            (0.0, max, if max > 1.0 { 1.0 } else { 0.5 }),
            default,
            Text::Decibels { scale: 1.0 },
        )
    }

    /// On or off.
    pub(crate) const fn switch(name: &'static str, default: f64) -> Self {
        let mut param = Self::new(name, (0.0, 1.0, 0.5), default, Text::Choice(&["off", "on"]));
        param.step = 1.0;
        param
    }

    /// A slider of a script: the raw value is what is shown.
    pub(crate) const fn slider(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        step: f64,
    ) -> Self {
        let mut param = Self::new(
            name,
            (range.0, range.1, (range.0 + range.1) / 2.0),
            default,
            Text::By(plain_number),
        );
        param.step = step;
        param
    }

    pub(crate) const fn new(
        name: &'static str,
        (min, max, mid): (f64, f64, f64),
        default: f64,
        text: Text,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            min,
            max,
            mid,
            default,
            step: 0.0,
            text,
        }
    }

    /// The value of parameter `index` in `fx`; the default where it is missing
    /// or not a number, clamped to the range.
    pub(crate) fn value(&self, fx: &Fx, index: usize) -> f64 {
        let raw = fx.params.get(index).copied().unwrap_or(self.default);
        if raw.is_nan() {
            self.default
        } else {
            raw.clamp(self.min, self.max)
        }
    }

    /// The text REAPER shows for a raw value.
    pub(crate) fn format(&self, raw: f64) -> String {
        match self.text {
            Text::Number {
                scale,
                offset,
                decimals,
            } => format!("{:.decimals$}", raw * scale + offset),
            Text::Decibels { scale } => decibels(raw * scale),
            Text::Choice(choices) => {
                let index = raw.round().clamp(0.0, choices.len() as f64 - 1.0) as usize;
                choices.get(index).copied().unwrap_or_default().to_owned()
            }
            Text::By(text) => text(raw),
        }
    }

    /// The same with another range.
    pub(crate) const fn ranging(mut self, min: f64, max: f64, mid: f64) -> Self {
        self.min = min;
        self.max = max;
        self.mid = mid;
        self
    }

    /// The same with its own text.
    pub(crate) const fn shown(mut self, text: fn(f64) -> String) -> Self {
        self.text = Text::By(text);
        self
    }
}

/// A gain in decibels with one decimal, `-inf` where REAPER shows -150.
pub(crate) fn decibels(gain: f64) -> String {
    let db = gain_to_db(gain);
    if db <= crate::units::SILENCE_DB {
        "-inf".to_owned()
    } else {
        format!("{db:.1}")
    }
}

/// A number with up to six decimals and no trailing zeros.
pub(crate) fn plain_number(value: f64) -> String {
    crate::units::decimal_text(value, 6)
}
