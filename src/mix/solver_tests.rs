use super::*;

const SOLVER: Solver = Solver {
    target_lufs: -10.0,
    ceiling_dbtp: -1.0,
    max_passes: 6,
    max_limiting_db: 100.0,
    drive_range_db: (-13.0, 40.0),
};

/// Loudness of a mix at `start` LUFS through a limiter that takes more the
/// harder it is driven: the knee begins where `drive` passes `room`, and the
/// loudness never passes `room + start + height`.
fn limited(start: f64, room: f64, height: f64) -> impl Fn(f64) -> f64 {
    move |drive| {
        if drive <= room {
            start + drive
        } else {
            start + room + height * (1.0 - (-(drive - room) / height).exp())
        }
    }
}

/// Drives a simulated master until the solver stops.
fn run(
    solver: &Solver,
    mix_lufs: Option<f64>,
    curve: &dyn Fn(f64) -> f64,
    overshoot_db: f64,
) -> (Vec<Pass>, Decision) {
    let mut passes = Vec::new();
    let mut decision = solver.first(mix_lufs);
    loop {
        let Decision::Try {
            drive_db,
            ceiling_db,
        } = decision
        else {
            return (passes, decision);
        };
        assert!(passes.len() < solver.max_passes, "{passes:?}");
        // A lower ceiling takes a third of its step from the loudness.
        let lufs = curve(drive_db) + (ceiling_db - solver.ceiling_dbtp) / 3.0;
        passes.push(Pass {
            drive_db,
            ceiling_db,
            integrated_lufs: Some(lufs),
            true_peak_dbtp: Some(ceiling_db + overshoot_db),
            limiting_db: Some(curve(-40.0) + 40.0 + drive_db - curve(drive_db)),
        });
        decision = solver.next(&passes);
    }
}

#[test]
fn a_limiter_that_does_nothing_takes_one_pass() {
    let (passes, decision) = run(&SOLVER, Some(-20.0), &|drive| -20.0 + drive, -1.0);
    assert_eq!(passes.len(), 1);
    assert_eq!(decision, Decision::Reached { best: 0 });
}

#[test]
fn without_a_first_reading_it_takes_one_more() {
    let (passes, decision) = run(&SOLVER, None, &|drive| -20.0 + drive, -1.0);
    assert_eq!(passes.len(), 2);
    assert_eq!(decision, Decision::Reached { best: 1 });
}

#[test]
fn a_soft_limiter_takes_about_three() {
    let curve = limited(-20.0, 6.0, 9.0);
    let (passes, decision) = run(&SOLVER, Some(-20.0), &curve, -0.1);
    assert!(matches!(decision, Decision::Reached { .. }), "{passes:?}");
    assert!(passes.len() <= 4, "{passes:?}");
}

#[test]
fn an_overshoot_lowers_the_ceiling_by_itself_and_a_margin() {
    let (passes, decision) = run(&SOLVER, Some(-20.0), &|drive| -20.0 + drive, 0.3);
    assert!((passes[1].ceiling_db - -1.35).abs() < 1e-9);
    let Decision::Reached { best } = decision else {
        panic!("{decision:?}")
    };
    assert!(passes[best].true_peak_dbtp.unwrap() <= -1.0);
}

#[test]
fn a_saturated_limiter_is_told_with_its_distance() {
    let curve = limited(-20.0, 4.0, 2.0);
    let (passes, decision) = run(&SOLVER, Some(-20.0), &curve, -0.1);
    let Decision::Unreachable { best, reason } = decision else {
        panic!("{decision:?}")
    };
    assert!(reason.contains("saturated"), "{reason}");
    assert!(passes[best].integrated_lufs.unwrap() < -13.5);
}

#[test]
fn the_limit_on_limiting_is_kept() {
    let solver = Solver {
        max_limiting_db: 3.0,
        ..SOLVER
    };
    let curve = limited(-22.0, 4.0, 8.0);
    let (passes, decision) = run(&solver, Some(-22.0), &curve, -0.1);
    let Decision::Unreachable { best, reason } = decision else {
        panic!("{decision:?}")
    };
    assert!(reason.contains("limiting"), "{reason}");
    assert!(passes[best].limiting_db.unwrap() <= 3.0);
    assert!(passes[best].limiting_db.unwrap() > 1.5, "{passes:?}");
}

