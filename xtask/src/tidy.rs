//! Rules of the repository that no compiler checks: directions between rooms,
//! pure rooms without clock and files, no paths of one machine, documents whose
//! links lead somewhere.
//!
//! Only `std` is used: the integration tests include this file.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The rooms in reading order, and those of the rooms above it that each may
/// name. The table in `docs/architecture.md` says the same to people.
const ROOMS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("diag", &[]),
    ("files", &[]),
    ("audio", &["files"]),
    ("dsp", &["units"]),
    ("project", &["units"]),
    ("fx", &["units", "dsp", "project"]),
    (
        "render",
        &["units", "files", "audio", "dsp", "project", "fx"],
    ),
    ("bridge", &["units", "diag", "files"]),
    ("compose", &["units", "diag", "bridge"]),
    (
        "host",
        &["units", "files", "audio", "project", "fx", "render"],
    ),
    ("engine", &["units", "files", "bridge"]),
    ("mix", &["units", "diag", "bridge"]),
    ("qc", &["units", "diag", "audio"]),
    ("job", &["units", "diag", "files", "compose", "mix"]),
    ("report", &["units", "diag", "files", "qc"]),
    (
        "runner",
        &[
            "units", "diag", "files", "audio", "project", "render", "bridge", "compose", "engine",
            "mix", "qc", "job", "report",
        ],
    ),
    (
        "mcp",
        &[
            "units", "diag", "files", "bridge", "compose", "engine", "mix", "qc", "job", "report",
            "runner",
        ],
    ),
    (
        "cli",
        &[
            "units", "diag", "files", "bridge", "compose", "host", "engine", "mix", "qc", "job",
            "report", "runner", "mcp",
        ],
    ),
];

/// The document with the table of rooms.
const MAP: &str = "docs/architecture.md";

/// The only file that may hold `unsafe`.
const UNSAFE: &str = "src/dsp/simd.rs";

/// Rooms that read no clock, environment or file.
const PURE: &[&str] = &["units", "diag", "dsp", "fx", "project", "compose", "mix"];
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::time",
    "std::net",
    "std::process",
];

/// Folders of one machine, in pieces so that this file doesn't hold them.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tmp/", "cg"),
];

/// Everything that is wrong, one line each, in order of files.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files(root) {
        let Ok(text) = fs::read_to_string(root.join(&file)) else {
            continue;
        };
        let name = file.display().to_string().replace('\\', "/");
        if file.extension().is_some_and(|e| e == "rs") && file.starts_with("src") {
            rust(&name, &text, &mut problems);
        }
        if file.extension().is_some_and(|e| e == "md") {
            links(root, &file, &text, &mut problems);
        }
        if name == MAP {
            map(&text, &mut problems);
        }
        for (number, line) in text.lines().enumerate() {
            for path in MACHINE_PATHS {
                if line.contains(path) {
                    problems.push(format!(
                        "{name}:{}: a path of one machine: `{path}`",
                        number + 1
                    ));
                }
            }
        }
    }
    problems
}

/// Text files of the repository, sorted, relative to `root`.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    const TEXT: &[&str] = &[
        "rs", "toml", "md", "lua", "json", "rpp", "yml", "yaml", "sh", "html",
    ];
    // Crates' own folders, outputs, and what version control keeps.
    const SKIP: &[&str] = &["target", "out", ".git", "corpus"];
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = folder.join(entry.file_name());
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !SKIP.contains(&name.as_str()) => folders.push(path),
                Ok(kind) if kind.is_file() => {
                    let text = path
                        .extension()
                        .is_some_and(|e| TEXT.iter().any(|t| e == *t));
                    if text {
                        found.push(path);
                    }
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn rust(name: &str, text: &str, problems: &mut Vec<String>) {
    let mut parts = name.split('/').skip(1);
    let room = parts.next().unwrap_or("").trim_end_matches(".rs");
    let Some((_, known)) = ROOMS.iter().find(|(r, _)| *r == room) else {
        // The crate root names every room.
        if !matches!(room, "lib" | "main") {
            problems.push(format!("{name}: `{room}` is no room of `{MAP}`"));
        }
        return;
    };
    // Tests may reach across rooms.
    if name.ends_with("tests.rs") || name.contains("/tests/") {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        if code.trim() == "#[cfg(test)]"
            && text
                .lines()
                .nth(number + 1)
                .is_some_and(|l| l.contains("mod tests {"))
        {
            break;
        }
        let mut problem = |what: String| problems.push(format!("{name}:{}: {what}", number + 1));
        for named in rooms_named(code) {
            let is_room = ROOMS.iter().any(|(r, _)| *r == named);
            if named != room && is_room && !known.contains(&named) {
                problem(format!("`{room}` must not use `{named}`"));
            }
        }
        if name != UNSAFE && code.split_whitespace().any(|word| word == "unsafe") {
            problem(format!("`unsafe` belongs in `{UNSAFE}`"));
        }
        if PURE.contains(&room) {
            for module in IMPURE.iter().filter(|module| code.contains(**module)) {
                problem(format!("`{room}` is pure and must not use `{module}`"));
            }
        }
    }
}

/// The table of rooms must say what [`ROOMS`] says, in the same order.
fn map(text: &str, problems: &mut Vec<String>) {
    let mut expected = ROOMS.iter().map(|(room, known)| {
        let known: Vec<String> = known.iter().map(|room| format!("`{room}`")).collect();
        (format!("`{room}`"), known.join(" "))
    });
    for (number, line) in text.lines().enumerate() {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (Some(room), Some(known)) = (cells.next(), cells.next()) else {
            continue;
        };
        if !room.starts_with('`') {
            continue;
        }
        let Some((wanted, wanted_known)) = expected.next() else {
            problems.push(format!("{MAP}:{}: {room} is no room", number + 1));
            return;
        };
        if (room, known) != (wanted.as_str(), wanted_known.as_str()) {
            problems.push(format!(
                "{MAP}:{}: expected room {wanted}, which knows {wanted_known}",
                number + 1
            ));
        }
    }
    for (room, _) in expected {
        problems.push(format!("{MAP}: room {room} is missing"));
    }
}

/// The rooms after each `crate::` of a line, also in braces.
fn rooms_named(code: &str) -> Vec<&str> {
    let mut rooms = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        // `$crate::` of a macro is left to the place that uses it.
        let rest = &code[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let mut depth = 0;
                let mut start = 0;
                for (i, sign) in list.char_indices() {
                    match sign {
                        '{' => depth += 1,
                        ',' if depth == 0 => {
                            rooms.push(word(&list[start..i]));
                            start = i + 1;
                        }
                        '}' if depth == 0 => {
                            rooms.push(word(&list[start..i]));
                            break;
                        }
                        '}' => depth -= 1,
                        _ => {}
                    }
                }
            }
            None => rooms.push(word(rest)),
        }
    }
    rooms
}

