use std::collections::BTreeMap;

use proptest::prelude::*;
use quick_xml::events::Event;

use super::*;
use crate::qc::{Check, FileFacts, Measurements, Status};

fn check(id: &str, status: Status, message: &str) -> Check {
    Check {
        id: id.to_owned(),
        status,
        measured: Some(-9.123_456),
        limit: Some("-14.0 ± 0.5".to_owned()),
        unit: "LUFS".to_owned(),
        message: message.to_owned(),
        region: None,
        time_s: None,
    }
}

/// Two songs: one failed a check, one broke.
fn report(name: &str) -> Report {
    let mut measurements = Measurements {
        integrated_lufs: Some(-9.1),
        true_peak_dbtp: Some(-0.96),
        ..Measurements::default()
    };
    let reason = "the file is mono".to_owned();
    measurements
        .missing
        .insert("correlation".to_owned(), reason);
    let render = Render {
        path: format!("{name}/{name}.wav"),
        sha256: "00".repeat(32),
        file: FileFacts {
            format: "wav".to_owned(),
            sample_rate: 48_000,
            bit_depth: Some(24),
            float: false,
            channels: 2,
            frames: 4_005_888,
            duration_s: 83.456,
        },
        measurements: measurements.clone(),
        checks: vec![
            check(
                "loudness.integrated",
                Status::Failed,
                "integrated loudness is -9.1 LUFS",
            ),
            check("peak.true", Status::Passed, "true peak is fine"),
            check("defect.dc", Status::Warned, "DC offset"),
            check("stereo.width", Status::Skipped, "the file is mono"),
        ],
        regions: vec![Region {
            name: "Chorus".to_owned(),
            start_s: 10.0,
            end_s: 20.0,
            measurements,
            findings: vec![check("loudness.short_term", Status::Failed, "too loud")],
        }],
    };
    let song = Project {
        name: name.to_owned(),
        line: 3,
        style: "synthwave".to_owned(),
        spec: "spotify".to_owned(),
        engine: Some(EngineRef {
            kind: EngineKind::Embedded,
            version: "0.1.0".to_owned(),
            approximation: None,
        }),
        outcome: Outcome::Failed,
        duration_s: 1.234_567,
        error: None,
        roles: Vec::new(),
        unmatched: vec!["Scratch".to_owned()],
        master_passes: Vec::new(),
        notes: vec!["reverb is a model".to_owned()],
        renders: vec![render],
    };
    let broken = Project {
        name: "broken".to_owned(),
        outcome: Outcome::Errored,
        error: Some(Failure {
            code: "media.unreadable".to_owned(),
            stage: "configure_tracks".to_owned(),
            message: format!("cannot read `{name}.wav`"),
        }),
        renders: Vec::new(),
        notes: Vec::new(),
        unmatched: Vec::new(),
        ..song.clone()
    };
    Report {
        schema: SCHEMA_VERSION,
        tool: Tool {
            name: "reaper-batch".to_owned(),
            version: "0.1.0".to_owned(),
        },
        job: JobRef {
            name: name.to_owned(),
            path: "album.toml".to_owned(),
            sha256: "11".repeat(32),
        },
        outcome: Outcome::Errored,
        totals: Totals {
            projects: 2,
            passed: 0,
            failed: 1,
            errored: 1,
            skipped: 0,
        },
        projects: vec![song, broken],
    }
}

#[test]
fn json_reads_back_to_the_same_report() {
    let before = report("neon");
    let text = json(&before);
    assert_eq!(from_json(&text).unwrap(), before);
    assert_eq!(json(&from_json(&text).unwrap()), text);
    assert!(text.ends_with("}\n"));
}

#[test]
fn json_says_null_and_why() {
    let value: serde_json::Value = serde_json::from_str(&json(&report("neon"))).unwrap();
    let readings = &value["projects"][0]["renders"][0]["measurements"];
    assert!(readings["correlation"].is_null());
    assert_eq!(readings["missing"]["correlation"], "the file is mono");
}

#[test]
fn reports_of_other_versions_are_refused() {
    let text = json(&report("neon")).replacen("\"schema\": 1", "\"schema\": 2", 1);
    assert!(from_json(&text).unwrap_err().contains("version 2"));
    assert!(from_json("{}").unwrap_err().contains("`schema`"));
}

#[test]
fn the_schema_accepts_the_report() {
    let schema = schema();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&json(&report("neon"))).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    value["outcome"] = "fine".into();
    assert!(!validator.is_valid(&value));
}

