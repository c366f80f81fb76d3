//! The project: names, files, notes, extension values, render settings.

use std::path::{Path, PathBuf};

use super::{Entry, flag, on};
use crate::host::lua::{Answer, Call, Object, Out, answer};
use crate::host::state::{Area, Host};
use crate::project::Project;

pub(super) const FUNCTIONS: &[Entry] = &[
    ("EnumProjExtState", enum_ext_state),
    ("EnumProjects", enum_projects),
    ("GetCurrentProjectInLoadSave", nothing_loading),
    ("GetProjExtState", get_ext_state),
    ("GetProjectLength", length),
    ("GetProjectName", name),
    ("GetProjectPath", path),
    ("GetProjectPathEx", path),
    ("GetSetProjectAuthor", author),
    ("GetSetProjectInfo", info),
    ("GetSetProjectInfo_String", string),
    ("GetSetProjectNotes", notes),
    ("Main_SaveProject", save),
    ("Main_SaveProjectEx", save_as),
    ("Main_openProject", open),
    ("SelectProjectInstance", nothing),
    ("SetProjExtState", set_ext_state),
];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

fn nothing_loading(_: &mut Call) -> Answer {
    answer![Out::Nil]
}

/// One tab, 0; -1 is the current project.
fn enum_projects(c: &mut Call) -> Answer {
    if !matches!(c.int(0), -1 | 0) {
        return answer![Out::Nil, ""];
    }
    let path = path_text(c.host.project.settings.path.as_deref());
    answer![c.host.pointer(Object::Project), path]
}

