//! `VST: ReaEQ (Cockos)`: any number of bands, each one biquad.
//!
//! Parameter laws and the state are measured; the filter maths are not
//! published, so the biquads of the RBJ cookbook stand for them (an
//! approximation of our own, see `docs/fx-models.md`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::bytes::Reader;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::{Param, Text, decibels};
use super::processor::{Processor, Setup};
use crate::dsp::biquad::{Bank, Coefs, Shape, Width, cascade};
use crate::dsp::{Frame, LANES};
use crate::project::Fx;
use crate::units::octaves_to_q;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaEQ (Cockos)",
    file: "reaeq.dll",
    id: Some(1_919_247_729),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 2,
    pins_out: 2,
    plug: &ReaEq,
};

/// Type, enabled, frequency, bandwidth in octaves of a new instance's bands.
const DEFAULT_BANDS: [(u32, bool, f64, f64); 5] = [
    (0, true, 100.0, 0.8),
    (8, true, 300.0, 2.0),
    (8, true, 1000.0, 2.0),
    (1, true, 5000.0, 0.8),
    (4, false, 100.0, 2.0),
];

/// Names of the band types by number.
const TYPES: [&str; 11] = [
    "Low Shelf",
    "High Shelf",
    "Band",
    "Low Pass",
    "High Pass",
    "All Pass",
    "Notch",
    "Band Pass",
    "Band",
    "Band",
    "Parallel Band Pass",
];

/// Size of a band record; old versions left the last byte out.
const RECORD: usize = 33;
const OLD_RECORD: usize = 32;

/// More bands than anyone has; a larger count means a broken state.
const MAX_BANDS: usize = 1024;

struct ReaEq;

/// Hertz of a frequency parameter. The rounding takes away what the logarithm
/// there and back adds, so that 100 Hz is saved as 100 Hz.
fn hz_of(x: f64) -> f64 {
    let hz = 20.0 + 59.95 * (401f64.powf(x) - 1.0);
    (hz * 1e9).round() / 1e9
}

fn x_of(hz: f64) -> f64 {
    (((hz - 20.0) / 59.95 + 1.0).max(1.0)).ln() / 401f64.ln()
}

fn band_count(params: &[f64]) -> usize {
    match params.len() {
        0 => DEFAULT_BANDS.len(),
        length => (length - 1) / 3,
    }
}

fn band_type(fx: &Fx, band: usize) -> u32 {
    fx.config
        .get(&format!("BANDTYPE{band}"))
        .and_then(|text| text.trim().parse::<f64>().ok())
        .map_or(8, |number| number.max(0.0) as u32)
}

fn band_enabled(fx: &Fx, band: usize) -> bool {
    fx.config
        .get(&format!("BANDENABLED{band}"))
        .is_none_or(|text| text.trim() != "0")
}

impl Plug for ReaEq {
    fn param_count(&self, fx: &Fx) -> usize {
        3 * band_count(&fx.params) + 1
    }

    fn param(&self, fx: &Fx, index: usize) -> Option<Param> {
        let bands = band_count(&fx.params);
        if index == 3 * bands {
            return Some(Param::gain("Global Gain", 1.0, 4.0));
        }
        let band = index / 3;
        if band >= bands {
            return None;
        }
        let default = DEFAULT_BANDS.get(band).unwrap_or(&DEFAULT_BANDS[1]);
        let kind = TYPES
            .get(band_type(fx, band) as usize)
            .copied()
            .unwrap_or("Band");
        let number = match band {
            0 => String::new(),
            _ => format!(" {}", band + 1),
        };
        let mut param = match index % 3 {
            0 => Param::new(
                "Freq",
                (0.0, 1.0, 0.5),
                x_of(default.2),
                Text::By(|x| format!("{:.1}", hz_of(x))),
            ),
            1 => Param::new(
                "Gain",
                (0.0, 1.0, 0.25),
                0.25,
                Text::By(|x| decibels(4.0 * x)),
            ),
            _ => Param::scaled("BW", default.3 / 4.0, 4.0, 2),
        };
        param.name = Cow::Owned(format!("{}-{kind}{number}", param.name));
        Some(param)
    }

