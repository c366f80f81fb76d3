//! Deciding: tracks, measured stems and a style in, a plan out. Pure.
//!
//! In measured mode the level of a role is a loudness against the other roles.
//! All roles are placed so that their sum comes out at [`SUM_LUFS`] with peaks
//! under [`SUM_PEAK_DBFS`]; the fader is the gain from what was measured to
//! there. In static mode the catalogue's numbers are taken as they stand.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::mix::MixOptions;

use super::model::{
    BandLevel, BusPlan, EqPlan, Families, MixPlan, Mode, Note, Original, Overview, SendPlan,
    SidechainPlan, StemLevels, TrackFacts, TrackPlan,
};
use super::roles::{self, RoleMatch, Side};
use super::style::{Compressor, EqBand, Role, Style};
use super::{BUS_TAG, catalogue};

/// Loudness of the track that the catalogue's thresholds are meant for, in
/// LUFS. The catalogue tells no level; this is where its thresholds of -10 to
/// -20 dBFS do what their ratios and roles suggest (an assumption).
pub const NOMINAL_LUFS: f64 = -18.0;

/// Where the sum of the planned tracks is placed, in LUFS.
pub const SUM_LUFS: f64 = -20.0;

/// Highest estimated peak of the sum, in dBFS.
pub const SUM_PEAK_DBFS: f64 = -6.0;

/// Most gain that a fader gives, in dB.
pub const MAX_GAIN_DB: f64 = 24.0;

/// Least gain that a fader gives, in dB.
pub const MIN_GAIN_DB: f64 = -60.0;

/// Distance of a processed stem from its loudness that is left alone, in LU.
/// The gate lets other parts of a fading sound pass at another fader, so a
/// narrower one would never come to rest.
pub const TRIM_TOLERANCE_LU: f64 = 0.5;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("role `{role}` given for track `{track}` is not in style `{style}`; it has {known}")]
    UnknownRole {
        track: String,
        role: String,
        style: String,
        known: String,
    },
    #[error("a role is given for track `{track}`, which the project does not have")]
    UnknownTrack { track: String },
    #[error("no track matches a role of style `{style}`; name the tracks or give roles by hand")]
    NothingMatched { style: String },
    /// The style's figures are not usable.
    #[error("style `{style}`: {source}")]
    Style {
        style: String,
        source: catalogue::StyleError,
    },
}

/// Decides what every track becomes.
///
/// # Errors
///
/// A role given by hand that does not exist, a style that is none, or no track
/// with a role.
pub fn mix(
    overview: &Overview,
    stems: &[StemLevels],
    style: &Style,
    options: &MixOptions,
) -> Result<MixPlan, PlanError> {
    catalogue::check(style).map_err(|source| PlanError::Style {
        style: style.name.clone(),
        source,
    })?;
    check_overrides(overview, style, options)?;
    let mut plan = MixPlan {
        style: style.name.clone(),
        mode: if options.measured {
            Mode::Measured
        } else {
            Mode::Static
        },
        families: Families::STOCK,
        tracks: Vec::new(),
        buses: Vec::new(),
        sidechains: Vec::new(),
        unmatched: Vec::new(),
        estimated_lufs: None,
        notes: Vec::new(),
    };
    note_tempo(&mut plan, overview, style);
    let mut inputs = Vec::new();
    for track in &overview.tracks {
        if let Some(found) = role_of(track, style, options, &mut plan) {
            inputs.push(Input::new(track, stem_of(track, stems), found, style));
        }
    }
    if inputs.is_empty() {
        return Err(PlanError::NothingMatched {
            style: style.name.clone(),
        });
    }
    match plan.mode {
        Mode::Measured => measured(&mut plan, &inputs),
        Mode::Static => plan.tracks = inputs.iter().map(fixed).collect(),
    }
    spread_pans(&mut plan.tracks, style);
    plan.buses = buses(&plan.tracks, style);
    plan.sidechains = sidechains(&plan, style);
    Ok(plan)
}