fn path_text(path: Option<&Path>) -> String {
    path.map(|path| path.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn length(c: &mut Call) -> Answer {
    answer![c.host.project.length_s()]
}

fn name(c: &mut Call) -> Answer {
    let path = c.host.project.settings.path.as_deref();
    answer![path_text(path.and_then(Path::file_name).map(Path::new))]
}

fn path(c: &mut Call) -> Answer {
    answer![c.host.media_folder().to_string_lossy().into_owned()]
}

impl Host {
    /// Where recorded and inserted media go: the record path of the project,
    /// seen from its folder.
    pub(in crate::host) fn media_folder(&self) -> PathBuf {
        let folder = self.project_folder();
        match self.project.settings.record_path.as_str() {
            "" => folder,
            record => folder.join(record),
        }
    }

    /// The folder of the project file; an unsaved project has REAPER's
    /// default, `REAPER Media` in the documents folder, here of the resources.
    pub(in crate::host) fn project_folder(&self) -> PathBuf {
        self.project
            .settings
            .path
            .as_deref()
            .and_then(Path::parent)
            .map_or_else(|| self.resource_path.join("REAPER Media"), Path::to_owned)
    }

    /// Replaces the project by an empty one.
    pub(in crate::host) fn new_project(&mut self) {
        self.open(Project::default());
    }
}

fn notes(c: &mut Call) -> Answer {
    if c.bool(1) {
        c.host.project.settings.notes = c.text(2);
        c.host.touch(Area::Rest);
    }
    answer![c.host.project.settings.notes.as_str()]
}

fn author(c: &mut Call) -> Answer {
    if c.bool(1) {
        c.host.project.settings.author = c.text(2);
        c.host.touch(Area::Rest);
    }
    answer![c.host.project.settings.author.as_str()]
}

fn open(c: &mut Call) -> Answer {
    let name = c.text(0);
    // Nothing ever asks here; a template has no name of its own.
    let (mut rest, mut template) = (name.as_str(), false);
    loop {
        if let Some(after) = rest.strip_prefix("noprompt:") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("template:") {
            (rest, template) = (after, true);
        } else {
            break;
        }
    }
    match c.host.open_file(Path::new(rest)) {
        Ok(()) if template => c.host.project.settings.path = None,
        Ok(()) => {}
        // REAPER shows a message and stays with the project it has.
        Err(error) => tracing::error!("{error}"),
    }
    answer![]
}

fn save(c: &mut Call) -> Answer {
    if c.bool(1) {
        tracing::warn!("Main_SaveProject with a dialog: there is none, nothing was saved");
        return answer![];
    }
    c.host.save_known();
    answer![]
}

impl Host {
    /// Saves to the known file; a project without one cannot ask for a name.
    pub(in crate::host) fn save_known(&mut self) {
        match self.project.settings.path.clone() {
            None => tracing::warn!("the project has no file name yet, nothing was saved"),
            Some(path) => {
                if let Err(error) = self.save_file(&path, true) {
                    tracing::error!("{error}");
                }
            }
        }
    }
}

/// Option 8 makes the file the project's own; without it a copy is written.
fn save_as(c: &mut Call) -> Answer {
    let (file, options) = (c.text(1), c.int(2));
    if options & 7 != 0 {
        return Err(crate::host::lua::Fail::Other(format!(
            "saving as a track template (options {options}) is not supported here"
        )));
    }
    if file.is_empty() {
        c.host.save_known();
    } else if let Err(error) = c.host.save_file(Path::new(&file), options & 8 != 0) {
        tracing::error!("{error}");
    }
    answer![]
}

fn set_ext_state(c: &mut Call) -> Answer {
    let (section, key, value) = (c.text(1), c.text(2), c.text(3));
    let state = &mut c.host.project.ext_state;
    if key.is_empty() {
        state.remove(&section);
    } else if value.is_empty() {
        if let Some(values) = state.get_mut(&section) {
            values.remove(&key);
        }
    } else {
        state.entry(section.clone()).or_default().insert(key, value);
    }
    let size: usize = state.get(&section).map_or(0, |values| {
        values
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum()
    });
    c.host.touch(Area::Rest);
    answer![size]
}

fn get_ext_state(c: &mut Call) -> Answer {
    let (section, key) = (c.text(1), c.text(2));
    let state = &c.host.project.ext_state;
    let value = state
        .get(&section)
        .and_then(|values| values.get(&key))
        .cloned()
        .unwrap_or_default();
    answer![value.len(), value]
}

fn enum_ext_state(c: &mut Call) -> Answer {
    let (section, index) = (c.text(1), c.index(2));
    let state = &c.host.project.ext_state;
    let found = state
        .get(&section)
        .zip(index)
        .and_then(|(values, index)| values.iter().nth(index));
    match found {
        Some((key, value)) => answer![true, key.as_str(), value.as_str()],
        None => answer![false, "", ""],
    }
}

/// Render keys that are kept but have no effect here.
const OTHER_RENDER: &[&str] = &[
    "RENDER_ADDTOPROJ",
    "RENDER_NORMALIZE",
    "RENDER_NORMALIZE_TARGET",
    "RENDER_BRICKWALL",
    "RENDER_FADEIN",
    "RENDER_FADEOUT",
    "RENDER_FADEINSHAPE",
    "RENDER_FADEOUTSHAPE",
    "RENDER_FADELPF",
    "RENDER_PADSTART",
    "RENDER_PADEND",
    "RENDER_TRIMSTART",
    "RENDER_TRIMEND",
    "RENDER_DELAY",
];

fn info(c: &mut Call) -> Answer {
    let (key, value, set) = (c.text(1), c.num(2), c.bool(3));
    if set && !value.is_nan() {
        set_info(c.host, &key, value);
    }
    answer![get_info(c.host, &key)]
}

fn get_info(host: &Host, key: &str) -> f64 {
    let (render, settings) = (&host.project.render, &host.project.settings);
    match key {
        "RENDER_SETTINGS" => f64::from(render.settings),
        "RENDER_BOUNDSFLAG" => f64::from(render.bounds),
        "RENDER_CHANNELS" => f64::from(render.channels),
        "RENDER_SRATE" => f64::from(render.sample_rate_hz),
        "RENDER_STARTPOS" => render.start_s,
        "RENDER_ENDPOS" => render.end_s,
        "RENDER_TAILFLAG" => f64::from(render.tail_flags),
        "RENDER_TAILMS" => render.tail_ms,
        "RENDER_DITHER" => f64::from(render.dither),
        "PROJECT_SRATE" => f64::from(settings.sample_rate_hz),
        "PROJECT_SRATE_USE" => flag(settings.sample_rate_forced),
        _ => render.other.get(key).copied().unwrap_or(0.0),
    }
}

fn set_info(host: &mut Host, key: &str, value: f64) {
    let integer = value as u32;
    let (render, settings) = (&mut host.project.render, &mut host.project.settings);
    match key {
        "RENDER_SETTINGS" => render.settings = integer,
        "RENDER_BOUNDSFLAG" => render.bounds = integer,
        "RENDER_CHANNELS" => render.channels = integer,
        "RENDER_SRATE" => render.sample_rate_hz = integer,
        "RENDER_STARTPOS" => render.start_s = value,
        "RENDER_ENDPOS" => render.end_s = value,
        "RENDER_TAILFLAG" => render.tail_flags = integer,
        "RENDER_TAILMS" => render.tail_ms = value,
        "RENDER_DITHER" => render.dither = integer,
        "PROJECT_SRATE" if integer > 0 => settings.sample_rate_hz = integer,
        "PROJECT_SRATE_USE" => settings.sample_rate_forced = on(value),
        _ if OTHER_RENDER.contains(&key) => {
            render.other.insert(key.to_owned(), value);
        }
        _ => return,
    }
    host.touch(Area::Rest);
}

fn string(c: &mut Call) -> Answer {
    let (key, value, set) = (c.text(1), c.text(2), c.bool(3));
    if let Some(answer) = read_only(c.host, &key, set) {
        return answer;
    }
    if set {
        let done = set_string(c.host, &key, &value);
        if done {
            c.host.touch(Area::Rest);
        }
        return answer![done, if done { value } else { String::new() }];
    }
    let found = get_string(c.host, &key, &value);
    answer![found.is_some(), found.unwrap_or_default()]
}

fn read_only(host: &mut Host, key: &str, set: bool) -> Option<Answer> {
    let text = match key {
        "RENDER_TARGETS" => match host.render_targets() {
            Ok(targets) => targets,
            Err(fail) => {
                tracing::warn!("no render targets: {fail}");
                String::new()
            }
        },
        "RENDER_STATS" | "RENDER_STATS_SUMMARY" => host.render_stats.clone(),
        "PROJECT_NAME" => path_text(
            host.project
                .settings
                .path
                .as_deref()
                .and_then(Path::file_name)
                .map(Path::new),
        ),
        _ => return None,
    };
    Some(answer![!set && !text.is_empty(), text])
}

/// Section and key under which render metadata lie in the project.
const METADATA: &str = "RENDER_METADATA";

fn get_string(host: &Host, key: &str, input: &str) -> Option<String> {
    use base64::Engine;
    let (render, settings) = (&host.project.render, &host.project.settings);
    Some(match key {
        "RENDER_FILE" => render.folder.clone(),
        "RENDER_PATTERN" => render.pattern.clone(),
        "RENDER_FORMAT" => base64::engine::general_purpose::STANDARD.encode(&render.format),
        "PROJECT_TITLE" => settings.title.clone(),
        "PROJECT_AUTHOR" => settings.author.clone(),
        "RECORD_PATH" => settings.record_path.clone(),
        // With empty input the names of the tags that are set; values of
        // single tags cannot be read back, as in REAPER.
        "RENDER_METADATA" if input.is_empty() => host
            .project
            .ext_state
            .get(METADATA)
            .map(|tags| tags.keys().cloned().collect::<Vec<_>>().join(";"))
            .unwrap_or_default(),
        _ => return None,
    })
}

fn set_string(host: &mut Host, key: &str, value: &str) -> bool {
    let (render, settings) = (&mut host.project.render, &mut host.project.settings);
    match key {
        "RENDER_FILE" => render.folder = value.to_owned(),
        "RENDER_PATTERN" => render.pattern = value.to_owned(),
        "RENDER_FORMAT" => match sink_block(value) {
            Some(block) => render.format = block,
            None => return false,
        },
        "PROJECT_TITLE" => settings.title = value.to_owned(),
        "PROJECT_AUTHOR" => settings.author = value.to_owned(),
        "RECORD_PATH" => settings.record_path = value.to_owned(),
        "RENDER_METADATA" => {
            let Some((tag, text)) = value.split_once('|') else {
                return false;
            };
            let tags = host
                .project
                .ext_state
                .entry(METADATA.to_owned())
                .or_default();
            if text.is_empty() {
                tags.remove(tag);
            } else {
                tags.insert(tag.to_owned(), text.to_owned());
            }
        }
        _ => return false,
    }
    true
}

/// A sink block in base64, or a bare four-letter code for its defaults.
fn sink_block(text: &str) -> Option<Vec<u8>> {
    use base64::Engine;
    if text.len() == 4 && text.is_ascii() {
        return Some(text.as_bytes().to_vec());
    }
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .ok()
        .filter(|block| block.len() >= 4)
}
