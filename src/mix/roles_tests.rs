use super::*;
use crate::mix::catalogue;

fn check(style: &str, expected: &[(&str, &str)]) {
    let found = catalogue::find(style).unwrap();
    for (name, role) in expected {
        let got = match_track(name, found).map_or("-".to_owned(), |hit| hit.role);
        assert_eq!(got, *role, "`{name}` in {style}");
    }
}

#[test]
fn rock_sessions() {
    check(
        "alt_rock",
        &[
            ("Kick In", "kick"),
            ("Kick Out", "kick"),
            ("01_KickIn", "kick"),
            ("KICK SUB", "kick"),
            ("BD", "kick"),
            ("Bass Drum", "kick"),
            ("kick-click", "kick"),
            ("SNR_top", "snare"),
            ("Snare Btm", "snare"),
            ("snaretop", "snare"),
            ("SD 57", "snare"),
            ("rimshot", "snare"),
            ("Side Stick", "snare"),
            ("HH", "hats"),
            ("hihat-closed", "hats"),
            ("Hi-Hat 2", "hats"),
            ("tom-hi", "toms"),
            ("Floor Tom", "toms"),
            ("Rack Tom 1", "toms"),
            ("OH L", "cymbals"),
            ("OHs", "cymbals"),
            ("Overheads", "cymbals"),
            ("Crash", "cymbals"),
            ("Ride Cym", "cymbals"),
            ("Drum Room", "drums"),
            ("Room Bottom", "drums"),
            ("DRUMS", "drums"),
            ("BASS-DI", "bass_guitar"),
            ("Bass", "bass_guitar"),
            ("Bass Amp", "bass_guitar"),
            ("Fretless", "bass_guitar"),
            ("bass-slap", "bass_guitar"),
            ("Gtr 1", "rhythm_guitar"),
            ("EGtr L", "rhythm_guitar"),
            ("Rhy Gtr R", "rhythm_guitar"),
            ("Guitars", "rhythm_guitar"),
            ("Lead Gtr", "lead_guitar"),
            ("Guitar Solo", "lead_guitar"),
            ("Lead", "lead_guitar"),
            ("Acoustic", "clean_guitar"),
            ("Ac Gtr Dbl", "clean_guitar"),
            ("12 String", "clean_guitar"),
            ("Piano", "piano"),
            ("Hammond B3", "piano"),
            ("Lead Vox", "vocal_lead"),
            ("LeadVox_dbl", "vocal_lead"),
            ("leadvox", "vocal_lead"),
            ("Vocals", "vocal_lead"),
            ("BGV L", "vocal_backup"),
            ("Backing Vocals", "vocal_backup"),
            ("Gang Vox", "vocal_backup"),
            ("Harmony Vox 2", "vocal_backup"),
            ("Custom FX", "-"),
            ("Click", "-"),
            ("Scratch Vox", "-"),
            ("Submix", "-"),
            ("Audio 07", "-"),
            ("", "-"),
            ("___", "-"),
        ],
    );
}

#[test]
fn pop_and_electronic_sessions() {
    check(
        "modern_pop",
        &[
            ("Kick 808", "kick"),
            ("Claps", "clap"),
            ("808", "bass_808"),
            ("808 Sub", "sub_bass"),
            ("SubBass", "sub_bass"),
            ("Synth Bass", "bass_guitar"),
            ("Harp", "clean_guitar"),
            ("Arp", "pluck_synth"),
            ("Marimba", "pluck_synth"),
            ("clav", "piano"),
            ("Deep Pad", "pad"),
            ("Strings", "pad"),
            ("Choir Pad", "pad"),
            ("Lead Piano", "piano"),
            ("Vox Chops", "vocal_chop"),
            ("Chop Bass", "bass_guitar"),
            ("lead-guitar-synth", "lead_synth"),
            ("Supersaw", "lead_synth"),
            ("Chords", "chord_stab"),
            ("ad libs", "vocal_backup"),
            ("Shakers", "perc"),
            ("Tambourine", "perc"),
            ("E. Guitar", "clean_guitar"),
            ("Basset", "-"),
            ("Tomato", "-"),
            ("Panflöte", "-"),
        ],
    );
    check(
        "trap",
        &[
            ("OH", "open_hat"),
            ("Open Hat", "open_hat"),
            ("Hi Hats", "hats"),
            ("808 Hat", "hats"),
            ("808 Cowbell", "perc"),
            ("Lead Vox", "vocal_lead"),
            ("Brass", "lead_synth"),
        ],
    );
    check(
        "trance",
        &[
            ("White Noise", "riser_fx"),
            ("Sweep", "riser_fx"),
            ("Reverse Crash", "riser_fx"),
            ("Sub Drop", "impact_fx"),
            ("Vocal", "lead_synth"),
            ("Acid 303", "bass"),
            ("Step Seq", "pluck_synth"),
        ],
    );
}

