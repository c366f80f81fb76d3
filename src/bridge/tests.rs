//! Tests of the room: table, generated files, Lua files, client with faults.

mod client;
mod json;
mod table;
