//! The Lua JSON codec against serde_json.

use mlua::{Function, Lua, Table, Value as LuaValue};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bridge::script;

struct Codec {
    lua: Lua,
    module: Table,
}

impl Codec {
    fn new() -> Self {
        let lua = Lua::new();
        let (_, source) = script::FILES
            .iter()
            .find(|(path, _)| *path == "bridge/json.lua")
            .unwrap();
        let module: Table = lua.load(*source).eval().unwrap();
        Self { lua, module }
    }

    fn decode(&self, text: impl AsRef<[u8]>) -> Result<LuaValue, String> {
        let text = self.lua.create_string(text.as_ref()).unwrap();
        let decode: Function = self.module.get("decode").unwrap();
        let (value, message): (LuaValue, Option<String>) = decode.call(text).unwrap();
        match message {
            Some(message) => Err(message),
            None => Ok(value),
        }
    }

    fn encode(&self, value: LuaValue) -> Result<String, String> {
        let encode: Function = self.module.get("encode").unwrap();
        let (text, message): (Option<String>, Option<String>) = encode.call(value).unwrap();
        text.ok_or_else(|| message.unwrap_or_default())
    }

    /// Through Lua and back.
    fn round_trip(&self, text: &str) -> Value {
        let value = self
            .decode(text)
            .unwrap_or_else(|message| panic!("{message}: {text}"));
        serde_json::from_str(&self.encode(value).unwrap()).unwrap()
    }

    fn eval(&self, code: &str) -> LuaValue {
        self.lua.globals().set("json", self.module.clone()).unwrap();
        self.lua.load(code).eval().unwrap()
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| serde_json::Number::from_f64(n)
            .map(Value::from)),
        any::<String>().prop_map(Value::from),
        "[\u{0}-\u{20}\"\\\\/é漢😀\u{7f}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Equal, where a float may have become the same number in other digits.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.is_f64() == b.is_f64() && a.as_f64() == b.as_f64() && a.as_i64() == b.as_i64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn round_trips(value in any_json()) {
        let codec = Codec::new();
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let back = codec.round_trip(&text);
            prop_assert!(same(&value, &back), "{value} became {back}");
        }
    }

    #[test]
    fn accepts_what_serde_accepts(text in "[\\[\\]{}:,\"\\\\a-fu0-9eE+.\\- truefalsn]{0,24}") {
        let codec = Codec::new();
        let ours = codec.decode(&text);
        let theirs = serde_json::from_str::<Value>(&text);
        // Both read RFC 8259; serde_json keeps integers beyond 64 bits as floats, as Lua does.
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} {:?}", text, ours.err());
    }

    #[test]
    fn ends_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let codec = Codec::new();
        let ours = codec.decode(&bytes);
        prop_assert_eq!(ours.is_ok(), serde_json::from_slice::<Value>(&bytes).is_ok());
    }
}

#[test]
fn every_truncation_is_an_error() {
    let codec = Codec::new();
    let whole = json!({
        "command": "track_rename", "id": "a\u{1F600}\n\u{0}",
        "params": {"list": [1, -2.5e-3, true, null, {}], "text": "\\\"é"}
    })
    .to_string();
    assert!(codec.decode(&whole).is_ok());
    for end in 0..whole.len() {
        let message = codec.decode(&whole.as_bytes()[..end]).unwrap_err();
        assert!(message.contains("byte"), "{message}");
    }
}

#[test]
fn errors_tell_the_position() {
    let codec = Codec::new();
    let cases = [
        ("{\"a\":1", "expected `,` or `}` at byte 7"),
        ("[1,]", "expected a value at byte 4"),
        ("{\"a\" 1}", "expected `:` at byte 6"),
        ("[1] x", "text goes on behind the value at byte 5"),
        ("\"a\nb\"", "control character in a string at byte 3"),
        ("01", "number with a leading zero at byte 1"),
        ("1e999", "number out of range at byte 1"),
        ("\"\\ud800\"", "high surrogate without a low one at byte 4"),
        ("\"\\udc00\"", "low surrogate without a high one at byte 4"),
        ("\"\\x\"", "unknown escape at byte 2"),
        ("", "text ends where a value is expected at byte 1"),
        ("nul", "expected a value at byte 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(codec.decode(text).unwrap_err(), expected, "{text}");
    }
    assert!(codec.decode(b"\"\xff\"").unwrap_err().contains("UTF-8"));
    assert!(
        codec
            .decode(b"\"\xed\xa0\x80\"")
            .unwrap_err()
            .contains("UTF-8")
    );
    let deep = "[".repeat(100);
    assert!(
        codec
            .decode(&deep)
            .unwrap_err()
            .contains("nested deeper than 64")
    );
    let fits = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert!(codec.decode(&fits).is_ok());
}

#[test]
fn keeps_kinds_apart() {
    let codec = Codec::new();
    for text in [
        "{}",
        "[]",
        "[{},[]]",
        "{\"a\":[],\"b\":{}}",
        "[null,1,null]",
        "1",
        "1.0",
        "-0.0",
    ] {
        let value = codec.decode(text).unwrap();
        assert_eq!(codec.encode(value).unwrap(), text);
    }
}

#[test]
fn writes_what_lua_makes() {
    let codec = Codec::new();
    let cases = [
        ("{b = 1, a = 2.5}", "{\"a\":2.5,\"b\":1}"),
        ("{1, 2, 3}", "[1,2,3]"),
        ("{}", "{}"),
        ("json.array()", "[]"),
        ("{0/0, 1/0, -1/0}", "[null,null,null]"),
        ("'a\\0b'", "\"a\\u0000b\""),
        ("'\\xff\\u{1F600}'", "\"\u{FFFD}\u{1F600}\""),
        ("2^53", "9.00719925474099e+15"),
        ("math.mininteger", "-9223372036854775808"),
        ("{[1] = 1, [3] = 3}", "{\"1\":1,\"3\":3}"),
    ];
    for (code, expected) in cases {
        let text = codec.encode(codec.eval(&format!("return {code}"))).unwrap();
        if code == "2^53" {
            assert_eq!(text.parse::<f64>().unwrap(), 9_007_199_254_740_992.0);
        } else {
            assert_eq!(text, expected, "{code}");
        }
    }
    let circle = codec.eval("local t = {} t.t = t return t");
    assert!(codec.encode(circle).unwrap_err().contains("nested"));
    assert!(
        codec
            .encode(codec.eval("return print"))
            .unwrap_err()
            .contains("function")
    );
}
