//! Signals to the program and to its hosts, and readers that go away.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::harness::{Case, Running, error_of, outcome_of, wait_for};

const JOB: &str = r#"name = "J"
style = "synthwave"
[render]
tail = 0.5
[[project]]
name = "slow"
stems = "stems/slow"
[[project]]
name = "quick"
stems = "stems/quick"
"#;

const RUN: [&str; 6] = ["run", "job.toml", "--out", "out", "--jobs", "1"];

/// What a program that stops takes at most here, on a busy machine.
const PROMPT: Duration = Duration::from_secs(4);

/// A song that keeps a host busy for some seconds, and a short one.
fn case() -> Case {
    Case::new()
        .stems("stems/slow", 120)
        .stems("stems/quick", 2)
        .file("job.toml", JOB)
}

fn send(pid: Pid, signal: Signal) {
    kill_process(pid, signal).unwrap();
}

fn pid(running: &Running<'_>) -> Pid {
    Pid::from_raw(i32::try_from(running.id()).unwrap()).unwrap()
}

/// The host of the slow song, once it renders.
fn rendering_host(case: &Case) -> Pid {
    let ipc = case.path().join("out/slow/.work/ipc");
    let lock = wait_for("render", || {
        ipc.join("host_progress.json").exists().then_some(())?;
        let lock = std::fs::read(ipc.join("server.lock")).ok()?;
        serde_json::from_slice::<serde_json::Value>(&lock).ok()
    });
    let id = lock["pid"].as_i64().unwrap();
    Pid::from_raw(i32::try_from(id).unwrap()).expect("the host tells its process id")
}

/// Gone, or only waiting for its parent to ask how it ended.
fn is_gone(pid: Pid) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    match state {
        Ok(stat) => stat
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.starts_with(" Z")),
        Err(_) => test_kill_process(pid).is_err(),
    }
}

/// Asserts that an interrupted run has told so and left nothing else.
#[track_caller]
fn incomplete(case: &Case) {
    let report = case.report("out");
    assert_eq!(report["outcome"], "incomplete");
    assert_eq!(outcome_of(&report, "slow"), "incomplete");
    assert_eq!(outcome_of(&report, "quick"), "incomplete");
    let files = case.files("out");
    for name in ["junit.xml", "summary.md"] {
        assert!(files.iter().any(|file| file == name), "{files:?}");
    }
    let left: Vec<&String> = files
        .iter()
        .filter(|file| file.contains(".work") || file.ends_with(".wav"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_interrupt_ends_the_run_with_its_reports() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let case = case();
        let running = case.start(&RUN);
        let host = rendering_host(&case);
        let sent = Instant::now();
        send(pid(&running), signal);
        running.end().code(code);
        assert!(sent.elapsed() < PROMPT, "{:?}", sent.elapsed());
        assert!(is_gone(host));
        incomplete(&case);
    }
}

#[test]
fn a_signal_to_the_whole_tree_is_an_interrupt_too() {
    let case = case();
    let running = case.start(&RUN);
    let host = rendering_host(&case);
    send(host, Signal::TERM);
    send(pid(&running), Signal::TERM);
    running.end().code(143);
    incomplete(&case);
}

#[test]
fn a_second_interrupt_waits_for_nothing() {
    let case = case();
    let running = case.start(&RUN);
    let host = rendering_host(&case);
    // It cannot end when it is asked to.
    send(host, Signal::STOP);
    send(pid(&running), Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    let sent = Instant::now();
    send(pid(&running), Signal::INT);
    running.end().code(130);
    assert!(
        sent.elapsed() < Duration::from_secs(1),
        "{:?}",
        sent.elapsed()
    );
    wait_for("end of the host", || is_gone(host).then_some(()));
}

#[test]
fn a_host_that_dies_costs_one_song() {
    let case = case();
    let running = case.start(&RUN);
    send(rendering_host(&case), Signal::KILL);
    running.end().code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "slow");
    assert_eq!(code, "engine.lost");
    assert!(message.contains("signal 9"), "{message}");
    assert_eq!(outcome_of(&report, "quick"), "passed");
    let left = case.files("out");
    assert!(!left.iter().any(|file| file.contains(".work")), "{left:?}");
    assert!(!left.iter().any(|file| file == "slow/slow.wav"), "{left:?}");
}

#[test]
fn a_host_that_hangs_is_noticed() {
    let case = case();
    let running = case.start(&[&RUN[..], &["--frozen-after", "1"]].concat());
    let host = rendering_host(&case);
    send(host, Signal::STOP);
    running.end().code(3);
    assert!(is_gone(host));
    let report = case.report("out");
    let (code, message) = error_of(&report, "slow");
    assert_eq!(code, "engine.lost");
    assert!(message.contains("frozen"), "{message}");
    assert_eq!(outcome_of(&report, "quick"), "passed");
}

#[test]
fn hosts_do_not_outlive_a_killed_run_and_the_next_one_cleans_up() {
    let case = case();
    let running = case.start(&RUN);
    let host = rendering_host(&case);
    send(pid(&running), Signal::KILL);
    running.end();
    wait_for("end of the host", || is_gone(host).then_some(()));
    assert!(case.path().join("out/slow/.work").exists());
    let short = case.stems("stems/slow", 2);
    short.run(&RUN).code(0);
    assert!(!short.path().join("out/slow/.work").exists());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let case = case().stems("stems/slow", 2);
    for extra in [&[][..], &["--message-format", "json-lines"]] {
        let args = [&RUN[..], &["--overwrite"], extra].concat();
        let mut command = case.command(&args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        if !extra.is_empty() {
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            assert!(line.contains("run_started"), "{line}");
        }
        drop(lines);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(!stderr.to_lowercase().contains("pipe"), "{stderr}");
        assert_eq!(case.report("out")["outcome"], "passed");
    }
}