    fn default_config(&self) -> BTreeMap<String, String> {
        let bands = DEFAULT_BANDS.iter().enumerate();
        bands
            .flat_map(|(band, &(kind, enabled, ..))| config_of(band, kind, enabled))
            .collect()
    }

    fn get_config(&self, fx: &Fx, key: &str) -> Option<String> {
        let band = band_of_key(fx, key)?;
        Some(if key.starts_with("BANDTYPE") {
            band_type(fx, band).to_string()
        } else {
            u32::from(band_enabled(fx, band)).to_string()
        })
    }

    fn set_config(&self, fx: &mut Fx, key: &str, value: &str) -> bool {
        let Some(band) = band_of_key(fx, key) else {
            return false;
        };
        let Ok(number) = value.trim().parse::<f64>() else {
            return false;
        };
        if key.starts_with("BANDTYPE") {
            let known = (0.0..TYPES.len() as f64).contains(&number);
            if known {
                let number = number as u32;
                fx.config
                    .insert(format!("BANDTYPE{band}"), number.to_string());
            }
            known
        } else {
            let enabled = u32::from(number != 0.0);
            fx.config
                .insert(format!("BANDENABLED{band}"), enabled.to_string());
            // Measured: REAPER says false here although the band follows.
            false
        }
    }

    fn decode(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        let saved = Saved::parse(state)?;
        let params = saved
            .bands
            .iter()
            .flat_map(|band| [x_of(band.hz), band.gain / 4.0, band.octaves / 4.0])
            .chain([saved.gain])
            .collect();
        let config = saved
            .bands
            .iter()
            .enumerate()
            .flat_map(|(index, band)| config_of(index, band.kind, band.enabled != 0))
            .collect();
        Some((params, config))
    }

    fn encode(&self, fx: &Fx, old: Option<&[u8]>) -> Vec<u8> {
        let mut saved = old.and_then(Saved::parse).unwrap_or_default();
        let bands = band_count(&fx.params);
        let fresh = SavedBand::default();
        saved.bands.resize(bands, fresh);
        for (index, band) in saved.bands.iter_mut().enumerate() {
            let value = |offset: usize| fx.params.get(3 * index + offset).copied();
            // Values that still say the same keep their exact bytes.
            if let Some(x) = value(0).filter(|&x| x != x_of(band.hz)) {
                band.hz = hz_of(x);
            }
            band.gain = value(1).map_or(band.gain, |x| 4.0 * x);
            band.octaves = value(2).map_or(band.octaves, |x| 4.0 * x);
            band.kind = band_type(fx, index);
            let enabled = band_enabled(fx, index);
            if enabled != (band.enabled != 0) {
                band.enabled = u32::from(enabled);
            }
        }
        saved.gain = fx.params.last().copied().unwrap_or(1.0);
        saved.to_bytes()
    }

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        processor(Eq::new(setup, slots), slots)
    }
}

fn config_of(band: usize, kind: u32, enabled: bool) -> [(String, String); 2] {
    [
        (format!("BANDTYPE{band}"), kind.to_string()),
        (format!("BANDENABLED{band}"), u32::from(enabled).to_string()),
    ]
}

fn band_of_key(fx: &Fx, key: &str) -> Option<usize> {
    let digits = key
        .strip_prefix("BANDTYPE")
        .or_else(|| key.strip_prefix("BANDENABLED"))?;
    let band: usize = digits.parse().ok()?;
    (band < band_count(&fx.params)).then_some(band)
}

