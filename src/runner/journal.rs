//! A record of every command that goes to a host.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::StepError;
use crate::bridge::{Bridge, Call, CallError, Client};

/// Longest text of parameters that is kept.
const PREVIEW: usize = 2000;

/// The record of one project: a line of JSON for every command.
pub(super) struct Journal {
    file: BufWriter<File>,
}

impl Journal {
    /// Starts a new record in place of an older one.
    pub(super) fn create(path: &Path) -> Result<Self, StepError> {
        let file = File::create(path).map_err(StepError::io("cannot write", path))?;
        Ok(Self {
            file: BufWriter::new(file),
        })
    }

    fn record(&mut self, call: &Call, started: Instant, result: &Result<Value, CallError>) {
        let mut params = Value::Object(call.params.clone()).to_string();
        if params.len() > PREVIEW {
            let cut = (0..=PREVIEW).rev().find(|&i| params.is_char_boundary(i));
            params.truncate(cut.unwrap_or(0));
            params.push('…');
        }
        let line = json!({
            "command": call.command,
            "params": params,
            "ok": result.is_ok(),
            "error": result.as_ref().err().map(ToString::to_string),
            "ms": started.elapsed().as_secs_f64() * 1000.0,
        });
        // The journal helps people; a full disk shows up where it matters.
        if let Err(error) = writeln!(self.file, "{line}").and_then(|()| self.file.flush()) {
            tracing::warn!(%error, "cannot write the journal");
        }
    }
}

/// Passes commands to a client and records them.
pub(super) struct Recorded<'a> {
    pub client: &'a mut Client,
    pub journal: &'a mut Journal,
}

impl Bridge for Recorded<'_> {
    fn call(&mut self, call: Call) -> Result<Value, CallError> {
        let started = Instant::now();
        let result = self.client.call(call.clone());
        self.journal.record(&call, started, &result);
        result
    }

    fn batch(&mut self, calls: Vec<Call>) -> Result<Vec<Result<Value, CallError>>, CallError> {
        let started = Instant::now();
        let results = self.client.batch(calls.clone())?;
        for (call, result) in calls.iter().zip(&results) {
            self.journal.record(call, started, result);
        }
        Ok(results)
    }
}
