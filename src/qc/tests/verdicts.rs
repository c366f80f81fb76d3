//! Every check fires on its defect and stays quiet without it.

use super::{
    super::{Check, Spec, Status, judge, judge_report, specs},
    Signal, span,
};

fn clean() -> Signal {
    // Fades make the end quiet; the level is -23 LUFS.
    let frames = 4 * 48_000;
    Signal::stereo()
        .tone(4.0, 1000.0, -23.0)
        .map(|n, x| x * (n.min(frames - 1 - n).min(4800) as f32 / 4800.0))
}

fn r128() -> Spec {
    specs::find("ebu-r128").expect("a preset")
}

fn failing(signal: &Signal, spec: &Spec) -> Vec<String> {
    let checks = judge_report(&signal.report(&[], 4096), spec);
    let bad = checks.into_iter().filter(|c| c.status != Status::Passed);
    bad.map(|check| check.id).collect()
}

fn check(signal: &Signal, spec: &Spec, id: &str) -> Check {
    let checks = judge_report(&signal.report(&[], 4096), spec);
    checks
        .into_iter()
        .find(|check| check.id == id)
        .expect("the check is there")
}

#[test]
fn clean_material_passes_everything() {
    assert_eq!(failing(&clean(), &r128()), Vec::<String>::new());
}

#[test]
fn each_defect_fires_exactly_its_check() {
    let mid = 2 * 48_000;
    let clipped = clean().map(|n, x| if (mid..mid + 3).contains(&n) { 1.0 } else { x });
    let spec = Spec {
        true_peak_max_dbtp: None,
        integrated: None,
        ..r128()
    };
    assert_eq!(failing(&clipped, &spec), ["defect.clipping"]);
    let almost = clean().map(|n, x| if (mid..mid + 2).contains(&n) { 1.0 } else { x });
    assert_eq!(failing(&almost, &spec), Vec::<String>::new());
    let dc = clean().map(|n, x| {
        let edge = n.min(4 * 48_000 - 1 - n).min(4800) as f32 / 4800.0;
        x + 0.02 * edge
    });
    assert_eq!(failing(&dc, &spec), ["defect.dc"]);
    let gap = clean().silence(3.5);
    let mut gap = gap;
    for (channel, more) in gap.channels.iter_mut().zip(clean().channels) {
        channel.extend(more);
    }
    assert_eq!(failing(&gap, &spec), ["defect.silence"]);
    let cut = Signal::stereo().tone(4.0, 1000.0, -23.0);
    assert_eq!(failing(&cut, &spec), ["defect.ends_loud"]);
    let mut opposed = clean();
    opposed.channels[1].iter_mut().for_each(|x| *x = -*x);
    assert_eq!(failing(&opposed, &spec), ["defect.phase"]);
    let mut broken = clean();
    broken.channels[0][mid] = f32::NAN;
    let non_finite = check(&broken, &r128(), "defect.non_finite");
    assert_eq!(non_finite.status, Status::Failed);
    assert_eq!(
        check(&broken, &r128(), "loudness.integrated").status,
        Status::Skipped
    );
}

#[test]
fn targets_fail_with_the_distance_and_the_next_step() {
    let loud = clean().map(|_, x| x * 5.0);
    let verdict = check(&loud, &r128(), "loudness.integrated");
    assert_eq!(verdict.status, Status::Failed);
    assert!(
        verdict
            .message
            .contains("the target is -23.0 ± 0.2 LUFS: lower the master by 1"),
        "{}",
        verdict.message
    );
    let spotify = specs::find("spotify").expect("a preset");
    assert_eq!(
        check(&clean(), &spotify, "loudness.integrated").status,
        Status::Warned
    );
    let hot = clean().map(|_, x| x * 14.0);
    assert_eq!(check(&hot, &r128(), "peak.true").status, Status::Failed);
    assert!(check(&hot, &r128(), "peak.true").time_s.is_some());
    let short = Spec {
        short_term_max_lufs: Some(-30.0),
        ..r128()
    };
    assert_eq!(
        check(&clean(), &short, "loudness.short_term").status,
        Status::Failed
    );
    let range = Spec {
        loudness_range_max_lu: Some(5.0),
        ..r128()
    };
    let wide = clean().tone(10.0, 1000.0, -40.0);
    assert_eq!(
        check(&wide, &range, "loudness.range").status,
        Status::Failed
    );
    let acx = specs::find("acx").expect("a preset");
    assert_eq!(check(&hot, &acx, "level.rms").status, Status::Failed);
    assert_eq!(
        check(&clean(), &acx, "format.sample_rate").status,
        Status::Failed
    );
    assert_eq!(check(&hot, &acx, "peak.sample").status, Status::Failed);
    assert_eq!(check(&clean(), &acx, "peak.sample").status, Status::Passed);
}

