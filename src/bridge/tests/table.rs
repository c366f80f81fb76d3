//! The command table, and that files and handlers agree with it.

use std::{collections::BTreeSet, env, fs, path::Path};

use serde_json::json;

use crate::bridge::{
    Call, ErrorCode,
    commands::{self, Kind, Need, ParamError},
    generated, script,
};

fn errors(command: &str, params: serde_json::Value) -> Vec<String> {
    match commands::validate(&Call::new(command, params)) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn generated_files_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, content) in generated() {
        let path = root.join(path);
        if env::var_os("REAPER_BATCH_BLESS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &content).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == content,
            "{} differs from the command table; run `cargo xtask codegen`",
            path.display()
        );
    }
}

#[test]
fn names_are_unique_and_defaults_fit() {
    let mut names = BTreeSet::new();
    for command in commands::all() {
        assert!(names.insert(command.name), "{} occurs twice", command.name);
        for param in command.params {
            if let Need::Default(text) = param.need {
                let value: serde_json::Value = serde_json::from_str(text)
                    .unwrap_or_else(|_| panic!("default of {}.{}", command.name, param.name));
                let mut params = serde_json::Map::new();
                params.insert(param.name.to_owned(), value);
                let call = Call {
                    command: command.name.to_owned(),
                    params,
                };
                let wrong = commands::validate(&call).err().unwrap_or_default();
                assert!(
                    !wrong
                        .iter()
                        .any(|error| matches!(error, ParamError::BadValue { .. })),
                    "default of {}.{}: {wrong:?}",
                    command.name,
                    param.name
                );
            }
            if let Kind::Int { min, max } = param.kind {
                assert!(min < max, "{}.{}", command.name, param.name);
            }
        }
        let schema = commands::json_schema(command.name).unwrap();
        jsonschema::validator_for(&schema).unwrap();
    }
    assert!(names.len() > 150, "{} commands", names.len());
}

#[test]
fn every_command_has_a_handler_in_lua() {
    let lua: String = script::FILES.iter().map(|(_, text)| *text).collect();
    for command in commands::all() {
        let defined = [
            format!("function handlers.{}(", command.name),
            format!("handlers.{} = ", command.name),
        ];
        assert!(
            defined.iter().any(|text| lua.contains(text)),
            "`{}` has no handler",
            command.name
        );
    }
    for line in lua.lines() {
        let rest = line.trim_start();
        let name = rest
            .strip_prefix("function handlers.")
            .or_else(|| rest.strip_prefix("handlers."))
            .and_then(|rest| rest.split([' ', '(']).next());
        if let Some(name) = name {
            assert!(
                commands::find(name).is_some(),
                "`{name}` is not in the table"
            );
        }
    }
}

#[test]
fn lua_raises_only_known_codes() {
    let lua: String = script::FILES.iter().map(|(_, text)| *text).collect();
    let mut seen = 0;
    for marker in ["fail(\"", "failure(\"["] {
        for piece in lua.split(marker).skip(1) {
            let code: String = piece
                .chars()
                .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                .collect();
            assert!(
                ErrorCode::from_name(&code).is_some(),
                "unknown code `{code}`"
            );
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen} places");
}

#[test]
fn checks_name_the_nearest_word() {
    assert_eq!(
        errors("track_set_volum", json!({})),
        ["unknown command `track_set_volum`, did you mean `track_set_volume`?"]
    );
    assert_eq!(
        errors("track_set_volume", json!({"track_index": -1, "volume": -3})),
        [
            "`track_set_volume` needs the parameter `volume_db`: fader in dB",
            "`track_set_volume` has no parameter `volume`, did you mean `volume_db`?",
        ]
    );
    assert_eq!(
        errors("transport_set_bpm", json!({"bpm": 2})),
        ["`bpm` of `transport_set_bpm` must be a number from 20 to 999, not `2`"]
    );
}

#[test]
fn checks_accept_what_the_bridge_accepts() {
    let good = [
        ("track_rename", json!({"track_guid": "{A}", "name": "Bass"})),
        ("track_set_mute", json!({"track_index": 2.0, "mute": true})),
        (
            "configure_tracks",
            json!({"tracks": "[{\"track_index\": 0}]"}),
        ),
        ("fx_get_chain", json!({"track_index": -1})),
        (
            "item_insert_media",
            json!({"track_index": 0, "path": "C:\\a.wav"}),
        ),
        ("track_create", json!({"name": null})),
    ];
    for (command, params) in good {
        assert_eq!(errors(command, params), Vec::<String>::new(), "{command}");
    }
    let bad = [
        (
            "track_set_folder",
            json!({"track_index": -1, "folder_depth": 1}),
        ),
        (
            "item_insert_media",
            json!({"track_index": 0, "path": "a.wav"}),
        ),
        ("track_set_pan", json!({"track_index": 0, "pan": 1.5})),
        ("configure_tracks", json!({"tracks": "{}"})),
        (
            "project_export_audio",
            json!({"render_dir": "/o", "render_pattern": "x", "source": "mix"}),
        ),
        (
            "midi_insert_note",
            json!({"item_index": 0, "pitch": 60.5, "velocity": 1, "start_position": 0, "end_position": 1}),
        ),
    ];
    for (command, params) in bad {
        assert_eq!(errors(command, params).len(), 1, "{command}");
    }
}

#[test]
fn long_and_changing_commands_are_marked() {
    for name in [
        "project_export_audio",
        "setup_fx_chain",
        "project_open",
        "batch",
    ] {
        assert!(commands::find(name).unwrap().long_running, "{name}");
    }
    for name in ["track_get_all", "project_get_overview", "hello"] {
        assert!(!commands::find(name).unwrap().changes(), "{name}");
    }
    for name in [
        "track_rename",
        "item_split",
        "configure_tracks",
        "project_open",
    ] {
        assert!(commands::find(name).unwrap().changes(), "{name}");
    }
}

#[test]
fn installs_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let entry = script::install(folder.path()).unwrap();
    assert!(entry.ends_with("reaper_batch_bridge.lua"));
    assert!(folder.path().join("bridge/schema.lua").exists());
}