fn word(text: &str) -> &str {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Relative links of a Markdown file must lead to a file.
fn links(root: &Path, file: &Path, text: &str, problems: &mut Vec<String>) {
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            let Some(end) = target.find([')', ' ', '#']) else {
                continue;
            };
            let target = &target[..end];
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let path = tidied(&file.parent().unwrap_or(Path::new("")).join(target));
            if !root.join(&path).exists() {
                let name = file.display();
                problems.push(format!(
                    "{name}:{}: the link leads nowhere: `{target}`",
                    number + 1
                ));
            }
        }
    }
}

/// Without `.` and `..`.
fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_read_from_paths_and_braces() {
        assert_eq!(rooms_named("use crate::mix::Plan;"), ["mix"]);
        assert_eq!(
            rooms_named("use crate::{qc, job::{a, b}, units};"),
            ["qc", "job", "units"]
        );
        assert_eq!(
            rooms_named("let x = crate::host::run(crate::cli::A);"),
            ["host", "cli"]
        );
    }

    #[test]
    fn rooms_know_only_rooms_above_them() {
        for (at, (room, known)) in ROOMS.iter().enumerate() {
            for other in *known {
                let place = ROOMS.iter().position(|(r, _)| r == other);
                assert!(place.is_some_and(|p| p < at), "{room} knows {other}");
            }
        }
    }

    #[test]
    fn the_map_is_compared_line_by_line() {
        let mut problems = Vec::new();
        map("| `units` | | a |\n| `diag` | `mix` | b |\n", &mut problems);
        assert_eq!(
            problems[0],
            "docs/architecture.md:2: expected room `diag`, which knows "
        );
        assert_eq!(problems[1], "docs/architecture.md: room `files` is missing");
        assert_eq!(problems.len(), ROOMS.len() - 1);
    }

    #[test]
    fn each_rule_finds_its_fault() {
        let mut problems = Vec::new();
        rust(
            "src/compose/a.rs",
            "use crate::host::X;\nuse std::fs;\nuse crate::bridge::Call;\n",
            &mut problems,
        );
        rust(
            "src/host/a.rs",
            "use crate::project::X; // crate::mix\nuse crate::runner::Y;\n",
            &mut problems,
        );
        rust("src/fx/a.rs", "    unsafe { f() }\n", &mut problems);
        rust("src/attic/a.rs", "", &mut problems);
        assert_eq!(
            problems,
            [
                "src/compose/a.rs:1: `compose` must not use `host`",
                "src/compose/a.rs:2: `compose` is pure and must not use `std::fs`",
                "src/host/a.rs:2: `host` must not use `runner`",
                "src/fx/a.rs:1: `unsafe` belongs in `src/dsp/simd.rs`",
                "src/attic/a.rs: `attic` is no room of `docs/architecture.md`",
            ]
        );
        let mut problems = Vec::new();
        links(
            Path::new("/nowhere"),
            Path::new("docs/a.md"),
            "[b](../b.md) [c](https://c)\n",
            &mut problems,
        );
        assert_eq!(problems, ["docs/a.md:1: the link leads nowhere: `../b.md`"]);
    }
}
