//! stdout, stderr, and whether they are coloured.

use std::io::{self, IsTerminal as _, Write as _};

use super::args::{Color, Global, MessageFormat};
use crate::diag::{self, Diagnostic, SourceFile};

/// How this invocation talks.
pub(super) struct Ui {
    pub(super) format: MessageFormat,
    pub(super) color_out: bool,
    pub(super) color_err: bool,
    pub(super) quiet: bool,
    /// Moving bars are welcome on stderr.
    pub(super) bars: bool,
}

impl Ui {
    pub(super) fn new(global: &Global) -> Self {
        let color = |auto: anstream::ColorChoice| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => auto != anstream::ColorChoice::Never,
        };
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            format: global.message_format,
            color_out: color(anstream::AutoStream::choice(&io::stdout())),
            color_err: color(anstream::AutoStream::choice(&io::stderr())),
            quiet: global.quiet,
            bars: io::stderr().is_terminal() && std::env::var_os("CI").is_none() && !dumb,
        }
    }

    pub(super) fn is_json(&self) -> bool {
        self.format == MessageFormat::JsonLines
    }

    /// Writes a result to stdout. Someone who stopped reading is no error.
    pub(super) fn result(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Writes a line of JSON to stdout.
    pub(super) fn line(&self, value: &serde_json::Value) -> io::Result<()> {
        self.result(&format!("{value}\n"))
    }

    /// Says something on stderr, unless asked to be quiet.
    pub(super) fn remark(&self, text: &str) {
        if !self.quiet {
            self.stderr(&format!("{text}\n"));
        }
    }

    /// Tells an error with its causes.
    pub(super) fn error(&self, error: &anyhow::Error) {
        let mut text = String::new();
        for cause in error.chain().map(ToString::to_string) {
            // Many errors tell their cause themselves.
            if text.is_empty() {
                text = cause;
            } else if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        if self.is_json() {
            let line = serde_json::json!({ "type": "error", "message": text });
            // Nobody is left to be told when stdout fails.
            let _ = self.line(&line);
        }
        let style = anstyle::AnsiColor::Red.on_default().bold();
        if self.color_err {
            self.stderr(&format!("{style}error{style:#}: {text}\n"));
        } else {
            self.stderr(&format!("error: {text}\n"));
        }
    }

    /// Shows what is wrong with a document, in the chosen form.
    pub(super) fn diagnostics(
        &self,
        source: &SourceFile,
        diagnostics: &[Diagnostic],
    ) -> io::Result<()> {
        match self.format {
            MessageFormat::JsonLines => self.result(&diag::json_lines(source, diagnostics))?,
            MessageFormat::Short => self.stderr(&diag::short(source, diagnostics)),
            MessageFormat::Human => {
                self.stderr(&diag::human(source, diagnostics, self.color_err));
            }
        }
        Ok(())
    }

    fn stderr(&self, text: &str) {
        // When stderr is gone there is no one to tell.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}
