//! Arguments, streams, exit codes.

use std::path::Path;

use crate::harness::Case;

const BAD_JOB: &str = r#"name = "Night Drive"
stlye = "techno"
style = "synthwav"

[[project]]
name = "neon"
stems = "stems/neno"

[[project.step]]
command = { name = "track_set_mut" }
"#;

const GOOD_JOB: &str = r#"name = "Night Drive"
style = "synthwave"

[[project]]
name = "neon"
stems = "stems/neon"
"#;

#[test]
fn a_bad_job_shows_every_problem_and_runs_nothing() {
    let case = Case::new()
        .tone("stems/neon/kick.wav")
        .file("album.toml", BAD_JOB);
    let ran = case.run(&["plan", "album.toml"]).code(2);
    assert_eq!(ran.stdout, "", "stdout is for results");
    insta::with_settings!({ snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("bad_job_human", ran.stderr);
    });
    let short = case
        .run(&["plan", "album.toml", "--message-format", "short"])
        .code(2);
    insta::with_settings!({ snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("bad_job_short", short.stderr);
    });
}

#[test]
fn json_lines_own_stdout() {
    let case = Case::new()
        .tone("stems/neon/kick.wav")
        .file("album.toml", BAD_JOB);
    let ran = case
        .run(&["plan", "album.toml", "--message-format", "json-lines"])
        .code(2);
    let lines = ran.json_lines();
    let codes: Vec<&str> = lines
        .iter()
        .map(|line| line["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["RB0103", "RB0110", "RB0120", "RB0112"]);
    assert_eq!(lines[1]["help"], "did you mean `synthwave`?");
    assert_eq!(lines[1]["span"]["line"], 3);

    let case = case.file("good.toml", GOOD_JOB);
    let ran = case
        .run(&["plan", "good.toml", "--message-format", "json-lines"])
        .code(0);
    let lines = ran.json_lines();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["job"]["projects"][0]["style"], "synthwave");
}

#[test]
fn a_plan_writes_nothing() {
    let case = Case::new()
        .tone("stems/neon/kick.wav")
        .file("album.toml", GOOD_JOB);
    let ran = case.run(&["plan", "album.toml"]).code(0);
    insta::with_settings!({ snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("plan", ran.stdout);
    });
    let mut names: Vec<_> = std::fs::read_dir(case.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["album.toml", "stems"]);
}

#[test]
fn usage_errors_are_2_and_help_is_0() {
    let case = Case::new();
    case.run(&[]).code(2);
    case.run(&["plan"]).code(2);
    case.run(&["plan", "none.toml"]).code(2);
    case.run(&["frobnicate"]).code(2);
    let ran = case.run(&["--help"]).code(0);
    assert!(ran.stdout.contains("Exit codes:"), "{}", ran.stdout);
    case.run(&["--version"]).code(0);
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let case = Case::new();
    let check = |args: &[&str], expected: &str| {
        let ran = case.run(args).code(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    };
    check(&["styles", "synthwav"], "did you mean `synthwave`?");
    check(&["specs", "spotfy"], "did you mean `spotify`?");
    check(
        &["commands", "track_set_mut"],
        "did you mean `track_set_mute`?",
    );
}

#[test]
fn listings_are_text_or_json() {
    let case = Case::new();
    for list in ["styles", "specs", "commands"] {
        let text = case.run(&[list]).code(0).stdout;
        assert!(text.lines().count() > 10, "{text}");
        let lines = case
            .run(&[list, "--message-format", "json-lines"])
            .code(0)
            .json_lines();
        assert!(lines.len() > 10);
        assert!(lines.iter().all(|line| line["type"].is_string()));
    }
    let style = case.run(&["styles", "synthwave"]).code(0).stdout;
    assert!(style.contains("integrated_lufs"), "{style}");
}

#[test]
fn check_measures_and_judges() {
    let case = Case::new().tone("tone.wav").file("text.wav", "not audio");
    let ran = case
        .run(&["check", "tone.wav", "--spec", "ebu-r128"])
        .code(0);
    // A 997 Hz sine at -20 dBFS on one channel reads -23.0 LUFS: -20.0 dB of
    // amplitude, -3.01 dB to RMS, and +0.69 dB of K weighting less 0.691.
    assert!(ran.stdout.contains("-23.0 LUFS"), "{}", ran.stdout);
    case.run(&["check", "tone.wav", "--spec", "ebu-r128-s2"])
        .code(1);
    let quiet = case.run(&["check", "tone.wav"]).code(0);
    assert!(quiet.stderr.contains("no target given"), "{}", quiet.stderr);

    case.run(&["check", "missing.wav"]).code(3);
    let both = case.run(&["check", "missing.wav", "tone.wav"]).code(3);
    assert!(
        both.stdout.contains("tone.wav"),
        "one bad file does not stop the rest"
    );
    case.run(&["check", "text.wav"]).code(3);
    case.run(&["check", "tone.wav", "--spec", "spotfy"]).code(2);

    let json = case.run(&["check", "tone.wav", "--message-format", "json-lines"]);
    let lines = json.json_lines();
    let lufs = lines[0]["measurements"]["integrated_lufs"]
        .as_f64()
        .unwrap();
    assert!((lufs + 23.0).abs() < 0.05, "{lufs}");
}

#[test]
fn colour_is_for_those_who_ask() {
    let case = Case::new().file("album.toml", BAD_JOB);
    let plain = case.run(&["plan", "album.toml"]);
    assert!(!plain.stderr.contains('\u{1b}'));
    let coloured = case.run(&["plan", "album.toml", "--color", "always"]);
    assert!(coloured.stderr.contains('\u{1b}'));
    let case = case.env("NO_COLOR", "1");
    assert!(!case.run(&["plan", "album.toml"]).stderr.contains('\u{1b}'));
}

#[test]
fn the_schema_accepts_the_example_jobs() {
    let case = Case::new();
    let schema = case.run(&["schema", "job"]).code(0).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs");
    let mut count = 0;
    for entry in std::fs::read_dir(jobs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
        count += 1;
    }
    assert!(count > 0);
    let report = case.run(&["schema", "report"]).code(0).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(jsonschema::draft7::new(&report).is_ok());
}

#[test]
fn init_writes_a_job_that_plans_and_never_overwrites() {
    let case = Case::new()
        .tone("album/one/kick.wav")
        .tone("album/two \"b\"/snare.wav");
    case.run(&["init", "album"]).code(0);
    let text = std::fs::read_to_string(case.path().join("job.toml")).unwrap();
    assert!(text.starts_with("#:schema ./job.schema.json\n"), "{text}");
    let again = case.run(&["init", "album"]).code(2);
    assert!(again.stderr.contains("left alone"), "{}", again.stderr);
    assert_eq!(
        std::fs::read_to_string(case.path().join("job.toml")).unwrap(),
        text
    );
    // The quote in the second name cannot be part of a folder on all systems.
    let plan = case.run(&["plan", "job.toml"]).code(2);
    assert!(plan.stderr.contains("RB0132"), "{}", plan.stderr);

    let case = Case::new().tone("album/kick.wav");
    case.run(&["init", "album", "--style", "synthwave"]).code(0);
    let plan = case.run(&["plan", "job.toml"]).code(0);
    assert!(plan.stdout.contains("import 1 stem"), "{}", plan.stdout);
    case.run(&["init", "nowhere"]).code(3);
}

#[test]
fn completions_and_manual_pages_name_the_commands() {
    let case = Case::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = case.run(&["completions", shell]).code(0).stdout;
        assert!(script.contains("completions"), "{shell}");
    }
    let page = case.run(&["man"]).code(0).stdout;
    assert!(page.contains(".TH"), "{page}");
    case.run(&["man", "pages"]).code(0);
    assert!(case.path().join("pages/reaper-batch-plan.1").is_file());
}

#[test]
fn a_report_is_shown_in_every_form() {
    let report = r#"{"schema":1,"tool":{"name":"reaper-batch","version":"0"},
        "job":{"name":"j","path":"j.toml","sha256":""},"outcome":"errored",
        "totals":{"projects":1,"passed":0,"failed":0,"errored":1,"skipped":0},
        "projects":[{"name":"neon","line":1,"style":"techno","spec":"style","engine":null,
        "outcome":"errored","duration_s":0.5,"error":{"code":"engine.died","stage":"render",
        "message":"the host is gone"},"roles":[],"unmatched":[],"master_passes":[],"notes":[],
        "renders":[]}]}"#;
    let case = Case::new()
        .file("out/report.json", report)
        .file("bad.json", "{}");
    for format in ["table", "markdown", "junit", "json"] {
        let ran = case
            .run(&["report", "show", "out", "--format", format])
            .code(0);
        assert!(
            ran.stdout.contains("the host is gone"),
            "{format}: {}",
            ran.stdout
        );
    }
    let bad = case.run(&["report", "show", "bad.json"]).code(3);
    assert!(bad.stderr.contains("`schema`"), "{}", bad.stderr);
}

