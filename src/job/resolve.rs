//! From what was written to what will be done: defaults, overrides, names,
//! files.
//!
//! A [`Resolver`] goes through the file once. What it reports it goes on from,
//! with a value that fits, so that one fault doesn't hide the next.

use std::path::Path;

use serde_spanned::Spanned;

use super::written::{JobFile, ProjectTable};
use super::{Job, ProjectPlan, Step, Vocabulary, code};
use crate::diag::{Diagnostic, SourceFile, suggest};

mod names;
mod rendering;
mod scores;
mod sources;
mod steps;

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
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    suggest(name, known).map(|near| format!("did you mean `{near}`?"))
}

fn text(name: Option<&Spanned<String>>) -> String {
    name.map(|name| name.get_ref().clone()).unwrap_or_default()
}
