//! The client side of the protocol: one request at a time through the files of
//! an IPC folder.
//!
//! It waits by file notification, with polling as the fall-back, and never
//! longer than the command's deadline. It does not start or stop the host;
//! whoever did hands in a way to ask whether the process lives.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant, SystemTime},
};

use notify::Watcher;
use serde_json::{Map, Value, json};

use super::{
    Bridge, Call, CallError, Command, ErrorInfo, Hello, Lock, PROTOCOL_VERSION, Progress, Response,
    commands, folder::new_token, script,
};
use crate::files::exchange;

mod files;
mod history;

pub(super) use files::read_json;

/// When this file appears in the IPC folder, the bridge ends its loop.
pub const STOP_FILE: &str = "stop";

/// At most this many commands go into one round trip.
const BATCH_CALLS: usize = 200;

/// At most this many bytes of parameters go into one round trip; the bridge
/// takes 20 MiB.
const BATCH_BYTES: usize = 4 << 20;

/// What the owner of the process knows about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessState {
    Running,
    /// It ended; the text says how, for people.
    Exited(String),
    /// Nobody owns it, such as a REAPER that a person started.
    Unknown,
}

/// Told how far long work is, 0 to 1, with a description.
pub type OnProgress = Box<dyn FnMut(f64, &str) + Send>;

/// How the client waits and whom it tells.
pub struct Options {
    /// For the host to appear and to answer the handshake.
    pub start_timeout: Duration,
    /// For an ordinary command.
    pub timeout: Duration,
    /// For a command whose work grows with the project, such as a render.
    pub long_timeout: Duration,
    /// Without a tick for so long, and not busy, the host counts as frozen.
    pub frozen_after: Duration,
    /// The host writes `host_progress.json` while it is busy, so silence then
    /// counts as well.
    pub tells_progress: bool,
    /// For the answer to "what became of that command", after a time-out.
    pub status_timeout: Duration,
    /// Set from anywhere: the call in progress ends with `Cancelled`.
    pub cancel: Arc<AtomicBool>,
    /// Asked a few times a second while waiting.
    pub alive: Box<dyn Fn() -> ProcessState + Send>,
    /// Told of progress while waiting.
    pub on_progress: Option<OnProgress>,
    /// Keep one record per command in `history/`.
    pub history: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            start_timeout: Duration::from_secs(60),
            timeout: Duration::from_secs(30),
            long_timeout: Duration::from_secs(600),
            frozen_after: Duration::from_secs(60),
            tells_progress: false,
            status_timeout: Duration::from_secs(5),
            cancel: Arc::default(),
            alive: Box::new(|| ProcessState::Unknown),
            on_progress: None,
            history: true,
        }
    }
}

/// A connection to one host.
pub struct Client {
    folder: PathBuf,
    token: Option<String>,
    options: Options,
    hello: Hello,
    events: mpsc::Receiver<()>,
    /// Dropping it ends the notifications.
    _watcher: Option<notify::RecommendedWatcher>,
    last_progress: Option<f64>,
}

/// How the wait for a reply ended without one.
enum Wait {
    Deadline,
    Failed(CallError),
}

