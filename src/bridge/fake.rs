//! A bridge for tests of whoever uses the client: it answers from a closure,
//! and misbehaves on request. It runs in a thread and needs no host.

use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    Command, ErrorCode, ErrorInfo, Lock, PROTOCOL_VERSION, Response, client::read_json,
    folder::unix_time_s, script,
};
use crate::files::exchange;

/// How the fake treats commands other than `hello`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Answers at once.
    Proper,
    /// Answers after so long, with a moving heartbeat.
    Late(Duration),
    /// Works for so long with a still heartbeat that names the command.
    Busy(Duration),
    /// First leaves half a reply, then the whole one.
    Truncated,
    /// First answers with another id.
    WrongId,
    /// First answers without any id.
    Anonymous,
    /// First answers with another token.
    ForeignToken,
    /// Carries the command out and never answers, but knows what became of it.
    Silent,
    /// Takes the command and forgets it.
    Forgetful,
    /// Takes the command; after that its heartbeat stands still.
    Frozen,
    /// Takes the command and ends.
    Dies,
    /// Leaves commands where they are.
    Deaf,
    /// Writes no heartbeat at all.
    NoLock,
    /// Says it speaks another protocol.
    OldProtocol,
}

/// What the closure answers: data, or a code with a message.
pub type Answer = Result<Value, (ErrorCode, String)>;

/// A running fake. Dropping it ends the thread.
pub struct FakeBridge {
    stop: Arc<AtomicBool>,
    alive: Arc<AtomicBool>,
    served: Arc<Mutex<Vec<Command>>>,
    thread: Option<JoinHandle<()>>,
}

impl FakeBridge {
    /// Starts a fake on an existing folder.
    pub fn start(
        folder: impl Into<PathBuf>,
        token: &str,
        behaviour: Behaviour,
        mut answer: impl FnMut(&Command) -> Answer + Send + 'static,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let alive = Arc::new(AtomicBool::new(true));
        let served = Arc::new(Mutex::new(Vec::new()));
        let mut state = State {
            folder: folder.into(),
            token: token.to_owned(),
            ticks: 0,
            started: unix_time_s(),
            known: Vec::new(),
        };
        let thread = thread::spawn({
            let (stop, alive, served) = (stop.clone(), alive.clone(), served.clone());
            move || {
                while !stop.load(Ordering::Relaxed) {
                    // A folder that was removed under the fake ends it.
                    match state.tick(behaviour, &mut answer, &served, &stop) {
                        Ok(true) => thread::sleep(Duration::from_millis(1)),
                        Ok(false) | Err(_) => break,
                    }
                }
                alive.store(false, Ordering::Relaxed);
            }
        });
        Self {
            stop,
            alive,
            served,
            thread: Some(thread),
        }
    }

    /// A flag that turns false when the fake has ended.
    pub fn alive(&self) -> Arc<AtomicBool> {
        self.alive.clone()
    }

    /// The commands it took, without `hello`.
    pub fn served(&self) -> Vec<Command> {
        self.served
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }
}

impl Drop for FakeBridge {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic inside the answer closure already failed the test there.
            let _ = thread.join();
        }
    }
}

struct State {
    folder: PathBuf,
    token: String,
    ticks: u64,
    started: f64,
    known: Vec<Response>,
}

impl State {
    /// One look at the folder; false ends the fake.
    fn tick(
        &mut self,
        behaviour: Behaviour,
        answer: &mut impl FnMut(&Command) -> Answer,
        served: &Mutex<Vec<Command>>,
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        self.ticks += 1;
        if behaviour != Behaviour::NoLock {
            self.beat(None)?;
        }
        let path = self.folder.join("command.json");
        let Ok(command) = read_json::<Command>(&path) else {
            return Ok(true);
        };
        if behaviour == Behaviour::Deaf && command.command != "hello" {
            return Ok(true);
        }
        fs::remove_file(&path)?;
        match command.command.as_str() {
            "hello" => {
                let response = self.success(&command.id, hello(&self.token, behaviour));
                self.reply(&response)?;
                return Ok(true);
            }
            "command_status" => {
                let data = self.status(&command);
                let response = self.success(&command.id, data);
                self.reply(&response)?;
                return Ok(true);
            }
            _ => {}
        }
        served
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(command.clone());
        self.misbehave(behaviour, &command, answer, stop)
    }

