//! Between Lua and the model: values, argument rules, pointers, the machine.

mod args;
mod debug;
mod pointers;
mod signature;
mod value;
mod vm;

pub(super) use args::Call;
pub(super) use pointers::{EnvelopeId, Handles, Object};
pub(super) use value::{Answer, Fail, Out, answer};
pub(super) use vm::{Machine, ScriptInfo};