/// The plug-in's chunk.
#[derive(Debug, Clone, PartialEq)]
struct Saved {
    record: usize,
    bands: Vec<SavedBand>,
    /// Two words before the output gain.
    before_gain: [u32; 2],
    gain: f64,
    /// Window size and what else newer versions add.
    rest: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
struct SavedBand {
    kind: u32,
    enabled: u32,
    hz: f64,
    gain: f64,
    octaves: f64,
    flag: u8,
}

impl Default for SavedBand {
    fn default() -> Self {
        Self {
            kind: 8,
            enabled: 1,
            hz: 300.0,
            gain: 1.0,
            octaves: 2.0,
            flag: 1,
        }
    }
}

impl Default for Saved {
    fn default() -> Self {
        // Zero, window width and height of a window never opened, and 2.
        let rest = [0u32, 0, 0, 2].iter().flat_map(|word| word.to_le_bytes());
        Self {
            record: RECORD,
            bands: DEFAULT_BANDS
                .iter()
                .map(|&(kind, enabled, hz, octaves)| SavedBand {
                    kind,
                    enabled: u32::from(enabled),
                    hz,
                    octaves,
                    ..SavedBand::default()
                })
                .collect(),
            before_gain: [1, 1],
            gain: 1.0,
            rest: rest.collect(),
        }
    }
}

impl Saved {
    fn parse(state: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(state);
        let record = reader.u32()? as usize;
        let count = reader.u32()? as usize;
        if !(record == RECORD || record == OLD_RECORD) || count > MAX_BANDS {
            return None;
        }
        let mut bands = Vec::with_capacity(count);
        for _ in 0..count {
            bands.push(SavedBand {
                kind: reader.u32()?,
                enabled: reader.u32()?,
                hz: reader.finite()?,
                gain: reader.finite()?,
                octaves: reader.finite()?,
                flag: if record == RECORD { reader.u8()? } else { 1 },
            });
        }
        Some(Self {
            record,
            bands,
            before_gain: [reader.u32()?, reader.u32()?],
            gain: reader.finite()?,
            rest: reader.rest().to_vec(),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend((self.record as u32).to_le_bytes());
        bytes.extend((self.bands.len() as u32).to_le_bytes());
        for band in &self.bands {
            bytes.extend(band.kind.to_le_bytes());
            bytes.extend(band.enabled.to_le_bytes());
            bytes.extend(band.hz.to_le_bytes());
            bytes.extend(band.gain.to_le_bytes());
            bytes.extend(band.octaves.to_le_bytes());
            if self.record == RECORD {
                bytes.push(band.flag);
            }
        }
        bytes.extend(self.before_gain.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.gain.to_le_bytes());
        bytes.extend(&self.rest);
        bytes
    }
}

/// The biquad that stands for a band.
fn coefs(kind: u32, hz: f64, gain: f64, octaves: f64, sample_rate_hz: f64) -> Coefs {
    let octaves = octaves.max(0.01);
    let width = Width::Octaves(octaves);
    let (shape, width) = match kind {
        // A new shelf (0.8 octaves) is as steep as it gets without overshoot.
        0 => (Shape::LowShelf(gain), Width::Slope(0.8 / octaves)),
        1 => (Shape::HighShelf(gain), Width::Slope(0.8 / octaves)),
        3 => (Shape::LowPass, Width::Q(octaves_to_q(octaves))),
        4 => (Shape::HighPass, Width::Q(octaves_to_q(octaves))),
        5 => (Shape::AllPass, width),
        6 => (Shape::Notch, width),
        7 | 10 => (Shape::BandPass, width),
        _ => (Shape::Bell(gain), width),
    };
    if gain == 1.0
        && matches!(
            shape,
            Shape::LowShelf(_) | Shape::HighShelf(_) | Shape::Bell(_)
        )
    {
        return Coefs::IDENTITY;
    }
    let coefs = Coefs::new(shape, hz, width, sample_rate_hz);
    match kind {
        7 => coefs.mixed(0.0, gain),
        // In parallel: at 0 dB the band adds nothing.
        10 => coefs.mixed(1.0, gain - 1.0),
        _ => coefs,
    }
}

struct Eq {
    sample_rate_hz: f64,
    banks: Vec<Bank>,
    gain: Frame,
    /// Type of each band and slot and whether it is on.
    kinds: Vec<[Option<u32>; LANES / 2]>,
}

impl Eq {
    fn new(setup: Setup, slots: &[Option<&Fx>]) -> Self {
        let mut eq = Self {
            sample_rate_hz: setup.sample_rate_hz,
            banks: Vec::new(),
            gain: [1.0; LANES],
            kinds: Vec::new(),
        };
        for (slot, fx) in slots.iter().enumerate() {
            if let Some(fx) = fx {
                eq.set(slot, fx);
            }
        }
        eq
    }

    /// Reads types and switches of a slot without allocating.
    fn set_kinds(&mut self, slot: usize, fx: &Fx) {
        let bands = band_count(&fx.params).min(MAX_BANDS);
        if self.banks.len() < bands {
            self.banks.resize(bands, Bank::new());
            self.kinds.resize(bands, [None; LANES / 2]);
        }
        let bell = |band| (band < bands).then_some(8);
        for (band, kinds) in self.kinds.iter_mut().enumerate() {
            kinds[slot] = bell(band);
        }
        let bands_of = |prefix: &'static str| {
            fx.config.iter().filter_map(move |(key, text)| {
                let band: usize = key.strip_prefix(prefix)?.parse().ok()?;
                Some((band, text.trim()))
            })
        };
        for (band, text) in bands_of("BANDTYPE") {
            if band < bands {
                self.kinds[band][slot] = text.parse().ok().or(Some(8));
            }
        }
        for (band, text) in bands_of("BANDENABLED") {
            if band < bands && text == "0" {
                self.kinds[band][slot] = None;
            }
        }
    }
}

impl Core for Eq {
    fn set(&mut self, slot: usize, fx: &Fx) {
        self.set_kinds(slot, fx);
        let bands = band_count(&fx.params);
        let value = |index: usize, default: f64| {
            let raw = fx.params.get(index).copied().unwrap_or(default);
            if raw.is_finite() {
                raw.clamp(0.0, 16.0)
            } else {
                default
            }
        };
        for (band, bank) in self.banks.iter_mut().enumerate() {
            let coefs = match self.kinds[band][slot] {
                Some(kind) if band < bands => {
                    let hz = hz_of(value(3 * band, 0.5).min(1.0));
                    let gain = 4.0 * value(3 * band + 1, 0.25);
                    let octaves = 4.0 * value(3 * band + 2, 0.5).min(1.0);
                    coefs(kind, hz, gain, octaves, self.sample_rate_hz)
                }
                _ => Coefs::IDENTITY,
            };
            bank.set(2 * slot, coefs);
            bank.set(2 * slot + 1, coefs);
        }
        self.gain[2 * slot..2 * slot + 2].fill(value(3 * bands, 1.0));
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        cascade(&mut self.banks, main);
        for frame in main {
            for lane in 0..LANES {
                // The zero turns -0 into 0: a wire among filters of other
                // slots must not show.
                frame[lane] = frame[lane] * self.gain[lane] + 0.0;
            }
        }
    }