impl Client {
    /// Waits for a bridge to hold `folder`, and shakes hands with it.
    ///
    /// # Errors
    ///
    /// No bridge with this token appears within `start_timeout`, the
    /// process ends, or the bridge speaks another protocol.
    pub fn connect(
        folder: impl Into<PathBuf>,
        token: Option<String>,
        options: Options,
    ) -> Result<Self, CallError> {
        let folder = folder.into();
        fs::create_dir_all(&folder).map_err(|error| protocol("hello", &error))?;
        let (watcher, events) = watch(&folder);
        let mut client = Self {
            folder,
            token,
            options,
            hello: Hello {
                protocol: 0,
                bridge_version: String::new(),
                bridge_hash: String::new(),
                host_name: String::new(),
                host_version: String::new(),
                lua_version: String::new(),
                os: String::new(),
                resource_path: String::new(),
                token: String::new(),
                commands: Vec::new(),
                capabilities: Vec::new(),
            },
            events,
            _watcher: watcher,
            last_progress: None,
        };
        let deadline = Instant::now() + client.options.start_timeout;
        client.wait_for_lock(deadline)?;
        let params = json!({ "protocol": PROTOCOL_VERSION, "client": env!("CARGO_PKG_VERSION") });
        let left = deadline.saturating_duration_since(Instant::now());
        let data = client.round_trip(&Call::new("hello", params), left)?;
        let hello: Hello =
            serde_json::from_value(data).map_err(|error| protocol("hello", &error))?;
        if hello.protocol != PROTOCOL_VERSION {
            return Err(CallError::Protocol {
                command: "hello".to_owned(),
                reason: format!(
                    "the bridge speaks protocol {}, this program speaks {PROTOCOL_VERSION}; \
                     install the bridge script of this version",
                    hello.protocol
                ),
            });
        }
        if hello.bridge_hash != script::hash() {
            tracing::warn!(
                running = hello.bridge_hash,
                ours = script::hash(),
                "the bridge script differs from the one in this program"
            );
        }
        client.hello = hello;
        Ok(client)
    }

    /// What the bridge said at the handshake.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// The IPC folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Replaces the receiver of progress.
    pub fn set_on_progress(&mut self, receiver: Option<OnProgress>) {
        self.options.on_progress = receiver;
    }

    /// How far the host's render is, 0 to 1; `None` when none is told.
    pub fn progress(&self) -> Option<f64> {
        self.read_progress().map(|progress| progress.progress)
    }

    /// The heartbeat, when there is a readable one.
    pub fn lock(&self) -> Option<Lock> {
        read_json(&self.folder.join("server.lock")).ok()
    }

    /// Asks the bridge's loop to end. The host itself goes on.
    ///
    /// # Errors
    ///
    /// The folder is gone or not writable.
    pub fn stop_bridge(&self) -> io::Result<()> {
        exchange(&self.folder.join(STOP_FILE), b"")
    }

    fn timeout_for(&self, call: &Call) -> Duration {
        if commands::find(&call.command).is_some_and(|command| command.long_running) {
            self.options.long_timeout
        } else {
            self.options.timeout
        }
    }

