//! Whole runs that go well: what is written, and that it is always the same.

use serde_json::Value;

use crate::harness::{Case, outcome_of};

const JOB: &str = r#"name = "Two"
style = "synthwave"
[render]
tail = 0.5
stems = true
[[project]]
name = "one"
stems = "stems/one"
[[project]]
name = "two"
stems = "stems/two"
[project.render]
format = "flac"
"#;

fn two() -> Case {
    Case::new()
        .stems("stems/one", 2)
        .stems("stems/two", 3)
        .file("two.toml", JOB)
}

/// A report without what a clock makes.
fn timeless(mut report: Value) -> Value {
    for project in report["projects"].as_array_mut().unwrap() {
        project["duration_s"] = Value::Null;
    }
    report
}

#[test]
fn the_result_depends_on_neither_threads_nor_workers() {
    let case = two();
    case.run(&[
        "run",
        "two.toml",
        "--out",
        "a",
        "--threads",
        "1",
        "--jobs",
        "1",
    ])
    .code(0);
    case.run(&[
        "run",
        "two.toml",
        "--out",
        "b",
        "--threads",
        "2",
        "--jobs",
        "2",
    ])
    .code(0);
    let (a, b) = (timeless(case.report("a")), timeless(case.report("b")));
    assert_eq!(a["outcome"], "passed");
    let renders = a["projects"][1]["renders"].as_array().unwrap();
    assert_eq!(renders.len(), 4, "the mix and three stems: {renders:?}");
    for render in renders {
        assert_eq!(render["sha256"].as_str().unwrap().len(), 64);
    }
    assert_eq!(a, b);
    assert_eq!(case.files("a"), case.files("b"));
    let left: Vec<String> = case
        .files("a")
        .into_iter()
        .filter(|file| file.contains(".work") || file.ends_with(".tmp"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_second_run_replaces_only_when_allowed() {
    let case = two();
    let args = ["run", "two.toml", "--out", "out", "--only", "one"];
    case.run(&args).code(0);
    let first = case.report("out");
    let again = case.run(&args).code(3);
    assert!(again.stdout.contains("--overwrite"), "{}", again.stdout);
    let overwrite = [&args[..], &["--overwrite"]].concat();
    case.run(&overwrite).code(0);
    assert_eq!(timeless(case.report("out")), timeless(first));
}

#[test]
fn runs_at_once_into_different_folders_do_not_meet() {
    let case = two();
    let a = case.start(&["run", "two.toml", "--out", "a"]);
    let b = case.start(&["run", "two.toml", "--out", "b"]);
    a.end().code(0);
    b.end().code(0);
    assert_eq!(timeless(case.report("a")), timeless(case.report("b")));
}

#[test]
fn json_lines_have_stdout_to_themselves() {
    let case = two();
    let ran = case
        .run(&["run", "two.toml", "--message-format", "json-lines"])
        .code(0);
    let lines = ran.json_lines();
    for (n, line) in lines.iter().enumerate() {
        assert_eq!(line["seq"], n, "{line}");
        assert_eq!(line["format_version"], 1);
    }
    assert_eq!(lines[0]["type"], "run_started");
    let last = lines.last().unwrap();
    assert_eq!(last["type"], "run_finished");
    assert_eq!(last["report"], case.report("out/Two"));
    assert!(!ran.stderr.contains('\u{1b}'), "no terminal, no colour");
}

#[test]
fn a_run_that_checks_nothing_has_not_passed() {
    let case = Case::new().stems("stems/one", 2).file(
        "job.toml",
        r#"name = "No check"
[[project]]
name = "one"
stems = "stems/one"
[[project.step]]
configure_tracks = true
[[project.step]]
render = true
"#,
    );
    let ran = case.run(&["run", "job.toml", "--out", "out"]).code(4);
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    assert!(case.path().join("out/one/one.wav").is_file());
}

#[test]
fn odd_names_are_names_like_others() {
    let long = "long ".repeat(23).trim().to_owned();
    // Names of stems are up to the file system's 255 bytes.
    let stem = format!("Kick {}", "x".repeat(200));
    let names = [
        "with space",
        "🎸 emoji 夜",
        "it's 50% #1 & more",
        "שלום",
        "Ca$h $region",
        &long,
    ];
    let mut case = Case::new();
    let mut job =
        "name = \"Odd $job\"\nstyle = \"synthwave\"\n[render]\ntail = 0.5\nstems = true\n"
            .to_owned();
    for name in names {
        case = case
            .tone(&format!("stems/{name}/Kick #1 'in' \"out\".wav"))
            .tone(&format!("stems/{name}/🎹 Pad שלום.wav"))
            .tone(&format!("stems/{name}/{stem}.wav"));
        job.push_str(&format!(
            "[[project]]\nname = \"{name}\"\nstems = \"stems/{name}\"\n"
        ));
    }
    let case = case.file("odd job.toml", &job);
    // The tone is too short and steady for the style's targets.
    let ran = case.run(&["run", "odd job.toml", "--out", "out put"]);
    assert!(ran.code <= 1, "{}\n{}", ran.stdout, ran.stderr);
    let report = case.report("out put");
    for (name, project) in names.iter().zip(report["projects"].as_array().unwrap()) {
        assert_eq!(project["name"], *name);
        assert_eq!(project["error"], Value::Null, "{name}");
        let renders = project["renders"].as_array().unwrap();
        assert_eq!(renders.len(), 4, "{name}");
        let mix = renders[0]["path"].as_str().unwrap();
        assert_eq!(mix, format!("{name}/{}.wav", name.replace('$', "_")));
        for render in renders {
            let path = case
                .path()
                .join("out put")
                .join(render["path"].as_str().unwrap());
            assert!(path.is_file(), "{}", path.display());
        }
    }
}

#[test]
fn slashes_in_track_names_make_no_folders() {
    let case = Case::new().stems("stems/one", 2).file(
        "job.toml",
        r#"name = "Slash"
style = "synthwave"
[render]
tail = 0.5
stems = true
[[project]]
name = "one"
stems = { "Kick L/R" = "stems/one/Kick.wav", "..\\Bass" = "stems/one/Bass.wav" }
"#,
    );
    case.run(&["run", "job.toml", "--out", "out"]);
    let files = case.files("out/one/stems");
    assert_eq!(files, ["1 - Kick L_R.wav", "2 - .._Bass.wav"]);
    assert_eq!(outcome_of(&case.report("out"), "one"), "passed");
}

/// Two of six channels are heard, and the report says so.
#[test]
fn channels_that_are_not_played_are_told() {
    let job = "style = \"modern_pop\"\n[[project]]\nname = \"a\"\nstems = \"stems\"\n";
    let case = Case::new().file("job.toml", job);
    let path = case.place("stems/lead vox.wav");
    let spec = hound::WavSpec {
        channels: 6,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&path, spec).unwrap();
    for n in 0..48_000 {
        let phase = std::f64::consts::TAU * 440.0 * f64::from(n) / 48_000.0;
        for _ in 0..6 {
            writer.write_sample((8000.0 * phase.sin()) as i16).unwrap();
        }
    }
    writer.finalize().unwrap();
    case.run(&["run", "job.toml", "--out", "out"]);
    let report = case.report("out");
    let notes = report["projects"][0]["notes"].to_string();
    assert!(
        notes.contains("has 6 channels, only the first two are played"),
        "{notes}"
    );
}