/// A plan for people, one line per track.
pub fn text(plan: &MixPlan) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "style {}, {:?}", plan.style, plan.mode);
    for track in &plan.tracks {
        let _ = write!(
            out,
            "{:>3} {:<24} {:<16} {:>3.0} %  fader {:>+6.1} dB  pan {:>+5.2}",
            track.index,
            track.name,
            track.role,
            track.confidence * 100.0,
            track.volume_db,
            track.pan
        );
        if let (Some(source), Some(target)) = (track.source_lufs, track.target_lufs) {
            let _ = write!(out, "  {source:.1} → {target:.1} LUFS");
        }
        for send in &track.sends {
            let _ = write!(out, "  {} {:+.0} dB", send.bus, send.volume_db);
        }
        out.push('\n');
    }
    for duck in &plan.sidechains {
        let _ = writeln!(
            out,
            "{} ducks {}: {:.1} dB, {:.1}:1",
            duck.key_role,
            plan.tracks[duck.target].name,
            duck.compressor.threshold_db,
            duck.compressor.ratio
        );
    }
    for name in &plan.unmatched {
        let _ = writeln!(out, "no role: {name}");
    }
    for note in &plan.notes {
        let place = note.track.as_deref().unwrap_or("mix");
        let _ = writeln!(out, "note: {place}: {}", note.text);
    }
    out
}

/// A track with a role and what was measured of it.
struct Input<'a> {
    track: &'a TrackFacts,
    stem: Option<&'a StemLevels>,
    found: RoleMatch,
    role: &'a Role,
}

impl<'a> Input<'a> {
    fn new(
        track: &'a TrackFacts,
        stem: Option<&'a StemLevels>,
        found: RoleMatch,
        style: &'a Style,
    ) -> Self {
        Self {
            role: &style.roles[&found.role],
            track,
            stem,
            found,
        }
    }

    /// Loudness with the fader at 0 dB.
    fn source_lufs(&self) -> Option<f64> {
        let stem = self.stem.filter(|stem| !stem.silent)?;
        // Under 400 ms there is no gated loudness. A short sound is then taken
        // to be as loud as one with a common crest of 12 dB.
        let loudness = stem
            .integrated_lufs
            .or(stem.max_short_term_lufs)
            .or(stem.sample_peak_dbfs.map(|peak| peak - 12.0))?;
        Some(loudness - self.track.volume_db)
    }

    /// Sample peak with the fader at 0 dB.
    fn source_peak_dbfs(&self) -> Option<f64> {
        Some(self.stem?.sample_peak_dbfs? - self.track.volume_db)
    }

    fn plan(&self, volume_db: f64, eq: EqPlan, compressor: Option<Compressor>) -> TrackPlan {
        let track = self.track;
        let sends = self.role.sends.iter().map(|(bus, volume_db)| SendPlan {
            bus: bus.clone(),
            volume_db: *volume_db,
        });
        TrackPlan {
            index: track.index,
            guid: track.guid.clone(),
            name: track.name.clone(),
            role: self.found.role.clone(),
            confidence: self.found.confidence,
            matched: self.found.matched.clone(),
            direct: self.found.direct,
            source_lufs: self.source_lufs().map(tidy),
            target_lufs: None,
            volume_db: tidy(volume_db),
            pan: kept_pan(track).unwrap_or(self.role.pan),
            eq: (eq.high_pass_hz.is_some() || !eq.bands.is_empty()).then_some(eq),
            compressor,
            sends: sends.collect(),
            original: track.original.unwrap_or(Original {
                volume_db: track.volume_db,
                pan: track.pan,
            }),
        }
    }
}