    fn wait_for_lock(&mut self, deadline: Instant) -> Result<(), CallError> {
        let mut pause = Duration::from_millis(2);
        loop {
            self.check_cancel("hello")?;
            let foreign = match (self.lock(), &self.token) {
                (Some(_), None) => return Ok(()),
                (Some(lock), Some(token)) if lock.token == *token => return Ok(()),
                (Some(_), Some(_)) => true,
                (None, _) => false,
            };
            if let ProcessState::Exited(how) = (self.options.alive)() {
                return Err(lost(
                    "hello",
                    format!("the host ended before the bridge started: {how}"),
                ));
            }
            if Instant::now() >= deadline {
                let what = if foreign {
                    "another instance's bridge holds the IPC folder"
                } else {
                    "no bridge appeared in the IPC folder"
                };
                return Err(lost("hello", format!("{what} `{}`", self.folder.display())));
            }
            self.pause(pause, deadline);
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// Sends one command, waits for its reply and keeps the record.
    fn round_trip(&mut self, call: &Call, timeout: Duration) -> Result<Value, CallError> {
        let started = Instant::now();
        let id = new_token();
        let result = self.exchange(call, &id, timeout);
        if self.options.history {
            history::write(&self.folder, call, &id, started.elapsed(), &result);
        }
        result
    }

    fn exchange(&mut self, call: &Call, id: &str, timeout: Duration) -> Result<Value, CallError> {
        self.check_cancel(&call.command)?;
        self.last_progress = None;
        remove(&self.folder.join("response.json"));
        self.send(call, id)?;
        match self.receive(&call.command, id, Instant::now() + timeout) {
            Ok(response) => into_result(&call.command, response),
            Err(Wait::Failed(error)) => {
                // A command that nobody has taken yet must not run later.
                remove(&self.folder.join("command.json"));
                Err(error)
            }
            Err(Wait::Deadline) => self.after_deadline(call, id, timeout),
        }
    }

    fn send(&self, call: &Call, id: &str) -> Result<(), CallError> {
        let command = Command {
            command: call.command.clone(),
            params: call.params.clone(),
            id: id.to_owned(),
            token: self.token.clone(),
        };
        let bytes =
            serde_json::to_vec(&command).map_err(|error| protocol(&call.command, &error))?;
        exchange(&self.folder.join("command.json"), &bytes)
            .map_err(|error| protocol(&call.command, &error))
    }

    /// Waits for the reply with this id; drops all others.
    fn receive(&mut self, command: &str, id: &str, deadline: Instant) -> Result<Response, Wait> {
        let path = self.folder.join("response.json");
        let started = Instant::now();
        let mut pulse = Pulse::new(started);
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(response) = self.take_response(&path, id) {
                return Ok(response);
            }
            let now = Instant::now();
            self.check_cancel(command).map_err(Wait::Failed)?;
            if now >= pulse.next_look {
                pulse.next_look = now + Duration::from_millis(200);
                self.tell_progress();
                if let ProcessState::Exited(how) = (self.options.alive)() {
                    // It may have answered with its last breath.
                    return match self.take_response(&path, id) {
                        Some(response) => Ok(response),
                        None => Err(Wait::Failed(lost(
                            command,
                            format!("the host ended: {how}"),
                        ))),
                    };
                }
                let lock = self.lock();
                let progress = self.options.tells_progress.then(|| self.progress_time());
                if let Some(silent) = pulse.silent_for(lock.as_ref(), progress, now)
                    && silent > self.options.frozen_after
                {
                    let seconds = silent.as_secs();
                    let reason = match lock {
                        Some(Lock { busy: Some(_), .. }) => {
                            format!("the host is frozen: no progress for {seconds} s")
                        }
                        Some(_) => format!(
                            "the host is frozen: no tick for {seconds} s and no long command runs"
                        ),
                        None => format!("no heartbeat file for {seconds} s"),
                    };
                    return Err(Wait::Failed(lost(command, reason)));
                }
            }
            if now >= deadline {
                return Err(Wait::Deadline);
            }
            self.pause(pause, deadline);
            // Quick at first, since most commands take about a millisecond;
            // slower later, since the notification wakes us anyway.
            if now - started > Duration::from_millis(20) {
                pause = (pause * 2).min(Duration::from_millis(20));
            }
        }
    }

    /// The reply with this id, if it lies there whole. Foreign, late and
    /// anonymous ones are logged and removed.
    fn take_response(&self, path: &Path, id: &str) -> Option<Response> {
        // An unreadable file is left for the next look: the writer replaces it
        // as a whole, so it is either old or foreign.
        let response: Response = read_json(path).ok()?;
        if response.id.as_deref() != Some(id) {
            tracing::warn!(expected = id, got = ?response.id, "dropped a late or foreign reply");
            remove(path);
            return None;
        }
        if self.token.is_some() && response.token != self.token {
            tracing::warn!(id, "dropped a reply with a foreign token");
            remove(path);
            return None;
        }
        remove(path);
        Some(response)
    }

    /// Finds out what became of a command that gave no answer in time.
    fn after_deadline(
        &mut self,
        call: &Call,
        id: &str,
        timeout: Duration,
    ) -> Result<Value, CallError> {
        let timed_out = CallError::TimedOut {
            command: call.command.clone(),
            seconds: timeout.as_secs(),
        };
        let path = self.folder.join("command.json");
        let untaken = read_json::<Command>(&path).is_ok_and(|command| command.id == id);
        if untaken && fs::remove_file(&path).is_ok() {
            tracing::warn!(
                command = call.command,
                "withdrew a command that the bridge never took"
            );
            return Err(timed_out);
        }
        let status_id = new_token();
        let ask = Call::new("command_status", json!({ "id": id }));
        self.send(&ask, &status_id)?;
        let deadline = Instant::now() + self.options.status_timeout;
        let response = self.path_of_either(id, &status_id, deadline);
        remove(&path);
        let Some(response) = response else {
            return Err(timed_out);
        };
        if response.id.as_deref() == Some(id) {
            return into_result(&call.command, response);
        }
        let data = response.data.unwrap_or_default();
        match data["status"].as_str() {
            Some("done" | "failed") => {
                let inner: Response = serde_json::from_value(data["response"].clone())
                    .map_err(|error| protocol(&call.command, &error))?;
                into_result(&call.command, inner)
            }
            _ => Err(timed_out),
        }
    }

    /// Waits for the reply to either of two commands.
    fn path_of_either(&self, first: &str, second: &str, deadline: Instant) -> Option<Response> {
        let path = self.folder.join("response.json");
        while Instant::now() < deadline && !self.options.cancel.load(Ordering::Relaxed) {
            if let Ok(response) = read_json::<Response>(&path) {
                let id = response.id.as_deref();
                if id == Some(first) || id == Some(second) {
                    let id = id.unwrap_or_default().to_owned();
                    if let Some(response) = self.take_response(&path, &id) {
                        return Some(response);
                    }
                }
            }
            if let ProcessState::Exited(_) = (self.options.alive)() {
                return None;
            }
            self.pause(Duration::from_millis(5), deadline);
        }
        None
    }

    fn tell_progress(&mut self) {
        let Some(progress) = self.read_progress() else {
            return;
        };
        if self.last_progress == Some(progress.progress) {
            return;
        }
        self.last_progress = Some(progress.progress);
        if let Some(receiver) = &mut self.options.on_progress {
            receiver(progress.progress, &progress.stage);
        }
    }

    fn read_progress(&self) -> Option<Progress> {
        let progress: Progress = read_json(&self.folder.join("host_progress.json")).ok()?;
        (0.0..=1.0).contains(&progress.progress).then_some(progress)
    }

    /// When the host last told its progress; `None` when nothing is told.
    fn progress_time(&self) -> Option<SystemTime> {
        let file = fs::metadata(self.folder.join("host_progress.json"));
        file.and_then(|file| file.modified()).ok()
    }

    fn check_cancel(&self, command: &str) -> Result<(), CallError> {
        if self.options.cancel.load(Ordering::Relaxed) {
            return Err(CallError::Cancelled {
                command: command.to_owned(),
            });
        }
        Ok(())
    }

    /// Sleeps until something happens in the folder, or for `longest`.
    fn pause(&self, longest: Duration, deadline: Instant) {
        let longest = longest.min(deadline.saturating_duration_since(Instant::now()));
        match self.events.recv_timeout(longest) {
            Ok(()) => while self.events.try_recv().is_ok() {},
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            // Without a watcher the channel is closed and returns at once.
            Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(longest),
        }
    }
}

impl Bridge for Client {
    fn call(&mut self, call: Call) -> Result<Value, CallError> {
        let timeout = self.timeout_for(&call);
        self.round_trip(&call, timeout)
    }

