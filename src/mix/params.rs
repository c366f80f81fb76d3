//! From units to the numbers that a plug-in wants, and back.
//!
//! Stock effects: scales measured on a live REAPER. FabFilter: scales from the
//! classic ReaperMCP maps, not proven against the plug-ins. Values are in the
//! parameter's own range, which is 0 to 1 for most.

use crate::units::q_to_octaves;

use super::families::Kind;
use super::model::{EqPlan, Family};
use super::style::{Character, Compressor, EqBand, ReverbBus, Shape};
use super::{FX_TAG, MAX_EQ_BANDS};

/// An effect with all values that we care about, as it goes to the bridge.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Name by which it is added.
    pub plugin: &'static str,
    /// Name in the chain, tagged.
    pub shown: String,
    /// Named values, set first, in order.
    pub named: Vec<(String, String)>,
    /// Parameters, in rising order.
    pub settings: Vec<Setting>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub target: Target,
    pub value: f64,
    /// For messages: `threshold -16 dB`.
    pub text: String,
}

/// How a parameter is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Index(u32),
    /// First parameter whose name contains the text.
    Name(&'static str),
}

/// How a quantity becomes a parameter value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curve {
    /// As it is.
    Plain,
    /// Decibels as amplitude, over this full scale.
    Amplitude(f64),
    /// Evenly from low to high.
    Linear(f64, f64),
    /// Evenly in octaves from low to high.
    Log(f64, f64),
    /// ReaEQ's frequency scale: 20 Hz to 24 kHz.
    ReaEqHz,
}

impl Curve {
    /// Parameter value of a quantity, held inside of 0 to 1 where the curve ends there.
    pub fn value(self, quantity: f64) -> f64 {
        match self {
            Curve::Plain => quantity,
            Curve::Amplitude(full) => crate::units::db_to_gain(quantity) / full,
            Curve::Linear(low, high) => ((quantity - low) / (high - low)).clamp(0.0, 1.0),
            Curve::Log(low, high) => {
                ((quantity.max(low) / low).ln() / (high / low).ln()).clamp(0.0, 1.0)
            }
            // f = 20 + 59.95 (401^x - 1), measured: 1160.5 Hz is 0.5.
            Curve::ReaEqHz => {
                (((quantity.max(20.0) - 20.0) / 59.95 + 1.0).ln() / 401f64.ln()).clamp(0.0, 1.0)
            }
        }
    }

    /// Quantity of a parameter value.
    pub fn quantity(self, value: f64) -> f64 {
        match self {
            Curve::Plain => value,
            Curve::Amplitude(full) => crate::units::gain_to_db(value * full),
            Curve::Linear(low, high) => low + value * (high - low),
            Curve::Log(low, high) => low * (high / low).powf(value),
            Curve::ReaEqHz => 20.0 + 59.95 * (401f64.powf(value) - 1.0),
        }
    }
}

/// What a compressor listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detector {
    /// Its own input.
    Main,
    /// Channels 3 and 4 of the track.
    Aux,
}

/// An equaliser; `suffix` tells several on one track apart.
pub fn equaliser(family: Family, suffix: &str, plan: &EqPlan) -> Effect {
    let mut effect = tagged(family, Kind::Eq, suffix);
    match family {
        Family::Stock => rea_eq(&mut effect, plan),
        Family::FabFilter => pro_q3(&mut effect, plan),
    }
    effect
}

/// A compressor.
pub fn compressor(
    family: Family,
    suffix: &str,
    settings: &Compressor,
    detector: Detector,
) -> Effect {
    // Only ReaComp's switch for the auxiliary input is known.
    let family = match detector {
        Detector::Main => family,
        Detector::Aux => Family::Stock,
    };
    let mut effect = tagged(family, Kind::Compressor, suffix);
    match family {
        Family::Stock => rea_comp(&mut effect, settings, detector),
        Family::FabFilter => pro_c2(&mut effect, settings),
    }
    effect
}

