//! Starting a host with the bridge, and stopping it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use process_wrap::std::CommandWrap;

use super::hosts::{Hosts, SharedChild, lock};
use super::worker::Worker;
use crate::bridge::{self, CallError, Client, IPC_ENV, ProcessState, TOKEN_ENV};

/// How long a host may take to end by itself, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);

/// What the embedded host calls itself at the handshake.
const EMBEDDED_NAME: &str = "embedded host";

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// This program's own host; the path is that of this program.
    Embedded { program: PathBuf },
    /// A REAPER, or what takes its options.
    Reaper { program: PathBuf },
}

/// How a host is started.
pub struct LaunchOptions<'a> {
    /// Project to open; `None` starts with a new one.
    pub project: Option<&'a Path>,
    /// Render threads of the embedded host.
    pub threads: usize,
    /// Receives what the process prints.
    pub log: &'a Path,
    /// Connection settings; `alive` is replaced.
    pub client: bridge::Options,
}

/// Why a host could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("cannot start `{}`: {source}", program.display())]
    Spawn { program: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Log { path: PathBuf, source: io::Error },
    #[error("the host started but its bridge did not answer: {0}")]
    Handshake(#[from] CallError),
}

/// A running host with a connected bridge. Dropping it kills the process
/// and all its children.
pub struct Host {
    child: SharedChild,
    client: Client,
}

impl Host {
    /// Starts an engine in a worker folder and shakes hands with its bridge.
    ///
    /// # Errors
    ///
    /// The program cannot be started, ends early, or its bridge does not
    /// answer within the start limit; the process is gone in each case.
    pub fn start(
        engine: &Engine,
        worker: &Worker,
        hosts: &Hosts,
        options: LaunchOptions<'_>,
    ) -> Result<Self, LaunchError> {
        let log = |path: &Path| {
            File::options()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|source| LaunchError::Log {
                    path: path.to_owned(),
                    source,
                })
        };
        let (out, err) = (log(options.log)?, log(options.log)?);
        let program = match engine {
            Engine::Embedded { program } | Engine::Reaper { program } => program,
        };
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(arguments(engine, worker, options.project))
                .env(IPC_ENV, worker.ipc())
                .env(TOKEN_ENV, worker.token())
                .env("REAPER_BATCH_THREADS", options.threads.to_string())
                .env("REAPER_BATCH_CACHE", worker.cache())
                .env("TMPDIR", worker.tmp())
                .env("TEMP", worker.tmp())
                // Decimal commas have corrupted numbers in plug-ins.
                .env("LC_NUMERIC", "C")
                .stdin(Stdio::null())
                .stdout(out)
                .stderr(err);
        });
        // A group of its own: Ctrl-C on the terminal reaches only us, and a
        // kill reaches what the host has started.
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        if let Engine::Embedded { .. } = engine {
            command
                .command_mut()
                .env("REAPER_BATCH_HOST_NAME", EMBEDDED_NAME);
        }
        let child = command.spawn().map_err(|source| LaunchError::Spawn {
            program: program.clone(),
            source,
        })?;
        let child: SharedChild = Arc::new(Mutex::new(child));
        hosts.add(&child);
        let watched = Arc::clone(&child);
        let client = Client::connect(
            worker.ipc(),
            Some(worker.token().to_owned()),
            bridge::Options {
                alive: Box::new(move || state(&watched)),
                ..options.client
            },
        );
        match client {
            Ok(client) => Ok(Self { child, client }),
            Err(error) => {
                kill(&child);
                Err(error.into())
            }
        }
    }

    /// The bridge of this host.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Ends the host: asks its bridge, then the process group politely, then
    /// without asking. Unsaved changes are lost. A host that is `at_work`
    /// cannot hear its bridge, and is not waited for.
    pub fn stop(self, at_work: bool) {
        if let Err(error) = self.client.stop_bridge() {
            tracing::debug!(%error, "cannot ask the bridge to end");
        }
        // The embedded host ends with its script; REAPER goes on without it.
        let embedded = self.client.hello().host_name == EMBEDDED_NAME;
        let ended = embedded && !at_work && wait(&self.child, GRACE);
        if !ended {
            terminate(&self.child);
            if !wait(&self.child, GRACE) {
                kill(&self.child);
            }
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if !matches!(state(&self.child), ProcessState::Exited(_)) {
            kill(&self.child);
        }
    }
}

/// REAPER's options, in the order that working set-ups use.
fn arguments(engine: &Engine, worker: &Worker, project: Option<&Path>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    if let Engine::Embedded { .. } = engine {
        arguments.push("host".into());
    }
    arguments.extend(["-newinst", "-cfgfile"].map(OsString::from));
    arguments.push(worker.ini().into());
    if project.is_none() {
        arguments.push("-new".into());
    }
    arguments.extend(["-nosplash", "-ignoreerrors"].map(OsString::from));
    arguments.extend(project.map(Path::as_os_str).map(OsStr::to_owned));
    arguments.push(worker.script().into());
    if cfg!(target_os = "macos") && matches!(engine, Engine::Reaper { .. }) {
        // Must come last: REAPER stops reading at options it does not know.
        arguments.extend(["-ApplePersistence", "NO"].map(OsString::from));
    }
    arguments
}

fn state(child: &SharedChild) -> ProcessState {
    match lock(child).try_wait() {
        Ok(None) => ProcessState::Running,
        Ok(Some(status)) => ProcessState::Exited(describe(status)),
        Err(error) => ProcessState::Exited(error.to_string()),
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}");
        }
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

fn wait(child: &SharedChild, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let ProcessState::Exited(_) = state(child) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn terminate(child: &SharedChild) {
    #[cfg(unix)]
    {
        let signal = rustix::process::Signal::TERM.as_raw();
        if let Err(error) = lock(child).signal(signal) {
            tracing::debug!(%error, "cannot signal the host");
        }
    }
    #[cfg(not(unix))]
    kill(child);
}

fn kill(child: &SharedChild) {
    let mut child = lock(child);
    if let Err(error) = child.start_kill() {
        tracing::debug!(%error, "the host was gone before it could be killed");
    }
    if let Err(error) = child.wait() {
        tracing::debug!(%error, "cannot wait for the killed host");
    }
}
