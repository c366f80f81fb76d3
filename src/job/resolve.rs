//! From what was written to what will be done: defaults, overrides, names,
//! files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use serde_spanned::Spanned;
use unicode_normalization::UnicodeNormalization as _;

use super::load::read_text;
use super::stems::{self, Located};
use super::written::{
    CommandTable, FormatName, JobFile, MasterTable, MixMode, MixTable, Pairs, ProjectTable,
    RenderTable, StemsValue, StepTable, Toggle,
};
use super::{
    BitDepth, Format, Job, MasterOptions, MixOptions, ProjectPlan, RenderOptions, Source, Stem,
    Step, Vocabulary, code, shape,
};
use crate::compose::{ComposeError, ComposeSource, Score, ScoreSource};
use crate::diag::{Diagnostic, SourceFile, folded, suggest};
use crate::files::is_device_name;

/// Works out a job. The result is only good when no error was reported.
pub(super) fn resolve(
    file: JobFile,
    source: &SourceFile,
    path: &Path,
    sha256: String,
    vocabulary: &Vocabulary,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Job> {
    let misshapen = diagnostics
        .iter()
        .filter_map(|found| found.primary.as_ref().map(|label| label.span.start))
        .collect();
    let mut resolver = Resolver {
        folder: path.parent().unwrap_or(Path::new(".")),
        source,
        vocabulary,
        misshapen,
        diagnostics,
    };
    let job = resolver.job(&file, path, sha256);
    Some(job)
}

struct Resolver<'a> {
    /// Of the job file; paths are relative to it.
    folder: &'a Path,
    source: &'a SourceFile,
    vocabulary: &'a Vocabulary,
    /// Where values were taken out because of their shape.
    misshapen: Vec<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn job(&mut self, file: &JobFile, path: &Path, sha256: String) -> Job {
        self.check_name(file.name.as_ref(), "job");
        // Checked here once, and not again for each project that inherits it.
        let style = file.style.as_ref().map(|name| self.style(name));
        let spec = file.spec.as_ref().map(|name| self.spec(name));

        let tables = file.project.as_deref().unwrap_or_default();
        if tables.is_empty() {
            self.report(
                Diagnostic::error(code::MISSING_KEY, "the job has no projects")
                    .help("add a `[[project]]` with a `name` and `stems`, `project` or `compose`"),
            );
        }
        let ends = tables.iter().skip(1).map(|next| next.span().start);
        let projects = tables
            .iter()
            .zip(ends.chain([usize::MAX]))
            .map(|(table, end)| self.project(table, end, file, style.as_deref(), spec.as_deref()))
            .collect();
        self.check_outputs(tables);
        Job {
            name: match &file.name {
                Some(name) => name.get_ref().clone(),
                None => path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
            },
            path: path.to_owned(),
            sha256,
            projects,
        }
    }

    fn project(
        &mut self,
        spanned: &Spanned<ProjectTable>,
        end: usize,
        file: &JobFile,
        job_style: Option<&str>,
        job_spec: Option<&str>,
    ) -> ProjectPlan {
        let table = spanned.get_ref();
        let header = spanned.span();
        if table.name.is_none() {
            self.report(
                Diagnostic::error(code::MISSING_KEY, "a project has no `name`")
                    .at(header.clone(), "needs `name`")
                    .help("its folder in the output is called like it"),
            );
        }
        self.check_name(table.name.as_ref(), "project");

        let own_style = table.style.as_ref().map(|name| self.style(name));
        let own_spec = table.spec.as_ref().map(|name| self.spec(name));
        let style = own_style.or_else(|| job_style.map(str::to_owned));
        let tempo = table.tempo.as_ref().or(file.tempo.as_ref());
        let tempo_bpm = tempo.map(|tempo| *tempo.get_ref());

        let source = self.sources(table, &header);
        let score = table
            .compose
            .as_ref()
            .and_then(|compose| self.score(compose, end, tempo_bpm));
        let render = self.render(file.render.as_ref(), table.render.as_ref());
        let steps = self.steps(table, &header, &source, score);

        let needs_style = |step: &Step| matches!(step, Step::EngineMix(_) | Step::EngineMaster(_));
        if style.is_none() && steps.iter().any(needs_style) {
            let message = format!("project `{}` has no style", text(table.name.as_ref()));
            self.report(
                Diagnostic::error(code::MISSING_KEY, message)
                    .at(header.clone(), "needs `style`")
                    .help(
                        "write `style = \"…\"` here, or at the top for all projects; \
                         `reaper-batch styles` lists them",
                    ),
            );
        }
        let spec = own_spec.or_else(|| job_spec.map(str::to_owned));
        let spec = spec.unwrap_or_else(|| "style".to_owned());
        if style.is_none() && spec == "style" && steps.contains(&Step::Check) {
            let message = format!(
                "project `{}` has neither a spec nor a style to be judged against",
                text(table.name.as_ref())
            );
            self.report(
                Diagnostic::error(code::MISSING_KEY, message)
                    .at(header.clone(), "needs `spec`")
                    .help("write `spec = \"…\"`; `reaper-batch specs` lists them"),
            );
        }

        ProjectPlan {
            name: text(table.name.as_ref()),
            line: self.source.line_column(header.start).0,
            source,
            style: style.unwrap_or_default(),
            spec,
            tempo_bpm,
            render,
            steps,
            require_roles: table
                .require_roles
                .as_ref()
                .is_some_and(|flag| *flag.get_ref()),
        }
    }

    // Names.

    /// Names become folders, so they must be usable as such everywhere.
    fn check_name(&mut self, name: Option<&Spanned<String>>, what: &str) {
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
    fn check_outputs(&mut self, tables: &[Spanned<ProjectTable>]) {
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

    fn style(&mut self, name: &Spanned<String>) -> String {
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

    fn spec(&mut self, name: &Spanned<String>) -> String {
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

    fn named_file(
        &mut self,
        name: &Spanned<String>,
        what: &str,
        check: &super::CheckFile,
    ) -> String {
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

    // Files.

    /// The path, or a report that there is none.
    fn existing(
        &mut self,
        written: &str,
        span: &Range<usize>,
        what: &str,
    ) -> Option<std::path::PathBuf> {
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

    fn sources(&mut self, table: &ProjectTable, header: &Range<usize>) -> Source {
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
            Err(error) => (Vec::new(), super::load::reason(&error)),
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

    fn stem_file(&mut self, file: &Spanned<String>) -> Option<std::path::PathBuf> {
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

    // Scores.

    fn score(
        &mut self,
        compose: &Spanned<ComposeSource>,
        end: usize,
        tempo_bpm: Option<f64>,
    ) -> Option<Score> {
        match compose.get_ref() {
            ComposeSource::Inline(_)
                if self
                    .misshapen
                    .iter()
                    .any(|place| (compose.span().start..end).contains(place)) =>
            {
                // Values that were taken out would be reported as missing.
                None
            }
            ComposeSource::Inline(score) => match compile(score, tempo_bpm) {
                Ok(score) => Some(score),
                Err(errors) => {
                    for error in errors {
                        self.report(score_error(&error, compose.span()));
                    }
                    None
                }
            },
            ComposeSource::File(written) => {
                let path = self.existing(written, &compose.span(), "score file")?;
                let text = match read_text(&path) {
                    Ok(text) => text,
                    Err(reason) => {
                        let message = format!("cannot read score file `{written}`: {reason}");
                        self.report(
                            Diagnostic::error(code::UNREADABLE, message).at(compose.span(), ""),
                        );
                        return None;
                    }
                };
                let file = Arc::new(SourceFile {
                    name: written.clone(),
                    text,
                });
                let mut found = Vec::new();
                let score: Option<ScoreSource> = shape::read(&file.text, &mut found);
                // Values that were taken out would be reported as missing.
                let score = score.filter(|_| found.is_empty());
                let compiled = score.map(|score| compile(&score, tempo_bpm));
                let result = match compiled {
                    Some(Ok(score)) => Some(score),
                    Some(Err(errors)) => {
                        found.extend(errors.iter().map(|error| score_error(error, 0..0)));
                        None
                    }
                    None => None,
                };
                let found = found
                    .into_iter()
                    .map(|diagnostic| diagnostic.in_file(&file));
                self.diagnostics.extend(found);
                result
            }
        }
    }

    // Rendering.

    fn render(&mut self, job: Option<&RenderTable>, own: Option<&RenderTable>) -> RenderOptions {
        let none = RenderTable::default();
        let (job, own) = (job.unwrap_or(&none), own.unwrap_or(&none));
        let format = match own.format.as_ref().or(job.format.as_ref()) {
            Some(format) => match format.get_ref() {
                FormatName::Wav => Format::Wav,
                FormatName::Flac => Format::Flac,
            },
            None => Format::Wav,
        };
        let depth = own.bit_depth.as_ref().or(job.bit_depth.as_ref());
        let bit_depth = match depth.map(|depth| *depth.get_ref()) {
            Some(16) => BitDepth::Int16,
            Some(32) => BitDepth::Float32,
            _ => BitDepth::Int24,
        };
        if format == Format::Flac
            && bit_depth == BitDepth::Float32
            && let Some(depth) = depth
        {
            let place = own.format.as_ref().or(job.format.as_ref());
            let mut diagnostic = Diagnostic::error(
                code::CONFLICT,
                "`bit_depth` is 32, which is floating point; FLAC holds integers of 16 or 24 bit",
            )
            .at(depth.span(), "not in a FLAC file")
            .help("write `bit_depth = 24`, or `format = \"wav\"`");
            if let Some(place) = place {
                diagnostic = diagnostic.see(place.span(), "the format");
            }
            self.report(diagnostic);
        }
        let rate = own.sample_rate.as_ref().or(job.sample_rate.as_ref());
        let pattern = own.pattern.as_ref().or(job.pattern.as_ref());
        let tail = own.tail.as_ref().or(job.tail.as_ref());
        let stems = own.stems.as_ref().or(job.stems.as_ref());
        let overwrite = own.overwrite.as_ref().or(job.overwrite.as_ref());
        RenderOptions {
            format,
            bit_depth,
            sample_rate_hz: rate.map_or(48_000, |rate| *rate.get_ref()),
            pattern: pattern.map_or_else(|| "$project".to_owned(), |text| text.get_ref().clone()),
            tail_s: tail.map_or(1.0, |tail| *tail.get_ref()),
            stems: stems.is_some_and(|flag| *flag.get_ref()),
            overwrite: overwrite.is_some_and(|flag| *flag.get_ref()),
        }
    }

    // Steps.

    fn steps(
        &mut self,
        table: &ProjectTable,
        header: &Range<usize>,
        source: &Source,
        score: Option<Score>,
    ) -> Vec<Step> {
        let Some(written) = &table.step else {
            let mut steps = vec![Step::ConfigureTracks];
            steps.extend(score.map(Step::Compose));
            steps.extend([
                Step::EngineMix(mix_options(None)),
                Step::EngineMaster(master_options(None)),
                Step::Render,
                Step::Check,
            ]);
            return steps;
        };

        let steps: Vec<Step> = written
            .iter()
            .filter_map(|step| self.step(step.get_ref(), table, source, score.as_ref()))
            .collect();
        if let Some(compose) = &table.compose
            && !written.iter().any(|step| step.get_ref().compose.is_some())
        {
            self.report(
                Diagnostic::warning(code::STEPS, "the score is not used")
                    .at(compose.span(), "this score")
                    .see(header.clone(), "no step `compose` in this project")
                    .help("add a `[[project.step]]` with `compose = true`"),
            );
        }
        let render = steps.iter().position(|step| *step == Step::Render);
        let check = written
            .iter()
            .find_map(|step| step.get_ref().check.as_ref());
        let checked = steps.iter().position(|step| *step == Step::Check);
        if let (Some(check), Some(checked)) = (check, checked)
            && render.is_none_or(|render| checked < render)
        {
            self.report(
                Diagnostic::error(code::STEPS, "`check` comes before anything was rendered")
                    .at(check.span(), "nothing to check yet")
                    .help("put a step `render = true` before it"),
            );
        }
        steps
    }

    fn step(
        &mut self,
        step: &StepTable,
        table: &ProjectTable,
        source: &Source,
        score: Option<&Score>,
    ) -> Option<Step> {
        if step.configure_tracks.is_some() {
            return Some(Step::ConfigureTracks);
        }
        if let Some(compose) = &step.compose {
            if table.compose.is_none() {
                self.report(
                    Diagnostic::error(code::STEPS, "the project has no score to compose")
                        .at(compose.span(), "needs `compose` in the project")
                        .help("write `compose = \"….toml\"` or a table `[project.compose]`"),
                );
            }
            return score.cloned().map(Step::Compose);
        }
        if let Some(mix) = &step.engine_mix {
            let options = options(mix);
            if let Some(Pairs(pairs)) = options.and_then(|options| options.roles.as_ref()) {
                self.check_roles(pairs, source);
            }
            return Some(Step::EngineMix(mix_options(options)));
        }
        if let Some(master) = &step.engine_master {
            return Some(Step::EngineMaster(master_options(options(master))));
        }
        if step.render.is_some() {
            return Some(Step::Render);
        }
        if step.check.is_some() {
            return Some(Step::Check);
        }
        step.command.as_ref().map(|command| self.command(command))
    }

    fn check_roles(&mut self, pairs: &[(Spanned<String>, Spanned<String>)], source: &Source) {
        for (track, role) in pairs {
            let roles = &self.vocabulary.roles;
            if !roles.is_empty() && !roles.contains(role.get_ref()) {
                let help = nearest(role.get_ref(), roles)
                    .unwrap_or_else(|| format!("roles are {}", roles.join(", ")));
                self.report(
                    Diagnostic::error(
                        code::UNKNOWN_ROLE,
                        format!("role `{}` is unknown", role.get_ref()),
                    )
                    .at(role.span(), "not a role")
                    .help(help),
                );
            }
            // The tracks of a project file and of a score are not known here.
            if let Source::Stems(stems) = source
                && !stems.is_empty()
                && !stems.iter().any(|stem| stem.track == *track.get_ref())
            {
                let names = stems.iter().map(|stem| stem.track.as_str());
                let help =
                    suggest(track.get_ref(), names).map(|near| format!("did you mean `{near}`?"));
                self.report(
                    Diagnostic::warning(
                        code::UNKNOWN_TRACK,
                        format!("no stem makes a track `{}`", track.get_ref()),
                    )
                    .at(track.span(), "no such stem")
                    .help_if(help),
                );
            }
        }
    }

    fn command(&mut self, command: &Spanned<CommandTable>) -> Step {
        let CommandTable { name, params } = command.get_ref();
        let json: Map<String, Value> = params
            .iter()
            .map(|(key, value)| (key.get_ref().clone(), to_json(value)))
            .collect();
        let known = &self.vocabulary.commands;
        if known.contains(name.get_ref()) {
            for problem in (self.vocabulary.command_params)(name.get_ref(), &json) {
                let place = params
                    .iter()
                    .find(|(key, _)| problem.parameter.as_deref() == Some(key.get_ref()))
                    .map_or_else(|| name.span(), |(key, _)| key.span());
                self.report(
                    Diagnostic::error(code::COMMAND_PARAMETER, problem.message)
                        .at(place, "")
                        .help_if(problem.help),
                );
            }
        } else {
            let help = nearest(name.get_ref(), known)
                .unwrap_or_else(|| "`reaper-batch commands` lists them".to_owned());
            self.report(
                Diagnostic::error(
                    code::UNKNOWN_COMMAND,
                    format!("bridge command `{}` is unknown", name.get_ref()),
                )
                .at(name.span(), "not a command")
                .help(help),
            );
        }
        Step::Command {
            name: name.get_ref().clone(),
            params: json,
        }
    }
}

fn compile(score: &ScoreSource, tempo_bpm: Option<f64>) -> Result<Score, Vec<ComposeError>> {
    let mut score = score.clone();
    if score.bpm.is_none() {
        score.bpm = tempo_bpm.map(|bpm| Spanned::new(0..0, bpm));
    }
    crate::compose::compile(&score)
}

fn score_error(error: &ComposeError, otherwise: Range<usize>) -> Diagnostic {
    Diagnostic::error(code::SCORE, format!("score: {}", error.message))
        .at(error.span.clone().unwrap_or(otherwise), "")
        .help_if(error.help.clone())
}

fn options<T>(toggle: &Spanned<Toggle<T>>) -> Option<&T> {
    match toggle.get_ref() {
        Toggle::On => None,
        Toggle::Options(options) => Some(options),
    }
}

fn mix_options(table: Option<&MixTable>) -> MixOptions {
    let none = MixTable::default();
    let table = table.unwrap_or(&none);
    let pairs = table.roles.as_ref().map_or(&[][..], |Pairs(pairs)| pairs);
    MixOptions {
        roles: pairs
            .iter()
            .map(|(track, role)| (track.get_ref().clone(), role.get_ref().clone()))
            .collect(),
        measured: table
            .mode
            .as_ref()
            .is_none_or(|mode| *mode.get_ref() == MixMode::Measured),
    }
}

fn master_options(table: Option<&MasterTable>) -> MasterOptions {
    let none = MasterTable::default();
    let table = table.unwrap_or(&none);
    let defaults = MasterOptions::default();
    MasterOptions {
        target_lufs: table.target_lufs.as_ref().map(|value| *value.get_ref()),
        ceiling_dbtp: table.ceiling_dbtp.as_ref().map(|value| *value.get_ref()),
        max_passes: table
            .max_passes
            .as_ref()
            .map_or(defaults.max_passes, |value| *value.get_ref()),
        max_limiting_db: table
            .max_limiting_db
            .as_ref()
            .map_or(defaults.max_limiting_db, |value| *value.get_ref()),
    }
}

fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(integer) => Value::from(*integer),
        toml::Value::Float(float) => Value::from(*float),
        toml::Value::Boolean(flag) => Value::from(*flag),
        toml::Value::Datetime(date) => Value::from(date.to_string()),
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| (key.clone(), to_json(value)));
            Value::Object(entries.collect())
        }
    }
}

/// A style or spec is a file when it says so by its form.
fn is_file_name(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(['/', '\\'])
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    suggest(name, known).map(|near| format!("did you mean `{near}`?"))
}

fn text(name: Option<&Spanned<String>>) -> String {
    name.map(|name| name.get_ref().clone()).unwrap_or_default()
}

fn extensions() -> String {
    super::AUDIO_EXTENSIONS
        .map(|ext| format!(".{ext}"))
        .join(" ")
}
