//! How a REAPER is started and stopped, with scripts that stand in for it.
//! What only a real REAPER can show is not shown here.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use crate::harness::{Case, error_of, outcome_of};

const PROGRAM: &str = env!("CARGO_BIN_EXE_reaper-batch");

const JOB: &str = r#"name = "J"
style = "synthwave"
[render]
tail = 0.5
[[project]]
name = "song"
stems = "stems/song"
"#;

const RUN: [&str; 6] = ["run", "job.toml", "--out", "out", "--engine", "reaper"];

/// A case whose REAPER is the script `body`; `$host` is the embedded host and
/// `$seen` a file to tell the test in.
fn case(body: &str) -> Case {
    let case = Case::new().stems("stems/song", 2).file("job.toml", JOB);
    let seen = case.path().join("seen");
    let head = format!("#!/bin/sh\nPATH=/usr/bin:/bin:$PATH\nhost={PROGRAM:?}\nseen={seen:?}\n");
    let reaper = case.path().join("bin/reaper");
    case.script("bin/reaper", &(head + body))
        .env("REAPER_BATCH_REAPER", &reaper.to_string_lossy())
}

fn seen(case: &Case) -> String {
    fs::read_to_string(case.path().join("seen")).unwrap_or_default()
}

#[test]
fn a_project_runs_to_the_end_and_reaper_gets_what_it_needs() {
    let case = case(
        r#"i=0
for argument in "$@"; do echo "argument.$i=$argument"; i=$((i + 1)); done >> "$seen"
cp "$3" "$seen.ini"
ls "${3%/*}" > "$seen.resources"
env | grep -e ^REAPER_BATCH -e ^TMPDIR -e ^LC_NUMERIC >> "$seen"
echo "pid=$$" >> "$seen"
[ -r /proc/$$/stat ] && echo "group=$(cut -d ' ' -f 5 /proc/$$/stat)" >> "$seen"
[ -t 0 ] || echo "stdin=none" >> "$seen"
exec "$host" host "$@"
"#,
    )
    .file("user/reaper-license.rk", "key");
    let args = [&RUN[..], &["--reaper-resources", "user", "--threads", "2"]].concat();
    case.run(&args).code(0);
    let report = case.report("out");
    assert_eq!(report["projects"][0]["engine"]["kind"], "reaper");
    assert_eq!(outcome_of(&report, "song"), "passed");

    let text = seen(&case);
    let seen: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .collect();
    let work = fs::canonicalize(case.path())
        .unwrap()
        .join("out/song/.work");
    let below = |path: &str| work.join(path).to_string_lossy().into_owned();
    let mut expected = vec![
        "-newinst".to_owned(),
        "-cfgfile".to_owned(),
        below("resources/reaper.ini"),
        "-new".to_owned(),
        "-nosplash".to_owned(),
        "-ignoreerrors".to_owned(),
        below("scripts/reaper_batch_bridge.lua"),
    ];
    if cfg!(target_os = "macos") {
        expected.extend(["-ApplePersistence".to_owned(), "NO".to_owned()]);
    }
    let arguments: Vec<&str> = (0..)
        .map_while(|n| seen.get(format!("argument.{n}").as_str()).copied())
        .collect();
    assert_eq!(arguments, expected);
    assert_eq!(seen["REAPER_BATCH_IPC"], below("ipc"));
    assert_eq!(seen["TMPDIR"], below("tmp"));
    assert_eq!(seen["LC_NUMERIC"], "C");
    assert!(seen["REAPER_BATCH_TOKEN"].len() >= 16);
    assert_eq!(seen.get("REAPER_BATCH_HOST_NAME"), None, "it is REAPER");
    assert_eq!(seen["stdin"], "none");
    if let Some(group) = seen.get("group") {
        assert_eq!(*group, seen["pid"], "a process group of its own");
    }
    let ini = fs::read_to_string(case.path().join("seen.ini")).unwrap();
    for line in [
        "linux_audio_mode=2",
        "verchk=0",
        "splash=0",
        "loadlastproj=0",
        "projsrate=48000",
    ] {
        assert!(ini.lines().any(|l| l == line), "{line}\n{ini}");
    }
    let resources = fs::read_to_string(case.path().join("seen.resources")).unwrap();
    assert!(resources.contains("reaper-license.rk"), "{resources}");
    assert!(!work.exists());
}

#[test]
fn reaper_is_asked_to_end_and_then_ended() {
    // It goes on after its script has ended, as REAPER does.
    let polite = case(
        r#"trap 'echo asked >> "$seen"; exit 0' TERM
"$host" host "$@" &
wait
while :; do sleep 0.05; done
"#,
    );
    polite.run(&RUN).code(0);
    assert_eq!(seen(&polite), "asked\n");

    let deaf = case(
        r#"trap '' TERM
echo "$$" >> "$seen"
"$host" host "$@" &
wait
sleep 1000
"#,
    );
    let started = Instant::now();
    deaf.run(&RUN).code(0);
    assert!(started.elapsed() < Duration::from_secs(20));
    let pid: i32 = seen(&deaf).trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(
        rustix::process::test_kill_process(pid).is_err(),
        "it is gone"
    );
    assert!(!deaf.path().join("out/song/.work").exists());
}

#[test]
fn a_reaper_that_does_not_start_is_told_with_what_it_said() {
    let case = case("echo 'no display' >&2; exit 7\n");
    case.run(&RUN).code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "song");
    assert_eq!(code, "engine.start");
    assert!(message.contains("exit code 7"), "{message}");
    assert!(message.contains("out/song/engine.log"), "{message}");
    let log = fs::read_to_string(case.path().join("out/song/engine.log")).unwrap();
    assert_eq!(log, "no display\n");
    assert!(!case.path().join("out/song/.work").exists());
}

#[test]
fn a_reaper_that_never_answers_is_given_up() {
    let case = case("echo \"$$\" > \"$seen\"; exec sleep 1000\n");
    let args = [&RUN[..], &["--start-timeout", "0.5"]].concat();
    case.run(&args).code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "song");
    assert_eq!(code, "engine.start");
    assert!(message.contains("no bridge appeared"), "{message}");
    let pid = rustix::process::Pid::from_raw(seen(&case).trim().parse().unwrap()).unwrap();
    assert!(
        rustix::process::test_kill_process(pid).is_err(),
        "it is gone"
    );
}

#[test]
fn a_reaper_that_is_none_is_told() {
    let case = case("");
    let here = case.path().to_string_lossy().into_owned();
    for (path, expected) in [("nowhere/reaper", "no REAPER at"), (&here, "no REAPER at")] {
        let ran = case.run(&["run", "job.toml", "--reaper", path]).code(3);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains(if path == here { "[folder]" } else { path })
        );
    }
    let case = case.file("bin/plain", "just text");
    case.run(&["run", "job.toml", "--out", "out", "--reaper", "bin/plain"])
        .code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "song");
    assert_eq!(code, "engine.start");
    assert!(message.contains("cannot start `bin/plain`"), "{message}");
}