    fn misbehave(
        &mut self,
        behaviour: Behaviour,
        command: &Command,
        answer: &mut impl FnMut(&Command) -> Answer,
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        match behaviour {
            Behaviour::Frozen => {
                while !stop.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(1));
                }
                return Ok(false);
            }
            Behaviour::Dies => return Ok(false),
            Behaviour::Forgetful => return Ok(true),
            _ => {}
        }
        let response = self.respond(command, answer);
        let mut wrong = response.clone();
        match behaviour {
            Behaviour::Late(delay) => {
                let steps = delay.as_millis().max(1);
                for _ in 0..steps {
                    self.ticks += 1;
                    self.beat(None)?;
                    thread::sleep(Duration::from_millis(1));
                }
            }
            Behaviour::Busy(delay) => {
                self.beat(Some(&command.command))?;
                thread::sleep(delay);
            }
            Behaviour::Truncated => {
                let text = serde_json::to_vec(&response)?;
                fs::write(self.folder.join("response.json"), &text[..text.len() / 2])?;
                thread::sleep(Duration::from_millis(30));
            }
            Behaviour::WrongId | Behaviour::Anonymous | Behaviour::ForeignToken => {
                match behaviour {
                    Behaviour::WrongId => wrong.id = Some("another".to_owned()),
                    Behaviour::Anonymous => wrong.id = None,
                    _ => wrong.token = Some("another".to_owned()),
                }
                wrong.data = Some(json!({ "wrong": true }));
                self.reply(&wrong)?;
                thread::sleep(Duration::from_millis(30));
            }
            Behaviour::Silent => {
                self.known.push(response);
                return Ok(true);
            }
            _ => {}
        }
        self.known.push(response.clone());
        self.reply(&response)?;
        Ok(true)
    }

    fn respond(&self, command: &Command, answer: &mut impl FnMut(&Command) -> Answer) -> Response {
        if command.command == "batch" {
            let calls: Vec<Command> =
                serde_json::from_value(command.params.get("calls").cloned().unwrap_or_default())
                    .unwrap_or_default();
            let results: Vec<Response> = calls
                .iter()
                .map(|call| self.respond(call, answer))
                .collect();
            return self.success(&command.id, json!({ "results": results }));
        }
        match answer(command) {
            Ok(data) => self.success(&command.id, data),
            Err((code, message)) => Response {
                success: false,
                data: None,
                error: Some(message.clone()),
                error_info: Some(ErrorInfo {
                    code: code.name().to_owned(),
                    number: code.number(),
                    stage: "run".to_owned(),
                    message,
                    details: Value::Null,
                    retryable: code.is_retryable(),
                }),
                ..self.success(&command.id, Value::Null)
            },
        }
    }

    fn success(&self, id: &str, data: Value) -> Response {
        Response {
            success: true,
            id: Some(id.to_owned()),
            token: Some(self.token.clone()),
            data: Some(data),
            error: None,
            error_info: None,
            warnings: Vec::new(),
        }
    }

    fn status(&self, command: &Command) -> Value {
        let id = command.params.get("id").and_then(Value::as_str);
        match self.known.iter().find(|known| known.id.as_deref() == id) {
            Some(known) => json!({
                "id": id,
                "status": if known.success { "done" } else { "failed" },
                "response": known,
            }),
            None => json!({ "id": id, "status": "unknown" }),
        }
    }

    fn reply(&self, response: &Response) -> io::Result<()> {
        exchange(
            &self.folder.join("response.json"),
            &serde_json::to_vec(response)?,
        )
    }

    fn beat(&self, busy: Option<&str>) -> io::Result<()> {
        let lock = Lock {
            protocol: PROTOCOL_VERSION,
            pid: u64::from(std::process::id()),
            started: self.started,
            time: unix_time_s(),
            ticks: self.ticks,
            busy: busy.map(str::to_owned),
            token: self.token.clone(),
        };
        exchange(
            &self.folder.join("server.lock"),
            &serde_json::to_vec(&lock)?,
        )
    }
}

fn hello(token: &str, behaviour: Behaviour) -> Value {
    let protocol = if behaviour == Behaviour::OldProtocol {
        1
    } else {
        PROTOCOL_VERSION
    };
    json!({
        "protocol": protocol,
        "bridge_version": env!("CARGO_PKG_VERSION"),
        "bridge_hash": script::hash(),
        "host_name": "fake",
        "host_version": "0",
        "token": token,
        "commands": [],
        "capabilities": ["batch", "command_status"],
    })
}
