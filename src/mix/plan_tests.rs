use super::*;

fn track(index: i64, name: &str) -> TrackFacts {
    TrackFacts {
        index,
        guid: format!("{{{index}}}"),
        name: name.into(),
        items: 1,
        ..TrackFacts::default()
    }
}

fn stem(name: &str, lufs: f64, peak: f64) -> StemLevels {
    StemLevels {
        track_name: name.into(),
        integrated_lufs: Some(lufs),
        max_short_term_lufs: Some(lufs + 1.0),
        sample_peak_dbfs: Some(peak),
        ..StemLevels::default()
    }
}

fn session(stems: &[(&str, f64, f64)]) -> (Overview, Vec<StemLevels>) {
    let tracks = (0..).zip(stems).map(|(i, (name, ..))| track(i, name));
    let overview = Overview {
        tracks: tracks.collect(),
        ..Overview::default()
    };
    let levels = stems
        .iter()
        .map(|(name, lufs, peak)| stem(name, *lufs, *peak));
    (overview, levels.collect())
}

const MEASURED: MixOptions = MixOptions {
    roles: BTreeMap::new(),
    measured: true,
};

fn plan_of(style: &str, stems: &[(&str, f64, f64)]) -> MixPlan {
    let (overview, levels) = session(stems);
    mix(
        &overview,
        &levels,
        catalogue::find(style).unwrap(),
        &MEASURED,
    )
    .unwrap()
}

fn find<'a>(plan: &'a MixPlan, name: &str) -> &'a TrackPlan {
    plan.tracks.iter().find(|track| track.name == name).unwrap()
}

#[test]
fn roles_come_out_at_their_relative_loudness_however_they_came_in() {
    let plan = plan_of(
        "modern_pop",
        &[
            ("Kick", -30.0, -14.0),
            ("Lead Vox", -12.0, -2.0),
            ("Pad", -40.0, -30.0),
        ],
    );
    let style = catalogue::find("modern_pop").unwrap();
    let target = |name: &str| find(&plan, name).target_lufs.unwrap();
    let level = |role: &str| style.roles[role].level_db;
    let wanted = level("kick") - level("vocal_lead");
    // Two roundings to a hundredth.
    assert!((target("Kick") - target("Lead Vox") - wanted).abs() < 0.021);
    let wanted = level("pad") - level("vocal_lead");
    assert!((target("Pad") - target("Lead Vox") - wanted).abs() < 0.021);
    assert!((plan.estimated_lufs.unwrap() - SUM_LUFS).abs() < 0.05);
}

#[test]
fn the_fader_that_was_measured_through_is_taken_into_account() {
    let (mut overview, mut levels) = session(&[("Kick", -20.0, -6.0), ("Bass", -20.0, -8.0)]);
    let style = catalogue::find("alt_rock").unwrap();
    let first = mix(&overview, &levels, style, &MEASURED).unwrap();
    overview.tracks[0].volume_db = -7.0;
    levels[0] = stem("Kick", -27.0, -13.0);
    let second = mix(&overview, &levels, style, &MEASURED).unwrap();
    assert_eq!(first.tracks[0].volume_db, second.tracks[0].volume_db);
}

#[test]
fn peaks_hold_the_sum_down() {
    let plan = plan_of("alt_rock", &[("Kick", -28.0, -1.0), ("Snare", -30.0, -1.0)]);
    assert!(plan.estimated_lufs.unwrap() < SUM_LUFS - 3.0);
    assert!(plan.notes.iter().any(|note| note.text.contains("peaks")));
    for track in &plan.tracks {
        assert!(-1.0 + track.volume_db < SUM_PEAK_DBFS);
    }
}

#[test]
fn tracks_of_a_role_share_its_budget() {
    let one = plan_of("alt_rock", &[("Kick", -20.0, -8.0), ("Gtr", -20.0, -9.0)]);
    let two = plan_of(
        "alt_rock",
        &[
            ("Kick", -20.0, -8.0),
            ("Gtr 1", -20.0, -9.0),
            ("Gtr 2", -26.0, -15.0),
        ],
    );
    let alone = find(&one, "Gtr").target_lufs.unwrap();
    let first = find(&two, "Gtr 1").target_lufs.unwrap();
    let second = find(&two, "Gtr 2").target_lufs.unwrap();
    assert!((first - second).abs() < 0.011);
    assert!((power_sum([first, second].into_iter()).unwrap() - alone).abs() < 0.05);
}

