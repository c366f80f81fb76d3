//! The client with a bridge that behaves and with ones that do not.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::bridge::{
    Bridge, Call, CallError, Client, ErrorCode, Options, ProcessState,
    fake::{Answer, Behaviour, FakeBridge},
};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn answer(command: &crate::bridge::Command) -> Answer {
    match command.command.as_str() {
        "fail" => Err((ErrorCode::NotFound, "Track not found (index 9)".to_owned())),
        _ => Ok(json!({ "echo": command.params })),
    }
}

fn options() -> Options {
    Options {
        start_timeout: MS(2000),
        timeout: MS(2000),
        long_timeout: MS(4000),
        frozen_after: MS(10_000),
        status_timeout: MS(500),
        ..Options::default()
    }
}

struct Setup {
    folder: tempfile::TempDir,
    fake: FakeBridge,
    client: Client,
}

fn start(behaviour: Behaviour, options: Options) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeBridge::start(folder.path(), "token", behaviour, answer);
    let client = Client::connect(folder.path(), Some("token".to_owned()), options).unwrap();
    Setup {
        folder,
        fake,
        client,
    }
}

fn ping() -> Call {
    Call::new("ping", json!({ "n": 1 }))
}

fn history(folder: &Path) -> Vec<Value> {
    let mut names: Vec<_> = fs::read_dir(folder.join("history"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
        .iter()
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect()
}

#[test]
fn proper_bridge_answers_and_is_recorded() {
    let mut setup = start(Behaviour::Proper, options());
    assert_eq!(setup.client.hello().host_name, "fake");
    let data = setup.client.call(ping()).unwrap();
    assert_eq!(data, json!({ "echo": { "n": 1 } }));
    let error = setup.client.call(Call::new("fail", json!({}))).unwrap_err();
    assert_eq!(
        error,
        CallError::Refused {
            command: "fail".to_owned(),
            code: "NOT_FOUND".to_owned(),
            message: "Track not found (index 9)".to_owned(),
            retryable: false,
        }
    );
    let records = history(setup.folder.path());
    assert_eq!(records.len(), 3);
    assert_eq!(records[1]["command"], "ping");
    assert_eq!(records[1]["success"], true);
    assert_eq!(records[2]["success"], false);
    assert!(records[2]["error"].as_str().unwrap().contains("NOT_FOUND"));
    assert!(!setup.folder.path().join("response.json").exists());
    let served = setup.fake.served();
    assert_eq!(served[0].token.as_deref(), Some("token"));
    assert_ne!(served[0].id, served[1].id);
}

#[test]
fn batch_goes_on_after_a_refusal() {
    let mut setup = start(Behaviour::Proper, options());
    let calls = vec![ping(), Call::new("fail", json!({})), ping()];
    let results = setup.client.batch(calls).unwrap();
    assert!(results[0].is_ok() && results[1].is_err() && results[2].is_ok());
    // One round trip.
    assert_eq!(setup.fake.served().len(), 1);
    assert_eq!(setup.client.batch(vec![ping(); 450]).unwrap().len(), 450);
    assert_eq!(setup.fake.served().len(), 4);
    assert!(setup.client.batch(Vec::new()).unwrap().is_empty());
}

#[test]
fn wrong_first_replies_are_dropped() {
    for behaviour in [
        Behaviour::Truncated,
        Behaviour::WrongId,
        Behaviour::Anonymous,
        Behaviour::ForeignToken,
        Behaviour::Late(MS(100)),
    ] {
        let mut setup = start(behaviour, options());
        let data = setup.client.call(ping()).unwrap();
        assert_eq!(data, json!({ "echo": { "n": 1 } }), "{behaviour:?}");
    }
}

#[test]
fn silent_bridge_is_asked_what_became_of_it() {
    let options = Options {
        timeout: MS(100),
        ..options()
    };
    let mut setup = start(Behaviour::Silent, options);
    assert_eq!(
        setup.client.call(ping()).unwrap(),
        json!({ "echo": { "n": 1 } })
    );
    let error = setup.client.call(Call::new("fail", json!({}))).unwrap_err();
    assert!(matches!(error, CallError::Refused { .. }), "{error}");
}

#[test]
fn forgetful_bridge_leaves_it_unknown() {
    let options = Options {
        timeout: MS(100),
        ..options()
    };
    let mut setup = start(Behaviour::Forgetful, options);
    let error = setup.client.call(ping()).unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
}

#[test]
fn late_reply_is_accepted_while_asking() {
    let options = Options {
        timeout: MS(50),
        status_timeout: MS(2000),
        ..options()
    };
    let mut setup = start(Behaviour::Late(MS(200)), options);
    assert_eq!(
        setup.client.call(ping()).unwrap(),
        json!({ "echo": { "n": 1 } })
    );
}

#[test]
fn untaken_command_is_withdrawn() {
    let options = Options {
        timeout: MS(100),
        ..options()
    };
    let mut setup = start(Behaviour::Deaf, options);
    let error = setup.client.call(ping()).unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    assert!(!setup.folder.path().join("command.json").exists());
    assert!(setup.fake.served().is_empty());
}

#[test]
fn frozen_bridge_is_lost_and_a_busy_one_is_not() {
    let short = || Options {
        timeout: MS(3000),
        frozen_after: MS(300),
        ..options()
    };
    let mut setup = start(Behaviour::Frozen, short());
    let before = Instant::now();
    let error = setup.client.call(ping()).unwrap_err();
    assert!(matches!(error, CallError::HostLost { .. }), "{error}");
    assert!(before.elapsed() < MS(2000), "{:?}", before.elapsed());

    let mut setup = start(Behaviour::Busy(MS(900)), short());
    setup.client.call(ping()).unwrap();
}

#[test]
fn a_busy_host_that_tells_progress_must_go_on_telling() {
    let options = || Options {
        timeout: MS(3000),
        frozen_after: MS(300),
        tells_progress: true,
        ..options()
    };
    let mut setup = start(Behaviour::Busy(MS(2500)), options());
    let error = setup.client.call(ping()).unwrap_err();
    assert!(error.to_string().contains("no progress"), "{error}");

    let mut setup = start(Behaviour::Busy(MS(900)), options());
    let file = setup.folder.path().join("host_progress.json");
    let told = std::thread::spawn(move || {
        for _ in 0..20 {
            std::fs::write(&file, "{}").unwrap();
            std::thread::sleep(MS(50));
        }
    });
    setup.client.call(ping()).unwrap();
    told.join().unwrap();
}

#[test]
fn dead_process_is_noticed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeBridge::start(folder.path(), "token", Behaviour::Dies, answer);
    let alive = fake.alive();
    let options = Options {
        alive: Box::new(move || {
            if alive.load(Ordering::Relaxed) {
                ProcessState::Running
            } else {
                ProcessState::Exited("signal 9".to_owned())
            }
        }),
        ..options()
    };
    let mut client = Client::connect(folder.path(), Some("token".to_owned()), options).unwrap();
    let before = Instant::now();
    let error = client.call(ping()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "lost the host during `ping`: the host ended: signal 9"
    );
    assert!(before.elapsed() < MS(1000), "{:?}", before.elapsed());
}

#[test]
fn connecting_fails_with_a_reason() {
    let connect = |behaviour: Behaviour, token: &str| {
        let folder = tempfile::tempdir().unwrap();
        let _fake = FakeBridge::start(folder.path(), "token", behaviour, answer);
        let options = Options {
            start_timeout: MS(200),
            ..options()
        };
        match Client::connect(folder.path(), Some(token.to_owned()), options) {
            Ok(_) => panic!("{behaviour:?} connected"),
            Err(error) => error.to_string(),
        }
    };
    assert!(connect(Behaviour::NoLock, "token").contains("no bridge appeared"));
    assert!(connect(Behaviour::Proper, "mine").contains("another instance's bridge"));
    assert!(connect(Behaviour::OldProtocol, "token").contains("speaks protocol 1"));
}

#[test]
fn cancel_ends_a_call() {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = Options {
        cancel: cancel.clone(),
        ..options()
    };
    let mut setup = start(Behaviour::Deaf, options);
    thread::spawn(move || {
        thread::sleep(MS(50));
        cancel.store(true, Ordering::Relaxed);
    });
    let before = Instant::now();
    let error = setup.client.call(ping()).unwrap_err();
    assert_eq!(
        error,
        CallError::Cancelled {
            command: "ping".to_owned()
        }
    );
    assert!(before.elapsed() < MS(500));
    assert!(!setup.folder.path().join("command.json").exists());
}

#[test]
fn progress_is_told_while_waiting() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let options = Options {
        on_progress: Some(Box::new({
            let told = told.clone();
            move |progress, stage: &str| told.lock().unwrap().push((progress, stage.to_owned()))
        })),
        ..options()
    };
    let mut setup = start(Behaviour::Busy(MS(600)), options);
    assert_eq!(setup.client.progress(), None);
    fs::write(
        setup.folder.path().join("host_progress.json"),
        r#"{"progress":0.25,"stage":"rendering"}"#,
    )
    .unwrap();
    setup.client.call(ping()).unwrap();
    assert_eq!(*told.lock().unwrap(), [(0.25, "rendering".to_owned())]);
    assert_eq!(setup.client.progress(), Some(0.25));
}

#[test]
fn round_trips_are_quick() {
    let mut setup = start(
        Behaviour::Proper,
        Options {
            history: false,
            ..options()
        },
    );
    let before = Instant::now();
    for _ in 0..50 {
        setup.client.call(ping()).unwrap();
    }
    let each = before.elapsed() / 50;
    // The fake looks once a millisecond; a loaded machine may add some.
    assert!(each < MS(25), "{each:?} per round trip");
}
