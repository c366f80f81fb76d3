//! Bad input and trouble: a clear error, the right exit code, no file under a
//! final name that is not whole, and the other songs are still done.

use std::fs;

use crate::harness::{Case, Ran, error_of, outcome_of, wait_for};

/// A job with a project per line of `projects`, each a name and its source.
fn job(projects: &[(&str, &str)]) -> String {
    let mut text = "name = \"J\"\nstyle = \"synthwave\"\n[render]\ntail = 0.5\n".to_owned();
    for (name, source) in projects {
        text.push_str(&format!("[[project]]\nname = \"{name}\"\n{source}\n"));
    }
    text
}

/// The names of final renders below `out`, which must be whole when there.
fn renders(case: &Case) -> Vec<String> {
    case.files("out")
        .into_iter()
        .filter(|file| file.ends_with(".wav") || file.contains(".work") || file.ends_with(".tmp"))
        .collect()
}

#[track_caller]
fn no_panic(ran: &Ran) {
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn broken_stems_are_named_and_the_other_songs_are_done() {
    let mut case = Case::new().stems("stems/good", 2);
    let wav = fs::read(case.path().join("stems/good/Bass.wav")).unwrap();
    let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let broken: [(&str, &[u8], &str, &str); 7] = [
        ("empty", b"", "media.unreadable", "is empty (0 bytes)"),
        (
            "stub",
            &wav[..13],
            "media.unreadable",
            "ends after 13 bytes",
        ),
        (
            "headless",
            &wav[..40],
            "media.unreadable",
            "no `data` chunk",
        ),
        (
            "half",
            &wav[..wav.len() / 2],
            "media.cut_off",
            "promises 96000 frames and 47989 are there",
        ),
        (
            "text",
            b"this is no audio",
            "media.unreadable",
            "not a sound file",
        ),
        ("lfs", lfs, "media.unreadable", "git lfs pull"),
        (
            "noise",
            &[0xa5; 5000],
            "media.unreadable",
            "not a sound file",
        ),
    ];
    let mut projects = Vec::new();
    for (name, bytes, ..) in broken {
        case = case
            .stems(&format!("stems/{name}"), 2)
            .bytes(&format!("stems/{name}/Bass.wav"), bytes);
        projects.push((name, format!("stems = \"stems/{name}\"")));
    }
    projects.push(("good", "stems = \"stems/good\"".to_owned()));
    let projects: Vec<(&str, &str)> = projects.iter().map(|(n, s)| (*n, s.as_str())).collect();
    let case = case.file("job.toml", &job(&projects));
    let ran = case.run(&["run", "job.toml", "--out", "out"]).code(3);
    no_panic(&ran);
    assert!(!ran.stderr.contains("ERROR"), "{}", ran.stderr);
    let report = case.report("out");
    for (name, _, code, message) in broken {
        let (got_code, got) = error_of(&report, name);
        assert_eq!(got_code, code, "{name}");
        assert!(got.contains(message), "{name}: {got}");
        assert_eq!(got.matches("Bass.wav").count(), 1, "named once: {got}");
    }
    assert_eq!(outcome_of(&report, "good"), "passed");
    assert_eq!(renders(&case), ["good/good.wav"]);
}

#[test]
fn broken_projects_are_named_and_the_other_songs_are_done() {
    let case = Case::new()
        .stems("stems/good", 2)
        .file("first.toml", &job(&[("good", "stems = \"stems/good\"")]));
    case.run(&["run", "first.toml", "--out", "first"]).code(0);
    let good = fs::read_to_string(case.path().join("first/good/project.rpp")).unwrap();
    let bass = good
        .lines()
        .find(|line| line.trim_start().starts_with("FILE ") && line.contains("Bass.wav"))
        .unwrap();
    let from = good.find("<VST \"VST: ReaComp").unwrap();
    let comp = &good[from..from + good[from..].find("\n  >").unwrap()];
    let acme = "<VST \"VST: Magic Verb (Acme)\" magicverb.so 0 \"\" 1298221426<4D616769635665726200000000000000> \"\"\n    cnRhTQ==";
    let wav = fs::read(case.path().join("stems/good/Bass.wav")).unwrap();
    let variants: [(&str, String, &str, &str); 7] = [
        (
            "cut",
            good[..good.len() / 2].to_owned(),
            "project.unreadable",
            "the file ends inside",
        ),
        (
            "text",
            "dear diary".to_owned(),
            "project.unreadable",
            "not a REAPER project",
        ),
        (
            "nothing",
            String::new(),
            "project.unreadable",
            "not a REAPER project",
        ),
        (
            "offline",
            good.replace(bass, "        FILE \"gone/Bass.wav\""),
            "media.missing",
            "gone/Bass.wav",
        ),
        (
            "pointer",
            good.replace(bass, "        FILE \"lfs.wav\""),
            "media.unreadable",
            "git lfs pull",
        ),
        (
            "half",
            good.replace(bass, "        FILE \"half.wav\""),
            "media.cut_off",
            "half.wav",
        ),
        (
            "plugin",
            good.replace(comp, acme),
            "bridge.render_failed",
            "plug-in `VST: Magic Verb (Acme)` on track",
        ),
    ];
    let mut case = case
        .bytes("lfs.wav", b"version https://git-lfs.github.com/spec/v1\n")
        .bytes("half.wav", &wav[..wav.len() / 2])
        .file("fine.rpp", &good);
    let mut projects = vec![("fine", "project = \"fine.rpp\"".to_owned())];
    for (name, text, ..) in &variants {
        case = case.file(&format!("{name}.rpp"), text);
        projects.push((name, format!("project = \"{name}.rpp\"")));
    }
    let projects: Vec<(&str, &str)> = projects.iter().map(|(n, s)| (*n, s.as_str())).collect();
    let case = case.file("job.toml", &job(&projects));
    let ran = case.run(&["run", "job.toml", "--out", "out"]).code(3);
    no_panic(&ran);
    let report = case.report("out");
    for (name, _, code, message) in &variants {
        let (got_code, got) = error_of(&report, name);
        assert_eq!(got_code, *code, "{name}: {got}");
        assert!(got.contains(message), "{name}: {got}");
        assert!(!got.contains(".lua"), "no talk of scripts: {got}");
    }
    assert_eq!(outcome_of(&report, "fine"), "passed");
    assert_eq!(renders(&case), ["fine/fine.wav"]);
    for (name, text, ..) in &variants {
        let after = fs::read_to_string(case.path().join(format!("{name}.rpp"))).unwrap();
        assert_eq!(after, *text, "a project is never written to");
    }
}

#[test]
fn what_is_gone_before_the_run_stops_it() {
    let case = Case::new().stems("stems/good", 2).file(
        "job.toml",
        &job(&[
            ("good", "stems = \"stems/good\""),
            ("folder", "stems = \"stems/gone\""),
            ("file", "stems = [\"stems/good/Gone.wav\"]"),
            ("project", "project = \"gone.rpp\""),
            ("empty", "stems = \"empty\""),
        ]),
    );
    fs::create_dir(case.path().join("empty")).unwrap();
    let ran = case
        .run(&["run", "job.toml", "--message-format", "short"])
        .code(2);
    for (count, code) in [(3, "RB0120"), (1, "RB0121")] {
        assert_eq!(ran.stderr.matches(code).count(), count, "{}", ran.stderr);
    }
    assert!(!case.path().join("out").exists(), "nothing ran");
}

#[test]
fn what_vanishes_between_load_and_run_costs_one_song() {
    let case = Case::new()
        .stems("stems/slow", 60)
        .stems("stems/folder", 2)
        .stems("stems/file", 2)
        .stems("stems/last", 2)
        .file(
            "job.toml",
            &job(&[
                ("slow", "stems = \"stems/slow\""),
                ("folder", "stems = \"stems/folder\""),
                ("file", "stems = \"stems/file\""),
                ("last", "stems = \"stems/last\""),
            ]),
        );
    let running = case.start(&["run", "job.toml", "--out", "out", "--jobs", "1"]);
    wait_for("host", || {
        case.path().join("out/slow/.work").exists().then_some(())
    });
    fs::remove_dir_all(case.path().join("stems/folder")).unwrap();
    fs::remove_file(case.path().join("stems/file/Pad.wav")).unwrap();
    let ran = running.end().code(3);
    no_panic(&ran);
    let report = case.report("out");
    for (name, file) in [("folder", "stems/folder/"), ("file", "stems/file/Pad.wav")] {
        let (code, message) = error_of(&report, name);
        assert_eq!(code, "media.missing");
        assert!(message.contains(file), "{message}");
    }
    assert_eq!(outcome_of(&report, "last"), "passed");
}

#[test]
fn a_style_that_fits_no_track_says_what_to_do() {
    let case = Case::new().stems("stems/good", 2).file(
        "job.toml",
        &job(&[
            ("none", "stems = { Zzqx = \"stems/good/Kick.wav\" }"),
            ("strict", "stems = { Kick = \"stems/good/Kick.wav\", Zzqx = \"stems/good/Pad.wav\" }\nrequire_roles = true"),
            ("good", "stems = \"stems/good\""),
        ]),
    );
    case.run(&["run", "job.toml", "--out", "out"]).code(1);
    let report = case.report("out");
    let (code, message) = error_of(&report, "none");
    assert_eq!(code, "mix.plan");
    assert!(
        message.contains("name the tracks or give roles"),
        "{message}"
    );
    let (code, message) = error_of(&report, "strict");
    assert_eq!(code, "mix.unmatched");
    assert!(message.contains("Zzqx"), "{message}");
    assert_eq!(outcome_of(&report, "good"), "passed");
}

#[test]
fn files_of_others_are_left_alone() {
    let case = Case::new()
        .stems("stems/a", 2)
        .file(
            "job.toml",
            &job(&[
                ("a", "stems = \"stems/a\""),
                ("b", "stems = \"stems/a\""),
                ("c", "stems = \"stems/a\""),
            ]),
        )
        .file("out/a/precious.txt", "mine")
        .file("out/b", "a file where a folder should be");
    case.run(&["run", "job.toml", "--out", "out", "--overwrite"])
        .code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "a");
    assert_eq!(code, "output.foreign");
    assert!(message.contains("--out"), "{message}");
    assert_eq!(error_of(&report, "b").0, "output.io");
    assert_eq!(outcome_of(&report, "c"), "passed");
    assert_eq!(case.files("out/a"), ["precious.txt"]);
}

