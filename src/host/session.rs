//! Scripts running over one model, tick by tick.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::files;
use super::lua::{Machine, ScriptInfo};
use super::state::Host;

/// How a session starts.
#[derive(Debug, Clone)]
pub struct Options {
    /// `GetResourcePath`: where settings and scripts of this REAPER live.
    pub resource_path: PathBuf,
    /// The bridge's folder; gets `host_progress.json` during renders.
    pub ipc: Option<PathBuf>,
    /// Where renders may keep the mix before the master chain.
    pub premix_cache: Option<PathBuf>,
    /// Threads a render may use, at least 1.
    pub threads: usize,
}

/// A script failed, or a file around it.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read script `{path}`: {source}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// The message as Lua gives it, with file and line.
    #[error("{0}")]
    Lua(String),
    #[error(transparent)]
    Project(#[from] files::FileError),
}

/// The host: one project, any number of scripts, each with its own machine.
pub struct Session {
    host: Rc<RefCell<Host>>,
    scripts: Vec<Script>,
    eval: Option<Machine>,
    failures: usize,
}

struct Script {
    machine: Machine,
    info: Rc<ScriptInfo>,
}

impl Session {
    /// A session with a new, empty project.
    pub fn new(options: Options) -> Self {
        let mut host = Host::new(options.resource_path, options.ipc, options.threads);
        host.premix_cache = options.premix_cache;
        host.load_ext_state();
        Self {
            host: Rc::new(RefCell::new(host)),
            scripts: Vec::new(),
            eval: None,
            failures: 0,
        }
    }

    /// Scripts with deferred functions are left.
    pub fn is_running(&self) -> bool {
        !self.scripts.is_empty() && !self.host.borrow().quit
    }

    /// How many scripts have ended with an error in a deferred function or
    /// after they were started as an action.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// Renders end early, with an error, once this flag is up.
    pub fn end_renders_with(&mut self, flag: Arc<AtomicBool>) {
        self.host.borrow_mut().end_renders = flag;
    }

    /// Opens a project file in place of the current project.
    ///
    /// # Errors
    ///
    /// The file can't be read or is no project; the current project then stays.
    pub fn open_project(&mut self, path: &Path) -> Result<(), ScriptError> {
        Ok(self.host.borrow_mut().open_file(path)?)
    }

    /// Starts a new project as a copy of a file.
    ///
    /// # Errors
    ///
    /// As for [`Self::open_project`].
    pub fn open_template(&mut self, path: &Path) -> Result<(), ScriptError> {
        let mut host = self.host.borrow_mut();
        host.open_file(path)?;
        host.project.settings.path = None;
        Ok(())
    }

    /// Puts a media file on a new track, as REAPER does with files on its
    /// command line.
    ///
    /// # Errors
    ///
    /// The file is no media that can be read.
    pub fn insert_media(&mut self, path: &Path) -> Result<(), ScriptError> {
        self.host
            .borrow_mut()
            .insert_on_new_track(path)
            .map_err(|fail| ScriptError::Lua(fail.to_string()))
    }

    /// Ends all scripts: what they registered with `atexit` runs.
    pub fn end(&mut self) {
        for script in std::mem::take(&mut self.scripts) {
            script.machine.deferred.borrow_mut().clear();
            run_at_exit(&script);
        }
    }

    /// Saves the project under a name, which becomes its own.
    ///
    /// # Errors
    ///
    /// The file can't be written; an old one is then untouched.
    pub fn save_project(&mut self, path: &Path) -> Result<(), ScriptError> {
        Ok(self.host.borrow_mut().save_file(path, true)?)
    }

    /// Renders by the project's own settings, as action 42230 does.
    ///
    /// # Errors
    ///
    /// The settings can't be rendered, media can't be read, or a file can't be
    /// written.
    pub fn render_project(&mut self) -> Result<(), ScriptError> {
        self.host
            .borrow_mut()
            .render()
            .map_err(|fail| ScriptError::Lua(fail.to_string()))
    }

    /// Starts a script: its main chunk runs at once, what it defers with the
    /// next [`Self::tick`]. After an error its deferred functions are dropped
    /// and those registered with `atexit` have run.
    ///
    /// # Errors
    ///
    /// The script can't be read, is no Lua, or raised an error.
    pub fn run_script(&mut self, path: &Path) -> Result<(), ScriptError> {
        let result = self.start(path, 0);
        self.after_lua();
        result
    }

