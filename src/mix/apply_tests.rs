use std::collections::BTreeMap;

use super::*;
use crate::mix::MixOptions;
use crate::mix::fake::{Fake, FakeFx, FakeSend};
use crate::mix::{StemLevels, catalogue, observe, plan};

const TRACKS: [&str; 6] = ["Kick In", "Kick Out", "Bass", "Pad", "Lead", "Audio 7"];

fn plan_for(fake: &mut Fake, style: &str) -> MixPlan {
    let overview = observe(fake).unwrap();
    let stems: Vec<StemLevels> = overview
        .tracks
        .iter()
        .map(|track| StemLevels {
            track_name: track.name.clone(),
            integrated_lufs: Some(-22.0 + track.volume_db),
            sample_peak_dbfs: Some(-9.0 + track.volume_db),
            ..StemLevels::default()
        })
        .collect();
    let options = MixOptions {
        roles: BTreeMap::new(),
        measured: true,
    };
    plan::mix(&overview, &stems, catalogue::find(style).unwrap(), &options).unwrap()
}

#[test]
fn the_project_becomes_what_the_plan_says() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut fake, "synthwave");
    let applied = mix(&mut fake, &plan).unwrap();
    assert!(applied.changed > 0 && applied.verified > 100, "{applied:?}");
    assert!(applied.round_trips <= 6, "{applied:?}");
    let pad = fake.track("Pad");
    let planned = plan
        .tracks
        .iter()
        .find(|track| track.name == "Pad")
        .unwrap();
    assert_eq!(pad.volume_db, planned.volume_db);
    let names: Vec<&str> = pad.fx.iter().map(|fx| fx.name.as_str()).collect();
    assert_eq!(
        names,
        ["[MIX] ReaEQ", "[MIX] ReaComp", "[MIX] ReaComp duck kick"]
    );
    assert_eq!(pad.channels, 4);
    // Both kicks key the pad, and the detector listens to channels 3 and 4.
    for kick in ["Kick In", "Kick Out"] {
        let key = |send: &&FakeSend| send.to == pad.guid && send.to_channel == 2;
        assert_eq!(fake.track(kick).sends.iter().filter(key).count(), 1);
    }
    assert!((pad.fx[2].params[&8] - 2.0 / 1084.0).abs() < 1e-6);
    assert!(fake.tracks.iter().any(|track| track.name == "MIX: Hall"));
    assert!(fake.track("Audio 7").fx.is_empty());
}

#[test]
fn applying_twice_changes_nothing_and_writes_nothing() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut fake, "synthwave");
    mix(&mut fake, &plan).unwrap();
    let after = fake.tracks.clone();
    fake.log.clear();
    let again = mix(&mut fake, &plan).unwrap();
    assert_eq!(fake.tracks, after);
    assert_eq!((again.changed, again.removed), (0, 0));
    assert_eq!(fake.writes(), 0, "{:?}", fake.log);
}

#[test]
fn planning_again_from_new_measurements_gives_the_same_mix() {
    let mut fake = Fake::with_tracks(&TRACKS);
    fake.tracks[0].volume_db = -3.0;
    let first = plan_for(&mut fake, "synthwave");
    mix(&mut fake, &first).unwrap();
    let second = plan_for(&mut fake, "synthwave");
    assert_eq!(first, second);
    assert_eq!(second.tracks[0].original.volume_db, -3.0);
}

#[test]
fn a_value_that_was_moved_is_put_back_alone() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut fake, "synthwave");
    mix(&mut fake, &plan).unwrap();
    let after = fake.tracks.clone();
    let bass = fake
        .tracks
        .iter()
        .position(|track| track.name == "Bass")
        .unwrap();
    fake.tracks[bass].fx[0].params.insert(3, 0.9);
    fake.tracks[bass].volume_db += 2.0;
    let again = mix(&mut fake, &plan).unwrap();
    assert_eq!(again.changed, 2);
    assert_eq!(fake.tracks, after);
}