#[test]
fn an_output_folder_that_cannot_be_is_told() {
    let case = Case::new()
        .stems("stems/a", 2)
        .file("job.toml", &job(&[("a", "stems = \"stems/a\"")]))
        .file("file", "");
    for out in ["file", "file/below"] {
        let ran = case.run(&["run", "job.toml", "--out", out]).code(3);
        assert!(ran.stderr.contains(out), "{}", ran.stderr);
        assert!(ran.stderr.contains("--out"), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_output_folder_that_is_read_only_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let case = Case::new()
        .stems("stems/a", 2)
        .file("job.toml", &job(&[("a", "stems = \"stems/a\"")]));
    let folder = case.path().join("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        skipped("this user may write everywhere");
        return;
    }
    let ran = case.run(&["run", "job.toml", "--out", "locked"]).code(3);
    assert!(ran.stderr.contains("locked"), "{}", ran.stderr);
    let ran = case
        .run(&["run", "job.toml", "--out", "locked/sub"])
        .code(3);
    assert!(ran.stderr.contains("--out"), "{}", ran.stderr);
}

/// A limit on the size of files is what a full disk looks like to a program,
/// and needs no rights.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_file() {
    let case = Case::new()
        .stems("stems/big", 8)
        .stems("stems/small", 1)
        .file(
            "job.toml",
            &(job(&[
                ("big", "stems = \"stems/big\""),
                ("small", "stems = \"stems/small\""),
            ])
            .replace("tail = 0.5", "tail = 0.5\nbit_depth = 16")),
        );
    // In blocks of 512 bytes: 1 MB. The signal that comes with it is ignored,
    // as `ENOSPC` has none; scratch files have 32 bits.
    let limit = "trap '' XFSZ; ulimit -f 2000 || exit 99";
    let ran = case.run_after(limit, &["run", "job.toml", "--out", "out"]);
    if ran.code == 99 {
        skipped("the size of files cannot be limited here");
        return;
    }
    let ran = ran.code(3);
    no_panic(&ran);
    let report = case.report("out");
    let (code, message) = error_of(&report, "big");
    assert_eq!(code, "disk.full", "{message}");
    assert!(message.contains("disk is full"), "{message}");
    assert_eq!(outcome_of(&report, "small"), "passed");
    assert_eq!(renders(&case), ["small/small.wav"]);
}

#[test]
fn values_that_make_no_sense_stop_the_run() {
    let case = Case::new().stems("stems/a", 1).file(
        "job.toml",
        r#"name = "Odd"
style = "synthwave"
tempo = nan
[render]
tail = inf
sample_rate = 99999999999999999999999
bit_depth = -1
[[project]]
name = "a"
stems = "stems/a"
[[project.step]]
engine_master = { target_lufs = -inf, ceiling_dbtp = 1e308, max_passes = 4000000000 }
"#,
    );
    // A number that TOML itself cannot hold hides the rest.
    case.run(&["run", "job.toml"]).code(2);
    let text = fs::read_to_string(case.path().join("job.toml")).unwrap();
    let case = case.file(
        "job.toml",
        &text.replace("99999999999999999999999", "99999999999"),
    );
    let ran = case
        .run(&["run", "job.toml", "--message-format", "short"])
        .code(2);
    for key in [
        "tempo",
        "tail",
        "sample_rate",
        "bit_depth",
        "target_lufs",
        "ceiling_dbtp",
        "max_passes",
    ] {
        assert!(ran.stderr.contains(key), "{key}:\n{}", ran.stderr);
    }
    assert!(!case.path().join("out").exists());
    for limit in ["0", "-1", "nan", "inf", "1e99", "soon"] {
        case.run(&["run", "job.toml", &format!("--frozen-after={limit}")])
            .code(2);
    }
}

#[test]
fn fail_fast_stops_after_the_first_and_ends_with_its_code() {
    let case = Case::new()
        .stems("stems/a", 2)
        .bytes("stems/b/Kick.wav", b"")
        .file(
            "job.toml",
            &job(&[
                ("first", "stems = \"stems/a\""),
                ("broken", "stems = \"stems/b\""),
                ("left", "stems = \"stems/a\""),
            ]),
        );
    case.run(&[
        "run",
        "job.toml",
        "--out",
        "out",
        "--fail-fast",
        "--jobs",
        "1",
    ])
    .code(3);
    let report = case.report("out");
    assert_eq!(report["outcome"], "errored");
    assert_eq!(outcome_of(&report, "first"), "passed");
    assert_eq!(outcome_of(&report, "left"), "incomplete");
    assert_eq!(report["totals"]["skipped"], 1);
    assert!(!case.path().join("out/left").exists());
}

#[test]
fn only_must_name_a_song() {
    let case = Case::new()
        .stems("stems/a", 1)
        .file("job.toml", &job(&[("a", "stems = \"stems/a\"")]));
    let ran = case.run(&["run", "job.toml", "--only", "b*"]).code(4);
    assert!(ran.stderr.contains("`b*`"), "{}", ran.stderr);
    assert!(!case.path().join("out").exists());
}

#[test]
fn two_runs_into_one_folder_do_not_fight() {
    let case = Case::new()
        .stems("stems/slow", 60)
        .file("job.toml", &job(&[("slow", "stems = \"stems/slow\"")]));
    let first = case.start(&["run", "job.toml", "--out", "out"]);
    wait_for("host", || {
        case.path()
            .join("out/slow/.work/ipc/server.lock")
            .exists()
            .then_some(())
    });
    case.run(&["run", "job.toml", "--out", "out"]).code(3);
    let report = case.report("out");
    let (code, message) = error_of(&report, "slow");
    assert_eq!(code, "output.in_use");
    assert!(message.contains("another run"), "{message}");
    first.end().code(0);
    assert_eq!(outcome_of(&case.report("out"), "slow"), "passed");
}

#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
