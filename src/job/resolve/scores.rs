//! Scores, inline or in a file of their own.

use std::ops::Range;
use std::sync::Arc;

use serde_spanned::Spanned;

use super::super::load::read_text;
use super::super::{code, shape};
use super::Resolver;
use crate::compose::{ComposeError, ComposeSource, Score, ScoreSource};
use crate::diag::{Diagnostic, SourceFile};

impl Resolver<'_> {
    pub(super) fn score(
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