#[test]
fn bands_and_orchestras() {
    check(
        "classic_funk",
        &[
            ("bass-slap", "slap_bass"),
            ("Bass", "slap_bass"),
            ("horns", "horns_section"),
            ("Horn Hits", "horns_section"),
            ("Tenor Sax", "horns_section"),
            ("Brass", "horns_section"),
            ("Clavinet", "electric_piano"),
            ("Keys", "electric_piano"),
            ("EP", "electric_piano"),
            ("Wah Gtr", "rhythm_guitar"),
            ("Congas", "perc"),
        ],
    );
    check(
        "classical_chamber",
        &[
            ("Violin I", "strings_section"),
            ("Vla", "strings_section"),
            ("Double Basses", "strings_section"),
            ("Bass Clarinet", "woodwinds"),
            ("Bassoon 2", "woodwinds"),
            ("French Horns", "brass_orchestral"),
            ("Brass", "brass_orchestral"),
            ("Bass Trombone", "brass_orchestral"),
            ("Harp", "strings_section"),
        ],
    );
    check(
        "swing_jazz",
        &[
            ("Bass", "upright_bass"),
            ("Upright Piano", "piano"),
            ("Ride", "ride"),
            ("Alto Sax", "horns_section"),
            ("Room", "kick"),
        ],
    );
}

#[test]
fn a_relative_is_less_certain_than_the_role_itself() {
    let pop = catalogue::find("modern_pop").unwrap();
    let funk = catalogue::find("classic_funk").unwrap();
    let near = match_track("Clav", pop).unwrap();
    let direct = match_track("Clav", funk).unwrap();
    assert!(direct.direct && !near.direct);
    assert_eq!(direct.confidence, 1.0);
    assert!(near.confidence < 0.9);
    assert_eq!(near.matched, "clav");
}

#[test]
fn two_roles_that_fit_alike_lower_the_confidence() {
    let rock = catalogue::find("alt_rock").unwrap();
    let plain = match_track("Gtr", rock).unwrap();
    let told = match_track("Rhythm Gtr", rock).unwrap();
    assert!(plain.confidence < told.confidence);
}

#[test]
fn a_style_may_bring_names_of_its_own() {
    let style = catalogue::parse(
        "own",
        "extends = \"alt_rock\"\n[roles.theremin]\nlevel_db = -6\nhigh_pass_hz = 100\naliases = [\"ether wave\"]\n",
    )
    .unwrap();
    assert_eq!(match_track("EtherWave", &style).unwrap().role, "theremin");
}

#[test]
fn every_near_role_and_every_role_of_a_style_is_a_known_one() {
    for (role, word) in vocabulary() {
        for near in &word.near {
            assert!(vocabulary().contains_key(near), "{role} → {near}");
            assert_ne!(near, role);
        }
    }
    for style in catalogue::all() {
        for role in style.roles.keys() {
            assert!(vocabulary().contains_key(role), "{role} of {}", style.name);
            let plain = role.replace('_', " ");
            assert!(!vocabulary()[role].aliases.is_empty(), "{plain}");
        }
    }
}

#[test]
fn sides_of_pairs() {
    assert_eq!(side_of_pair("OH L"), Some((Side::Left, "oh".into())));
    assert_eq!(
        side_of_pair("Gtr_Right_2"),
        Some((Side::Right, "gtr 2".into()))
    );
    assert_eq!(side_of_pair("Lead"), None);
}

proptest::proptest! {
    #[test]
    fn any_name_is_answered_and_the_same_twice(name in ".{0,60}") {
        let style = catalogue::find("modern_pop").unwrap();
        let first = match_track(&name, style);
        proptest::prop_assert_eq!(&first, &match_track(&name, style));
        if let Some(hit) = first {
            proptest::prop_assert!(style.roles.contains_key(&hit.role));
            proptest::prop_assert!((0.1..=1.0).contains(&hit.confidence));
        }
    }
}