    fn batch(&mut self, calls: Vec<Call>) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let mut results = Vec::with_capacity(calls.len());
        for chunk in chunks(&calls) {
            if let [single] = chunk {
                match self.call(single.clone()) {
                    Err(error @ CallError::Refused { .. }) => results.push(Err(error)),
                    other => results.push(Ok(other?)),
                }
                continue;
            }
            let list: Vec<Value> = chunk
                .iter()
                .map(|call| json!({ "command": call.command, "params": call.params }))
                .collect();
            let long: u32 = chunk
                .iter()
                .map(|call| u32::from(self.timeout_for(call) == self.options.long_timeout))
                .sum();
            let timeout = self.options.timeout
                + self.options.timeout * (chunk.len() as u32 / 20)
                + self.options.long_timeout * long;
            let data = self.round_trip(&Call::new("batch", json!({ "calls": list })), timeout)?;
            let replies: Vec<Response> = serde_json::from_value(data["results"].clone())
                .map_err(|error| protocol("batch", &error))?;
            if replies.len() != chunk.len() {
                return Err(CallError::Protocol {
                    command: "batch".to_owned(),
                    reason: format!("{} commands gave {} replies", chunk.len(), replies.len()),
                });
            }
            for (call, reply) in chunk.iter().zip(replies) {
                results.push(into_result(&call.command, reply));
            }
        }
        Ok(results)
    }
}

