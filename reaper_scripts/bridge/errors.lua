-- Errors are strings, `[CODE] message`, so that they pass through `pcall` and
-- into a log unharmed. The codes are those of the schema, which Rust shares.

return function(bridge)
  local errors = {}
  local codes = bridge.schema.errors
  local details

  -- Ends the command. `more` is a table for machines.
  function errors.fail(code, message, more)
    details = more
    error("[" .. code .. "] " .. message, 0)
  end

  function errors.missing(name)
    errors.fail("MISSING_PARAMETER", "Missing parameter: " .. name, { parameter = name })
  end

  function errors.invalid(name, message)
    errors.fail("INVALID_PARAMETER", "`" .. name .. "` " .. message, { parameter = name })
  end

  -- What `pcall` caught, as the object of the protocol. An error without a
  -- code was raised by Lua or REAPER: a fault of the bridge.
  function errors.info(caught, stage)
    local text = tostring(caught)
    local code, message = text:match("^%[([A-Z_]+)%] (.*)$")
    local known = code and codes[code]
    local more = details
    details = nil
    if not known then
      code, message, more = "INTERNAL_ERROR", "Internal error: " .. text, nil
      known = codes[code]
    end
    return {
      code = code,
      number = known[1],
      retryable = known[2],
      stage = stage,
      message = message,
      details = more or bridge.json.object(),
    }
  end

  return errors
end