#[test]
fn another_style_leaves_nothing_of_the_first_behind() {
    let mut both = Fake::with_tracks(&TRACKS);
    for style in ["synthwave", "classic_rock"] {
        let plan = plan_for(&mut both, style);
        mix(&mut both, &plan).unwrap();
    }
    let mut only = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut only, "classic_rock");
    mix(&mut only, &plan).unwrap();
    let shape = |fake: &Fake| -> Vec<_> {
        let mut tracks: Vec<_> = fake
            .tracks
            .iter()
            .map(|track| {
                let name_of = |guid: &str| {
                    fake.tracks
                        .iter()
                        .find(|t| t.guid == guid)
                        .unwrap()
                        .name
                        .clone()
                };
                let mut sends: Vec<String> = track
                    .sends
                    .iter()
                    .map(|send| {
                        format!(
                            "{} {} {}",
                            name_of(&send.to),
                            send.volume_db,
                            send.to_channel
                        )
                    })
                    .collect();
                sends.sort();
                (
                    track.name.clone(),
                    track.volume_db,
                    track.pan,
                    track.fx.clone(),
                    sends,
                )
            })
            .collect();
        tracks.sort_by(|a, b| a.0.cmp(&b.0));
        tracks
    };
    assert_eq!(shape(&both), shape(&only));
}

#[test]
fn a_track_that_loses_its_role_gets_back_what_it_had() {
    let mut fake = Fake::with_tracks(&TRACKS);
    fake.tracks[4].volume_db = -4.0;
    fake.tracks[4].pan = 0.3;
    let plan = plan_for(&mut fake, "synthwave");
    mix(&mut fake, &plan).unwrap();
    let mut without = plan.clone();
    without.tracks.retain(|track| track.name != "Lead");
    without.sidechains.clear();
    mix(&mut fake, &without).unwrap();
    let lead = fake.track("Lead");
    assert_eq!((lead.volume_db, lead.pan), (-4.0, 0.3));
    assert!(lead.fx.is_empty() && lead.sends.is_empty() && lead.ext.is_empty());
}

#[test]
fn what_people_made_is_never_touched() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let own = FakeFx {
        plugin: "ReaEQ".into(),
        name: "My EQ".into(),
        params: [(0, 0.7)].into(),
        ..FakeFx::default()
    };
    let bass = fake.tracks[2].guid.clone();
    fake.tracks[2].fx.push(own.clone());
    fake.tracks[5].fx.push(own.clone());
    // A send and a track that look like ours, without the tag.
    let send = FakeSend {
        to: bass,
        volume_db: -3.0,
        to_channel: 0,
    };
    fake.tracks[3].sends.push(send.clone());
    let mut hall = fake.tracks[5].clone();
    hall.guid = "{own-hall}".into();
    hall.name = "MIX: Plate".into();
    fake.tracks.push(hall.clone());
    for style in ["synthwave", "classic_rock", "synthwave"] {
        let plan = plan_for(&mut fake, style);
        mix(&mut fake, &plan).unwrap();
    }
    assert_eq!(fake.track("Bass").fx[0], own);
    assert_eq!(fake.track("Audio 7").fx, [own]);
    assert!(fake.track("Pad").sends.contains(&send));
    assert!(fake.tracks.contains(&hall));
}

#[test]
fn a_value_that_does_not_take_is_named() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut fake, "synthwave");
    fake.stuck = Some(("ReaComp", 1));
    let error = mix(&mut fake, &plan).unwrap_err().to_string();
    assert!(
        error.contains("[MIX] ReaComp") && error.contains("ratio"),
        "{error}"
    );
}

#[test]
fn a_track_that_went_away_is_named() {
    let mut fake = Fake::with_tracks(&TRACKS);
    let plan = plan_for(&mut fake, "synthwave");
    fake.tracks.remove(3);
    let error = mix(&mut fake, &plan).unwrap_err();
    assert_eq!(
        error,
        MixError::TrackGone {
            track: "Pad".into()
        }
    );
    assert_eq!(fake.writes(), 0);
}

#[test]
fn twenty_four_tracks_take_few_round_trips() {
    let names: Vec<String> = [
        "Kick", "Snare", "Hat", "Tom", "Crash", "Bass", "Gtr", "Lead Gtr", "Acoustic", "Keys",
        "Vox", "BGV",
    ]
    .iter()
    .flat_map(|name| [format!("{name} 1"), format!("{name} 2")])
    .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut fake = Fake::with_tracks(&names);
    let plan = plan_for(&mut fake, "alt_rock");
    assert_eq!(plan.tracks.len(), 24);
    mix(&mut fake, &plan).unwrap();
    // Observing takes two of them.
    assert!(fake.trips <= 8, "{} trips", fake.trips);
}
