//! A Lua machine with the `reaper` table of one script.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use mlua::{Function, LightUserData, Lua, LuaOptions, MultiValue, StdLib, Value};

use super::args::Call;
use super::signature::Signature;
use super::value::{Fail, Out};
use crate::host::api;
use crate::host::state::Host;

/// What a script may ask about itself.
#[derive(Debug)]
pub(crate) struct ScriptInfo {
    pub(crate) path: PathBuf,
    /// Number by which the script was started as an action; 0 from the command line.
    pub(crate) command: i64,
    /// Name of the shared memory that `gmem_attach` has chosen.
    pub(crate) gmem: RefCell<Option<String>>,
}

/// A machine and what its script has asked to be called for.
pub(crate) struct Machine {
    pub(crate) lua: Lua,
    pub(crate) deferred: Rc<RefCell<Vec<Function>>>,
    pub(crate) at_exit: Rc<RefCell<Vec<Function>>>,
}

/// Turns `(true, results…)` into results and `(false, text)` into a Lua error
/// with that text at the place of the call. Errors made in Rust would reach
/// `pcall` as userdata, which scripts cannot join with text.
const SHIM: &str = r"
local error = error
local function finish(ok, ...)
  if ok then return ... end
  error((...), 2)
end
return function(raw)
  return function(...) return finish(raw(...)) end
end
";

impl Machine {
    /// A machine with all standard libraries, as REAPER offers them.
    pub(crate) fn new(host: &Rc<RefCell<Host>>, info: &Rc<ScriptInfo>) -> mlua::Result<Self> {
        // A panic is a bug of ours and must not end in a script's `pcall`.
        let options = LuaOptions::new().catch_rust_panics(false);
        let lua = Lua::new_with(StdLib::ALL_SAFE, options)?;
        super::debug::install(&lua)?;
        let shim: Function = lua.load(SHIM).set_name("=reaper").eval()?;
        let reaper = lua.create_table()?;
        for function in api::functions() {
            let raw = raw_function(&lua, function, Rc::clone(host), Rc::clone(info))?;
            reaper.raw_set(function.name, shim.call::<Function>(raw)?)?;
        }
        let deferred = Rc::default();
        let at_exit = Rc::default();
        for name in ["defer", "runloop"] {
            let raw = callback(&lua, Rc::clone(&deferred))?;
            reaper.raw_set(name, shim.call::<Function>(raw)?)?;
        }
        let raw = callback(&lua, Rc::clone(&at_exit))?;
        reaper.raw_set("atexit", shim.call::<Function>(raw)?)?;
        lua.globals().raw_set("reaper", reaper)?;
        Ok(Self {
            lua,
            deferred,
            at_exit,
        })
    }
}

fn raw_function(
    lua: &Lua,
    function: api::Function,
    host: Rc<RefCell<Host>>,
    info: Rc<ScriptInfo>,
) -> mlua::Result<Function> {
    let signature = Signature::parse(function.args);
    lua.create_function(move |lua, values: MultiValue| {
        // The model is free again before any Lua code can run.
        let answer = {
            let mut host = host.borrow_mut();
            let values: Vec<Value> = values.into_iter().collect();
            signature
                .convert(lua, &host.handles, &values, function.nullable)
                .and_then(|args| {
                    (function.call)(&mut Call {
                        host: &mut host,
                        script: &info,
                        args,
                    })
                })
        };
        let mut results = MultiValue::new();
        match answer {
            Ok(outs) => {
                results.push_back(Value::Boolean(true));
                for out in outs {
                    results.push_back(lua_value(lua, out)?);
                }
            }
            Err(fail) => {
                results.push_back(Value::Boolean(false));
                let text = format!("{}: {fail}", function.name);
                results.push_back(Value::String(lua.create_string(text)?));
            }
        }
        Ok(results)
    })
}

fn lua_value(lua: &Lua, out: Out) -> mlua::Result<Value> {
    Ok(match out {
        Out::Nil => Value::Nil,
        Out::Bool(on) => Value::Boolean(on),
        Out::Int(number) => Value::Integer(number),
        Out::Num(number) => Value::Number(number),
        Out::Str(bytes) => Value::String(lua.create_string(bytes)?),
        Out::Ptr(address) => {
            Value::LightUserData(LightUserData(std::ptr::without_provenance_mut(address)))
        }
    })
}

/// `defer`, `runloop` and `atexit`: keep a function for later.
fn callback(lua: &Lua, list: Rc<RefCell<Vec<Function>>>) -> mlua::Result<Function> {
    lua.create_function(move |lua, value: Value| {
        let mut results = MultiValue::new();
        if let Value::Function(function) = value {
            list.borrow_mut().push(function);
            results.push_back(Value::Boolean(true));
            results.push_back(Value::Boolean(true));
        } else {
            let fail = Fail::Argument {
                index: 1,
                expected: "function",
            };
            results.push_back(Value::Boolean(false));
            results.push_back(Value::String(lua.create_string(fail.to_string())?));
        }
        Ok(results)
    })
}