/// A reverb that gives nothing but its reverberation.
pub fn reverb(family: Family, bus: &ReverbBus) -> Effect {
    let mut effect = tagged(family, Kind::Reverb, "");
    match family {
        Family::Stock => rea_verbate(&mut effect, bus),
        Family::FabFilter => pro_r(&mut effect, bus),
    }
    effect
}

/// `JS: Stereo Enhancer` at one width below and above its crossover; 1 is neutral.
pub fn width(width: f64) -> Effect {
    let mut effect = plain("JS: Stereo Enhancer", "JS Stereo Enhancer");
    // Sliders in percent, 0 to 200; the classic map wrote 0 to 1 into the low one.
    let percent = (100.0 * width).round().clamp(0.0, 200.0);
    effect.set(0, "width low %", Curve::Plain, percent);
    effect.set(2, "width high %", Curve::Plain, percent);
    effect
}

/// ReaLimit. Its output gain is ceiling less threshold, so that a threshold of
/// `ceiling_db - drive_db` gives `drive_db` of gain.
pub fn limiter(drive_db: f64, ceiling_db: f64, character: Character) -> Effect {
    let mut effect = plain("ReaLimit", "ReaLimit");
    effect.set(
        0,
        "threshold dB",
        Curve::Linear(-60.0, 12.0),
        ceiling_db - drive_db,
    );
    effect.set(1, "ceiling dB", Curve::Linear(-24.0, 0.0), ceiling_db);
    // The classic map writes 0.2 to 0.7 here without knowing the scale. Read
    // as amplitudes, as the saved state holds them, these are 3 to 14 dB/s: a
    // gain that never comes back between two beats, so that the loudest peak
    // decides over the loudness of a whole song. Ours come back within one.
    let release_db_per_s = match character {
        Character::Transparent => 120.0,
        Character::Warm => 200.0,
        Character::Punchy => 300.0,
        Character::Aggressive => 400.0,
    };
    let release = 10f64.powf(-release_db_per_s / 20.0);
    effect.set(2, "release", Curve::Plain, release);
    effect
}

/// Drives that ReaLimit can give at a ceiling, lowest and highest, in dB.
pub fn drive_range_db(ceiling_db: f64) -> (f64, f64) {
    (ceiling_db - 12.0, ceiling_db + 60.0)
}

impl Effect {
    fn set(&mut self, index: u32, name: &str, curve: Curve, quantity: f64) {
        self.settings.push(Setting {
            target: Target::Index(index),
            value: curve.value(quantity),
            text: format!("{name} {quantity:.4}"),
        });
    }

    fn set_named(&mut self, name: &'static str, curve: Curve, quantity: f64) {
        self.settings.push(Setting {
            target: Target::Name(name),
            value: curve.value(quantity),
            text: format!("{name} {quantity:.4}"),
        });
    }
}

fn tagged(family: Family, kind: Kind, suffix: &str) -> Effect {
    let plugin = family.plugin(kind);
    let space = if suffix.is_empty() { "" } else { " " };
    plain(plugin, &format!("{plugin}{space}{suffix}"))
}

fn plain(plugin: &'static str, shown: &str) -> Effect {
    Effect {
        plugin,
        shown: format!("{FX_TAG}{shown}"),
        named: Vec::new(),
        settings: Vec::new(),
    }
}

/// Types and corner frequencies of ReaEQ's five bands as a new instance has them.
const REA_EQ_BANDS: [(&str, f64); MAX_EQ_BANDS + 1] = [
    ("0", 100.0),
    ("8", 300.0),
    ("8", 1000.0),
    ("1", 5000.0),
    ("4", 100.0),
];

