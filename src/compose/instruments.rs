//! Instrument presets: settings of synthesisers that every REAPER has.
//!
//! ReaSynth's values are raw parameter values (what `TrackFX_GetParam`
//! returns): attack in 500 ms, release in 5000 ms, decay in 15 000 ms, mixes,
//! volume and sustain as amplitudes, tuning around 0.5. ReaSynDr takes General
//! MIDI drum notes.

use super::Instrument;

/// A named instrument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// How a score calls it.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it sounds like.
    pub about: &'static str,
    /// As `TrackFX_AddByName` takes it.
    pub fx: &'static str,
    /// Raw parameter values by name.
    pub params: &'static [(&'static str, f64)],
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "sub bass",
        aliases: &["sub"],
        about: "round sine, a little triangle",
        fx: "ReaSynth",
        params: &synth([0.016, 0.016, 0.0, 0.0, 0.18, 0.5, 0.06, 0.8, 1.0]),
    },
    Preset {
        name: "synth bass",
        aliases: &["bass"],
        about: "saw and square, short decay",
        fx: "ReaSynth",
        params: &synth([0.006, 0.012, 0.25, 0.35, 0.0, 0.42, 0.022, 0.45, 0.8]),
    },
    Preset {
        name: "pluck",
        aliases: &["arp"],
        about: "bright, gone within a third of a second",
        fx: "ReaSynth",
        params: &synth([0.004, 0.03, 0.12, 0.3, 0.25, 0.38, 0.02, 0.0, 0.6]),
    },
    Preset {
        name: "bell",
        aliases: &[],
        about: "sine with a high partial, long decay",
        fx: "ReaSynth",
        params: &[
            ("Attack", 0.004),
            ("Release", 0.16),
            ("Square mix", 0.0),
            ("Saw mix", 0.0),
            ("Triangle mix", 0.1),
            ("Volume", 0.4),
            ("Decay", 0.09),
            ("Extra sine mix", 0.3),
            ("Extra sine tune", 0.75),
            ("Sustain", 0.0),
        ],
    },
    Preset {
        name: "keys",
        aliases: &["electric piano", "e-piano"],
        about: "triangle with a soft edge, decays slowly",
        fx: "ReaSynth",
        params: &synth([0.008, 0.04, 0.03, 0.0, 0.5, 0.4, 0.1, 0.25, 0.5]),
    },
    Preset {
        name: "pad",
        aliases: &["strings"],
        about: "saw and triangle, fades in and out slowly",
        fx: "ReaSynth",
        params: &synth([0.7, 0.18, 0.0, 0.16, 0.4, 0.28, 0.2, 0.85, 1.0]),
    },
    Preset {
        name: "stab",
        aliases: &["chord stab", "chords"],
        about: "saw chord, short",
        fx: "ReaSynth",
        params: &synth([0.006, 0.03, 0.1, 0.35, 0.1, 0.3, 0.016, 0.1, 0.7]),
    },
    Preset {
        name: "lead",
        aliases: &["synth lead", "lead synth"],
        about: "square and saw that sings",
        fx: "ReaSynth",
        params: &synth([0.02, 0.03, 0.3, 0.25, 0.0, 0.34, 0.05, 0.7, 0.55]),
    },
    Preset {
        name: "drums",
        aliases: &["drum kit", "kit"],
        about: "General MIDI drum kit",
        fx: "ReaSynDr",
        params: &[],
    },
];

/// Finds a preset by name or alias, without regard to case.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    let name = name.trim().to_lowercase();
    PRESETS
        .iter()
        .find(|preset| preset.name == name || preset.aliases.contains(&name.as_str()))
}

impl Preset {
    /// The instrument as a score carries it.
    #[must_use]
    pub fn instrument(&self) -> Instrument {
        Instrument {
            fx: self.fx.to_owned(),
            params: self
                .params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            config: Vec::new(),
        }
    }
}

/// Attack, release, square, saw, triangle, volume, decay, sustain, pulse width.
const fn synth(v: [f64; 9]) -> [(&'static str, f64); 9] {
    [
        ("Attack", v[0]),
        ("Release", v[1]),
        ("Square mix", v[2]),
        ("Saw mix", v[3]),
        ("Triangle mix", v[4]),
        ("Volume", v[5]),
        ("Decay", v[6]),
        ("Sustain", v[7]),
        ("Pulse width", v[8]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_is_unique() {
        let mut names: Vec<&str> = PRESETS
            .iter()
            .flat_map(|p| std::iter::once(p.name).chain(p.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn raw_values_are_within_the_plug_ins_ranges() {
        for preset in PRESETS {
            for (name, value) in preset.params {
                assert!((0.0..=1.0).contains(value), "{} {name}", preset.name);
            }
        }
    }
}
