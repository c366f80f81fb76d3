-- The files through which the bridge talks: whole or not at all.

return function(bridge)
  local json, schema = bridge.json, bridge.schema
  local reaper, io, os = reaper, io, os
  local ipc = {}

  -- Between two heartbeats of an idle loop, in seconds.
  local BEAT = 1.0
  -- A heartbeat older than this belongs to a bridge that is gone, where the
  -- system cannot be asked.
  local STALE = 10.0
  -- Windows refuses to replace a file that another program has open.
  local RETRY = 2.0

  local separator = package.config:sub(1, 1)

  local function folder()
    local given = os.getenv("REAPER_BATCH_IPC")
    if given and given ~= "" then
      return (given:gsub("[/\\]$", ""))
    end
    local temp = separator == "\\" and (os.getenv("TEMP") or os.getenv("TMP"))
      or os.getenv("TMPDIR") or "/tmp"
    return (temp:gsub("[/\\]$", "")) .. separator .. "reaper_mcp"
  end

  ipc.folder = folder()
  ipc.token = os.getenv("REAPER_BATCH_TOKEN") or ""

  local started = os.time() + 0.0
  local ticks, last_beat = 0, nil

  local function path(name)
    return ipc.folder .. separator .. name
  end

  local function read_file(name)
    local file = io.open(path(name), "rb")
    if not file then
      return nil
    end
    local text = file:read("a")
    file:close()
    return text
  end

  local function now()
    return reaper.time_precise()
  end

  local function write_file(name, text)
    local stage = path((name:gsub("%.%w+$", "")) .. ".tmp")
    local file, message = io.open(stage, "wb")
    if not file then
      return false, message
    end
    local ok
    ok, message = file:write(text)
    -- A full disk may show only when the buffer is flushed.
    local closed, close_message = file:close()
    if not ok or not closed then
      os.remove(stage)
      return false, message or close_message
    end
    local target = path(name)
    local give_up = now() + RETRY
    repeat
      ok, message = os.rename(stage, target)
      if not ok then
        -- Where rename does not replace.
        os.remove(target)
      end
    until ok or now() > give_up
    return ok, message
  end

  -- The process id where the system tells it; 0 where it does not.
  local function process_id()
    local given = tonumber(os.getenv("REAPER_BATCH_PID") or "")
    if given then
      return math.tointeger(given) or 0
    end
    local file = io.open("/proc/self/stat", "r")
    if not file then
      return 0
    end
    local pid = file:read("n")
    file:close()
    return math.tointeger(pid) or 0
  end

  local pid = process_id()

  local function is_alive(other)
    local file = io.open("/proc/" .. other .. "/stat", "r")
    if file then
      file:close()
    end
    return file ~= nil
  end

  -- The pid of another live bridge on this folder, else nil.
  function ipc.owner()
    local lock = json.decode(read_file("server.lock") or "")
    if type(lock) ~= "table" or type(lock.time) ~= "number" then
      return nil
    end
    local other = math.tointeger(lock.pid) or 0
    if other == pid and pid ~= 0 then
      return nil
    end
    local alive
    if other ~= 0 and pid ~= 0 and is_alive(pid) then
      alive = is_alive(other)
    else
      alive = os.time() - lock.time < STALE
    end
    return alive and other or nil
  end

  local function beat(busy)
    last_beat = now()
    local lock = {
      protocol = schema.protocol, pid = pid, started = started, time = os.time() + 0.0,
      ticks = ticks, busy = busy or json.null, token = ipc.token,
    }
    write_file("server.lock", json.encode(lock))
  end

  -- Once per tick.
  function ipc.tick()
    ticks = ticks + 1
    if not last_beat or now() - last_beat >= BEAT then
      beat(nil)
    end
  end

  -- Before and after a command that may take long.
  function ipc.set_busy(command)
    beat(command)
  end

  -- Makes the folder ours. What lies there is from another life: it goes,
  -- except a command that names our token.
  function ipc.open()
    reaper.RecursiveCreateDirectory(ipc.folder, 0)
    os.remove(path("response.json"))
    os.remove(path("stop"))
    local text = read_file("command.json")
    if text then
      local command = json.decode(text)
      local ours = type(command) == "table" and ipc.token ~= "" and command.token == ipc.token
      if not ours then
        os.remove(path("command.json"))
      end
    end
    ticks = 1
    beat(nil)
    return read_file("server.lock") ~= nil
  end

  -- The text of the next command, which is removed, or nil.
  function ipc.take_command()
    local text = read_file("command.json")
    if text then
      os.remove(path("command.json"))
    end
    return text
  end

  function ipc.respond(text)
    local ok, message = write_file("response.json", text)
    if not ok then
      reaper.ShowConsoleMsg("reaper-batch: cannot write the reply: " .. tostring(message) .. "\n")
    end
  end

  function ipc.should_stop()
    if read_file("stop") then
      os.remove(path("stop"))
      return true
    end
    return false
  end

  function ipc.close()
    local lock = json.decode(read_file("server.lock") or "")
    if type(lock) == "table" and lock.token == ipc.token and (lock.pid == pid) then
      os.remove(path("server.lock"))
    end
  end

  return ipc
end
