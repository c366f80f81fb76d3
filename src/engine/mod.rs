//! Finding, starting, supervising and stopping a REAPER-like process.
