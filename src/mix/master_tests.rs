use super::*;
use crate::mix::catalogue;
use crate::mix::fake::{Fake, FakeFx};
use crate::mix::params::Curve;

const OPTIONS: MasterOptions = MasterOptions {
    target_lufs: None,
    ceiling_dbtp: None,
    max_passes: 6,
    max_limiting_db: 20.0,
};

/// Reads the limiter of the fake project and answers as a soft limiter would.
fn listen(fake: &Fake, mix_lufs: f64) -> MasterReading {
    let Some(limiter) = fake.master.fx.last() else {
        return reading(mix_lufs, -6.0);
    };
    assert_eq!(limiter.plugin, "ReaLimit");
    let threshold = Curve::Linear(-60.0, 12.0).quantity(limiter.params[&0]);
    let ceiling = Curve::Linear(-24.0, 0.0).quantity(limiter.params[&1]);
    let drive = ceiling - threshold;
    let over = (drive - 5.0).max(0.0);
    let lufs = mix_lufs + drive.min(5.0) + 10.0 * (1.0 - (-over / 10.0).exp());
    reading(lufs, ceiling + 0.2)
}

fn reading(lufs: f64, peak: f64) -> MasterReading {
    MasterReading {
        integrated_lufs: Some(lufs),
        true_peak_dbtp: Some(peak),
        max_short_term_lufs: Some(lufs + 2.0),
    }
}

/// Runs the loop on a fake whose state the measuring sees through its log.
fn master(fake: &mut Fake, style: &str, options: &MasterOptions, mix_lufs: f64) -> MasterOutcome {
    let first = Some(reading(mix_lufs, -6.0));
    master_from(fake, style, options, mix_lufs, first)
}

fn master_from(
    fake: &mut Fake,
    style: &str,
    options: &MasterOptions,
    mix_lufs: f64,
    first: Option<MasterReading>,
) -> MasterOutcome {
    let style = catalogue::find(style).unwrap();
    let mut measure = |bridge: &mut dyn Bridge| -> Result<MasterReading, String> {
        // What is heard is what the bridge tells of the limiter.
        let scene = Scene::read(&mut Trips::new(bridge)).unwrap();
        let Some(at) = scene.master.fx.last().map(|fx| fx.index) else {
            return Ok(listen(&Fake::default(), mix_lufs));
        };
        let call = Call::new(
            "fx_get_params",
            json!({ "track_index": -1, "fx_index": at }),
        );
        let params = bridge.call(call).unwrap();
        let mut heard = Fake::default();
        heard.master.fx.push(FakeFx {
            plugin: "ReaLimit".into(),
            params: params["params"]
                .as_array()
                .unwrap()
                .iter()
                .map(|param| {
                    (
                        param["index"].as_u64().unwrap(),
                        param["raw"].as_f64().unwrap(),
                    )
                })
                .collect(),
            ..FakeFx::default()
        });
        Ok(listen(&heard, mix_lufs))
    };
    run(fake, style, options, first, &mut measure).unwrap()
}

#[test]
fn target_and_ceiling_are_met_by_measuring() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    let outcome = master(&mut fake, "synthwave", &OPTIONS, -20.0);
    assert!(outcome.reached, "{outcome:?}");
    assert!(outcome.distance_lu.unwrap().abs() <= 0.1);
    assert!(outcome.passes.len() <= 4, "{outcome:?}");
    let best = outcome.passes[outcome.best];
    assert!(best.true_peak_dbtp.unwrap() <= -1.0);
    // The project is left at that pass.
    let found = listen(&fake, -20.0).integrated_lufs.unwrap();
    assert!((found - best.integrated_lufs.unwrap()).abs() < 0.01);
}

