//! Commands about the bridge itself.

use super::{CommandSpec, ENTRIES, Kind, LABEL, def, opt, read, req};

const D: &str = "Control";

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "hello",
        &[
            opt(
                "protocol",
                Kind::Int { min: 1, max: 1000 },
                "version that the client speaks",
            ),
            opt("client", LABEL, "name or version of the client, for logs"),
        ],
        "Shakes hands: says which bridge, host and protocol answer.",
        "protocol, bridge_version, bridge_hash, host_name, host_version, lua_version, os, resource_path, token, commands[], capabilities[]",
    ),
    read(
        D,
        "command_status",
        &[req("id", LABEL, "id of an earlier command")],
        "Tells what became of one of the last 64 commands.",
        "id, status (`done`, `failed`, `unknown`), response (the whole reply, when known)",
    ),
    read(
        D,
        "batch",
        &[
            req("calls", ENTRIES, "objects with `command` and `params`"),
            def(
                "stop_on_error",
                Kind::Bool,
                "false",
                "leave out what follows the first failure",
            ),
        ],
        "Runs commands in order within one tick; each is its own undo step.",
        "results[] (a reply each: success, data or error and error_info), done, failed",
    )
    .long(),
    read(
        D,
        "undo_group_begin",
        &[req(
            "name",
            Kind::Text { max_len: 100 },
            "name of the tool that begins",
        )],
        "Names the undo steps that follow `MCP: name#run > command`; a begin inside a group joins it.",
        "group, run",
    ),
    read(
        D,
        "undo_group_end",
        &[],
        "Ends the innermost begin; after 60 s without a command the group ends by itself.",
        "closed",
    ),
];
