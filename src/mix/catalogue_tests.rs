use serde_json::Value as Json;

use super::*;

#[test]
fn every_style_is_readable_and_in_range() {
    assert_eq!(all().len(), 35);
    let rows: usize = all().iter().map(|style| style.roles.len()).sum();
    assert_eq!(rows, 375);
    for style in all() {
        check(style).unwrap_or_else(|error| panic!("{}: {error}", style.name));
    }
}

/// A sum over all numbers of the catalogue, so that a slip of a figure shows
/// where the reference is not at hand.
#[test]
fn figures_have_not_slipped() {
    let mut sums = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut counts = (0, 0, 0, 0);
    for style in all() {
        sums.0 += style.master.integrated_lufs;
        counts.3 += style.sidechain.len();
        for role in style.roles.values() {
            sums.1 += role.level_db;
            sums.2 += role.pan.abs();
            counts.0 += role.eq.len();
            sums.3 += role.eq.iter().map(|band| band.db * band.q).sum::<f64>();
            counts.1 += usize::from(role.compressor.is_some());
            counts.2 += role.sends.len();
            sums.4 += role.sends.values().sum::<f64>();
        }
    }
    assert_eq!(counts, (1116, 200, 284, 55));
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    assert_eq!(
        [sums.0, sums.1, sums.2, sums.3, sums.4].map(rounded),
        [-368.0, -2052.0, 18.8, 157.9, -2497.0]
    );
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn figures_are_those_of_the_classic_catalogue() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../shared/reference/seed-styles.json"
    );
    let alternative = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/reference/seed-styles.json"
    );
    let Ok(text) = std::fs::read_to_string(path).or_else(|_| std::fs::read_to_string(alternative))
    else {
        eprintln!("skipped: {path} is not here");
        return;
    };
    let reference: Json = serde_json::from_str(&text).unwrap();
    let styles = reference["styles"].as_object().unwrap();
    assert_eq!(styles.len(), all().len());
    for (name, wanted) in styles {
        compare(name, wanted, find(name).unwrap());
    }
}

fn compare(name: &str, wanted: &Json, style: &Style) {
    let number = |value: &Json| value.as_f64().unwrap();
    assert_eq!(style.family, wanted["family"].as_str().unwrap());
    assert_eq!(style.tempo_bpm.0, number(&wanted["bpm_range"][0]));
    let master = &wanted["master"];
    assert_eq!(
        style.master.integrated_lufs,
        number(&master["target_lufs"]),
        "{name}"
    );
    assert_eq!(
        style.master.true_peak_max_dbtp,
        number(&master["true_peak_dbtp"])
    );
    assert_eq!(style.master.width, number(&master["stereo_width"]));
    assert_eq!(
        style.master.high_pass_hz,
        number(&master["subtractive_hp_hz"])
    );
    for (key, shelf) in [
        ("low_shelf", style.master.low_shelf),
        ("high_shelf", style.master.high_shelf),
    ] {
        assert_eq!(shelf.hz, number(&master[key]["hz"]), "{name}");
        assert_eq!(shelf.db, number(&master[key]["db"]), "{name}");
    }
    compare_compressor(&master["glue_comp"], style.master.glue);
    for bus in wanted["reverb_buses"].as_array().unwrap() {
        if bus["used_by_a_role"] == Json::Bool(false) {
            continue;
        }
        let own = &style.reverb[bus["name"].as_str().unwrap()];
        assert_eq!(own.room_size, number(&bus["room_size"]), "{name}");
        assert_eq!(own.dampening, number(&bus["dampening"]));
        assert_eq!(own.wet_db, number(&bus["wet_db"]));
        assert_eq!(own.width, number(&bus["width"]));
        assert_eq!(own.high_pass_hz, number(&bus["hipass_hz"]));
        assert_eq!(own.low_pass_hz, number(&bus["lowpass_hz"]));
    }
    let roles = wanted["roles"].as_object().unwrap();
    assert!(roles.keys().eq(style.roles.keys()), "{name}");
    for (role, wanted) in roles {
        let own = &style.roles[role];
        assert_eq!(own.level_db, number(&wanted["volume_db"]), "{name} {role}");
        assert_eq!(own.pan, number(&wanted["pan"]), "{name} {role}");
        assert_eq!(
            own.high_pass_hz,
            number(&wanted["eq"]["hp_hz"]),
            "{name} {role}"
        );
        let bands = wanted["eq"]["bands"].as_array().unwrap();
        assert_eq!(own.eq.len(), bands.len());
        for (own, wanted) in own.eq.iter().zip(bands) {
            assert_eq!(serde_json::to_value(own.shape).unwrap(), wanted["type"]);
            assert_eq!(own.hz, number(&wanted["hz"]), "{name} {role}");
            assert_eq!(own.db, number(&wanted["db"]), "{name} {role}");
            assert_eq!(own.q, number(&wanted["q"]), "{name} {role}");
        }
        compare_compressor(&wanted["comp"], own.compressor);
        for (bus, level) in wanted["sends"].as_object().unwrap() {
            assert_eq!(own.sends[bus], number(level), "{name} {role}");
        }
    }
    for (own, wanted) in style
        .sidechain
        .iter()
        .zip(wanted["sidechain"].as_array().unwrap())
    {
        assert_eq!(own.key, wanted["source"].as_str().unwrap());
        assert_eq!(own.target, wanted["target"].as_str().unwrap());
        assert!((own.threshold_db() - number(&wanted["threshold_db"])).abs() < 1e-9);
        assert!((own.ratio() - number(&wanted["ratio"])).abs() < 1e-9);
        assert_eq!(own.release_ms, number(&wanted["release_ms"]));
    }
}