fn check_overrides(
    overview: &Overview,
    style: &Style,
    options: &MixOptions,
) -> Result<(), PlanError> {
    for (track, role) in &options.roles {
        if !overview.tracks.iter().any(|known| &known.name == track) {
            return Err(PlanError::UnknownTrack {
                track: track.clone(),
            });
        }
        if !style.roles.contains_key(role) {
            let known: Vec<&str> = style.roles.keys().map(String::as_str).collect();
            return Err(PlanError::UnknownRole {
                track: track.clone(),
                role: role.clone(),
                style: style.name.clone(),
                known: known.join(", "),
            });
        }
    }
    Ok(())
}

fn note_tempo(plan: &mut MixPlan, overview: &Overview, style: &Style) {
    let (low, high) = style.tempo_bpm;
    if let Some(bpm) = overview.tempo_bpm
        && !(low..=high).contains(&bpm)
    {
        plan.notes.push(Note {
            track: None,
            text: format!("{bpm} BPM is outside of the style's {low} to {high}"),
            detail: false,
        });
    }
}

fn role_of(
    track: &TrackFacts,
    style: &Style,
    options: &MixOptions,
    plan: &mut MixPlan,
) -> Option<RoleMatch> {
    if let Some(role) = options.roles.get(&track.name) {
        return Some(RoleMatch {
            role: role.clone(),
            confidence: 1.0,
            matched: "by hand".into(),
            direct: true,
        });
    }
    // Folders and buses have no sound of their own to be staged.
    if track.items == 0 || track.name.starts_with(BUS_TAG) {
        return None;
    }
    if track.mute {
        plan.notes.push(note(track, "is muted, left untouched"));
        return None;
    }
    let found = roles::match_track(&track.name, style);
    if found.is_none() {
        plan.unmatched.push(track.name.clone());
    }
    found
}

fn stem_of<'a>(track: &TrackFacts, stems: &'a [StemLevels]) -> Option<&'a StemLevels> {
    let by_guid = stems
        .iter()
        .find(|stem| !stem.track_guid.is_empty() && stem.track_guid == track.guid);
    by_guid.or_else(|| stems.iter().find(|stem| stem.track_name == track.name))
}

/// The catalogue's numbers as they stand.
fn fixed(input: &Input) -> TrackPlan {
    let role = input.role;
    let eq = EqPlan {
        high_pass_hz: high_pass(role),
        bands: role.eq.clone(),
    };
    input.plan(role.level_db, eq, role.compressor)
}

fn measured(plan: &mut MixPlan, inputs: &[Input]) {
    let wanted = relative_levels(inputs);
    let anchor = anchor(inputs, &wanted, plan);
    for (input, wanted) in inputs.iter().zip(wanted) {
        let Some(source) = input.source_lufs() else {
            plan.notes.push(note(
                input.track,
                "has no measurable sound: fader kept, no effects",
            ));
            let mut track = input.plan(input.track.volume_db, EqPlan::default(), None);
            track.sends.clear();
            plan.tracks.push(track);
            continue;
        };
        let stem_note = |text: &str| note(input.track, text);
        if input
            .stem
            .is_some_and(|stem| stem.integrated_lufs.is_none())
        {
            plan.notes.push(stem_note(
                "is too short for a gated loudness; staged by its peak",
            ));
        }
        let target = anchor + wanted;
        let gain = target - source;
        let held = gain.clamp(MIN_GAIN_DB, MAX_GAIN_DB);
        if held != gain {
            plan.notes.push(stem_note(&format!(
                "would need {gain:+.1} dB, gets {held:+.1} dB"
            )));
        }
        note_faults(plan, input);
        let compressor = input
            .role
            .compressor
            .map(|settings| relative_compressor(&settings, source, input.source_peak_dbfs()));
        let (eq, changes) = tempered_eq(input.role, input.stem.map_or(&[], |stem| &stem.bands));
        plan.notes
            .extend(changes.iter().map(|text| detail(input.track, text)));
        let mut track = input.plan(held, eq, compressor);
        track.target_lufs = Some(tidy(source + held));
        plan.tracks.push(track);
    }
    let sum = power_sum(plan.tracks.iter().filter_map(|track| track.target_lufs));
    plan.estimated_lufs = sum.map(tidy);
}

