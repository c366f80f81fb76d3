//! The JSON objects that travel through the IPC folder.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Version of the protocol. The classic protocol counts as 1; 2 adds the
/// handshake, the token, structured errors and batches.
pub const PROTOCOL_VERSION: u32 = 2;

/// `command.json`: one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    pub command: String,
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Unique per request; the reply repeats it.
    #[serde(default)]
    pub id: String,
    /// Names the host instance; a bridge that was given a token refuses others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// `response.json`: one reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    pub success: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The message, as the classic protocol has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_info: Option<ErrorInfo>,
    /// Remarks on a call that succeeded, such as ignored parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A failure with everything a caller can act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// Name of an [`ErrorCode`](super::ErrorCode).
    pub code: String,
    #[serde(default)]
    pub number: u16,
    /// Where it failed: `parse`, `dispatch`, `validate`, `run`.
    #[serde(default)]
    pub stage: String,
    pub message: String,
    #[serde(default)]
    pub details: Value,
    #[serde(default)]
    pub retryable: bool,
}

/// What the bridge tells about itself at the handshake.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    pub bridge_version: String,
    /// FNV-1a of the script files, as eight hex digits.
    pub bridge_hash: String,
    /// `REAPER`, or the name our host gives itself.
    pub host_name: String,
    pub host_version: String,
    #[serde(default)]
    pub lua_version: String,
    #[serde(default)]
    pub os: String,
    #[serde(default)]
    pub resource_path: String,
    #[serde(default)]
    pub token: String,
    /// Names of commands that this bridge knows.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Optional abilities: `batch`, `command_status`, `render_stats`, …
    #[serde(default)]
    pub capabilities: Vec<String>,
}

/// `server.lock`: the heartbeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lock {
    pub protocol: u32,
    /// Process id given by the launcher, 0 when a person loaded the script.
    #[serde(default)]
    pub pid: u64,
    /// Unix time at which the bridge started.
    pub started: f64,
    /// Unix time of this heartbeat.
    pub time: f64,
    /// Grows with each tick of the bridge's loop.
    pub ticks: u64,
    /// Name of the command that runs now, when it is a long one.
    #[serde(default)]
    pub busy: Option<String>,
    #[serde(default)]
    pub token: String,
}

/// `host_progress.json`: how far a render of our own host is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// From 0 to 1.
    pub progress: f64,
    /// What is being done, for people.
    #[serde(default)]
    pub stage: String,
}
