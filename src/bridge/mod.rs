//! The contract with the Lua bridge: command types, client, token, heartbeat,
//! history, error codes.

mod call;

pub use call::*;
