-- The bridge between reaper-batch and REAPER: waits for commands in a folder
-- and answers them there. Load it as a ReaScript, or start REAPER with it on
-- the command line. `docs/ipc.md` describes the files.

local reaper = reaper

-- The order is that of the hash.
local MODULES = {
  "json", "errors", "schema", "validate", "ipc", "undo", "dispatch", "util",
  "transport", "tracks", "project", "render", "fx", "items", "takes", "midi",
  "markers", "selection", "sends", "envelopes", "tempo", "setup", "compose",
}

-- At most so many commands, or so many seconds, before REAPER gets its tick
-- back; and so long a wait for the next one after a reply.
local COMMANDS_PER_TICK = 50
local SECONDS_PER_TICK = 0.020
local LINGER = 0.002

local function own_path()
  local _, path = reaper.get_action_context()
  if type(path) ~= "string" or path == "" then
    path = debug and debug.getinfo and debug.getinfo(1, "S").source:gsub("^@", "") or ""
  end
  return path
end

local entry = own_path()
local folder = entry:match("^(.*[/\\])") or ""

local function module_path(name)
  return folder .. "bridge/" .. name .. ".lua"
end

local bridge = { handlers = {} }

-- FNV-1a (32 bit) over the files as they were loaded.
local known_hash
function bridge.hash()
  if known_hash then
    return known_hash
  end
  local sum = 0x811c9dc5
  local paths = { entry }
  for _, name in ipairs(MODULES) do
    paths[#paths + 1] = module_path(name)
  end
  for _, path in ipairs(paths) do
    local file = io.open(path, "rb")
    local text = file and file:read("a") or ""
    if file then
      file:close()
    end
    for i = 1, #text do
      sum = ((sum ~ text:byte(i)) * 0x01000193) & 0xffffffff
    end
  end
  known_hash = string.format("%08x", sum)
  return known_hash
end

local function load_modules()
  local plain = { json = true, schema = true }
  -- Utilities are needed by everything that follows the files.
  local order = { "json", "schema", "errors", "util", "validate", "ipc", "undo", "dispatch" }
  local seen = {}
  for _, name in ipairs(order) do
    seen[name] = true
  end
  for _, name in ipairs(MODULES) do
    if not seen[name] then
      order[#order + 1] = name
    end
  end
  for _, name in ipairs(order) do
    local made = dofile(module_path(name))
    bridge[name] = plain[name] and made or made(bridge)
  end
end

load_modules()

local ipc, undo, dispatch = bridge.ipc, bridge.undo, bridge.dispatch

local function serve()
  local start = reaper.time_precise()
  local last, count = nil, 0
  repeat
    local text = ipc.take_command()
    local now = reaper.time_precise()
    if text then
      ipc.respond(dispatch.handle(text))
      now = reaper.time_precise()
      last, count = now, count + 1
    end
  until not last or now - last > LINGER or now - start > SECONDS_PER_TICK or count >= COMMANDS_PER_TICK
end

local function tick()
  if ipc.should_stop() then
    return
  end
  -- A fault in one round must not end the loop.
  local ok, message = pcall(function()
    ipc.tick()
    undo.expire()
    serve()
  end)
  if not ok then
    reaper.ShowConsoleMsg("reaper-batch: " .. tostring(message) .. "\n")
  end
  reaper.defer(tick)
end

local owner = ipc.owner()
if owner then
  reaper.ShowConsoleMsg("reaper-batch: another bridge (process " .. owner .. ") holds " .. ipc.folder .. "\n")
elseif ipc.open() then
  undo.install()
  reaper.atexit(function()
    undo.uninstall()
    ipc.close()
  end)
  tick()
else
  reaper.ShowConsoleMsg("reaper-batch: cannot write to " .. ipc.folder .. "\n")
end
