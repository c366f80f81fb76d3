//! The embedded REAPER: Lua, the ReaScript API over a project, a defer loop.
