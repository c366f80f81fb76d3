//! REAPER's command line: `[options] [project.rpp] [script.lua…]`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::session::{Options, Session};
use super::watch::Ticker;

/// What the command line asks for.
#[derive(Debug, Default, PartialEq)]
struct Request {
    resource_path: Option<PathBuf>,
    splash_log: Option<PathBuf>,
    template: Option<PathBuf>,
    project: Option<PathBuf>,
    save_as: Option<PathBuf>,
    render: Option<PathBuf>,
    media: Vec<PathBuf>,
    scripts: Vec<PathBuf>,
    /// Only to close another instance, of which there is none here.
    close: bool,
}

const USAGE: &str =
    "usage: reaper-batch host [options] [project.rpp | media files] [script.lua ...]
  -cfgfile FILE       the folder of FILE is the resource path
  -new                start with a new project
  -template FILE      start with a copy of FILE
  -saveas FILE        save the project under this name
  -renderproject FILE render by the settings in FILE and exit
  -splashlog FILE     write a log of the start
  -newinst -nonewinst -nosplash -ignoreerrors -noactivate -close[all][:save|:nosave][:exit]
                      accepted, nothing to do without a window
";

/// Runs the host by REAPER's command line and returns its exit code.
///
/// `REAPER_BATCH_IPC` names the folder whose `command.json` wakes the loop at
/// once, `REAPER_BATCH_THREADS` the threads of a render, `REAPER_BATCH_CACHE`
/// a folder that renders may keep the mix before the master chain in. A host
/// with an IPC folder ends when the process that started it is gone.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let request = match parse(args) {
        Ok(request) => request,
        Err(Unknown(option)) => {
            // REAPER prints its usage and ends with 0 on Linux; a runner is
            // better served by a code that says the start was wrong.
            tracing::error!("unknown option `{option}`\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if request.close {
        return ExitCode::SUCCESS;
    }
    run(&request)
}

fn run(request: &Request) -> ExitCode {
    let terminated = match on_terminate() {
        Ok(flag) => flag,
        Err(error) => {
            tracing::warn!("cannot listen for the end signal: {error}");
            Arc::default()
        }
    };
    let ipc = std::env::var_os("REAPER_BATCH_IPC").map(PathBuf::from);
    let mut session = Session::new(Options {
        resource_path: request
            .resource_path
            .clone()
            .unwrap_or_else(default_resource_path),
        ipc: ipc.clone(),
        threads: threads(),
        premix_cache: std::env::var_os("REAPER_BATCH_CACHE").map(PathBuf::from),
    });
    session.end_renders_with(Arc::clone(&terminated));
    #[cfg(unix)]
    if ipc.is_some() {
        end_with_parent();
    }
    let mut failed = false;
    let mut note = |result: Result<(), super::ScriptError>| {
        if let Err(error) = result {
            tracing::error!("{error}");
            failed = true;
        }
    };
    if let Some(path) = &request.splash_log {
        note(write_splash_log(path));
    }
    if let Some(path) = &request.render {
        note(
            session
                .open_project(path)
                .and_then(|()| session.render_project()),
        );
        return exit_code(failed);
    }
    if let Some(path) = &request.template {
        note(session.open_template(path));
    }
    if let Some(path) = &request.project {
        note(session.open_project(path));
    }
    for path in &request.media {
        note(session.insert_media(path));
    }
    if let Some(path) = &request.save_as {
        note(session.save_project(path));
    }
    for path in &request.scripts {
        note(session.run_script(path));
    }
    let ticker = Ticker::new(ipc.as_deref());
    while session.is_running() && !terminated.load(Ordering::Relaxed) {
        let waiting = ipc
            .as_deref()
            .is_some_and(|folder| folder.join("command.json").exists());
        if !waiting {
            ticker.wait();
        }
        session.tick();
    }
    session.end();
    exit_code(failed || session.failures() > 0)
}