#[test]
fn the_chain_has_its_stages_in_order() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    fake.master.fx.push(FakeFx {
        plugin: "JS".into(),
        name: "My meter".into(),
        ..FakeFx::default()
    });
    master(&mut fake, "synthwave", &OPTIONS, -20.0);
    let names: Vec<&str> = fake.master.fx.iter().map(|fx| fx.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "My meter",
            "[MIX] ReaEQ low cut",
            "[MIX] ReaComp glue",
            "[MIX] ReaEQ tone",
            "[MIX] JS Stereo Enhancer",
            "[MIX] ReaLimit"
        ]
    );
    let width = &fake.master.fx[4];
    assert_eq!((width.params[&0], width.params[&2]), (120.0, 120.0));
}

#[test]
fn mastering_again_finds_its_chain() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    let first = master(&mut fake, "synthwave", &OPTIONS, -20.0);
    let chain = fake.master.clone();
    fake.log.clear();
    let second = master(&mut fake, "synthwave", &OPTIONS, -20.0);
    assert_eq!(first.passes, second.passes);
    assert_eq!(fake.master, chain);
    assert!(!fake.log.contains(&"setup_master_chain".to_owned()));
}

#[test]
fn a_target_out_of_reach_is_reported_with_the_distance() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    let options = MasterOptions {
        target_lufs: Some(-4.0),
        ..OPTIONS
    };
    let outcome = master(&mut fake, "synthwave", &options, -20.0);
    assert!(!outcome.reached);
    assert!(outcome.distance_lu.unwrap() < -0.5);
    assert!(outcome.notes[0].contains("out of reach by"), "{outcome:?}");
}

#[test]
fn the_limit_on_limiting_is_kept() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    let options = MasterOptions {
        target_lufs: Some(-9.0),
        max_limiting_db: 2.0,
        ..OPTIONS
    };
    let outcome = master(&mut fake, "synthwave", &options, -20.0);
    assert!(!outcome.reached);
    let best = outcome.passes[outcome.best];
    assert!(best.limiting_db.unwrap() <= 2.0, "{outcome:?}");
    let found = listen(&fake, -20.0).integrated_lufs.unwrap();
    assert!(
        (found - best.integrated_lufs.unwrap()).abs() < 0.01,
        "left at another pass"
    );
}

#[test]
fn a_failed_measurement_names_the_pass() {
    let mut fake = Fake::with_tracks(&["Kick"]);
    let style = catalogue::find("lofi").unwrap();
    let first = Some(reading(-20.0, -6.0));
    let error = run(&mut fake, style, &OPTIONS, first, &mut |_| Err("disk full")).unwrap_err();
    assert_eq!(error.to_string(), "measuring pass 1: disk full");
}

#[test]
fn a_style_without_glue_or_width_has_a_short_chain() {
    let style = catalogue::find("classical_chamber").unwrap();
    let chain = effects(style, None, 0.0, -2.0);
    assert!(chain.iter().all(|effect| effect.plugin != "ReaComp"));
    assert_eq!(chain.last().unwrap().plugin, "ReaLimit");
}

#[test]
fn the_glue_threshold_moves_with_the_mix() {
    let style = catalogue::find("alt_rock").unwrap();
    let threshold = |lufs| {
        let chain = effects(style, Some(lufs), 0.0, -1.0);
        let glue = chain
            .iter()
            .find(|effect| effect.plugin == "ReaComp")
            .unwrap();
        Curve::Amplitude(1.0).quantity(glue.settings[0].value)
    };
    assert!((threshold(-14.0) - -10.0).abs() < 1e-9);
    assert!((threshold(-20.0) - -16.0).abs() < 1e-9);
}

#[test]
fn an_unknown_mix_is_measured_without_its_chain() {
    let mut told = Fake::with_tracks(&["Kick"]);
    let mut untold = Fake::with_tracks(&["Kick"]);
    let first = master(&mut told, "synthwave", &OPTIONS, -20.0);
    for _ in 0..2 {
        let again = master_from(&mut untold, "synthwave", &OPTIONS, -20.0, None);
        assert_eq!(first, again);
        assert_eq!(told.master, untold.master);
    }
}
