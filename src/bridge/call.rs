//! Calling a bridge command: the one interface that musical code sees.

use serde_json::{Map, Value};

/// A command with its parameters, as it goes over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub command: String,
    pub params: Map<String, Value>,
}

impl Call {
    /// A call whose parameters are written as a JSON object.
    ///
    /// # Panics
    ///
    /// When `params` is not an object: the caller wrote it literally.
    pub fn new(command: &str, params: Value) -> Self {
        let Value::Object(params) = params else {
            panic!("parameters of `{command}` must be a JSON object");
        };
        Self {
            command: command.to_owned(),
            params,
        }
    }
}

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The bridge answered with an error.
    #[error("`{command}`: {message} [{code}]")]
    Refused {
        command: String,
        /// Name of the bridge's error code: `MISSING_PARAMETER`, `NOT_FOUND`, …
        code: String,
        message: String,
        /// The same call may work later.
        retryable: bool,
    },
    /// No answer in time; what happened to the command is not known.
    #[error("`{command}` gave no answer within {seconds} s")]
    TimedOut { command: String, seconds: u64 },
    /// The host process is gone or frozen.
    #[error("lost the host during `{command}`: {reason}")]
    HostLost { command: String, reason: String },
    /// The run was cancelled.
    #[error("cancelled during `{command}`")]
    Cancelled { command: String },
    /// Files of the protocol could not be written or read.
    #[error("protocol failure during `{command}`: {reason}")]
    Protocol { command: String, reason: String },
}

/// Something that carries out bridge commands: a REAPER, our host, a test double.
pub trait Bridge {
    /// Carries out one command and returns its `data`.
    fn call(&mut self, call: Call) -> Result<Value, CallError>;

    /// Carries out commands in one round trip, in order, and goes on after
    /// one that was refused. The outer error means that the trip failed.
    fn batch(&mut self, calls: Vec<Call>) -> Result<Vec<Result<Value, CallError>>, CallError> {
        Ok(calls.into_iter().map(|call| self.call(call)).collect())
    }
}