/// Level of each track against the others, in LU. Tracks of one role share its
/// level as sounds that are not alike do; a left-right pair counts as one
/// sound and keeps its own balance.
fn relative_levels(inputs: &[Input]) -> Vec<f64> {
    let sounding = |input: &&Input| input.source_lufs().is_some();
    let mut groups: BTreeMap<(&str, String), Vec<f64>> = BTreeMap::new();
    for input in inputs.iter().filter(sounding) {
        let source = input.source_lufs().unwrap_or(f64::NAN);
        groups.entry(group(input)).or_default().push(source);
    }
    let mut per_role: BTreeMap<&str, usize> = BTreeMap::new();
    for (role, _) in groups.keys() {
        *per_role.entry(*role).or_default() += 1;
    }
    let level = |input: &Input| {
        let share = per_role.get(input.found.role.as_str()).copied();
        let own = groups.get(&group(input));
        let (Some(share), Some(own)) = (share, own) else {
            return input.role.level_db;
        };
        // Of the pair's level, this track has what it has of the pair's sound.
        let pair = power_sum(own.iter().copied()).unwrap_or(0.0);
        let part = input.source_lufs().map_or(0.0, |source| source - pair);
        input.role.level_db - 10.0 * (share as f64).log10() + part
    };
    inputs.iter().map(level).collect()
}

/// Tracks that are one sound: both sides of a pair.
fn group<'a>(input: &'a Input) -> (&'a str, String) {
    let role = input.found.role.as_str();
    match roles::side_of_pair(&input.track.name) {
        Some((_, rest)) => (role, format!("pair {rest}")),
        None => (role, format!("track {:06}", input.track.index)),
    }
}

/// What is added to the relative levels, so that the sum has headroom.
fn anchor(inputs: &[Input], wanted: &[f64], plan: &mut MixPlan) -> f64 {
    let sounding = || {
        inputs
            .iter()
            .zip(wanted)
            .filter(|(input, _)| input.source_lufs().is_some())
    };
    let Some(sum) = power_sum(sounding().map(|(_, wanted)| *wanted)) else {
        return 0.0;
    };
    let by_loudness = SUM_LUFS - sum;
    // Peaks of different tracks seldom meet: their powers are added.
    let peaks = sounding().filter_map(|(input, wanted)| {
        Some(wanted + input.source_peak_dbfs()? - input.source_lufs()?)
    });
    let by_peak = power_sum(peaks).map_or(f64::INFINITY, |peak| SUM_PEAK_DBFS - peak);
    if by_peak < by_loudness {
        plan.notes.push(Note {
            track: None,
            text: format!(
                "peaks hold the sum {:.1} dB lower than its loudness would",
                by_loudness - by_peak
            ),
            detail: true,
        });
    }
    by_loudness.min(by_peak)
}

fn note_faults(plan: &mut MixPlan, input: &Input) {
    let Some(stem) = input.stem else { return };
    if stem
        .correlation
        .is_some_and(|correlation| correlation < -0.5)
    {
        plan.notes.push(note(
            input.track,
            "left and right cancel each other in mono: polarity?",
        ));
    }
    if let Some(dc) = stem.dc_offset
        && dc.abs() > 0.001
    {
        plan.notes
            .push(note(input.track, &format!("has a DC offset of {dc:.4}")));
    }
}

/// The threshold moves with the measured level, and make-up is what the
/// compressor is expected to take away, so that it changes the sound and not
/// the level. The expectation is an approximation: the static curve at 6 dB
/// above the gated loudness, or at the peak where that is lower.
fn relative_compressor(
    settings: &Compressor,
    source_lufs: f64,
    peak_dbfs: Option<f64>,
) -> Compressor {
    let threshold_db = (settings.threshold_db + source_lufs - NOMINAL_LUFS).clamp(-60.0, 0.0);
    let level = (source_lufs + 6.0).min(peak_dbfs.unwrap_or(f64::INFINITY));
    let over = (level - threshold_db).max(0.0);
    let reduction = over * (1.0 - 1.0 / settings.ratio);
    Compressor {
        threshold_db: tidy(threshold_db),
        makeup_db: tidy(reduction.min(6.0)),
        ..*settings
    }
}