#[test]
fn ends_of_a_range_are_inside_and_values_are_not_rounded() {
    let mut read = clean().read();
    let facts = clean().facts();
    let spec = r128();
    let mut verdict = |lufs: f64, dbtp: f64| {
        read.integrated_lufs = Some(lufs);
        read.true_peak_dbtp = Some(dbtp);
        let checks = judge(&read, &facts, &spec, None);
        let of = |id: &str| {
            let check = checks
                .iter()
                .find(|check| check.id == id)
                .expect("it is there");
            (check.status, check.message.clone())
        };
        (of("loudness.integrated"), of("peak.true"))
    };
    let (integrated, peak) = verdict(-23.2, -1.0);
    assert_eq!((integrated.0, peak.0), (Status::Passed, Status::Passed));
    let (integrated, peak) = verdict(-23.21, -0.96);
    assert_eq!((integrated.0, peak.0), (Status::Failed, Status::Failed));
    assert!(integrated.1.contains("-23.21 LUFS"), "{}", integrated.1);
    assert!(peak.1.contains("-0.96 dBTP"), "{}", peak.1);
}

#[test]
fn skipped_is_not_passed_and_silence_fails() {
    let short = Signal::stereo().tone(0.2, 1000.0, -23.0);
    let verdict = check(&short, &r128(), "loudness.integrated");
    assert_eq!(verdict.status, Status::Skipped);
    assert!(verdict.message.contains("400 ms"), "{}", verdict.message);
    let silent = Signal::stereo().silence(5.0);
    assert_eq!(
        check(&silent, &r128(), "defect.silence").status,
        Status::Failed
    );
    assert_eq!(
        check(&Signal::stereo(), &r128(), "defect.silence").status,
        Status::Failed
    );
}

#[test]
fn truncated_files_fail() {
    let mut report = clean().report(&[], 4096);
    report.declared_frames = Some(report.file.frames + 1);
    let checks = judge_report(&report, &r128());
    let check = checks
        .iter()
        .find(|c| c.id == "format.complete")
        .expect("it is there");
    assert_eq!(check.status, Status::Failed);
    assert!(
        check.message.contains("192001 frames, only 192000"),
        "{}",
        check.message
    );
}

#[test]
fn regions_report_findings_but_no_loudness_target() {
    let mid = 2 * 48_000;
    let clipped = clean().map(|n, x| if (mid..mid + 9).contains(&n) { 1.0 } else { x });
    let spans = [span("verse", 0.5, 1.5), span("chorus", 1.5, 3.0)];
    let checks = judge_report(&clipped.report(&spans, 4096), &r128());
    let of = |region: &str| -> Vec<&str> {
        let region = checks
            .iter()
            .filter(|c| c.region.as_deref() == Some(region));
        let failed = region.filter(|c| c.status == Status::Failed);
        failed.map(|c| c.id.as_str()).collect()
    };
    assert_eq!(of("verse"), Vec::<&str>::new());
    assert_eq!(of("chorus"), ["peak.true", "defect.clipping"]);
    assert!(
        !checks
            .iter()
            .any(|c| c.region.is_some() && c.id == "loudness.integrated")
    );
}
