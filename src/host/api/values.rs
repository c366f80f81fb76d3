//! Values that outlive a script: extension state and shared memory.

use super::Entry;
use crate::host::lua::{Answer, Call, Fail, answer};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("DeleteExtState", delete),
    ("GetExtState", get),
    ("HasExtState", has),
    ("SetExtState", set),
    ("get_config_var_string", no_config),
    ("get_ini_file", ini_file),
    ("gmem_attach", attach),
    ("gmem_read", read),
    ("gmem_write", write),
];

fn set(c: &mut Call) -> Answer {
    let (section, key, value, persist) = (c.text(0), c.text(1), c.text(2), c.bool(3));
    c.host
        .ext_state
        .entry(section)
        .or_default()
        .insert(key, (value, persist));
    if persist {
        c.host.save_ext_state();
    }
    answer![]
}

fn find(c: &Call) -> Option<String> {
    let values = c.host.ext_state.get(&c.text(0))?;
    values.get(&c.text(1)).map(|(value, _)| value.clone())
}

fn get(c: &mut Call) -> Answer {
    answer![find(c).unwrap_or_default()]
}

fn has(c: &mut Call) -> Answer {
    answer![find(c).is_some()]
}

fn delete(c: &mut Call) -> Answer {
    let (section, key, persist) = (c.text(0), c.text(1), c.bool(2));
    if let Some(values) = c.host.ext_state.get_mut(&section) {
        values.remove(&key);
    }
    if persist {
        c.host.save_ext_state();
    }
    answer![]
}

/// There are no preferences here.
fn no_config(_: &mut Call) -> Answer {
    answer![false, ""]
}

fn ini_file(c: &mut Call) -> Answer {
    let path = c.host.resource_path.join("reaper.ini");
    answer![path.to_string_lossy().into_owned()]
}

/// Most values that shared memory holds under one name, as JSFX allows.
const GMEM_LIMIT: usize = 8 * 1024 * 1024;

fn attach(c: &mut Call) -> Answer {
    let name = c.text(0);
    *c.script.gmem.borrow_mut() = Some(name);
    answer![]
}

fn read(c: &mut Call) -> Answer {
    let index = c.index(0);
    let name = c.script.gmem.borrow();
    let value = name
        .as_ref()
        .and_then(|name| c.host.gmem.get(name)?.get(index?).copied());
    answer![value.unwrap_or(0.0)]
}

fn write(c: &mut Call) -> Answer {
    let (index, value) = (c.index(0), c.num(1));
    let name = c.script.gmem.borrow();
    let Some(name) = name.as_ref() else {
        return Err(Fail::Other("call gmem_attach first".to_owned()));
    };
    let Some(index) = index.filter(|&index| index < GMEM_LIMIT) else {
        return answer![];
    };
    let memory = c.host.gmem.entry(name.clone()).or_default();
    if memory.len() <= index {
        memory.resize(index + 1, 0.0);
    }
    memory[index] = value;
    answer![]
}
