//! Finds the files a job names: folders, globs, single files. Results don't
//! depend on the order in which a file system lists a folder.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;

use super::Stem;
use crate::diag::suggest;

/// Extensions of files that are taken for stems, in lower case.
pub const AUDIO_EXTENSIONS: [&str; 6] = ["wav", "flac", "aif", "aiff", "mp3", "ogg"];

/// Deepest folder that `**` looks into.
const DEEPEST: usize = 16;

/// Where a written path leads.
#[derive(Debug, PartialEq)]
pub(super) enum Located {
    Exact(PathBuf),
    /// There is one whose name differs in how accents are composed.
    Recomposed(PathBuf),
    /// Nothing there; a name that is nearly the same may be.
    Missing {
        near: Option<String>,
    },
}

/// Looks for a path relative to `base`.
pub(super) fn locate(base: &Path, written: &str) -> Located {
    let path = clean(&base.join(written));
    if path.exists() {
        return Located::Exact(path);
    }
    let mut found = PathBuf::new();
    for component in path.components() {
        let next = found.join(component);
        if next.exists() {
            found = next;
            continue;
        }
        let wanted: String = component.as_os_str().to_string_lossy().nfc().collect();
        let names = names(&found).unwrap_or_default();
        match names.iter().find(|name| name.nfc().eq(wanted.chars())) {
            Some(name) => found.push(name),
            None => {
                let near = suggest(&wanted, &names).map(str::to_owned);
                return Located::Missing { near };
            }
        }
    }
    Located::Recomposed(found)
}

/// A path with `.` and, where that is safe, `..` worked out, so that reports
/// and messages show what people expect.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if !clean.is_symlink() && clean.file_name().is_some() => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// A path with wildcards rather than a folder. Square brackets are not among
/// them: too many folders are called `stems [v2]`.
pub(super) fn is_glob(written: &str) -> bool {
    written.contains(['*', '?'])
}

pub(super) fn is_audio(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|ext| ext.to_string_lossy().to_lowercase());
    extension.is_some_and(|ext| AUDIO_EXTENSIONS.contains(&ext.as_str()))
}

/// The audio files of a folder, without its subfolders, by name.
pub(super) fn in_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(names(folder)?
        .into_iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| folder.join(name))
        .filter(|path| is_audio(path) && path.is_file())
        .collect())
}

/// The audio files that match a glob, by path. `*` and `?` stay within a name,
/// `**` stands for any folders; hidden files are never matched by a wildcard.
pub(super) fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let path = base.join(pattern);
    let mut parts = Vec::new();
    let mut root = PathBuf::new();
    for component in path.components() {
        let text = component.as_os_str().to_string_lossy();
        if parts.is_empty() && !is_glob(&text) {
            root.push(component);
        } else {
            parts.push(text.into_owned());
        }
    }
    let mut found = Vec::new();
    walk(&clean(&root), &parts, DEEPEST, &mut found);
    found.sort();
    found.dedup();
    found
}

/// A track for each file, called like the file without its extension.
pub(super) fn tracks(files: Vec<PathBuf>) -> Vec<Stem> {
    files
        .into_iter()
        .map(|file| Stem {
            track: file
                .file_stem()
                .map(|stem| stem.to_string_lossy().nfc().collect())
                .unwrap_or_default(),
            file,
        })
        .collect()
}

fn walk(folder: &Path, parts: &[String], depth: usize, found: &mut Vec<PathBuf>) {
    let Some((part, rest)) = parts.split_first() else {
        return;
    };
    if part == "**" {
        walk(folder, rest, depth, found);
    }
    for name in names(folder).unwrap_or_default() {
        let path = folder.join(&name);
        if name.starts_with('.') && is_glob(part) {
            continue;
        }
        if part == "**" {
            // Links are not followed: they may lead back.
            if depth > 0 && path.is_dir() && !path.is_symlink() {
                walk(&path, parts, depth - 1, found);
            }
        } else if matches_name(part, &name) {
            if rest.is_empty() {
                if is_audio(&path) && path.is_file() {
                    found.push(path);
                }
            } else if path.is_dir() {
                walk(&path, rest, depth, found);
            }
        }
    }
}

/// Whether a name fits a pattern with `*` and `?`. How accents are composed
/// makes no difference.
pub fn matches_name(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.nfc().collect();
    let name: Vec<char> = name.nfc().collect();
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            // The last star takes one more character.
            p = star_p + 1;
            n = star_n + 1;
            star = Some((star_p, n));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Names in a folder, sorted; those that are not Unicode are left out.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        if let Ok(name) = entry?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    fn relative(base: &Path, files: Vec<PathBuf>) -> Vec<String> {
        files
            .iter()
            .map(|file| {
                file.strip_prefix(base)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn a_folder_gives_its_audio_files_by_name() {
        let dir = folder(&["b.WAV", "a.flac", ".hidden.wav", "notes.txt", "sub/c.wav"]);
        let files = in_folder(dir.path()).unwrap();
        assert_eq!(relative(dir.path(), files), ["a.flac", "b.WAV"]);
    }

    #[test]
    fn globs_match_names_and_folders() {
        let dir = folder(&[
            "a1.wav",
            "a2.wav",
            "b.wav",
            "x/a.wav",
            "x/y/a.wav",
            "a3.txt",
            ".x/a.wav",
        ]);
        let check = |pattern: &str, expected: &[&str]| {
            let found = matching(dir.path(), pattern);
            assert_eq!(relative(dir.path(), found), expected, "{pattern}");
        };
        check("a?.wav", &["a1.wav", "a2.wav"]);
        check("*.wav", &["a1.wav", "a2.wav", "b.wav"]);
        check("*/a.wav", &["x/a.wav"]);
        check("**/a.wav", &["x/a.wav", "x/y/a.wav"]);
        check(
            "**/*",
            &["a1.wav", "a2.wav", "b.wav", "x/a.wav", "x/y/a.wav"],
        );
        check("x/../a*", &["a1.wav", "a2.wav"]);
        check("none*", &[]);
    }

    #[test]
    fn wildcards_backtrack() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
        };
        check("*a*b", "xaxbxb", true);
        check("*ab", "aab", true);
        check("a*", "a", true);
        check("a?", "a", false);
        check("*", "", true);
        check("", "a", false);
    }

    #[test]
    fn composed_and_decomposed_names_meet() {
        let dir = folder(&["cafe\u{301}/kick.wav"]);
        let found = locate(dir.path(), "caf\u{e9}/kick.wav");
        assert_eq!(
            found,
            Located::Recomposed(dir.path().join("cafe\u{301}/kick.wav"))
        );
    }

    #[test]
    fn a_missing_file_has_a_near_one() {
        let dir = folder(&["stems/Kick In.wav"]);
        assert_eq!(
            locate(dir.path(), "stems/kick_in.wav"),
            Located::Missing {
                near: Some("Kick In.wav".to_owned())
            }
        );
    }
}