#[test]
fn a_pair_keeps_its_balance_and_goes_to_its_sides() {
    let plan = plan_of(
        "alt_rock",
        &[
            ("Kick", -20.0, -8.0),
            ("OH L", -22.0, -8.0),
            ("OH R", -25.0, -9.0),
        ],
    );
    let (left, right) = (find(&plan, "OH L"), find(&plan, "OH R"));
    assert_eq!((left.pan, right.pan), (-1.0, 1.0));
    assert!((left.volume_db - right.volume_db).abs() < 0.011);
}

#[test]
fn every_second_track_of_a_role_off_the_centre_goes_to_the_other_side() {
    let plan = plan_of("alt_rock", &[("HH 1", -20.0, -8.0), ("HH 2", -20.0, -8.0)]);
    assert_eq!(plan.tracks[0].pan, 0.25);
    assert_eq!(plan.tracks[1].pan, -0.25);
}

#[test]
fn silent_and_faint_stems_are_told() {
    let (overview, mut levels) = session(&[
        ("Kick", -20.0, -8.0),
        ("Bass", -20.0, -8.0),
        ("Pad", -90.0, -80.0),
    ]);
    levels[1].silent = true;
    let style = catalogue::find("synthwave").unwrap();
    let plan = mix(&overview, &levels, style, &MEASURED).unwrap();
    let bass = find(&plan, "Bass");
    assert_eq!((bass.volume_db, bass.target_lufs), (0.0, None));
    assert!(bass.eq.is_none() && bass.compressor.is_none() && bass.sends.is_empty());
    assert_eq!(find(&plan, "Pad").volume_db, MAX_GAIN_DB);
    let told = |name: &str| {
        plan.notes
            .iter()
            .any(|note| note.track.as_deref() == Some(name))
    };
    assert!(told("Bass") && told("Pad") && !told("Kick"));
    // A silent track is ducked by nobody.
    assert!(
        plan.sidechains
            .iter()
            .all(|duck| plan.tracks[duck.target].name != "Bass")
    );
}

#[test]
fn thresholds_move_with_the_level() {
    let quiet = plan_of("alt_rock", &[("Kick", -38.0, -25.0), ("Bass", -20.0, -8.0)]);
    let loud = plan_of("alt_rock", &[("Kick", -18.0, -5.0), ("Bass", -20.0, -8.0)]);
    let threshold = |plan: &MixPlan| find(plan, "Kick").compressor.unwrap().threshold_db;
    assert_eq!(threshold(&loud), -10.0);
    assert_eq!(threshold(&quiet), -30.0);
}

#[test]
fn boosts_of_what_is_there_are_halved() {
    let role = &catalogue::find("alt_rock").unwrap().roles["kick"];
    let band = |low_hz, high_hz, level_db| BandLevel {
        low_hz,
        high_hz,
        level_db: Some(level_db),
    };
    let spectrum = [
        band(20.0, 60.0, -20.0),
        band(60.0, 250.0, -1.0),
        band(250.0, 500.0, -40.0),
    ];
    let (eq, notes) = tempered_eq(role, &spectrum);
    let db: Vec<f64> = eq.bands.iter().map(|band| band.db).collect();
    assert_eq!(db, [1.0, -1.5, 2.5]);
    assert_eq!(notes.len(), 2);
    assert_eq!(eq.high_pass_hz, Some(30.0));
    let (untouched, _) = tempered_eq(role, &[]);
    assert_eq!(untouched.bands, role.eq);
}

#[test]
fn a_high_pass_does_not_take_the_sound_itself() {
    let role = &catalogue::find("alt_rock").unwrap().roles["hats"];
    let spectrum = [BandLevel {
        low_hz: 20.0,
        high_hz: 250.0,
        level_db: Some(-0.5),
    }];
    assert_eq!(tempered_eq(role, &spectrum).0.high_pass_hz, None);
}

#[test]
fn static_mode_takes_the_catalogue_as_it_stands() {
    let (overview, levels) = session(&[("Kick", -38.0, -25.0), ("Snare", -20.0, -8.0)]);
    let style = catalogue::find("alt_rock").unwrap();
    let options = MixOptions {
        measured: false,
        ..MEASURED
    };
    let plan = mix(&overview, &levels, style, &options).unwrap();
    let kick = find(&plan, "Kick");
    assert_eq!(kick.volume_db, style.roles["kick"].level_db);
    assert_eq!(kick.compressor, style.roles["kick"].compressor);
    assert_eq!(kick.eq.as_ref().unwrap().bands, style.roles["kick"].eq);
}