/// Shelves take bands 0 and 3, bells the free ones in rising frequency, the
/// high-pass takes band 4. Every band is written, so that an instance that was
/// used before ends up the same.
fn rea_eq(effect: &mut Effect, plan: &EqPlan) {
    let slots = place_bands(&plan.bands);
    for (k, (kind, _)) in REA_EQ_BANDS.iter().enumerate() {
        let kind = match slots.get(k).copied().flatten() {
            Some(band) => match band.shape {
                Shape::LowShelf => "0",
                Shape::HighShelf => "1",
                Shape::Bell => "8",
            },
            None => kind,
        };
        let enabled = match slots.get(k) {
            Some(slot) => slot.is_some(),
            None => plan.high_pass_hz.is_some(),
        };
        effect.named.push((format!("BANDTYPE{k}"), kind.to_owned()));
        effect.named.push((
            format!("BANDENABLED{k}"),
            if enabled { "1" } else { "0" }.to_owned(),
        ));
    }
    for (k, (_, default_hz)) in REA_EQ_BANDS.iter().enumerate() {
        let (hz, db, q) = match slots.get(k) {
            Some(Some(band)) => (band.hz, band.db, band.q),
            Some(None) => (*default_hz, 0.0, 1.0),
            // Butterworth.
            None => (
                plan.high_pass_hz.unwrap_or(*default_hz),
                0.0,
                std::f64::consts::FRAC_1_SQRT_2,
            ),
        };
        // Three parameters per band; k is below 5.
        let at = 3 * k as u32;
        effect.set(at, &format!("band {k} Hz"), Curve::ReaEqHz, hz);
        effect.set(at + 1, &format!("band {k} dB"), Curve::Amplitude(4.0), db);
        let octaves = q_to_octaves(q).clamp(0.01, 4.0);
        effect.set(
            at + 2,
            &format!("band {k} octaves"),
            Curve::Linear(0.0, 4.0),
            octaves,
        );
    }
}

fn place_bands(bands: &[EqBand]) -> [Option<EqBand>; MAX_EQ_BANDS] {
    let mut slots = [None; MAX_EQ_BANDS];
    let mut bells: Vec<EqBand> = Vec::new();
    for band in bands {
        match band.shape {
            Shape::LowShelf => slots[0] = Some(*band),
            Shape::HighShelf => slots[MAX_EQ_BANDS - 1] = Some(*band),
            Shape::Bell => bells.push(*band),
        }
    }
    bells.sort_by(|a, b| a.hz.total_cmp(&b.hz));
    // The inner bands first, as they are bells already.
    let free: Vec<usize> = (0..MAX_EQ_BANDS).filter(|&k| slots[k].is_none()).collect();
    let inner = free.iter().copied().filter(|k| matches!(k, 1 | 2));
    let outer = free.iter().copied().filter(|k| !matches!(k, 1 | 2));
    let mut places: Vec<usize> = inner.chain(outer).take(bells.len()).collect();
    places.sort_unstable();
    for (place, bell) in places.into_iter().zip(bells) {
        slots[place] = Some(bell);
    }
    slots
}

fn rea_comp(effect: &mut Effect, settings: &Compressor, detector: Detector) {
    effect.set(
        0,
        "threshold dB",
        Curve::Amplitude(1.0),
        settings.threshold_db.min(0.0),
    );
    effect.set(1, "ratio", Curve::Linear(1.0, 100.0), settings.ratio);
    effect.set(
        2,
        "attack ms",
        Curve::Linear(0.0, 500.0),
        settings.attack_ms,
    );
    effect.set(
        3,
        "release ms",
        Curve::Linear(0.0, 5000.0),
        settings.release_ms,
    );
    // Index over 1084; 2 is the auxiliary input, left and right.
    let input = match detector {
        Detector::Main => 0.0,
        Detector::Aux => 2.0,
    };
    effect.set(8, "detector input", Curve::Linear(0.0, 1084.0), input);
    effect.set(11, "wet dB", Curve::Amplitude(1.0), settings.makeup_db);
    effect.set(14, "knee dB", Curve::Linear(0.0, 24.0), settings.knee_db);
}

