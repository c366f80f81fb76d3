//! Files that songs are made of: stems, a project, paths on disk.

use std::ops::Range;
use std::path::PathBuf;

use serde_spanned::Spanned;

use super::super::stems::{self, Located};
use super::super::written::{Pairs, ProjectTable, StemsValue};
use super::super::{AUDIO_EXTENSIONS, Source, Stem, code, load};
use super::{Resolver, text};
use crate::diag::Diagnostic;

impl Resolver<'_> {
    /// The path, or a report that there is none.
    pub(super) fn existing(
        &mut self,
        written: &str,
        span: &Range<usize>,
        what: &str,
    ) -> Option<PathBuf> {
        match stems::locate(self.folder, written) {
            Located::Exact(path) => Some(path),
            Located::Recomposed(path) => {
                let message = format!(
                    "{what} `{written}` is on disk with its accents composed in another way"
                );
                self.report(
                    Diagnostic::warning(code::COMPOSITION, message)
                        .at(span.clone(), "")
                        .help(
                            "the file on disk is taken; other systems may not find it under this \
                             name",
                        ),
                );
                Some(path)
            }
            Located::Missing { near } => {
                let help = near.map_or_else(
                    || "paths are relative to the job file".to_owned(),
                    |near| format!("there is `{near}`"),
                );
                self.report(
                    Diagnostic::error(
                        code::MISSING_FILE,
                        format!("{what} `{written}` does not exist"),
                    )
                    .at(span.clone(), "not found")
                    .help(help),
                );
                None
            }
        }
    }

    pub(super) fn sources(&mut self, table: &ProjectTable, header: &Range<usize>) -> Source {
        match (&table.stems, &table.project) {
            (Some(stems), Some(project)) => {
                self.report(
                    Diagnostic::error(
                        code::CONFLICT,
                        format!(
                            "project `{}` has both `stems` and `project`",
                            text(table.name.as_ref())
                        ),
                    )
                    .at(project.span(), "a song comes from one of them")
                    .see(stems.span(), "and here are stems"),
                );
                // Whichever is kept must be right.
                self.rpp(project);
                Source::Stems(self.stems(stems))
            }
            (Some(stems), None) => Source::Stems(self.stems(stems)),
            (None, Some(project)) => self.rpp(project),
            (None, None) => {
                if table.compose.is_none() {
                    self.report(
                        Diagnostic::error(
                            code::MISSING_KEY,
                            format!("project `{}` has no sound", text(table.name.as_ref())),
                        )
                        .at(header.clone(), "needs `stems`, `project` or `compose`"),
                    );
                }
                Source::Empty
            }
        }
    }

    fn rpp(&mut self, project: &Spanned<String>) -> Source {
        let Some(path) = self.existing(project.get_ref(), &project.span(), "project file") else {
            return Source::Empty;
        };
        let extension = path
            .extension()
            .map(|ext| ext.to_string_lossy().to_lowercase());
        if path.is_dir() || extension.as_deref() != Some("rpp") {
            let message = format!("`{}` is not a `.rpp` file", project.get_ref());
            self.report(
                Diagnostic::error(code::MISSING_FILE, message)
                    .at(project.span(), "not a REAPER project")
                    .help("`project` takes a REAPER project; audio files go under `stems`"),
            );
        }
        Source::Project(path)
    }

    fn stems(&mut self, value: &Spanned<StemsValue>) -> Vec<Stem> {
        let span = value.span();
        let stems = match value.get_ref() {
            StemsValue::Path(written) if stems::is_glob(written) => {
                let files = stems::matching(self.folder, written);
                if files.is_empty() {
                    let message = format!("no audio file matches `{written}`");
                    self.report(
                        Diagnostic::error(code::NO_AUDIO, message)
                            .at(span.clone(), "matches nothing")
                            .help(format!("audio files are {}", extensions())),
                    );
                }
                stems::tracks(files)
            }
            StemsValue::Path(written) => self.stem_folder(written, &span),
            StemsValue::Files(files) => {
                let found = files
                    .iter()
                    .filter_map(|file| self.stem_file(file))
                    .collect();
                stems::tracks(found)
            }
            StemsValue::Tracks(Pairs(pairs)) => pairs
                .iter()
                .filter_map(|(track, file)| {
                    let file = self.stem_file(file)?;
                    let track = track.get_ref().clone();
                    Some(Stem { track, file })
                })
                .collect(),
        };

        let mut names: Vec<&str> = stems.iter().map(|stem| stem.track.as_str()).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some(twice) = twice {
            let message = format!("several tracks are called `{}`", twice[0]);
            self.diagnostics.push(
                Diagnostic::warning(code::SAME_TRACK, message)
                    .at(span, "")
                    .help("a table `track = file` gives each a name of its own"),
            );
        }
        stems
    }

    fn stem_folder(&mut self, written: &str, span: &Range<usize>) -> Vec<Stem> {
        let Some(folder) = self.existing(written, span, "stems folder") else {
            return Vec::new();
        };
        if folder.is_file() {
            let message = format!("`stems` is the file `{written}`, not a folder");
            self.report(
                Diagnostic::error(code::NO_AUDIO, message)
                    .at(span.clone(), "a file")
                    .help(format!(
                        "a single file is written as a list: `stems = [\"{written}\"]`"
                    )),
            );
            return Vec::new();
        }
        let (files, reason) = match stems::in_folder(&folder) {
            Ok(files) => (files, "it is empty".to_owned()),
            Err(error) => (Vec::new(), load::reason(&error)),
        };
        if files.is_empty() {
            let below = !stems::matching(&folder, "**/*").is_empty();
            let help = if below {
                format!("there is audio in folders below it: `stems = \"{written}/**/*\"`")
            } else {
                format!("audio files are {}", extensions())
            };
            let message = if reason == "it is empty" {
                format!("stems folder `{written}` holds no audio")
            } else {
                format!("cannot list stems folder `{written}`: {reason}")
            };
            self.report(
                Diagnostic::error(code::NO_AUDIO, message)
                    .at(span.clone(), "no audio files")
                    .help(help),
            );
        }
        stems::tracks(files)
    }

    fn stem_file(&mut self, file: &Spanned<String>) -> Option<PathBuf> {
        let path = self.existing(file.get_ref(), &file.span(), "audio file")?;
        if path.is_dir() || !stems::is_audio(&path) {
            let message = format!("`{}` is not an audio file", file.get_ref());
            self.report(
                Diagnostic::error(code::NOT_AUDIO, message)
                    .at(file.span(), "not audio")
                    .help(format!("audio files are {}", extensions())),
            );
            return None;
        }
        Some(path)
    }
}

fn extensions() -> String {
    AUDIO_EXTENSIONS.map(|ext| format!(".{ext}")).join(" ")
}