    /// Runs deferred functions once. False when nothing is left to run.
    pub fn tick(&mut self) -> bool {
        let mut running = Vec::new();
        for script in std::mem::take(&mut self.scripts) {
            let functions = std::mem::take(&mut *script.machine.deferred.borrow_mut());
            let failed = functions
                .into_iter()
                .find_map(|function| function.call::<()>(()).err());
            self.host.borrow_mut().end_tick();
            if let Some(error) = &failed {
                self.failures += 1;
                tracing::error!(script = %script.info.path.display(), "{}", text(error));
            }
            if failed.is_some() || script.machine.deferred.borrow().is_empty() {
                run_at_exit(&script);
            } else {
                running.push(script);
            }
        }
        running.append(&mut self.scripts);
        self.scripts = running;
        self.after_lua();
        self.is_running()
    }

    /// Runs code in a machine of its own that lives as long as the session
    /// and returns its results as text, joined by tabs; a float without
    /// fraction shows as `1.0`.
    ///
    /// # Errors
    ///
    /// The code is no Lua or raised an error.
    pub fn eval(&mut self, code: &str) -> Result<String, ScriptError> {
        if self.eval.is_none() {
            let info = Rc::new(ScriptInfo {
                path: PathBuf::from("eval"),
                command: 0,
                gmem: RefCell::default(),
            });
            let machine = Machine::new(&self.host, &info).map_err(|e| lua_error(&e))?;
            self.eval = Some(machine);
        }
        let Some(machine) = &self.eval else {
            return Ok(String::new());
        };
        let lua = &machine.lua;
        let result = lua
            .load(code)
            .set_name("=eval")
            .eval::<mlua::MultiValue>()
            .and_then(|values| {
                let tostring: mlua::Function = lua.globals().get("tostring")?;
                values
                    .into_iter()
                    .map(|value| tostring.call::<String>(value))
                    .collect::<Result<Vec<_>, _>>()
            })
            .map(|texts| texts.join("\t"))
            .map_err(|error| lua_error(&error));
        self.host.borrow_mut().end_tick();
        self.after_lua();
        result
    }

    /// Action ids that scripts have asked for and that do not exist here.
    pub fn unknown_actions(&self) -> Vec<i64> {
        self.host.borrow().unknown_actions.iter().copied().collect()
    }

    fn start(&mut self, path: &Path, command: i64) -> Result<(), ScriptError> {
        let source = std::fs::read(path).map_err(|source| ScriptError::Read {
            path: path.to_owned(),
            source,
        })?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let info = Rc::new(ScriptInfo {
            path,
            command,
            gmem: RefCell::default(),
        });
        let machine = Machine::new(&self.host, &info).map_err(|e| lua_error(&e))?;
        let result = machine
            .lua
            .load(source)
            .set_name(format!("@{}", info.path.display()))
            .exec();
        self.host.borrow_mut().end_tick();
        let script = Script { machine, info };
        match result {
            Ok(()) if script.machine.deferred.borrow().is_empty() => run_at_exit(&script),
            Ok(()) => self.scripts.push(script),
            Err(error) => {
                run_at_exit(&script);
                return Err(lua_error(&error));
            }
        }
        Ok(())
    }

    /// Starts the scripts that actions have asked for.
    fn after_lua(&mut self) {
        loop {
            let waiting = std::mem::take(&mut self.host.borrow_mut().to_start);
            if waiting.is_empty() {
                return;
            }
            for (path, command) in waiting {
                if let Err(error) = self.start(&path, command) {
                    self.failures += 1;
                    tracing::error!(script = %path.display(), "{error}");
                }
            }
        }
    }
}

fn run_at_exit(script: &Script) {
    let functions = std::mem::take(&mut *script.machine.at_exit.borrow_mut());
    for function in functions {
        if let Err(error) = function.call::<()>(()) {
            tracing::error!(script = %script.info.path.display(), "{}", text(&error));
        }
    }
}

fn lua_error(error: &mlua::Error) -> ScriptError {
    ScriptError::Lua(text(error))
}

/// The message without the traceback that mlua adds.
fn text(error: &mlua::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("runtime error: ").unwrap_or(&text);
    match text.split_once("\nstack traceback:") {
        Some((message, _)) => message.to_owned(),
        None => text.to_owned(),
    }
}