fn rea_verbate(effect: &mut Effect, bus: &ReverbBus) {
    effect.set(0, "wet dB", Curve::Amplitude(1.0), bus.wet_db);
    effect.set(1, "dry", Curve::Plain, 0.0);
    effect.set(2, "room size", Curve::Plain, bus.room_size);
    effect.set(3, "dampening", Curve::Plain, bus.dampening);
    effect.set(4, "width", Curve::Linear(-1.0, 1.0), bus.width);
    effect.set(5, "initial delay", Curve::Plain, 0.0);
    effect.set(
        6,
        "low-pass Hz",
        Curve::Linear(0.0, 20_000.0),
        bus.low_pass_hz,
    );
    effect.set(
        7,
        "high-pass Hz",
        Curve::Linear(0.0, 20_000.0),
        bus.high_pass_hz,
    );
}

/// Parameters of one Pro-Q 3 band.
const PRO_Q3_STRIDE: u32 = 13;

fn pro_q3(effect: &mut Effect, plan: &EqPlan) {
    const LOW_CUT: f64 = 2.0;
    let high_pass = plan.high_pass_hz.map(|hz| (LOW_CUT, hz, 0.0, 0.7));
    let bands = plan.bands.iter().map(|band| {
        let shape = match band.shape {
            Shape::Bell => 0.0,
            Shape::LowShelf => 1.0,
            Shape::HighShelf => 3.0,
        };
        (shape, band.hz, band.db, band.q)
    });
    for (at, (shape, hz, db, q)) in (0..)
        .step_by(PRO_Q3_STRIDE as usize)
        .zip(high_pass.into_iter().chain(bands))
    {
        effect.set(at, "used", Curve::Plain, 1.0);
        effect.set(at + 1, "enabled", Curve::Plain, 1.0);
        effect.set(at + 2, "Hz", Curve::Log(10.0, 30_000.0), hz);
        effect.set(at + 3, "dB", Curve::Linear(-30.0, 30.0), db);
        effect.set(at + 7, "Q", Curve::Log(0.025, 40.0), q);
        effect.set(at + 8, "shape", Curve::Linear(0.0, 7.0), shape);
    }
}

fn pro_c2(effect: &mut Effect, settings: &Compressor) {
    effect.set_named(
        "Threshold",
        Curve::Linear(-60.0, 0.0),
        settings.threshold_db,
    );
    effect.set_named("Ratio", Curve::Log(1.0, 20.0), settings.ratio);
    effect.set_named("Attack", Curve::Log(0.005, 250.0), settings.attack_ms);
    effect.set_named("Release", Curve::Log(0.5, 2500.0), settings.release_ms);
    effect.set_named("Knee", Curve::Linear(0.0, 72.0), settings.knee_db);
    effect.set_named(
        "Output Gain",
        Curve::Linear(-24.0, 24.0),
        settings.makeup_db,
    );
}

