-- From the text of a command to the text of its reply. The table of handlers
-- is filled once by the modules; nothing is looked up by a name from outside
-- except in that table.

return function(bridge)
  local json, errors, schema = bridge.json, bridge.errors, bridge.schema
  local validate, undo, ipc, util = bridge.validate, bridge.undo, bridge.ipc, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local dispatch = {}

  local VERSION = schema.version
  local KEPT = 64
  -- A reply longer than this is not kept for `command_status`.
  local KEPT_BYTES = 1024 * 1024

  local recent, recent_order = {}, {}

  local function failure(caught, stage)
    local info = errors.info(caught, stage)
    return { success = false, error = info.message, error_info = info }
  end

  -- The existing command that differs least, for the message.
  local function nearest(name)
    local best, best_score = nil, 0
    for known in pairs(schema.commands) do
      local score = 0
      for word in tostring(name):gmatch("%a+") do
        if known:find(word, 1, true) then
          score = score + #word
        end
      end
      if score > best_score or (score == best_score and score > 0 and known < best) then
        best, best_score = known, score
      end
    end
    return best
  end

  -- Runs one command and returns its reply without id and token.
  local function run(command, params)
    local spec = type(command) == "string" and schema.commands[command]
    local handler = spec and handlers[command]
    if not handler then
      local hint = nearest(command)
      return failure("[COMMAND_NOT_FOUND] Unknown command: " .. tostring(command)
        .. (hint and " (did you mean `" .. hint .. "`?)" or ""), "dispatch")
    end
    if params == nil or params == json.null then
      params = {}
    end
    if type(params) ~= "table" or json.is_array(params) then
      return failure("[INVALID_PARAMETER] `params` must be an object", "validate")
    end
    local ok, checked, warnings = pcall(validate.params, command, params)
    if not ok then
      return failure(checked, "validate")
    end
    if spec.long then
      ipc.set_busy(command)
    end
    local done, result = undo.run(command, spec.undo, handler, checked)
    if spec.long then
      ipc.set_busy(nil)
    end
    if not done then
      return failure(result, "run")
    end
    if result == nil then
      return failure("[COMMAND_FAILED] Command returned no data", "run")
    end
    return { success = true, data = result, warnings = #warnings > 0 and json.array(warnings) or nil }
  end

  function handlers.hello(_)
    local name, version = "REAPER", reaper.GetAppVersion()
    -- Our host puts its own name in front of the version it stands for.
    if os.getenv("REAPER_BATCH_HOST_NAME") then
      name = os.getenv("REAPER_BATCH_HOST_NAME")
    end
    local commands = {}
    for command in pairs(handlers) do
      commands[#commands + 1] = command
    end
    table.sort(commands)
    local capabilities = { "batch", "command_status", "guid_guard", "undo_groups" }
    return {
      protocol = schema.protocol, bridge_version = VERSION, bridge_hash = bridge.hash(),
      host_name = name, host_version = version, lua_version = _VERSION, os = reaper.GetOS(),
      resource_path = reaper.GetResourcePath(), token = ipc.token,
      commands = json.array(commands), capabilities = json.array(capabilities),
    }
  end

  function handlers.command_status(p)
    local known = recent[p.id]
    if not known then
      return { id = p.id, status = "unknown" }
    end
    return { id = p.id, status = known.success and "done" or "failed", response = known }
  end

  function handlers.batch(p)
    local results, done, failed = json.array(), 0, 0
    for index, call in ipairs(p.calls) do
      local reply
      if type(call) ~= "table" or json.is_array(call) then
        reply = failure("[INVALID_PARAMETER] entry " .. index .. " of `calls` must be an object", "validate")
      elseif call.command == "batch" then
        reply = failure("[COMMAND_REJECTED] a batch cannot hold a batch", "dispatch")
      else
        reply = run(call.command, call.params)
        local spec = schema.commands[call.command]
        if spec and spec.long then
          -- The batch itself goes on.
          ipc.set_busy("batch")
        end
      end
      results[index] = reply
      if reply.success then
        done = done + 1
      else
        failed = failed + 1
        if p.stop_on_error then
          break
        end
      end
    end
    return { results = results, done = done, failed = failed }
  end

  function handlers.undo_group_begin(p)
    local name, number = undo.begin_group(p.name)
    return { group = name, run = number }
  end

  function handlers.undo_group_end(_)
    return { closed = undo.end_group() }
  end

  local function remember(id, response, bytes)
    if bytes > KEPT_BYTES then
      response = { success = response.success, id = id, token = response.token,
        error = response.error, error_info = response.error_info, data = json.object() }
    end
    recent[id] = response
    recent_order[#recent_order + 1] = id
    if #recent_order > KEPT then
      recent[table.remove(recent_order, 1)] = nil
    end
  end

  -- Takes the text of `command.json`, returns the text of `response.json`.
  function dispatch.handle(text)
    local response, id
    local command, message = json.decode(text)
    if text:match("^%s*$") then
      response = failure("[INVALID_JSON] Empty command", "parse")
    elseif type(command) ~= "table" or json.is_array(command) or command == json.null then
      response = failure("[INVALID_JSON] Invalid command JSON: " .. (message or "not an object"), "parse")
    else
      id = type(command.id) == "string" and command.id or nil
      local token = type(command.token) == "string" and command.token or ""
      if ipc.token ~= "" and token ~= ipc.token then
        response = failure("[COMMAND_REJECTED] the command names another instance's token", "dispatch")
      else
        response = run(command.command, command.params)
      end
      if ipc.token == "" and token ~= "" then
        response.token = token
      end
    end
    response.id = id
    if ipc.token ~= "" then
      response.token = ipc.token
    end
    local encoded, problem = json.encode(response)
    if not encoded then
      response = failure("[INTERNAL_ERROR] cannot write the result: " .. problem, "run")
      response.id = id
      response.token = ipc.token ~= "" and ipc.token or nil
      encoded = json.encode(response)
    end
    if id and type(command.command) == "string" and command.command ~= "command_status" then
      remember(id, response, #encoded)
    end
    return encoded
  end

  -- For tests and for modules that build on other commands.
  dispatch.run = run
  dispatch.util = util

  return dispatch
end
