//! The report as JUnit XML: a suite is a project, a case is a check of a file
//! or region. A missed target is a failure, a project that could not be
//! finished an error.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{Outcome, Project, Render, Report, numbers::printable};
use crate::qc::{Check, Status};
use crate::units::decimal_text;

/// XML text. Control characters of names are replaced, numbers have at most
/// three decimals, and every case has one outcome.
pub fn junit(report: &Report) -> String {
    let mut junit = quick_junit::Report::new(printable(&report.job.name));
    for project in &report.projects {
        junit.add_test_suite(suite(project));
    }
    // Writing XML into memory cannot fail: all text was made printable.
    junit.to_string().unwrap_or_default()
}

fn suite(project: &Project) -> TestSuite {
    let mut suite = TestSuite::new(printable(&project.name));
    suite.set_time(Duration::from_millis(millis(project.duration_s)));
    suite.add_property(property("style", &project.style));
    suite.add_property(property("spec", &project.spec));
    if let Some(engine) = &project.engine {
        let kind = match engine.kind {
            super::EngineKind::Embedded => "embedded",
            super::EngineKind::Reaper => "reaper",
        };
        suite.add_property(property("engine", &format!("{kind} {}", engine.version)));
    }

    for render in &project.renders {
        for check in &render.checks {
            suite.add_test_case(case(render, check, check.region.as_deref()));
        }
        for region in &render.regions {
            for finding in &region.findings {
                suite.add_test_case(case(render, finding, Some(&region.name)));
            }
        }
    }
    if let Some(error) = &project.error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type(printable(&error.code));
        status.set_message(printable(&error.message));
        let mut case = TestCase::new(format!("step {}", printable(&error.stage)), status);
        case.set_classname(printable(&project.name));
        suite.add_test_case(case);
    } else if project.outcome == Outcome::Incomplete {
        let mut status = TestCaseStatus::skipped();
        status.set_message("the run ended before this project was finished");
        let mut case = TestCase::new("project", status);
        case.set_classname(printable(&project.name));
        suite.add_test_case(case);
    }
    suite
}

fn case(render: &Render, check: &Check, region: Option<&str>) -> TestCase {
    let mut status = match check.status {
        Status::Passed | Status::Warned => TestCaseStatus::success(),
        Status::Skipped => TestCaseStatus::skipped(),
        Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
    };
    match check.status {
        Status::Failed => {
            status.set_type(printable(&check.id));
            status.set_message(printable(&check.message));
        }
        Status::Skipped => {
            status.set_message(printable(&check.message));
        }
        Status::Passed | Status::Warned => {}
    }

    let mut case = TestCase::new(printable(&check.id), status);
    let place = match region {
        Some(region) => format!("{} / {region}", render.path),
        None => render.path.clone(),
    };
    case.set_classname(printable(&place));
    case.set_time(Duration::ZERO);
    if let Some(measured) = check.measured.filter(|value| value.is_finite()) {
        case.add_property(property("measured", &decimal_text(measured, 3)));
    }
    if let Some(limit) = &check.limit {
        case.add_property(property("limit", limit));
    }
    if !check.unit.is_empty() {
        case.add_property(property("unit", &check.unit));
    }
    if let Some(time) = check.time_s.filter(|value| value.is_finite()) {
        case.add_property(property("time_s", &decimal_text(time, 3)));
    }
    if check.status == Status::Warned {
        case.set_system_out(format!("warning: {}", printable(&check.message)));
    }
    case
}

fn property(name: &str, value: &str) -> Property {
    Property::new(name, printable(value))
}

fn millis(seconds: f64) -> u64 {
    // The cast saturates, and NaN becomes 0.
    (seconds * 1000.0).round() as u64
}