fn pro_r(effect: &mut Effect, bus: &ReverbBus) {
    effect.set_named("Space", Curve::Plain, bus.room_size);
    effect.set_named("Brightness", Curve::Linear(1.0, 0.0), bus.dampening);
    // A return carries reverberation alone.
    effect.set_named("Mix", Curve::Plain, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, within: f64) {
        assert!((found - wanted).abs() <= within, "{found} is not {wanted}");
    }

    /// Readings of a live REAPER, rounded as its display rounds.
    #[test]
    fn curves_agree_with_readings_of_a_live_reaper() {
        close(Curve::ReaEqHz.value(1160.5), 0.5, 1e-5);
        close(Curve::ReaEqHz.value(100.0), 0.141_438, 1e-6);
        close(Curve::ReaEqHz.value(300.0), 0.289_506, 1e-6);
        close(Curve::ReaEqHz.value(5000.0), 0.739_351, 1e-6);
        close(Curve::ReaEqHz.value(24_000.0), 1.0, 1e-9);
        close(Curve::Amplitude(4.0).quantity(0.1986), -2.0, 0.01);
        close(Curve::Amplitude(4.0).quantity(0.3333), 2.5, 0.01);
        close(Curve::Linear(1.0, 100.0).quantity(0.0303), 4.0, 0.001);
        close(Curve::Linear(-60.0, 12.0).value(0.0), 0.8333, 1e-4);
        close(Curve::Linear(-24.0, 0.0).value(-1.0), 0.9583, 1e-4);
        close(Curve::Amplitude(1.0).quantity(0.1585), -16.0, 0.01);
        close(Curve::Linear(0.0, 4.0).quantity(0.2), 0.8, 1e-9);
    }

    proptest::proptest! {
        #[test]
        fn curves_are_inverted(quantity in 0.0f64..1.0) {
            for (curve, low, high) in [
                (Curve::Plain, 0.0, 1.0),
                (Curve::Amplitude(4.0), -60.0, 12.0),
                (Curve::Linear(-60.0, 12.0), -60.0, 12.0),
                (Curve::Log(0.025, 40.0), 0.025, 40.0),
                (Curve::ReaEqHz, 20.0, 24_000.0),
            ] {
                let quantity = low + quantity * (high - low);
                let back = curve.quantity(curve.value(quantity));
                proptest::prop_assert!((back - quantity).abs() < 1e-6 * high.abs().max(1.0));
            }
        }
    }

    fn value(effect: &Effect, index: u32) -> f64 {
        let target = Target::Index(index);
        effect
            .settings
            .iter()
            .find(|setting| setting.target == target)
            .unwrap()
            .value
    }

    #[test]
    fn bells_take_free_bands_in_rising_frequency() {
        let bell = |hz| EqBand {
            shape: Shape::Bell,
            hz,
            db: 3.0,
            q: 1.0,
        };
        let shelf = EqBand {
            shape: Shape::HighShelf,
            hz: 12_000.0,
            db: 2.0,
            q: 0.7,
        };
        let plan = EqPlan {
            high_pass_hz: Some(80.0),
            bands: vec![bell(4000.0), shelf, bell(200.0), bell(800.0)],
        };
        let effect = equaliser(Family::Stock, "", &plan);
        assert_eq!(effect.shown, "[MIX] ReaEQ");
        for (index, hz) in [
            (0, 200.0),
            (3, 800.0),
            (6, 4000.0),
            (9, 12_000.0),
            (12, 80.0),
        ] {
            close(Curve::ReaEqHz.quantity(value(&effect, index)), hz, 1e-6);
        }
        let named = |key: &str| {
            let found = effect.named.iter().find(|(name, _)| name == key);
            found.unwrap().1.as_str()
        };
        assert_eq!(named("BANDTYPE0"), "8");
        assert_eq!(named("BANDTYPE3"), "1");
        assert_eq!(named("BANDENABLED4"), "1");
    }

    #[test]
    fn an_unused_equaliser_band_is_off_and_flat() {
        let effect = equaliser(Family::Stock, "", &EqPlan::default());
        assert_eq!(effect.settings.len(), 15);
        close(value(&effect, 4), 0.25, 1e-12);
        assert!(effect.named.contains(&("BANDENABLED4".into(), "0".into())));
    }

    #[test]
    fn the_limiter_gives_its_drive() {
        let effect = limiter(6.0, -1.0, Character::Warm);
        close(
            Curve::Linear(-60.0, 12.0).quantity(value(&effect, 0)),
            -7.0,
            1e-9,
        );
        close(
            Curve::Linear(-24.0, 0.0).quantity(value(&effect, 1)),
            -1.0,
            1e-9,
        );
    }

    #[test]
    fn a_side_chain_listens_to_channels_three_and_four() {
        let settings = Compressor {
            threshold_db: -24.0,
            ratio: 9.0,
            attack_ms: 5.0,
            release_ms: 180.0,
            knee_db: 0.0,
            makeup_db: 0.0,
        };
        let effect = compressor(Family::FabFilter, "duck kick", &settings, Detector::Aux);
        assert_eq!(effect.plugin, "ReaComp");
        close(value(&effect, 8), 0.001_845, 1e-6);
        close(value(&effect, 0), 0.063_096, 1e-6);
    }

    #[test]
    fn width_is_in_percent_on_both_bands() {
        let effect = width(1.15);
        assert_eq!((value(&effect, 0), value(&effect, 2)), (115.0, 115.0));
    }
}
