//! A second front door: the Model Context Protocol over stdio.
//!
//! A client opens one project at a time on a host of its own, works on a copy
//! in the folder it names, and may run whole jobs. It has no tools beyond
//! that: no playback, no file access other than the paths it is given.
//! stdout carries the protocol alone.

mod params;
mod results;
mod schema;
mod server;
mod session;
mod transport;

pub use server::{ServeOptions, serve};

#[cfg(test)]
mod tests;
