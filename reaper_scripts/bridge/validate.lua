-- Parameters against the schema: types, ranges, defaults, and GUIDs that stand
-- beside an index.

return function(bridge)
  local json, errors, schema = bridge.json, bridge.errors, bridge.schema
  local validate = {}

  local function wrong(param, message)
    errors.invalid(param.name, message)
  end

  local function out_of_range(param, value)
    errors.fail("VALUE_OUT_OF_RANGE",
      string.format("`%s` is %s, it must lie between %s and %s", param.name, tostring(value),
        tostring(param.min), tostring(param.max)),
      { parameter = param.name, value = value, min = param.min, max = param.max })
  end

  local function integer(param, value)
    local whole = math.type(value) and math.tointeger(value)
    if not whole then
      wrong(param, "must be an integer")
    end
    return whole
  end

  local checks = {}

  function checks.bool(param, value)
    -- 0 and 1 are what some clients send for a switch.
    if value == 0 or value == 1 then
      return value == 1
    end
    if type(value) ~= "boolean" then
      wrong(param, "must be true or false")
    end
    return value
  end

  function checks.int(param, value)
    value = integer(param, value)
    if value < param.min or value > param.max then
      out_of_range(param, value)
    end
    return value
  end

  function checks.number(param, value)
    if type(value) ~= "number" then
      wrong(param, "must be a number")
    end
    if not (value >= param.min and value <= param.max) then
      out_of_range(param, value)
    end
    return value + 0.0
  end

  function checks.text(param, value)
    if type(value) ~= "string" then
      wrong(param, "must be text")
    end
    if #value > param.max then
      errors.fail("VALUE_OUT_OF_RANGE",
        string.format("`%s` has %d bytes, at most %d are taken", param.name, #value, param.max),
        { parameter = param.name })
    end
    -- The host's API ends a text at the first zero byte.
    if value:find("\0", 1, true) then
      wrong(param, "must not hold a zero character")
    end
    return value
  end

  function checks.path(param, value)
    if type(value) ~= "string" or value == "" or value:find("\0", 1, true) then
      errors.fail("INVALID_PATH", "`" .. param.name .. "` must be a path", { parameter = param.name })
    end
    if not (value:find("^/") or value:find("^%a:[/\\]") or value:find("^\\\\")) then
      errors.fail("INVALID_PATH", "`" .. param.name .. "` must be an absolute path: " .. value,
        { parameter = param.name })
    end
    return value
  end

  function checks.track(param, value)
    value = integer(param, value)
    if value < (param.master and -1 or 0) then
      errors.fail("NOT_FOUND", "Track not found (index " .. value .. ")", { parameter = param.name })
    end
    return value
  end

  function checks.item(param, value)
    value = integer(param, value)
    if value < 0 then
      errors.fail("NOT_FOUND", "Item not found (index " .. value .. ")", { parameter = param.name })
    end
    return value
  end

  function checks.index(param, value)
    value = integer(param, value)
    if value < 0 then
      errors.fail("VALUE_OUT_OF_RANGE", "`" .. param.name .. "` counts from 0", { parameter = param.name })
    end
    return value
  end

  function checks.list(param, value)
    if type(value) == "string" then
      local message
      value, message = json.decode(value)
      if not value then
        wrong(param, "is no JSON list: " .. message)
      end
    end
    if type(value) ~= "table" or json.is_object(value) or value == json.null then
      wrong(param, "must be a list")
    end
    if #value > param.max then
      errors.fail("VALUE_OUT_OF_RANGE",
        string.format("`%s` has %d entries, at most %d are taken", param.name, #value, param.max),
        { parameter = param.name })
    end
    return value
  end

  function checks.object(param, value)
    if type(value) == "string" then
      value = json.decode(value)
    end
    if type(value) ~= "table" or json.is_array(value) or value == json.null then
      wrong(param, "must be an object")
    end
    return value
  end

  function checks.one_of(param, value)
    for _, word in ipairs(param.words) do
      if value == word then
        return value
      end
    end
    wrong(param, "must be one of " .. table.concat(param.words, ", "))
  end

  function checks.any(_, value)
    return value
  end

  function validate.guid_name(name)
    return (name:gsub("_index$", "")) .. "_guid"
  end

  -- The index that a GUID means; fails when `index` means something else.
  local function guard(param, index, guid)
    local guid_name = validate.guid_name(param.name)
    if type(guid) ~= "string" then
      errors.invalid(guid_name, "must be a GUID as text")
    end
    local lookup = param.kind == "item" and bridge.util.item_index_of_guid or bridge.util.track_index_of_guid
    local found = lookup(guid)
    if not found then
      errors.fail("NOT_FOUND", string.format("nothing has the GUID %s of `%s`", guid, guid_name),
        { parameter = guid_name })
    end
    if index and index ~= found then
      errors.fail("STALE_INDEX",
        string.format("`%s` is %d, but `%s` now has the index %d", param.name, index, guid_name, found),
        { parameter = param.name, index = index, current_index = found, guid = guid })
    end
    if found == -1 and not param.master then
      errors.invalid(param.name, "must not be the master")
    end
    return found
  end

  -- Returns checked parameters and a list of remarks.
  function validate.params(command, given)
    local spec = schema.commands[command]
    local params, known, warnings = {}, {}, {}
    for _, param in ipairs(spec.params) do
      local value = given[param.name]
      known[param.name] = true
      if value == json.null then
        value = nil
      end
      if value ~= nil then
        value = checks[param.kind](param, value)
      end
      if param.kind == "track" or param.kind == "item" then
        local guid_name = validate.guid_name(param.name)
        local guid = given[guid_name]
        known[guid_name] = true
        if guid ~= nil and guid ~= json.null then
          value = guard(param, value, guid)
        end
      end
      if value == nil then
        value = param.default
      end
      if value == nil and param.required then
        errors.missing(param.name)
      end
      params[param.name] = value
    end
    for name in pairs(given) do
      if not known[name] then
        warnings[#warnings + 1] = "unknown parameter `" .. tostring(name) .. "` was ignored"
      end
    end
    table.sort(warnings)
    return params, warnings
  end

  return validate
end
