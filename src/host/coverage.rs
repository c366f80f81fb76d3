//! The reference of the `reaper` table, made from its registration.

use std::fmt::Write as _;

use super::api;

/// Text of `docs/reascript-coverage.md`: domains and functions in the order of
/// registration.
pub(super) fn markdown() -> String {
    let functions: Vec<_> = api::functions().collect();
    let mut domains: Vec<&str> = functions.iter().map(|function| function.domain).collect();
    domains.dedup();
    let mut out = format!(
        "# ReaScript coverage\n\n\
         Made from the functions of the embedded host by `host::generated`; a test compares.\n\n\
         The embedded host has {} functions in {} domains, with the arguments and results that \
         REAPER documents; `?` marks what may be left out. Everything else is `nil` in the \
         `reaper` table, so `if reaper.X` tells. Left out are, above all: windows and drawing \
         (`gfx`, the MIDI editor, dialogs with input), playback and recording through a device, \
         audio accessors and peaks, effects on takes, hardware outputs, razor edits and fixed \
         lanes, and what extensions such as SWS add. An action number that is not known has no \
         effect and is noted.\n",
        functions.len(),
        domains.len()
    );
    for domain in domains {
        let of_domain = functions.iter().filter(|f| f.domain == domain);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\n## {domain}\n\n| function | arguments | results |\n|---|---|---|\n"
        );
        for function in of_domain {
            let _ = writeln!(
                out,
                "| `{}` | {} | {} |",
                function.name,
                code(function.args),
                code(function.results)
            );
        }
    }
    out
}

fn code(list: &str) -> String {
    if list.is_empty() {
        String::new()
    } else {
        format!("`{list}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_stands_in_one_row() {
        let text = markdown();
        for function in api::functions() {
            let row = format!("| `{}` |", function.name);
            assert_eq!(text.matches(&row).count(), 1, "{}", function.name);
        }
        assert!(text.contains("| `CountTracks` | `ReaProject proj` | `integer` |"));
    }
}
