//! The part of Lua's `debug` library that scripts use to find themselves and
//! to report errors. The rest of it can break the machine and is left out.

use mlua::{Lua, Table, Value};

/// Adds a `debug` table with `traceback` and `getinfo`.
pub(super) fn install(lua: &Lua) -> mlua::Result<()> {
    let debug = lua.create_table()?;
    debug.raw_set(
        "traceback",
        lua.create_function(|lua, (message, level): (Value, Option<usize>)| {
            let text = match &message {
                Value::Nil => None,
                Value::String(text) => Some(text.to_string_lossy()),
                Value::Integer(_) | Value::Number(_) => Some(message.to_string()?),
                _ => return Ok(message),
            };
            // Level 0 is this function here, which Lua's own does not count.
            let level = level.unwrap_or(1);
            lua.traceback(text.as_deref(), level).map(Value::String)
        })?,
    )?;
    debug.raw_set(
        "getinfo",
        lua.create_function(|lua, (what, _): (Value, Option<String>)| match what {
            Value::Function(function) => {
                let info = function.info();
                let table = lua.create_table()?;
                table.raw_set("source", info.source)?;
                table.raw_set("short_src", info.short_src)?;
                table.raw_set("what", info.what)?;
                table.raw_set("linedefined", info.line_defined)?;
                table.raw_set("lastlinedefined", info.last_line_defined)?;
                table.raw_set("func", function)?;
                Ok(Some(table))
            }
            Value::Integer(level) => match usize::try_from(level) {
                Ok(level) => level_info(lua, level),
                Err(_) => Ok(None),
            },
            _ => Err(mlua::Error::runtime(
                "bad argument #1 to 'getinfo' (function or level expected)",
            )),
        })?,
    )?;
    lua.globals().raw_set("debug", debug)
}

fn level_info(lua: &Lua, level: usize) -> mlua::Result<Option<Table>> {
    let table = lua.create_table()?;
    lua.inspect_stack(level, |frame| {
        let source = frame.source();
        let names = frame.names();
        table.raw_set("source", source.source.as_deref())?;
        table.raw_set("short_src", source.short_src.as_deref())?;
        table.raw_set("what", source.what)?;
        table.raw_set("linedefined", source.line_defined)?;
        table.raw_set("lastlinedefined", source.last_line_defined)?;
        table.raw_set("currentline", frame.current_line())?;
        table.raw_set("name", names.name.as_deref())?;
        table.raw_set("func", frame.function())
    })
    .transpose()
    .map(|found| found.map(|()| table))
}