#[test]
fn only_fed_buses_and_real_keys_appear() {
    let plan = plan_of(
        "synthwave",
        &[("Drums", -20.0, -8.0), ("Bass", -20.0, -8.0)],
    );
    assert!(plan.sidechains.is_empty(), "a drum loop is no kick");
    let plan = plan_of(
        "synthwave",
        &[
            ("Kick", -20.0, -8.0),
            ("Bass", -20.0, -8.0),
            ("Pad", -24.0, -15.0),
        ],
    );
    let style = catalogue::find("synthwave").unwrap();
    for bus in &plan.buses {
        assert!(
            plan.tracks
                .iter()
                .any(|track| track.sends.iter().any(|send| send.bus == bus.name))
        );
    }
    assert_eq!(plan.buses[0].track_name, "MIX: Hall");
    assert!(!plan.sidechains.is_empty());
    for duck in &plan.sidechains {
        assert_eq!(plan.tracks[duck.keys[0]].role, "kick");
        assert!(
            style
                .sidechain
                .iter()
                .any(|known| known.target == plan.tracks[duck.target].role)
        );
    }
}

#[test]
fn buses_muted_tracks_and_strangers_get_no_role() {
    let (mut overview, levels) = session(&[
        ("Kick", -20.0, -8.0),
        ("Drum Bus", -20.0, -8.0),
        ("Vox", -20.0, -8.0),
        ("Audio 3", -20.0, -8.0),
    ]);
    overview.tracks[1].items = 0;
    overview.tracks[1].receives = 2;
    overview.tracks[2].mute = true;
    let style = catalogue::find("alt_rock").unwrap();
    let plan = mix(&overview, &levels, style, &MEASURED).unwrap();
    assert_eq!(plan.tracks.len(), 1);
    assert_eq!(plan.unmatched, ["Audio 3"]);
}

#[test]
fn roles_by_hand_win_and_are_checked() {
    let (overview, levels) = session(&[("Kick", -20.0, -8.0), ("Aux 7", -20.0, -8.0)]);
    let style = catalogue::find("synthwave").unwrap();
    let by_hand = |track: &str, role: &str| MixOptions {
        roles: BTreeMap::from([(track.to_owned(), role.to_owned())]),
        measured: true,
    };
    let plan = mix(&overview, &levels, style, &by_hand("Aux 7", "pad")).unwrap();
    assert_eq!(find(&plan, "Aux 7").role, "pad");
    let error = mix(&overview, &levels, style, &by_hand("Aux 7", "tuba")).unwrap_err();
    assert!(matches!(error, PlanError::UnknownRole { .. }));
    let error = mix(&overview, &levels, style, &by_hand("Aux 8", "pad")).unwrap_err();
    assert!(matches!(error, PlanError::UnknownTrack { .. }));
    let (nothing, _) = session(&[("Audio 1", -20.0, -8.0)]);
    let error = mix(&nothing, &levels, style, &MEASURED).unwrap_err();
    assert!(matches!(error, PlanError::NothingMatched { .. }));
}

#[test]
fn a_plan_survives_json_and_reads_well() {
    let plan = plan_of("synthwave", &[("Kick", -20.0, -8.0), ("Pad", -24.0, -15.0)]);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<MixPlan>(&json).unwrap(), plan);
    assert!(text(&plan).contains("kick ducks Pad"));
}

proptest::proptest! {
    #[test]
    fn any_levels_give_finite_faders(levels in proptest::collection::vec((-120.0f64..10.0, -100.0f64..20.0), 1..8)) {
        let names = ["Kick", "Snare", "Bass", "Gtr L", "Gtr R", "Vox", "OH", "Keys"];
        let stems: Vec<(&str, f64, f64)> = names.iter().zip(&levels).map(|(name, (lufs, peak))| (*name, *lufs, *peak)).collect();
        let plan = plan_of("alt_rock", &stems);
        for track in &plan.tracks {
            proptest::prop_assert!((MIN_GAIN_DB..=MAX_GAIN_DB).contains(&track.volume_db));
        }
    }
}