    fn flush(&mut self) {
        self.banks.iter_mut().for_each(Bank::flush);
    }

    fn reset(&mut self) {
        self.banks.iter_mut().for_each(Bank::reset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::response_db;

    fn eq(bands: &[(u32, f64, f64, f64)]) -> Fx {
        let mut fx = Fx {
            wet: 1.0,
            ..Fx::default()
        };
        for (index, &(kind, hz, db, octaves)) in bands.iter().enumerate() {
            fx.params
                .extend([x_of(hz), 10f64.powf(db / 20.0) / 4.0, octaves / 4.0]);
            fx.config.extend(config_of(index, kind, true));
        }
        fx.params.push(1.0);
        fx
    }

    #[test]
    fn frequencies_follow_the_measured_points() {
        for (x, hz) in [
            (0.0, 20.0),
            (0.141_438, 100.0),
            (0.289_506, 300.0),
            (0.476_049, 1000.0),
            (0.5, 1160.5),
            (0.739_351, 5000.0),
            (1.0, 24_000.0),
        ] {
            assert!((hz_of(x) / hz - 1.0).abs() < 1e-4, "{x}: {}", hz_of(x));
            assert!((x_of(hz) - x).abs() < 1e-5, "{hz}: {}", x_of(hz));
        }
    }

    #[test]
    fn texts_are_those_of_reaper() {
        let fx = MODEL.instantiate();
        assert_eq!(MODEL.format(&fx, 0, 0.2), "158.9");
        assert_eq!(MODEL.format(&fx, 1, 0.25), "0.0");
        assert_eq!(MODEL.format(&fx, 1, 0.0), "-inf");
        assert_eq!(MODEL.format(&fx, 2, 0.5), "2.00");
        assert_eq!(MODEL.param_count(&fx), 16);
        assert_eq!(MODEL.param_name(&fx, 0), "Freq-Low Shelf");
        assert_eq!(MODEL.param_name(&fx, 4), "Gain-Band 2");
        assert_eq!(MODEL.param_name(&fx, 12), "Freq-High Pass 5");
        assert_eq!(MODEL.param_name(&fx, 15), "Global Gain");
        assert_eq!(MODEL.param_range(&fx, 1), (0.0, 1.0, 0.25));
    }

    #[test]
    fn named_values_work_although_enabled_says_false() {
        let mut fx = MODEL.instantiate();
        assert_eq!(MODEL.get_config(&fx, "BANDENABLED4").as_deref(), Some("0"));
        assert!(!MODEL.set_config(&mut fx, "BANDENABLED4", "1"));
        assert_eq!(MODEL.get_config(&fx, "BANDENABLED4").as_deref(), Some("1"));
        assert!(MODEL.set_config(&mut fx, "BANDTYPE0", "8"));
        assert_eq!(MODEL.param_name(&fx, 0), "Freq-Band");
        assert!(!MODEL.set_config(&mut fx, "BANDTYPE5", "8"));
        assert_eq!(MODEL.get_config(&fx, "BANDTYPE5"), None);
    }

    #[test]
    fn a_new_instance_is_saved_with_whole_hertz() {
        let state = MODEL.encode_state(&MODEL.instantiate());
        assert_eq!(state.len(), 8 + 33 * 5 + 32);
        assert_eq!(Saved::parse(&state), Some(Saved::default()));
    }

    #[test]
    fn the_measured_response_is_the_computed_one() {
        let fx = eq(&[
            (0, 120.0, 5.0, 0.8),
            (8, 400.0, -7.0, 1.0),
            (8, 3000.0, 4.0, 2.0),
            (1, 8000.0, -3.0, 0.8),
            (4, 40.0, 0.0, 2.0),
        ]);
        for hz in [30.0, 100.0, 400.0, 1000.0, 3000.0, 9000.0, 16_000.0] {
            let computed: f64 = (0..5)
                .map(|band| {
                    let p = &fx.params[3 * band..];
                    let c = coefs(
                        band_type(&fx, band),
                        hz_of(p[0]),
                        4.0 * p[1],
                        4.0 * p[2],
                        48_000.0,
                    );
                    20.0 * c.magnitude(hz, 48_000.0).log10()
                })
                .sum();
            let measured = response_db(&MODEL, &fx, hz);
            assert!(
                (measured - computed).abs() < 0.01,
                "{hz} Hz: {measured} dB, computed {computed} dB"
            );
        }
    }

    #[test]
    fn a_disabled_band_is_silent_in_its_effect() {
        let mut fx = eq(&[(4, 1000.0, 0.0, 2.0)]);
        assert!(response_db(&MODEL, &fx, 100.0) < -30.0);
        MODEL.set_config(&mut fx, "BANDENABLED0", "0");
        assert!(response_db(&MODEL, &fx, 100.0).abs() < 1e-6);
    }

    #[test]
    fn broken_states_are_refused() {
        assert_eq!(MODEL.decode_state(&[]), None);
        let mut state = MODEL.encode_state(&MODEL.instantiate());
        state[4] = 0xff;
        state[5] = 0xff;
        assert_eq!(MODEL.decode_state(&state), None);
    }
}