/// The role's equaliser, held back where the stem has already what a boost
/// would add or lacks what a cut would take; a high-pass never takes what most
/// of the sound is made of.
fn tempered_eq(role: &Role, spectrum: &[BandLevel]) -> (EqPlan, Vec<String>) {
    /// From here on a band holds half of the energy.
    const DOMINANT_DB: f64 = -3.0;
    const FAINT_DB: f64 = -30.0;
    let level = |hz: f64| {
        let band = spectrum
            .iter()
            .find(|band| (band.low_hz..band.high_hz).contains(&hz))?;
        Some(band.level_db.unwrap_or(f64::NEG_INFINITY))
    };
    let mut notes = Vec::new();
    let mut temper = |band: &EqBand| {
        let Some(level) = level(band.hz) else {
            return *band;
        };
        let too_much = band.db > 0.0 && level > DOMINANT_DB;
        let too_little = band.db < 0.0 && level < FAINT_DB;
        if !too_much && !too_little {
            return *band;
        }
        notes.push(format!(
            "{:+.1} dB at {} Hz halved: the band holds {level:.0} dB of the sound",
            band.db, band.hz
        ));
        EqBand {
            db: band.db / 2.0,
            ..*band
        }
    };
    let bands = role.eq.iter().map(&mut temper).collect();
    let mut high_pass_hz = high_pass(role);
    if let Some(hz) = high_pass_hz {
        let below = power_sum(
            spectrum
                .iter()
                .filter(|band| band.high_hz <= hz)
                .filter_map(|band| band.level_db),
        );
        if below.is_some_and(|below| below > DOMINANT_DB) {
            notes.push(format!(
                "high-pass at {hz} Hz left out: most of the sound lies below"
            ));
            high_pass_hz = None;
        }
    }
    let plan = EqPlan {
        high_pass_hz,
        bands,
    };
    (plan, notes)
}

fn high_pass(role: &Role) -> Option<f64> {
    (role.high_pass_hz > 20.0).then_some(role.high_pass_hz)
}

/// Pairs go to their sides; of several tracks of a role that stands off the
/// centre, every second one goes to the other side.
fn spread_pans(tracks: &mut [TrackPlan], style: &Style) {
    let sides: Vec<Option<(Side, String)>> = tracks
        .iter()
        .map(|track| roles::side_of_pair(&track.name))
        .collect();
    let partner = |at: usize| {
        let (side, rest) = sides[at].as_ref()?;
        let has = (0..tracks.len()).any(|other| {
            let same_role = tracks[other].role == tracks[at].role;
            same_role && matches!(&sides[other], Some((s, r)) if s != side && r == rest)
        });
        has.then_some(*side)
    };
    let partners: Vec<Option<Side>> = (0..tracks.len()).map(partner).collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (track, partner) in tracks.iter_mut().zip(partners) {
        let pan = style.roles[&track.role].pan;
        track.pan = match partner {
            Some(Side::Left) => -1.0,
            Some(Side::Right) => 1.0,
            None => {
                let count = seen.entry(track.role.clone()).or_default();
                *count += 1;
                if count.is_multiple_of(2) { -pan } else { pan }
            }
        };
    }
}

/// Buses that a planned track sends to, in the style's order.
fn buses(tracks: &[TrackPlan], style: &Style) -> Vec<BusPlan> {
    let fed = |name: &str| {
        tracks
            .iter()
            .any(|track| track.sends.iter().any(|send| send.bus == name))
    };
    style
        .reverb
        .iter()
        .filter(|(name, _)| fed(name))
        .map(|(name, reverb)| BusPlan {
            name: name.clone(),
            track_name: format!("{BUS_TAG}{}", capitalised(name)),
            reverb: reverb.clone(),
        })
        .collect()
}