/// Reads XML as strictly as the standard asks: legal characters only, tags
/// in pairs. Returns how often each element begins.
fn elements(xml: &str) -> BTreeMap<String, usize> {
    for c in xml.chars() {
        let legal = matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            || c >= '\u{10000}';
        assert!(legal, "U+{:04X} is not a character of XML", u32::from(c));
    }
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut counts = BTreeMap::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    attribute.unwrap();
                }
                let name = tag.name();
                let name = str::from_utf8(name.as_ref()).unwrap();
                *counts.entry(name.to_owned()).or_default() += 1;
            }
            Event::Eof => return counts,
            _ => {}
        }
    }
}

#[test]
fn junit_has_a_suite_per_project_and_a_case_per_check() {
    let xml = junit(&report("neon"));
    let counts = elements(&xml);
    assert_eq!(counts["testsuite"], 2);
    assert_eq!(counts["testcase"], 6, "four checks, a finding, an error");
    assert_eq!(counts["failure"], 2);
    assert_eq!(counts["error"], 1);
    assert_eq!(counts["skipped"], 1);
    assert!(
        xml.contains(r#"tests="6" skipped="1" failures="2" errors="1""#),
        "{xml}"
    );
    assert!(
        xml.contains(r#"value="-9.123""#),
        "three decimals at most: {xml}"
    );
    assert!(xml.contains(r#"time="1.235""#), "{xml}");
}

#[test]
fn odd_names_survive_everywhere() {
    let name = "a\u{1}b\u{1b}[31m \"q\" <x> & 'y' ]]> 🎹 \u{202e}عربي|`c`\n#";
    let report = report(name);
    elements(&junit(&report));
    let table = console(&report, false);
    assert!(
        !table.contains('\u{1b}') && !table.contains('\u{1}'),
        "{table}"
    );
    assert!(
        !table.contains('\u{202e}'),
        "a name cannot turn the line around"
    );
    let summary = markdown(&report);
    assert!(summary.chars().all(|c| c == '\n' || !c.is_control()));
    // Between backticks everything is literal.
    let outside: String = summary.split('`').step_by(2).collect();
    assert!(
        !outside.contains("<x>") && outside.contains("&lt;x&gt;"),
        "{summary}"
    );
    assert_eq!(from_json(&json(&report)).unwrap(), report);
}

#[test]
fn colour_only_when_asked() {
    let report = report("neon");
    assert!(!console(&report, false).contains('\u{1b}'));
    assert!(console(&report, true).contains('\u{1b}'));
}

#[test]
fn the_console_shows_readings_and_what_failed() {
    let text = console(&report("neon"), false);
    insta::assert_snapshot!(text);
}

#[test]
fn the_summary_is_a_table_and_a_list() {
    let text = markdown(&report("neon"));
    insta::assert_snapshot!(text);
}

#[test]
fn a_long_summary_is_cut_at_a_line() {
    let mut report = report("neon");
    let song = report.projects[0].clone();
    report.projects = vec![song; 4000];
    let text = markdown(&report);
    assert!(text.len() < 1 << 20);
    assert!(text.ends_with("(cut: the whole list is in report.json)\n"));
}

#[test]
fn annotations_are_few_and_escaped() {
    let mut report = report("a, b: 100 %");
    let text = github(&report, "jobs/album.toml");
    assert!(
        text.starts_with(
            "::error file=jobs/album.toml,line=3,title=a%2C b%3A 100 %25%3A loudness.integrated::"
        ),
        "{text}"
    );
    let song = report.projects[0].clone();
    report.projects = vec![song; 50];
    let text = github(&report, "job.toml");
    let errors = text
        .lines()
        .filter(|line| line.starts_with("::error"))
        .count();
    assert_eq!(errors, 10);
    assert!(text.contains("and 91 more"), "{text}");
}

#[test]
fn files_are_written_whole_and_readable() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/out");
    write_all(&report("neon"), &out).unwrap();
    write_all(&report("neon"), &out).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["junit.xml", "report.json", "summary.md"]);
    let text = std::fs::read_to_string(out.join("report.json")).unwrap();
    assert_eq!(from_json(&text).unwrap(), report("neon"));
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = write_all(&report("neon"), &file.join("out")).unwrap_err();
    assert!(error.to_string().contains("out"), "{error}");
}

proptest! {
    #[test]
    fn any_name_gives_strict_xml(name in "\\PC*|[\\x00-\\x20\"'<>&\u{fffe}\u{ffff}]*") {
        let counts = elements(&junit(&report(&name)));
        prop_assert_eq!(counts["testcase"], 6);
    }
}