/// Watches the heartbeat: how long has it stood still?
struct Pulse {
    next_look: Instant,
    ticks: Option<u64>,
    busy: bool,
    progress: Option<SystemTime>,
    moved: Instant,
}

impl Pulse {
    fn new(now: Instant) -> Self {
        Self {
            next_look: now + Duration::from_millis(50),
            ticks: None,
            busy: false,
            progress: None,
            moved: now,
        }
    }

    /// `None` while something moves, or a long command runs in a host that
    /// tells no `progress`.
    fn silent_for(
        &mut self,
        lock: Option<&Lock>,
        progress: Option<Option<SystemTime>>,
        now: Instant,
    ) -> Option<Duration> {
        let ticks = lock.map(|lock| lock.ticks);
        let busy = lock.is_some_and(|lock| lock.busy.is_some());
        let told = progress.flatten();
        let moved = ticks != self.ticks || busy != self.busy || told != self.progress;
        if moved || (busy && progress.is_none()) {
            (self.ticks, self.busy, self.progress) = (ticks, busy, told);
            self.moved = now;
            return None;
        }
        Some(now - self.moved)
    }
}

/// Splits calls so that no chunk is too long or too large.
fn chunks(calls: &[Call]) -> Vec<&[Call]> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (index, call) in calls.iter().enumerate() {
        let size = serde_json::to_vec(&call.params).map_or(0, |text| text.len());
        if index > start && (index - start == BATCH_CALLS || bytes + size > BATCH_BYTES) {
            chunks.push(&calls[start..index]);
            start = index;
            bytes = 0;
        }
        bytes += size;
    }
    if start < calls.len() {
        chunks.push(&calls[start..]);
    }
    chunks
}

fn into_result(command: &str, response: Response) -> Result<Value, CallError> {
    for warning in &response.warnings {
        tracing::warn!(command, "{warning}");
    }
    if response.success {
        return Ok(response.data.unwrap_or(Value::Object(Map::new())));
    }
    let info = response.error_info.unwrap_or_else(|| ErrorInfo {
        code: "COMMAND_FAILED".to_owned(),
        number: 2000,
        stage: "run".to_owned(),
        message: response
            .error
            .unwrap_or_else(|| "no reason given".to_owned()),
        details: Value::Null,
        retryable: false,
    });
    Err(CallError::Refused {
        command: command.to_owned(),
        code: info.code,
        message: info.message,
        retryable: info.retryable,
    })
}

fn watch(folder: &Path) -> (Option<notify::RecommendedWatcher>, mpsc::Receiver<()>) {
    let (sender, receiver) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_news(&event)) {
            // The receiver is gone only when the client is.
            let _ = sender.send(());
        }
    })
    .and_then(|mut watcher| {
        watcher.watch(folder, notify::RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    match watcher {
        Ok(watcher) => (Some(watcher), receiver),
        Err(error) => {
            tracing::info!(%error, "no file notification here, polling instead");
            (None, receiver)
        }
    }
}

/// The bridge wrote something, as opposed to our own reads and writes.
fn is_news(event: &notify::Event) -> bool {
    !event.kind.is_access()
        && event.paths.iter().any(|path| {
            path.file_name()
                .is_some_and(|name| name == "response.json" || name == "server.lock")
        })
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(path = %path.display(), %error, "could not remove a protocol file");
    }
}

fn protocol(command: &str, error: &dyn std::error::Error) -> CallError {
    CallError::Protocol {
        command: command.to_owned(),
        reason: error.to_string(),
    }
}

fn lost(command: &str, reason: String) -> CallError {
    CallError::HostLost {
        command: command.to_owned(),
        reason,
    }
}
