-- Effects of one track.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  local function both(p)
    local track = util.track(p.track_index)
    util.check_fx(track, p.fx_index)
    return track, p.fx_index
  end

  local function chain(track)
    local list = util.fx_chain(track)
    return {
      track_index = util.track_index(track), fx_count = #list,
      instrument_index = reaper.TrackFX_GetInstrument(track), fx_chain = list,
    }
  end

  -- Parameters ----------------------------------------------------------

  function util.param_name(track, fx, param)
    local _, name = reaper.TrackFX_GetParamName(track, fx, param)
    return name or ""
  end

  function util.param_info(track, fx, param)
    local raw, low, high = reaper.TrackFX_GetParam(track, fx, param)
    local _, display = reaper.TrackFX_GetFormattedParamValue(track, fx, param)
    return {
      index = param, name = util.param_name(track, fx, param),
      value = reaper.TrackFX_GetParamNormalized(track, fx, param),
      raw = raw, min = low, max = high, display = display or "",
    }
  end

  -- The parameter with this name; else the first that contains it, in any
  -- case; nil when there is none.
  function util.find_param(track, fx, name)
    local wanted = name:lower()
    local first
    for param = 0, reaper.TrackFX_GetNumParams(track, fx) - 1 do
      local candidate = util.param_name(track, fx, param)
      if candidate == name then
        return param
      end
      local lower = candidate:lower()
      if lower == wanted and (not first or first.partial) then
        first = { index = param }
      elseif not first and lower:find(wanted, 1, true) then
        first = { index = param, partial = true }
      end
    end
    return first and first.index
  end

  -- Writes and reads back. A stepped parameter moves to its nearest step, so
  -- half a step of a hundred is let pass; what it says is in the result.
  function util.write_param(track, fx, param, value, raw)
    if raw then
      reaper.TrackFX_SetParam(track, fx, param, value)
    else
      reaper.TrackFX_SetParamNormalized(track, fx, param, value)
    end
    local info = util.param_info(track, fx, param)
    local got = raw and info.raw or info.value
    local span = raw and math.abs(info.max - info.min) or 1
    info.requested = value
    info.ok = got ~= nil and math.abs(got - value) <= 0.005 * math.max(span, 1e-9)
    return info
  end

  local HIDDEN = { "^MIDI CC", "Internal", "Pitch Bend", "Channel Pressure", "Host Bypass" }

  local function is_hidden(info)
    for _, pattern in ipairs(HIDDEN) do
      if info.name:find(pattern) then
        return true
      end
    end
    return info.name == "-" and info.value == 0
  end

  -- Bands of Pro-Q that are not in use carry nothing.
  local function unused_bands(track, fx, name)
    local unused = {}
    if not name:find("Pro-Q", 1, true) then
      return unused
    end
    for param = 0, reaper.TrackFX_GetNumParams(track, fx) - 1 do
      local band = util.param_name(track, fx, param):match("^Band (%d+) Used$")
      if band and reaper.TrackFX_GetParamNormalized(track, fx, param) < 0.5 then
        unused[band] = true
      end
    end
    return unused
  end

  local function params(track, fx, limit, include_hidden)
    local name = util.fx_name(track, fx)
    local count = reaper.TrackFX_GetNumParams(track, fx)
    local unused = include_hidden and {} or unused_bands(track, fx, name)
    local list, skipped = json.array(), 0
    local truncated = false
    for param = 0, count - 1 do
      if #list >= limit then
        truncated = true
        break
      end
      local info = util.param_info(track, fx, param)
      local band = info.name:match("^Band (%d+) ")
      if not include_hidden and (is_hidden(info) or (band and unused[band])) then
        skipped = skipped + 1
      else
        list[#list + 1] = info
      end
    end
    return {
      fx_name = name, preset = util.fx_preset(track, fx), enabled = reaper.TrackFX_GetEnabled(track, fx),
      param_count = count, params_shown = #list, params_skipped = skipped, truncated = truncated, params = list,
    }
  end

  -- Adding and removing -------------------------------------------------

  -- Position flag of TrackFX_AddByName: negative is always a new one.
  function util.add_fx(track, name, mode)
    mode = mode or "add"
    local found = mode ~= "add" and reaper.TrackFX_AddByName(track, name, false, 0) or -1
    if found >= 0 then
      return found, false
    end
    if mode == "find_only" then
      fail("NOT_FOUND", "the track has no effect `" .. name .. "`", { fx_name = name })
    end
    local before = reaper.TrackFX_GetCount(track)
    local index = reaper.TrackFX_AddByName(track, name, false, -1)
    if index < 0 or reaper.TrackFX_GetCount(track) ~= before + 1 then
      fail("NOT_FOUND", "the host has no effect `" .. name .. "`", { fx_name = name })
    end
    return index, true
  end

  function handlers.fx_add(p)
    if p.fx_name == "" then
      errors.missing("fx_name")
    end
    local track = util.track(p.track_index)
    local index, added = util.add_fx(track, p.fx_name, p.add_mode)
    local result = chain(track)
    result.fx_index, result.added = index, added
    return result
  end

  function handlers.fx_remove_batch(p)
    local wanted, problems = {}, json.array()
    local order = {}
    util.each(p.entries, "entries", function(entry, number)
      util.collect(problems, number - 1, function()
        local track, index = util.entry_track(entry, "track_index", true)
        local list = {}
        local count = reaper.TrackFX_GetCount(track)
        if util.field(entry, "all", "bool") then
          for fx = 0, count - 1 do
            list[#list + 1] = fx
          end
        else
          for _, fx in ipairs(util.field(entry, "fx_indices", "list")
              or { util.field(entry, "fx_index", "int", true) }) do
            local whole = math.type(fx) and math.tointeger(fx)
            if not whole then
              errors.invalid("fx_indices", "must hold integers")
            end
            util.check_fx(track, whole)
            list[#list + 1] = whole
          end
        end
        if not wanted[index] then
          wanted[index] = { track = track, fx = {} }
          order[#order + 1] = index
        end
        for _, fx in ipairs(list) do
          wanted[index].fx[fx] = true
        end
      end)
    end)
    table.sort(order)
    local removed, tracks = 0, json.array()
    for _, index in ipairs(order) do
      local entry = wanted[index]
      for fx = reaper.TrackFX_GetCount(entry.track) - 1, 0, -1 do
        if entry.fx[fx] and reaper.TrackFX_Delete(entry.track, fx) then
          removed = removed + 1
        end
      end
      tracks[#tracks + 1] = { track_index = index, fx_count = reaper.TrackFX_GetCount(entry.track) }
    end
    return { removed = removed, tracks = tracks, errors = problems }
  end

  function handlers.fx_get_chain(p)
    return chain(util.track(p.track_index))
  end

  function handlers.fx_get_params(p)
    local track, fx = both(p)
    return params(track, fx, p.max_results, p.include_hidden)
  end

  local function set_param(p, track, fx, param)
    local info = util.write_param(track, fx, param, p.value, p.raw)
    if not info.ok then
      fail("READBACK_MISMATCH", string.format("`%s` reads back as %s (%s), not %s", info.name,
        tostring(p.raw and info.raw or info.value), info.display, tostring(p.value)), info)
    end
    info.param_index, info.fx_name = param, util.fx_name(track, fx)
    return info
  end

  function handlers.fx_set_param(p)
    local track, fx = both(p)
    local count = reaper.TrackFX_GetNumParams(track, fx)
    if p.param_index >= count then
      fail("NOT_FOUND", string.format("param_index %d out of range (the effect has %d)", p.param_index, count))
    end
    return set_param(p, track, fx, p.param_index)
  end

  function handlers.fx_set_param_by_name(p)
    local track, fx = both(p)
    local param = util.find_param(track, fx, p.param_name)
    if not param then
      fail("NOT_FOUND", "no parameter of `" .. util.fx_name(track, fx) .. "` is named `" .. p.param_name .. "`")
    end
    return set_param(p, track, fx, param)
  end

  local function step_count(track, fx, param)
    local ok, step, _, _, toggle = reaper.TrackFX_GetParameterStepSizes(track, fx, param)
    if not ok then
      return 0
    end
    if toggle then
      return 2
    end
    local _, low, high = reaper.TrackFX_GetParam(track, fx, param)
    if step and step > 0 and high > low then
      return math.floor((high - low) / step + 0.5) + 1
    end
    return 0
  end

  function handlers.fx_scan_params(p)
    local track, fx = both(p)
    local count = reaper.TrackFX_GetNumParams(track, fx)
    local list = json.array()
    for param = 0, math.min(count, p.max_params) - 1 do
      local original = reaper.TrackFX_GetParam(track, fx, param)
      local steps = step_count(track, fx, param)
      local points = steps >= 2 and steps <= 32 and steps or 9
      local samples = json.array()
      for i = 0, points - 1 do
        local value = i / (points - 1)
        reaper.TrackFX_SetParamNormalized(track, fx, param, value)
        local _, text = reaper.TrackFX_GetFormattedParamValue(track, fx, param)
        samples[#samples + 1] = { normalized = value, formatted = text or "" }
      end
      reaper.TrackFX_SetParam(track, fx, param, original)
      list[#list + 1] = {
        index = param, name = util.param_name(track, fx, param), step_count = steps, samples = samples,
      }
    end
    return { fx_name = util.fx_name(track, fx), truncated = count > p.max_params, params = list }
  end

  -- Named values ----------------------------------------------------------

  -- The setter's result proves nothing: what reads back counts. Numbers may
  -- come back in another form.
  function util.write_named(track, fx, key, value)
    reaper.TrackFX_SetNamedConfigParm(track, fx, key, value)
    local found, got = reaper.TrackFX_GetNamedConfigParm(track, fx, key)
    local same = found and (got == value
      or (tonumber(got) ~= nil and tonumber(value) ~= nil and math.abs(tonumber(got) - tonumber(value)) < 1e-6))
    return { key = key, requested = value, value = found and got or json.null, ok = same or false }
  end

  function handlers.fx_set_named_config(p)
    local track, fx = both(p)
    local result = util.write_named(track, fx, p.key, p.value)
    result.fx_name = util.fx_name(track, fx)
    return result
  end

  function handlers.fx_get_named_config(p)
    local track, fx = both(p)
    local found, value = reaper.TrackFX_GetNamedConfigParm(track, fx, p.key)
    return { key = p.key, value = found and value or "", found = found, fx_name = util.fx_name(track, fx) }
  end

  -- State -----------------------------------------------------------------

  local function enable(on)
    return function(p)
      local track, fx = both(p)
      reaper.TrackFX_SetEnabled(track, fx, on)
      if reaper.TrackFX_GetEnabled(track, fx) ~= on then
        fail("READBACK_MISMATCH", "the effect did not switch")
      end
      return chain(track)
    end
  end

  handlers.fx_enable = enable(true)
  handlers.fx_disable = enable(false)

  function handlers.fx_show_ui(p)
    local track, fx = both(p)
    reaper.TrackFX_Show(track, fx, 3)
    return util.fx_info(track, fx)
  end

  local function preset(track, fx)
    local index, total = reaper.TrackFX_GetPresetIndex(track, fx)
    return {
      fx_name = util.fx_name(track, fx), preset = util.fx_preset(track, fx),
      preset_index = index or -1, total_presets = total or 0,
    }
  end

  function handlers.fx_get_preset(p)
    return preset(both(p))
  end

  local function trim(text)
    return (text:gsub("^%s+", ""):gsub("%s+$", ""))
  end

  function util.load_preset(track, fx, name)
    reaper.TrackFX_SetPreset(track, fx, name)
    local active = util.fx_preset(track, fx)
    if trim(active) ~= trim(name) then
      fail("READBACK_MISMATCH", "the preset `" .. name .. "` did not load, `" .. active .. "` is active")
    end
    return active
  end

  function handlers.fx_set_preset(p)
    local track, fx = both(p)
    util.load_preset(track, fx, p.preset_name)
    local result = preset(track, fx)
    if p.include_params then
      result.params = params(track, fx, 300, false).params
    end
    return result
  end

  function handlers.fx_navigate_preset(p)
    local track, fx = both(p)
    if p.direction == 0 then
      errors.invalid("direction", "must be -1 or 1")
    end
    reaper.TrackFX_NavigatePresets(track, fx, p.direction)
    return preset(track, fx)
  end

  function handlers.fx_get_instrument(p)
    local track = util.track(p.track_index)
    local fx = reaper.TrackFX_GetInstrument(track)
    if fx < 0 then
      return { instrument_index = -1, message = "the track has no instrument" }
    end
    local result = params(track, fx, 300, false)
    result.instrument_index = fx
    return result
  end

  function handlers.fx_move(p)
    local track, fx = both(p)
    util.check_fx(track, p.new_index)
    local guid = reaper.TrackFX_GetFXGUID(track, fx)
    if fx ~= p.new_index then
      reaper.TrackFX_CopyToTrack(track, fx, track, p.new_index, true)
      -- Versions differ in whether the target counts before the removal.
      local at = -1
      for i = 0, reaper.TrackFX_GetCount(track) - 1 do
        if reaper.TrackFX_GetFXGUID(track, i) == guid then
          at = i
        end
      end
      if at >= 0 and at ~= p.new_index then
        reaper.TrackFX_CopyToTrack(track, at, track, p.new_index + (p.new_index > at and 1 or 0), true)
      end
      if reaper.TrackFX_GetFXGUID(track, p.new_index) ~= guid then
        fail("READBACK_MISMATCH", "the effect did not move to the index")
      end
    end
    return chain(track)
  end

  function util.rename_fx(track, fx, name)
    reaper.TrackFX_SetNamedConfigParm(track, fx, "renamed_name", name)
    local _, got = reaper.TrackFX_GetNamedConfigParm(track, fx, "renamed_name")
    return got or ""
  end

  function handlers.fx_rename(p)
    local track, fx = both(p)
    local got = util.rename_fx(track, fx, p.new_name)
    if got ~= p.new_name then
      fail("READBACK_MISMATCH", "the name reads back as `" .. got .. "`")
    end
    return { track_index = p.track_index, fx_index = fx, new_name = got }
  end

  function handlers.fx_list_installed(_)
    util.need("EnumInstalledFX")
    local plugins = json.array()
    for i = 0, 19999 do
      local ok, name, ident = reaper.EnumInstalledFX(i)
      if not ok then
        break
      end
      plugins[#plugins + 1] = { name = name, ident = ident or "" }
    end
    return { count = #plugins, plugins = plugins }
  end

  local function pins(track, fx, is_output, count)
    local list = json.array()
    for pin = 0, math.min(count, 64) - 1 do
      local low, high = reaper.TrackFX_GetPinMappings(track, fx, is_output, pin)
      low, high = util.int(low or 0), util.int(high or 0)
      local channels = json.array()
      for bit = 0, 31 do
        if low & (1 << bit) ~= 0 then
          channels[#channels + 1] = bit + 1
        end
      end
      for bit = 0, 31 do
        if high & (1 << bit) ~= 0 then
          channels[#channels + 1] = bit + 33
        end
      end
      list[#list + 1] = { pin = pin, track_channels = channels, low32_raw = low, high32_raw = high }
    end
    return list
  end

  function handlers.fx_get_pin_mappings(p)
    local track, fx = both(p)
    local _, inputs, outputs = reaper.TrackFX_GetIOSize(track, fx)
    return {
      inputs = pins(track, fx, 0, util.int(inputs or 0)),
      outputs = pins(track, fx, 1, util.int(outputs or 0)),
    }
  end
end
