//! Folders, files, processes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Entry;
use crate::host::lua::{Answer, Call, Out, answer};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("EnumerateFiles", files),
    ("EnumerateSubdirectories", folders),
    ("ExecProcess", exec),
    ("GetExePath", exe_path),
    ("GetResourcePath", resource_path),
    ("RecursiveCreateDirectory", create_folder),
    ("file_exists", exists),
];

/// Listing of the folder that was asked for last.
#[derive(Debug, Default)]
pub(in crate::host) struct FolderCache {
    folder: Option<PathBuf>,
    files: Vec<String>,
    folders: Vec<String>,
}

impl FolderCache {
    fn read(folder: &Path) -> Self {
        let mut cache = Self {
            folder: Some(folder.to_owned()),
            ..Self::default()
        };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                cache.folders.push(name);
            } else {
                cache.files.push(name);
            }
        }
        // The order of a folder is the file system's; ours repeats.
        cache.files.sort_unstable();
        cache.folders.sort_unstable();
        cache
    }
}

fn files(c: &mut Call) -> Answer {
    entry(c, |cache| &cache.files)
}

fn folders(c: &mut Call) -> Answer {
    entry(c, |cache| &cache.folders)
}

/// A folder is read anew at index 0 and -1, and when it is another one.
fn entry(c: &mut Call, list: fn(&FolderCache) -> &Vec<String>) -> Answer {
    let (folder, index) = (PathBuf::from(c.text(0)), c.int(1));
    let known = c.host.folder_cache.folder.as_deref() == Some(folder.as_path());
    if index <= 0 || !known {
        c.host.folder_cache = FolderCache::read(&folder);
    }
    let found = usize::try_from(index)
        .ok()
        .and_then(|index| list(&c.host.folder_cache).get(index));
    answer![found.map(String::as_str)]
}

fn exists(c: &mut Call) -> Answer {
    let path = PathBuf::from(c.text(0));
    answer![path.is_file() && std::fs::File::open(&path).is_ok()]
}

fn create_folder(c: &mut Call) -> Answer {
    answer![i32::from(std::fs::create_dir_all(c.text(0)).is_ok())]
}

fn resource_path(c: &mut Call) -> Answer {
    answer![c.host.resource_path.to_string_lossy().into_owned()]
}

fn exe_path(_: &mut Call) -> Answer {
    let path = std::env::current_exe().ok();
    let folder = path.as_deref().and_then(Path::parent);
    answer![folder.map_or(String::new(), |folder| {
        folder.to_string_lossy().into_owned()
    })]
}

/// Exit code, a line end, and the output; `nil` when the command cannot start
/// or takes too long. 0 waits for ever, -1 and -2 do not wait.
fn exec(c: &mut Call) -> Answer {
    let (line, timeout_ms) = (c.text(0), c.int(1));
    let words = split_words(&line);
    let Some((program, args)) = words.split_first() else {
        return answer![Out::Nil];
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null());
    if timeout_ms < 0 {
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn().is_ok();
        return answer![if started { Out::from("0\n") } else { Out::Nil }];
    }
    // Output goes through a file: a pipe that nobody reads while waiting
    // would block the command.
    let Ok(output) = tempfile::NamedTempFile::new() else {
        return answer![Out::Nil];
    };
    let (Ok(out), Ok(err)) = (output.reopen(), output.reopen()) else {
        return answer![Out::Nil];
    };
    command.stdout(out).stderr(err);
    let Ok(mut child) = command.spawn() else {
        return answer![Out::Nil];
    };
    let limit = u64::try_from(timeout_ms).ok().filter(|&ms| ms > 0);
    let started = Instant::now();
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code().unwrap_or(-1),
            Ok(None) => {}
            Err(_) => return answer![Out::Nil],
        }
        if limit.is_some_and(|ms| started.elapsed() > Duration::from_millis(ms)) {
            // Failing to end what has just ended by itself is no matter.
            let _ = child.kill();
            let _ = child.wait();
            return answer![Out::Nil];
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = std::fs::read(output.path()).unwrap_or_default();
    answer![[format!("{code}\n").into_bytes(), text].concat()]
}

/// Words of a command line; quotes keep blanks together.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (None, '"' | '\'') => (quote, open) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}