/// A host whose driver has died must not go on rendering for nobody. It may
/// be deep inside a render or a Lua function, so a thread ends the process.
#[cfg(unix)]
fn end_with_parent() {
    let parent = rustix::process::getppid();
    let watch = std::thread::Builder::new().name("parent watch".to_owned());
    let watching = watch.spawn(move || {
        while rustix::process::getppid() == parent {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        tracing::error!("the process that started this host is gone");
        #[expect(clippy::exit, reason = "nobody is left to return to")]
        std::process::exit(3);
    });
    if let Err(error) = watching {
        tracing::warn!("cannot watch the parent process: {error}");
    }
}

/// 0 when all went well, 3 (an engine failed) otherwise.
fn exit_code(failed: bool) -> ExitCode {
    ExitCode::from(if failed { 3 } else { 0 })
}

/// An option that neither REAPER nor this host has.
#[derive(Debug, PartialEq)]
struct Unknown(String);

fn parse(args: impl Iterator<Item = OsString>) -> Result<Request, Unknown> {
    let mut request = Request::default();
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        let Some(option) = text.strip_prefix('-') else {
            request.add_file(PathBuf::from(arg));
            continue;
        };
        let mut value = || args.next().map(PathBuf::from).ok_or(Unknown(text.clone()));
        match option {
            "cfgfile" => {
                let file = value()?;
                let file = std::path::absolute(&file).unwrap_or(file);
                request.resource_path = file.parent().map(Path::to_owned);
            }
            "template" => request.template = Some(value()?),
            "saveas" => request.save_as = Some(value()?),
            "renderproject" => request.render = Some(value()?),
            "splashlog" => request.splash_log = Some(value()?),
            "new" | "newinst" | "nonewinst" | "nosplash" | "ignoreerrors" | "noactivate"
            | "audiocfg" => {}
            _ if option.starts_with("close") => request.close = true,
            // Cocoa's "reopen windows" switch, which callers put last on macOS.
            "ApplePersistence" => drop(value()?),
            _ => return Err(Unknown(text)),
        }
    }
    Ok(request)
}

impl Request {
    fn add_file(&mut self, path: PathBuf) {
        let extension = path
            .extension()
            .map(|extension| extension.to_ascii_lowercase());
        match extension.as_deref().and_then(|e| e.to_str()) {
            Some("lua") => self.scripts.push(path),
            Some("rpp") => self.project = Some(path),
            _ => self.media.push(path),
        }
    }
}

fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::env::var("REAPER_BATCH_THREADS")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .map_or(1, |wanted: usize| wanted.clamp(1, cores))
}

fn default_resource_path() -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    home.join(".config").join("reaper-batch").join("host")
}

fn write_splash_log(path: &Path) -> Result<(), super::ScriptError> {
    let text = format!("reaper-batch {} embedded host\n", env!("CARGO_PKG_VERSION"));
    std::fs::write(path, text).map_err(|source| super::ScriptError::Read {
        path: path.to_owned(),
        source,
    })
}

/// A flag that the end signal raises.
#[cfg(unix)]
fn on_terminate() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = {
        let _inside = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            signals.recv().await;
            raised.store(true, Ordering::Relaxed);
        });
        // A script that never comes back to the loop does not see the flag.
        std::thread::sleep(std::time::Duration::from_secs(2));
        tracing::error!("a script did not end in time");
        #[expect(clippy::exit, reason = "the main thread is stuck inside the script")]
        std::process::exit(3);
    });
    Ok(flag)
}

#[cfg(not(unix))]
fn on_terminate() -> std::io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<Request, Unknown> {
        parse(args.iter().map(OsString::from))
    }

    #[test]
    fn the_order_that_launchers_use_is_understood() {
        let request = parsed(&[
            "-newinst",
            "-cfgfile",
            "/w/reaper.ini",
            "-nosplash",
            "-ignoreerrors",
            "song.RPP",
            "bridge.lua",
            "b.lua",
        ])
        .unwrap();
        assert_eq!(request.resource_path.as_deref(), Some(Path::new("/w")));
        assert_eq!(request.project.as_deref(), Some(Path::new("song.RPP")));
        assert_eq!(
            request.scripts,
            [PathBuf::from("bridge.lua"), PathBuf::from("b.lua")]
        );
    }

    #[test]
    fn an_unknown_option_is_refused() {
        assert_eq!(
            parsed(&["-renderfile", "x"]),
            Err(Unknown("-renderfile".to_owned()))
        );
        assert!(parsed(&["-cfgfile"]).is_err());
    }
}
