//! Names: of jobs and projects, styles and specs.

use std::collections::BTreeMap;

use serde_spanned::Spanned;
use unicode_normalization::UnicodeNormalization as _;

use super::super::written::ProjectTable;
use super::super::{CheckFile, code};
use super::{Resolver, nearest};
use crate::diag::{Diagnostic, folded, suggest};
use crate::files::is_device_name;

impl Resolver<'_> {
    /// Names become folders, so they must be usable as such everywhere.
    pub(super) fn check_name(&mut self, name: Option<&Spanned<String>>, what: &str) {
        let Some(name) = name else { return };
        let text = name.get_ref();
        let bad = text.chars().find(|c| {
            c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
        });
        let reason = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if let Some(bad) = bad {
            format!("holds `{}`, which file names cannot", bad.escape_default())
        } else if text.starts_with(['.', ' ']) || text.ends_with(['.', ' ']) {
            "begins or ends with a dot or a space".to_owned()
        } else if text.len() > 120 {
            "is longer than 120 bytes".to_owned()
        } else if is_device_name(text) {
            "is a device on Windows".to_owned()
        } else {
            return;
        };
        let message = format!("{what} name `{}` {reason}", text.escape_debug());
        self.report(
            Diagnostic::error(code::BAD_NAME, message)
                .at(name.span(), "becomes a folder")
                .help("use another name"),
        );
    }

    /// Two projects of one name, or of names that some file systems hold to
    /// be one, would render to the same files.
    pub(super) fn check_outputs(&mut self, tables: &[Spanned<ProjectTable>]) {
        let mut seen: BTreeMap<String, &Spanned<String>> = BTreeMap::new();
        for name in tables
            .iter()
            .filter_map(|table| table.get_ref().name.as_ref())
        {
            let folded: String = name.get_ref().nfc().flat_map(char::to_lowercase).collect();
            let Some(first) = seen.get(&folded) else {
                seen.insert(folded, name);
                continue;
            };
            let (number, message) = if first.get_ref() == name.get_ref() {
                let message = format!("two projects are called `{}`", name.get_ref());
                (code::SAME_PROJECT, message)
            } else {
                let message = format!(
                    "projects `{}` and `{}` render to the same files where case or composition \
                     of letters does not count",
                    first.get_ref(),
                    name.get_ref()
                );
                (code::SAME_OUTPUT, message)
            };
            let first = first.span();
            self.report(
                Diagnostic::error(number, message)
                    .at(name.span(), "second one")
                    .see(first, "first one")
                    .help("give one of them another name"),
            );
        }
    }

    pub(super) fn style(&mut self, name: &Spanned<String>) -> String {
        let known = &self.vocabulary.styles;
        if is_file_name(name.get_ref()) {
            return self.named_file(name, "style", &self.vocabulary.style_file);
        }
        let wanted = folded(name.get_ref());
        if let Some(known) = known.iter().find(|known| folded(known) == wanted) {
            return known.clone();
        }
        let help = nearest(name.get_ref(), known).unwrap_or_else(|| {
            "`reaper-batch styles` lists them; a file of your own ends in `.toml`".to_owned()
        });
        self.report(
            Diagnostic::error(
                code::UNKNOWN_STYLE,
                format!("style `{}` is unknown", name.get_ref()),
            )
            .at(name.span(), "not in the catalogue")
            .help(help),
        );
        name.get_ref().clone()
    }

    pub(super) fn spec(&mut self, name: &Spanned<String>) -> String {
        let known = &self.vocabulary.specs;
        if is_file_name(name.get_ref()) {
            return self.named_file(name, "spec", &self.vocabulary.spec_file);
        }
        if name.get_ref() != "style" && !known.contains(name.get_ref()) {
            let all: Vec<&str> = known.iter().map(String::as_str).chain(["style"]).collect();
            let near = suggest(name.get_ref(), all).map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| {
                "`reaper-batch specs` lists them; a file of your own ends in `.toml`".to_owned()
            });
            self.report(
                Diagnostic::error(
                    code::UNKNOWN_SPEC,
                    format!("spec `{}` is unknown", name.get_ref()),
                )
                .at(name.span(), "not known")
                .help(help),
            );
        }
        name.get_ref().clone()
    }

    fn named_file(&mut self, name: &Spanned<String>, what: &str, check: &CheckFile) -> String {
        let Some(path) = self.existing(name.get_ref(), &name.span(), &format!("{what} file"))
        else {
            return name.get_ref().clone();
        };
        if let Err(reason) = check(&path) {
            let message = format!("{what} file `{}` is unusable: {reason}", name.get_ref());
            self.report(Diagnostic::error(code::NAMED_FILE, message).at(name.span(), ""));
        }
        path.to_string_lossy().into_owned()
    }
}

/// A style or spec is a file when it says so by its form.
fn is_file_name(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(['/', '\\'])
}