/// A compressor per target. A key is a track that is the role, not a relative
/// of it; in measured mode the threshold moves with the loudness at which the
/// keys arrive.
fn sidechains(plan: &MixPlan, style: &Style) -> Vec<SidechainPlan> {
    let sounding = |track: &TrackPlan| plan.mode == Mode::Static || track.target_lufs.is_some();
    let mut out = Vec::new();
    for duck in &style.sidechain {
        let keys: Vec<usize> = (0..plan.tracks.len())
            .filter(|&i| {
                let track = &plan.tracks[i];
                track.role == duck.key && track.direct && sounding(track)
            })
            .collect();
        if keys.is_empty() {
            continue;
        }
        let key_lufs = power_sum(keys.iter().filter_map(|&i| plan.tracks[i].target_lufs));
        let moved = match (plan.mode, key_lufs) {
            (Mode::Measured, Some(key_lufs)) => key_lufs - NOMINAL_LUFS,
            _ => 0.0,
        };
        let compressor = Compressor {
            threshold_db: tidy((duck.threshold_db() + moved).clamp(-60.0, 0.0)),
            ratio: tidy(duck.ratio()),
            attack_ms: duck.attack_ms,
            release_ms: duck.release_ms,
            knee_db: 0.0,
            makeup_db: 0.0,
        };
        for (target, track) in plan.tracks.iter().enumerate() {
            if track.role == duck.target && sounding(track) && !keys.contains(&target) {
                out.push(SidechainPlan {
                    keys: keys.clone(),
                    target,
                    key_role: duck.key.clone(),
                    compressor,
                    send_db: 0.0,
                });
            }
        }
    }
    out
}

/// Level of the sum of sounds that are not alike.
fn power_sum(levels: impl Iterator<Item = f64>) -> Option<f64> {
    let power: f64 = levels.map(|level| 10f64.powf(level / 10.0)).sum();
    (power > 0.0).then(|| 10.0 * power.log10())
}

fn note(track: &TrackFacts, text: &str) -> Note {
    Note {
        track: Some(track.name.clone()),
        text: text.to_owned(),
        detail: false,
    }
}

fn detail(track: &TrackFacts, text: &str) -> Note {
    Note {
        detail: true,
        ..note(track, text)
    }
}

/// A pan that somebody chose is better than one from a table.
fn kept_pan(track: &TrackFacts) -> Option<f64> {
    let pan = track.original.map_or(track.pan, |original| original.pan);
    (pan != 0.0).then_some(pan)
}

/// Corrects faders by the loudness of the processed stems, measured through
/// the plan's effects and the faders of `overview`: equalisers and compressors
/// change what the plan was made from. A fader that is right within
/// [`TRIM_TOLERANCE_LU`] stays.
pub fn trim(plan: &mut MixPlan, overview: &Overview, processed: &[StemLevels]) {
    for track in &mut plan.tracks {
        let facts = overview
            .tracks
            .iter()
            .find(|facts| facts.index == track.index);
        let measured = facts.and_then(|facts| stem_of(facts, processed));
        let (Some(facts), Some(target), Some(lufs)) = (
            facts,
            track.target_lufs,
            measured.and_then(|stem| stem.integrated_lufs),
        ) else {
            continue;
        };
        let wrong = target - lufs;
        track.volume_db = if wrong.abs() <= TRIM_TOLERANCE_LU {
            facts.volume_db
        } else {
            tidy((facts.volume_db + wrong).clamp(MIN_GAIN_DB, MAX_GAIN_DB))
        };
    }
}

/// To a hundredth, so that a plan reads well and does not hang on the last bits.
fn tidy(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
