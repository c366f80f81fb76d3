//! Diagnostics as text: with the source, one line each, or as JSON lines.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde_json::json;

use super::{Diagnostic, Severity, SourceFile};

/// With the lines of the source, as compilers do; `color` adds ANSI escapes.
pub fn human(source: &SourceFile, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        let source = diagnostic.file.as_deref().unwrap_or(source);
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level
            .primary_title(visible(&diagnostic.message))
            .id(diagnostic.code)
            .element(snippet(source, diagnostic));
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(visible(help)));
        }
        text.push_str(&renderer.render(&[group]));
        text.push_str("\n\n");
    }
    text
}

/// `file:line:column: error[RB0101]: message; help`, one line each.
pub fn short(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let source = diagnostic.file.as_deref().unwrap_or(source);
        let place = match &diagnostic.primary {
            Some(label) => {
                let (line, column) = source.line_column(label.span.start);
                format!("{}:{line}:{column}", source.name)
            }
            None => source.name.clone(),
        };
        let help = match &diagnostic.help {
            Some(help) => format!("; {}", visible(help)),
            None => String::new(),
        };
        text.push_str(&format!(
            "{place}: {}[{}]: {}{help}\n",
            diagnostic.severity.name(),
            diagnostic.code,
            visible(&diagnostic.message),
        ));
    }
    text
}

/// One JSON object a line, `type` is `diagnostic`. Lines and columns count
/// from 1, `end_column` is the first one behind.
pub fn json_lines(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let source = diagnostic.file.as_deref().unwrap_or(source);
        let place = |label: &super::Label| {
            let (line, column) = source.line_column(label.span.start);
            let (end_line, end_column) = source.line_column(label.span.end);
            json!({
                "line": line,
                "column": column,
                "end_line": end_line,
                "end_column": end_column,
                "label": label.text,
            })
        };
        let line = json!({
            "type": "diagnostic",
            "code": diagnostic.code,
            "severity": diagnostic.severity.name(),
            "message": diagnostic.message,
            "file": source.name,
            "span": diagnostic.primary.as_ref().map(place),
            "related": diagnostic.secondary.iter().map(place).collect::<Vec<_>>(),
            "help": diagnostic.help,
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

fn snippet<'a>(
    source: &'a SourceFile,
    diagnostic: &'a Diagnostic,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut snippet = Snippet::source(source.text.as_str()).path(source.name.as_str());
    // Without a place the first line stands for the whole document.
    let whole = super::Label {
        span: 0..0,
        text: String::new(),
    };
    let labels = std::iter::once(diagnostic.primary.as_ref().unwrap_or(&whole))
        .map(|label| (AnnotationKind::Primary, label))
        .chain(
            diagnostic
                .secondary
                .iter()
                .map(|label| (AnnotationKind::Context, label)),
        );
    for (kind, label) in labels {
        let mut annotation = kind.span(source.clamp(&label.span));
        if !label.text.is_empty() {
            annotation = annotation.label(visible(&label.text));
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
}

/// Text of a document may hold control characters, which must not reach a
/// terminal or split a line.
fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (SourceFile, Vec<Diagnostic>) {
        let source = SourceFile {
            name: "album.toml".to_owned(),
            text: "name = \"é\"\nstyle = \"tecno\"\n".to_owned(),
        };
        let start = source.text.find("\"tecno").unwrap();
        let diagnostics = vec![
            Diagnostic::error("RB0106", "style `tecno` is unknown")
                .at(start..start + 7, "not in the catalogue")
                .see(0..4, "of this job")
                .help("did you mean `techno`?"),
            Diagnostic::warning("RB0199", "odd\u{1b}[31m"),
        ];
        (source, diagnostics)
    }

    #[test]
    fn short_lines_tell_line_and_column() {
        let (source, diagnostics) = example();
        assert_eq!(
            short(&source, &diagnostics),
            "album.toml:2:9: error[RB0106]: style `tecno` is unknown; did you mean `techno`?\n\
             album.toml: warning[RB0199]: odd\\u{1b}[31m\n"
        );
    }

    #[test]
    fn human_text_shows_the_source_and_has_color_only_when_asked() {
        let (source, diagnostics) = example();
        let plain = human(&source, &diagnostics, false);
        assert!(
            plain.contains("error[RB0106]: style `tecno` is unknown"),
            "{plain}"
        );
        assert!(plain.contains("album.toml:2:9"), "{plain}");
        assert!(plain.contains("not in the catalogue"), "{plain}");
        assert!(plain.contains("help: did you mean `techno`?"), "{plain}");
        assert!(!plain.contains('\u{1b}'), "{plain}");
        assert!(human(&source, &diagnostics, true).contains('\u{1b}'));
    }

    #[test]
    fn json_lines_parse_one_by_one() {
        let (source, diagnostics) = example();
        let text = json_lines(&source, &diagnostics);
        let lines: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["span"]["line"], 2);
        assert_eq!(lines[0]["span"]["end_column"], 16);
        assert!(lines[1]["span"].is_null());
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let (source, _) = example();
        let odd = [Diagnostic::error("RB0199", "far").at(8..9999, "")];
        for text in [
            human(&source, &odd, false),
            short(&source, &odd),
            json_lines(&source, &odd),
        ] {
            assert!(text.contains("far"));
        }
    }
}