#[test]
fn generated_files_are_up_to_date() {
    for (path, text) in reaper_batch::cli::generated() {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let found = std::fs::read_to_string(&place).unwrap_or_default();
        assert!(
            found == text,
            "`{path}` is stale: run `cargo xtask codegen`"
        );
    }
}

#[test]
fn nothing_runs_without_a_job_a_song_or_an_engine() {
    let case = Case::new()
        .tone("stems/neon/kick.wav")
        .file("bad.toml", BAD_JOB)
        .file("good.toml", GOOD_JOB);
    case.run(&["run", "bad.toml"]).code(2);
    let none = case.run(&["run", "good.toml", "--only", "noen"]).code(4);
    assert!(
        none.stderr.contains("did you mean `neon`?"),
        "{}",
        none.stderr
    );
    let reaper = case.run(&[
        "run",
        "good.toml",
        "--engine",
        "reaper",
        "--reaper",
        "nowhere",
    ]);
    let reaper = reaper.code(3);
    assert!(
        reaper.stderr.contains("no REAPER at `nowhere`"),
        "{}",
        reaper.stderr
    );
    assert!(!case.path().join("out").exists());
}

#[test]
fn a_variable_set_to_nothing_is_not_set() {
    let case = Case::new()
        .tone("stems/neon/kick.wav")
        .file("good.toml", GOOD_JOB)
        .env("REAPER_BATCH_REAPER", "")
        .env("REAPER_BATCH_ENGINE", "")
        .env("REAPER_BATCH_OUT", "")
        .env("REAPER_BATCH_START_TIMEOUT", "");
    case.run(&["run", "good.toml", "--only", "none"]).code(4);
    case.run(&["doctor"]).code(0);
    let case = case.env("REAPER_BATCH_FROZEN_AFTER", "soon");
    case.run(&["run", "good.toml", "--only", "none"]).code(2);
}

#[test]
fn doctor_says_what_would_be_used() {
    let case = Case::new();
    let ran = case.run(&["doctor", "--engine", "embedded"]).code(0);
    assert!(
        ran.stdout.contains("embedded host would be used"),
        "{}",
        ran.stdout
    );
    let ran = case
        .run(&["doctor", "--engine", "reaper", "--reaper", "nowhere"])
        .code(3);
    assert!(ran.stdout.contains("fail"), "{}", ran.stdout);
}