#[test]
fn a_mix_that_is_too_loud_for_the_limiter_is_told() {
    let (_, decision) = run(&SOLVER, Some(9.0), &|drive| 9.0 + drive, -0.1);
    let Decision::Unreachable { reason, .. } = decision else {
        panic!("{decision:?}")
    };
    assert!(reason.contains("lower the mix"), "{reason}");
}

#[test]
fn silence_is_no_endless_search() {
    let silent = Pass {
        drive_db: 0.0,
        ceiling_db: -1.0,
        integrated_lufs: None,
        true_peak_dbtp: None,
        limiting_db: None,
    };
    let decision = SOLVER.next(&[silent]);
    assert!(matches!(decision, Decision::Unreachable { .. }));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

    /// Whatever the limiter's curve, the search ends within its passes; a
    /// target that lies clearly under where the curve goes flat is met.
    #[test]
    fn monotone_curves_converge_or_are_told(
        start in -45.0f64..-8.0,
        room in 0.0f64..20.0,
        height in 0.5f64..15.0,
        target in -24.0f64..-5.0,
        known in proptest::bool::ANY,
        overshoot in -1.0f64..0.6,
    ) {
        let solver = Solver { target_lufs: target, max_passes: 8, ..SOLVER };
        let curve = limited(start, room, height);
        let (passes, decision) = run(&solver, known.then_some(start), &curve, overshoot);
        proptest::prop_assert!(passes.len() <= 8);
        // Where the curve still gives 0.3 LU for a dB of drive.
        let reach = start + room + 0.7 * height - 0.5;
        let lowest = curve(-13.0);
        match decision {
            Decision::Reached { best } => {
                let found = passes[best].integrated_lufs.unwrap();
                proptest::prop_assert!((found - target).abs() <= TOLERANCE_LU);
                proptest::prop_assert!(passes[best].true_peak_dbtp.unwrap() <= solver.ceiling_dbtp);
            }
            Decision::Unreachable { reason, .. } => {
                proptest::prop_assert!(target > reach || target < lowest + 0.5, "{} {:?}", reason, passes);
            }
            Decision::Try { .. } => proptest::prop_assert!(false),
        }
    }
}

/// The typical number of passes over many curves.
#[test]
fn three_passes_are_typical() {
    let mut total = 0;
    let mut runs = 0;
    for start in [-24.0, -20.0, -17.0] {
        for room in [2.0, 5.0, 8.0, 12.0] {
            for height in [6.0, 10.0, 14.0] {
                let curve = limited(start, room, height);
                if curve(20.0) < -9.0 {
                    continue;
                }
                let (passes, decision) = run(&SOLVER, Some(start + 0.4), &curve, 0.1);
                assert!(matches!(decision, Decision::Reached { .. }), "{passes:?}");
                total += passes.len();
                runs += 1;
            }
        }
    }
    let mean = total as f64 / f64::from(runs);
    assert!(mean <= 3.5, "{mean} passes in the mean of {runs}");
}

/// A pass whose ceiling came down for an overshoot is quieter for that alone;
/// it does not show that the limiter has nothing left to give.
#[test]
fn a_lower_ceiling_is_no_sign_of_saturation() {
    let pass = |drive_db, ceiling_db, lufs, peak| Pass {
        drive_db,
        ceiling_db,
        integrated_lufs: Some(lufs),
        true_peak_dbtp: Some(peak),
        limiting_db: Some(1.5),
    };
    let passes = [pass(12.4, -1.0, -8.8, -0.85), pass(13.2, -1.2, -8.8, -1.05)];
    let solver = Solver {
        target_lufs: -8.0,
        ..SOLVER
    };
    let Decision::Try { drive_db, .. } = solver.next(&passes) else {
        panic!("gave up with 0.2 LU for each dB of drive");
    };
    // 0.2 LU for each dB above the ceiling: four more for 0.8 LU.
    assert!((drive_db - 17.2).abs() < 0.01, "{drive_db}");
}
