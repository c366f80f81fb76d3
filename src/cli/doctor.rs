//! `doctor`: what is installed, what would be used, what is missing and how
//! to get it. It starts nothing and changes nothing.

use std::path::Path;

use serde_json::json;

use super::args::DoctorArgs;
use super::{Exit, Ui, engine};
use crate::engine::{Engine, find_reaper};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    /// Not needed, but good to know.
    Note,
    /// A run would fail.
    Broken,
}

struct Finding {
    state: State,
    what: &'static str,
    text: String,
    /// What to do about it.
    remedy: Option<String>,
}

pub(super) fn run(args: &DoctorArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let findings = findings(args);
    let broken = findings
        .iter()
        .any(|finding| finding.state == State::Broken);
    if ui.is_json() {
        for finding in &findings {
            ui.line(&json!({
                "type": "finding",
                "state": word(finding.state),
                "what": finding.what,
                "text": finding.text,
                "remedy": finding.remedy,
            }))?;
        }
    } else {
        let mut text = String::new();
        for finding in &findings {
            let word = word(finding.state);
            text.push_str(&format!(
                "{word:<5} {:<12} {}\n",
                finding.what, finding.text
            ));
            if let Some(remedy) = &finding.remedy {
                text.push_str(&format!("{:<18} {remedy}\n", ""));
            }
        }
        ui.result(&text)?;
    }
    Ok(if broken { Exit::Broken } else { Exit::Passed })
}

fn findings(args: &DoctorArgs) -> Vec<Finding> {
    let mut findings = vec![fine("program", program())];
    findings.push(reaper(args));
    findings.push(match engine::choose(&args.engine) {
        Ok(Engine::Embedded { .. }) => fine("engine", "the embedded host would be used".to_owned()),
        Ok(Engine::Reaper { program }) => {
            fine("engine", format!("{} would be used", program.display()))
        }
        Err(error) => Finding {
            state: State::Broken,
            what: "engine",
            text: error.to_string(),
            remedy: None,
        },
    });
    if matches!(engine::choose(&args.engine), Ok(Engine::Reaper { .. })) {
        findings.push(resources(args));
        findings.push(display());
    }
    findings.push(folder("temporary", &std::env::temp_dir()));
    if let Ok(here) = std::env::current_dir() {
        findings.push(folder("output", &here));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    findings.push(fine("processors", cores.to_string()));
    findings.push(fine(
        "formats",
        "reads wav flac aiff mp3 ogg; renders wav flac".to_owned(),
    ));
    findings
}

fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("reaper-batch {version} on {os} {arch}")
}

fn reaper(args: &DoctorArgs) -> Finding {
    match find_reaper(args.engine.reaper.as_deref()) {
        Some(path) => fine("REAPER", format!("found at {}", path.display())),
        None => Finding {
            state: State::Note,
            what: "REAPER",
            text: "not found; songs are made by the embedded host".to_owned(),
            remedy: Some(
                "to use REAPER, install it from reaper.fm or name its executable with --reaper"
                    .to_owned(),
            ),
        },
    }
}

fn resources(args: &DoctorArgs) -> Finding {
    match engine::resources(&args.engine) {
        Some(folder) => fine("resources", format!("{}", folder.display())),
        None => Finding {
            state: State::Note,
            what: "resources",
            text: "REAPER's resource folder was not found; workers start without a licence"
                .to_owned(),
            remedy: Some(
                "start REAPER once by hand, or name it with --reaper-resources".to_owned(),
            ),
        },
    }
}

/// REAPER on Linux opens windows even when nobody looks.
fn display() -> Finding {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY") {
        return fine("display", "there is one".to_owned());
    }
    Finding {
        state: State::Broken,
        what: "display",
        text: "REAPER needs a display and there is none".to_owned(),
        remedy: Some("run under `xvfb-run -a`, or use `--engine embedded`".to_owned()),
    }
}

fn folder(what: &'static str, path: &Path) -> Finding {
    match tempfile::NamedTempFile::new_in(path) {
        Ok(_) => fine(what, format!("{} is writable", path.display())),
        Err(error) => Finding {
            state: State::Broken,
            what,
            text: format!("{} is not writable: {error}", path.display()),
            remedy: None,
        },
    }
}

fn fine(what: &'static str, text: String) -> Finding {
    Finding {
        state: State::Fine,
        what,
        text,
        remedy: None,
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::Fine => "ok",
        State::Note => "note",
        State::Broken => "fail",
    }
}
