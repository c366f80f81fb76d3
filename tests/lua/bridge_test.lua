-- The bridge's core under plain Lua: arg[1] is the repository, arg[2] an empty
-- folder for the protocol (also in REAPER_BATCH_IPC).

local root, folder = arg[1], arg[2]
local entry = root .. "/reaper_scripts/reaper_batch_bridge.lua"
local mock = dofile(root .. "/tests/lua/mock_reaper.lua")
local json = dofile(root .. "/reaper_scripts/bridge/json.lua")

local state = mock.new(entry)
reaper = state.reaper
local original_hold = reaper.PreventUIRefresh

local checks = 0
local function check(got, expected, what)
  checks = checks + 1
  if got ~= expected then
    error(string.format("%s: got %s, expected %s", what, tostring(got), tostring(expected)), 2)
  end
end

local function read(name)
  local file = io.open(folder .. "/" .. name, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(text)
  file:close()
end

local function tick()
  local deferred = state.deferred
  state.deferred = {}
  for _, f in ipairs(deferred) do f() end
end

local number = 0
local function send(command, params, more)
  number = number + 1
  local message = { command = command, params = params or json.object(), id = "id" .. number, token = "tok" }
  for key, value in pairs(more or {}) do message[key] = value end
  write("command.json", assert(json.encode(message)))
  tick()
  check(read("command.json"), nil, "the command is taken")
  local reply = assert(json.decode(assert(read("response.json"), "no reply to " .. command)))
  os.remove(folder .. "/response.json")
  return reply, message.id
end

local function good(command, params)
  local reply, id = send(command, params)
  if not reply.success then error(command .. ": " .. reply.error, 2) end
  check(reply.id, id, "id of " .. command)
  check(reply.token, "tok", "token of " .. command)
  return reply.data
end

local function bad(command, params, code, more)
  local reply = send(command, params, more)
  check(reply.success, false, command .. " succeeds")
  check(reply.error_info.code, code, command .. " code (" .. tostring(reply.error) .. ")")
  check(reply.error, reply.error_info.message, "message")
  return reply
end

-- A command of another life goes, one with our token stays.
write("command.json", '{"command":"hello","id":"old","token":"other"}')
dofile(entry)
check(read("command.json"), nil, "a foreign command is removed at the start")
local lock = assert(json.decode(read("server.lock")))
check(lock.protocol, 2, "protocol in the lock")
check(lock.token, "tok", "token in the lock")
check(lock.busy, json.null, "busy in the lock")

local hello = good("hello", { protocol = 2 })
check(hello.protocol, 2, "protocol")
check(#hello.bridge_hash, 8, "hash")
print("hash " .. hello.bridge_hash)

-- Parse and dispatch.
write("command.json", '{"command":"hello"')
tick()
local reply = assert(json.decode(read("response.json")))
check(reply.error_info.code, "INVALID_JSON", "truncated command")
check(reply.error_info.stage, "parse", "stage")
check(reply.id, nil, "no id")
write("command.json", "")
tick()
check(json.decode(read("response.json")).error, "Empty command", "empty command")
local unknown = bad("track_set_volum", nil, "COMMAND_NOT_FOUND")
check(unknown.error:find("Unknown command: track_set_volum", 1, true), 1, "classic text")
bad("__index", nil, "COMMAND_NOT_FOUND")
bad("hello", nil, "COMMAND_REJECTED", { token = "other" })
bad("hello", json.array({ 1 }), "INVALID_PARAMETER")

-- Validation.
bad("track_rename", { name = "x" }, "MISSING_PARAMETER")
bad("track_rename", { track_index = 0, name = "x" }, "NOT_FOUND")
bad("track_rename", { track_index = 0.5, name = "x" }, "INVALID_PARAMETER")
bad("track_rename", { track_index = 0, name = "a\0b" }, "INVALID_PARAMETER")
bad("transport_set_bpm", { bpm = 5 }, "VALUE_OUT_OF_RANGE")
bad("project_open", { path = "relative.rpp" }, "INVALID_PATH")
bad("project_export_audio", { render_dir = "/o", render_pattern = "x", source = "what" }, "INVALID_PARAMETER")
bad("configure_tracks", { tracks = "[{" }, "INVALID_PARAMETER")
bad("configure_tracks", { tracks = { 1, 2 } }, "INVALID_PARAMETER")

-- Tracks, read-back, undo steps.
local created = good("track_create", { name = "Kick" })
check(created.index, 0, "index")
check(created.name, "Kick", "name")
check(math.type(created.index), "integer", "an index is an integer")
check(state.steps[#state.steps], "MCP: track_create", "undo step")
local steps = #state.steps
local info = good("track_set_volume", { track_index = 0, volume_db = -6 })
check(math.abs(info.volume_db + 6) < 1e-9, true, "volume")
check(#state.steps, steps + 1, "one step")
bad("track_set_volume", { track_index = 7, volume_db = -6 }, "NOT_FOUND")
check(#state.steps, steps + 1, "no step for a failure")
state.deaf = true
bad("track_set_folder", { track_index = 0, folder_depth = 1 }, "READBACK_MISMATCH")
state.deaf = false
good("track_get_all")
check(#state.steps, steps + 1, "no step for a read")
check(good("track_set_mute", { track_index = 0, mute = 1 }).mute, true, "1 is true")
check(good("track_set_volume", { track_index = -1, volume_db = -200 }).volume, 0.0, "silence")

-- Warnings and null.
local warned = send("track_rename", { track_index = 0, name = "Kick", colour = 1, track_guid = json.null })
check(warned.success, true, "unknown parameters are no error")
check(warned.warnings[1], "unknown parameter `colour` was ignored", "warning")

-- GUIDs.
local guid = good("track_get_all").tracks[1].guid
check(good("track_rename", { track_guid = guid:lower(), name = "BD" }).index, 0, "guid alone")
good("track_create", { index = 0, name = "New" })
local stale = bad("track_rename", { track_index = 0, track_guid = guid, name = "X" }, "STALE_INDEX")
check(stale.error_info.details.current_index, 1, "current index")
bad("track_rename", { track_guid = "{none}", name = "X" }, "NOT_FOUND")

-- configure_tracks makes what is missing, and is one step.
steps = #state.steps
local configured = good("configure_tracks", { tracks = json.encode(json.array({
  { track_index = 3, name = "Bass", volume_db = -3, pan = -0.5, color = json.array({ 1, 2, 3 }), mute = true },
  { track_index = -1, volume_db = -1 },
  { track_guid = guid, name = "Kick", ext = { role = "kick" } },
})) })
check(#configured.tracks, 3, "entries")
check(configured.created, 2, "created")
check(configured.tracks[1].color_g, 2, "colour")
check(#state.steps, steps + 1, "one block")
check(good("track_get_ext", { track_index = 1, key = "role" }).value, "kick", "ext")
-- A wrong entry fails before anything is written, and the tracks go again.
local failed = bad("configure_tracks", { tracks = { { track_index = 0, name = "A" }, { name = "B" } } }, "MISSING_PARAMETER")
check(failed.error_info.stage, "run", "stage")
check(good("track_get_info", { track_index = 0 }).name, "New", "unchanged")

-- Routing.
local routed = good("setup_routing", { sends = {
  { source_track = 0, dest_track = 1, volume_db = -12, mode = "pre_fader" },
  { source_track = 0, dest_track = 9 },
  { source_track = 0, dest_track = 1, reuse = true },
} })
check(routed.created, 1, "created sends")
check(routed.failed, 1, "failed sends")
check(routed.sends[2].code, "NOT_FOUND", "error of one entry")
check(routed.sends[3].send_index, 0, "reused")
local sent = good("send_get_all", { track_index = 0 })
check(sent.sends[1].send_mode.raw, 3, "mode")
check(sent.sends[1].dest_track_guid, guid, "target")

-- Batch and status.
local batch = good("batch", { calls = json.array({
  { command = "track_rename", params = { track_index = 0, name = "One" } },
  { command = "track_rename", params = { track_index = 99, name = "Two" } },
  { command = "batch", params = { calls = json.array() } },
  { command = "track_get_info", params = { track_index = 0 } },
}) })
check(batch.done, 2, "done")
check(batch.failed, 2, "failed")
check(batch.results[2].error_info.code, "NOT_FOUND", "second")
check(batch.results[4].data.name, "One", "fourth")
check(json.decode(read("server.lock")).busy, json.null, "not busy afterwards")
local stopped = good("batch", { stop_on_error = true, calls = json.array({ { command = "x" }, { command = "track_get_all" } }) })
check(#stopped.results, 1, "stops")
local _, id = send("track_get_info", { track_index = 0 })
local status = good("command_status", { id = id })
check(status.status, "done", "status")
check(status.response.data.name, "One", "kept reply")
check(good("command_status", { id = "never" }).status, "unknown", "unknown id")

-- Undo groups.
local group = good("undo_group_begin", { name = "engine_mix" })
check(group.run, 1, "run")
good("undo_group_begin", { name = "inner" })
good("track_rename", { track_index = 0, name = "G" })
check(state.steps[#state.steps], "MCP: engine_mix#1 > track_rename", "label in a group")
good("undo_group_end")
good("configure_tracks", { tracks = { { track_index = 0, name = "H" } } })
good("undo_group_end")
check(good("undo_group_end").closed, false, "nothing to close")
local undone = good("project_undo_group")
check(undone.steps_undone, 2, "undone steps")
check(undone.group, "engine_mix#1", "group name")
bad("project_undo_group", nil, "COMMAND_REJECTED")
check(good("project_undo", { steps = 2 }).count, 2, "undo")
check(good("project_redo").count, 1, "redo")

-- A handler that throws, and one that leaves blocks open.
local real = reaper.GetTrackName
reaper.GetTrackName = function()
  reaper.PreventUIRefresh(1)
  reaper.Undo_BeginBlock()
  error("boom")
end
local thrown = bad("track_get_info", { track_index = 0 }, "INTERNAL_ERROR")
check(thrown.error:find("Internal error: .*boom") ~= nil, true, "text")
reaper.GetTrackName = real
check(state.holds, 0, "refresh holds are released")
check(state.open_blocks, 0, "blocks are ended")
check(state.steps[#state.steps], "MCP: aborted (unbalanced undo block)", "aborted label")

-- The end.
write("stop", "")
tick()
check(#state.deferred, 0, "the loop ends")
for _, f in ipairs(state.at_exit) do f() end
check(read("server.lock"), nil, "the lock is gone")
check(reaper.PreventUIRefresh, original_hold, "functions are put back")

print(checks .. " checks passed on " .. _VERSION)