fn compare_compressor(wanted: &Json, own: Option<crate::mix::Compressor>) {
    match own {
        None => assert!(wanted.is_null()),
        Some(own) => assert_eq!(
            serde_json::to_value(own)
                .unwrap()
                .to_string()
                .replace(".0", ""),
            wanted.to_string().replace(".0", "")
        ),
    }
}

#[test]
fn names_are_found_however_they_are_written() {
    assert_eq!(find("Drum & Bass").map(|s| s.name.as_str()), None);
    assert_eq!(find("Alt Rock").unwrap().name, "alt_rock");
    assert_eq!(find("SYNTHWAVE").unwrap().name, "synthwave");
    assert_eq!(nearest("synthwav"), Some("synthwave"));
    assert_eq!(nearest("dnb"), None);
    assert_eq!(nearest("techhouse2"), Some("tech_house"));
}

#[test]
fn a_style_on_top_of_another_changes_only_what_it_says() {
    let style = parse(
        "mine",
        "extends = \"synthwave\"\n[master]\nintegrated_lufs = -14\n[roles.kick]\nlevel_db = -1\n",
    )
    .unwrap();
    let base = find("synthwave").unwrap();
    assert_eq!(style.name, "mine");
    assert_eq!(style.master.integrated_lufs, -14.0);
    assert_eq!(style.roles["kick"].level_db, -1.0);
    assert_eq!(style.roles["kick"].eq, base.roles["kick"].eq);
    assert_eq!(style.roles["pad"], base.roles["pad"]);
}

#[test]
fn faults_of_a_style_are_named() {
    let fails = |text: &str, part: &str| {
        let error = parse("mine", text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    fails("extends = \"synthwav\"", "did you mean `synthwave`");
    fails("extends = \"trap\"\n[master]\nloudness = -9", "loudness");
    fails("extends = \"trap\"\n[master]\nwidth = 3", "master.width");
    fails(
        "extends = \"trap\"\n[roles.kick]\nsends = { cave = -9 }",
        "cave",
    );
    fails(
        "extends = \"trap\"\n[roles.kick]\nlevel_db = nan",
        "level_db",
    );
    fails("tempo_bpm = [90, 100]", "missing field");
    fails("tempo_bpm = [", "TOML");
}

#[test]
fn the_document_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/styles.md");
    let wanted = markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
        std::fs::write(path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        found == wanted,
        "docs/styles.md is stale: run this test with UPDATE_DOCS=1"
    );
}
