-- Many settings in one command. What was asked and what reads back stand side
-- by side in the result.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- Tracks ------------------------------------------------------------------

  local MAX_TRACKS = 2000

  function util.ensure_tracks(count)
    local created = 0
    if count > MAX_TRACKS then
      fail("VALUE_OUT_OF_RANGE", string.format("a project of %d tracks is not made, at most %d", count, MAX_TRACKS))
    end
    while reaper.CountTracks(0) < count do
      local before = reaper.CountTracks(0)
      reaper.InsertTrackAtIndex(before, false)
      if reaper.CountTracks(0) ~= before + 1 then
        fail("COMMAND_FAILED", "REAPER did not insert a track")
      end
      created = created + 1
    end
    return created
  end

  local function flag(value)
    return value and 1 or 0
  end

  local function configure(track, index, entry)
    local name = util.field(entry, "name", "string")
    if name and index >= 0 then
      util.set_name(track, name)
    end
    local volume = util.between(util.field(entry, "volume_db", "number"), "volume_db", -1000, 60)
    local pan = util.between(util.field(entry, "pan", "number"), "pan", -1, 1)
    local width = util.between(util.field(entry, "width", "number"), "width", -1, 1)
    local depth = util.between(util.field(entry, "folder_depth", "int"), "folder_depth", -64, 1)
    local channels = util.between(util.field(entry, "channels", "int"), "channels", 2, 128)
    local color = util.color_of(entry.color, "color")
    if volume then util.write_track(track, "D_VOL", util.to_gain(volume)) end
    if pan then util.write_track(track, "D_PAN", pan) end
    if width then util.write_track(track, "D_WIDTH", width) end
    if depth then util.write_track(track, "I_FOLDERDEPTH", depth) end
    if channels then util.write_track(track, "I_NCHAN", channels) end
    if color then util.write_track(track, "I_CUSTOMCOLOR", color) end
    local switches = { mute = "B_MUTE", solo = "I_SOLO", phase_invert = "B_PHASE", main_send = "B_MAINSEND" }
    for key, api_key in pairs(switches) do
      local value = util.field(entry, key, "bool")
      if value ~= nil then
        util.write_track(track, api_key, flag(value))
      end
    end
    for key, value in pairs(util.field(entry, "ext", "object") or {}) do
      if util.set_ext(track, key, tostring(value)) ~= tostring(value) then
        fail("READBACK_MISMATCH", "the stored text `" .. key .. "` reads back differently")
      end
    end
  end

  function handlers.configure_tracks(p)
    local highest = -1
    util.each(p.tracks, "tracks", function(entry)
      highest = math.max(highest, util.field(entry, "track_index", "int") or -1)
    end)
    local created = util.ensure_tracks(highest + 1)
    -- Every entry is looked up before the first is written: writing does not
    -- move tracks, but a wrong entry should not leave half of the work done.
    local work = {}
    for i, entry in ipairs(p.tracks) do
      local track, index = util.entry_track(entry, "track_index", true)
      work[i] = { track = track, index = index, entry = entry }
    end
    local tracks = json.array()
    for _, job in ipairs(work) do
      configure(job.track, job.index, job.entry)
    end
    for i, job in ipairs(work) do
      tracks[i] = util.track_info(job.track)
    end
    util.refresh()
    return { tracks = tracks, created = created }
  end

  function handlers.track_find(p)
    local wanted = p.name:lower()
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      local name = util.track_name(track)
      local lower = name:lower()
      if lower == wanted or (not p.exact and lower:find(wanted, 1, true)) then
        tracks[#tracks + 1] = { track_index = i, guid = reaper.GetTrackGUID(track), name = name }
      end
    end
    return { tracks = tracks }
  end

  function handlers.track_measure_live(p)
    local track = util.track(p.track_index)
    local list = json.array()
    for fx = 0, reaper.TrackFX_GetCount(track) - 1 do
      local ok, value = reaper.TrackFX_GetNamedConfigParm(track, fx, "GainReduction_dB")
      if ok and tonumber(value) then
        list[#list + 1] = { index = fx, name = util.fx_name(track, fx), gain_reduction_db = tonumber(value) + 0.0 }
      end
    end
    return { fx = list }
  end

  function handlers.get_track_instruments(_)
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      local fx = reaper.TrackFX_GetInstrument(track)
      tracks[#tracks + 1] = {
        track_index = i, guid = reaper.GetTrackGUID(track), name = util.track_name(track),
        instrument = fx >= 0 and util.fx_name(track, fx) or "",
        item_count = reaper.CountTrackMediaItems(track),
      }
    end
    return { tracks = tracks }
  end

  -- Sends -------------------------------------------------------------------

  local function mode_value(entry)
    local mode = util.field(entry, "mode", "string")
    if mode and not util.send_modes[mode] then
      errors.invalid("mode", "must be post_fader, pre_fx or pre_fader")
    end
    return mode and util.send_modes[mode]
  end

  local function make_send(source, dest, entry)
    local volume = util.between(util.field(entry, "volume_db", "number"), "volume_db", -1000, 60)
    local pan = util.between(util.field(entry, "pan", "number"), "pan", -1, 1)
    local mode = mode_value(entry)
    local from, to = util.field(entry, "source_channel", "int"), util.field(entry, "dest_channel", "int")
    local index, created = util.ensure_send(source, dest, util.field(entry, "reuse", "bool"), to)
    if volume then util.write_send(source, index, "D_VOL", util.to_gain(volume)) end
    if pan then util.write_send(source, index, "D_PAN", pan) end
    if mode then util.write_send(source, index, "I_SENDMODE", mode) end
    if from then util.write_send(source, index, "I_SRCCHAN", from) end
    if to then util.write_send(source, index, "I_DSTCHAN", to) end
    return {
      source_track = util.track_index(source), dest_track = util.track_index(dest), send_index = index,
      volume_db = util.to_db(reaper.GetTrackSendInfo_Value(source, 0, index, "D_VOL")),
      pan = reaper.GetTrackSendInfo_Value(source, 0, index, "D_PAN"), created = created,
    }
  end

  local function failure(caught)
    local info = errors.info(caught, "run")
    return { error = info.message, code = info.code }
  end

  function handlers.setup_routing(p)
    local sends, made, failed = json.array(), 0, 0
    util.each(p.sends, "sends", function(entry, index)
      local ok, result = pcall(function()
        local source, source_index = util.entry_track(entry, "source_track")
        local dest, dest_index = util.entry_track(entry, "dest_track")
        if source_index == dest_index then
          errors.invalid("dest_track", "must be another track than `source_track`")
        end
        return make_send(source, dest, entry)
      end)
      if not ok then
        result = failure(result)
        failed = failed + 1
      elseif result.created then
        made = made + 1
      end
      sends[index] = result
    end)
    return { sends = sends, created = made, failed = failed }
  end

  -- Effects -------------------------------------------------------------------

  local function text_of(value)
    if math.type(value) == "float" and math.tointeger(value) then
      return tostring(math.tointeger(value))
    end
    if type(value) == "boolean" then
      return value and "1" or "0"
    end
    return tostring(value)
  end

  local function sorted_keys(t)
    local keys = {}
    for key in pairs(t) do
      keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
  end

  local function number_of(value, name)
    if type(value) == "boolean" then
      return value and 1 or 0
    end
    if type(value) ~= "number" then
      errors.invalid(name, "must be a number")
    end
    return value
  end

  local function apply_named(track, fx, entry, result)
    local named = util.field(entry, "named_config", "object")
    for _, key in ipairs(sorted_keys(named or {})) do
      local set = util.write_named(track, fx, key, text_of(named[key]))
      result.named_config_set[#result.named_config_set + 1] = set
      if not set.ok then
        result.errors[#result.errors + 1] = {
          entry = key, code = "READBACK_MISMATCH",
          error = string.format("`%s` reads back as `%s`, not `%s`", key, tostring(set.value), set.requested),
        }
      end
    end
  end

  local function set_one(track, fx, param, value, raw, result)
    local info = util.write_param(track, fx, param, value, raw)
    result.params_set[#result.params_set + 1] = info
    if not info.ok then
      result.errors[#result.errors + 1] = {
        entry = info.name, code = "READBACK_MISMATCH",
        error = string.format("`%s` reads back as %s (%s), not %s", info.name,
          tostring(raw and info.raw or info.value), info.display, tostring(value)),
      }
    end
  end

  -- Named values first, then parameters in a fixed order: some plug-ins ignore
  -- a band whose switches are written after its values.
  local function apply_params(track, fx, entry, result)
    local raw = util.field(entry, "raw", "bool")
    local by_name = util.field(entry, "params", "object") or {}
    for _, name in ipairs(sorted_keys(by_name)) do
      util.collect(result.errors, name, function()
        local param = util.find_param(track, fx, name)
        if not param then
          fail("NOT_FOUND", "no parameter is named `" .. name .. "`")
        end
        set_one(track, fx, param, number_of(by_name[name], name), raw, result)
      end)
    end
    local by_index = util.field(entry, "params_by_index", "object") or {}
    local indices = {}
    for key in pairs(by_index) do
      local index = math.tointeger(tonumber(key))
      if not index then
        errors.invalid("params_by_index", "must have integers as keys, not `" .. tostring(key) .. "`")
      end
      indices[#indices + 1] = { index = index, key = key }
    end
    table.sort(indices, function(a, b) return a.index < b.index end)
    local count = reaper.TrackFX_GetNumParams(track, fx)
    for _, pair in ipairs(indices) do
      util.collect(result.errors, tostring(pair.index), function()
        if pair.index < 0 or pair.index >= count then
          fail("NOT_FOUND", string.format("parameter %d does not exist (the effect has %d)", pair.index, count))
        end
        set_one(track, fx, pair.index, number_of(by_index[pair.key], tostring(pair.key)), raw, result)
      end)
    end
  end

  local function move_to(track, fx, position)
    local count = reaper.TrackFX_GetCount(track)
    position = math.max(0, math.min(position, count - 1))
    if position == fx then
      return fx
    end
    return handlers.fx_move({ track_index = util.track_index(track), fx_index = fx, new_index = position }) and position
  end

  -- The effect with this shown name, for chains that are applied again.
  local function find_renamed(track, name)
    for fx = 0, reaper.TrackFX_GetCount(track) - 1 do
      if util.fx_name(track, fx) == name then
        return fx
      end
    end
    return nil
  end

  local MODES = { add = true, find_or_add = true, find_only = true }

  -- One FxEntry on one track.
  local function apply_fx(track, entry)
    local name, fx = util.field(entry, "name", "string"), util.field(entry, "fx_index", "int")
    local mode = util.field(entry, "add_mode", "string") or "add"
    local renamed = util.field(entry, "renamed_name", "string")
    local position = util.field(entry, "position", "int")
    local preset = util.field(entry, "preset", "string")
    local enabled = util.field(entry, "enabled", "bool")
    if not MODES[mode] then
      errors.invalid("add_mode", "must be add, find_or_add or find_only")
    end
    local added = false
    if fx then
      util.check_fx(track, fx)
    elseif name and name ~= "" then
      -- With a shown name, "the same effect" is the one that carries it.
      if renamed and mode ~= "add" then
        fx = find_renamed(track, renamed)
      end
      if not fx then
        fx, added = util.add_fx(track, name, (renamed and mode == "find_or_add") and "add" or mode)
      end
    else
      errors.missing("name")
    end
    if position then
      fx = move_to(track, fx, position)
    end
    local result = {
      fx_index = fx, added = added, params_set = json.array(), named_config_set = json.array(), errors = json.array(),
    }
    util.collect(result.errors, "named_config", function() apply_named(track, fx, entry, result) end)
    util.collect(result.errors, "params", function() apply_params(track, fx, entry, result) end)
    if preset and preset ~= "" then
      util.collect(result.errors, "preset", function() result.preset = util.load_preset(track, fx, preset) end)
    end
    if enabled ~= nil then
      reaper.TrackFX_SetEnabled(track, fx, enabled)
    end
    if renamed then
      util.collect(result.errors, "renamed_name", function()
        local got = util.rename_fx(track, fx, renamed)
        if got ~= renamed then
          fail("READBACK_MISMATCH", "the name reads back as `" .. got .. "`")
        end
      end)
    end
    result.name = util.fx_name(track, fx)
    result.fx_guid = reaper.TrackFX_GetFXGUID(track, fx) or ""
    result.enabled = reaper.TrackFX_GetEnabled(track, fx)
    return result
  end

  -- A chain of entries; a failing one leaves an error in its place.
  local function apply_chain(track, chain, problems)
    local list, added, failed = json.array(), 0, 0
    util.each(chain, "fx_chain", function(entry, index)
      local ok, result = pcall(apply_fx, track, entry)
      if ok then
        added = added + (result.added and 1 or 0)
        failed = failed + (#result.errors > 0 and 1 or 0)
      else
        result = failure(result)
        result.name = type(entry.name) == "string" and entry.name or json.null
        failed = failed + 1
        problems[#problems + 1] = { entry = index - 1, code = result.code, error = result.error }
      end
      list[index] = result
    end)
    return list, added, failed
  end

  function handlers.setup_fx_chain(p)
    local tracks, added, failed = json.array(), 0, 0
    util.each(p.tracks, "tracks", function(entry, number)
      local result = { errors = json.array(), fx_added = json.array() }
      local ok = util.collect(result.errors, number - 1, function()
        local track, index = util.entry_track(entry, "track_index", true)
        result.track_index = index
        local some, wrong
        result.fx_added, some, wrong = apply_chain(track, util.field(entry, "fx_chain", "list", true), result.errors)
        added, failed = added + some, failed + wrong
      end)
      if not ok then
        failed = failed + 1
      end
      tracks[number] = result
    end)
    return { tracks = tracks, added = added, failed = failed }
  end

  function handlers.setup_effect_bus(p)
    if p.bus_name == "" then
      errors.missing("bus_name")
    end
    -- Sources are looked up before the bus moves their indices.
    local sources, problems = {}, json.array()
    util.each(p.sends_from or {}, "sends_from", function(entry, number)
      util.collect(problems, "send " .. (number - 1), function()
        sources[#sources + 1] = { track = util.entry_track(entry, "source_track"), entry = entry }
      end)
    end)
    local bus, created
    if p.reuse then
      local found = handlers.track_find({ name = p.bus_name, exact = true }).tracks[1]
      bus = found and util.track(found.track_index)
    end
    if not bus then
      local count = reaper.CountTracks(0)
      local index = p.bus_position < 0 and count or math.min(p.bus_position, count)
      reaper.InsertTrackAtIndex(index, false)
      bus, created = util.track(index), true
      util.set_name(bus, p.bus_name)
    end
    util.write_track(bus, "D_VOL", util.to_gain(p.bus_volume_db))
    local color = util.color_of(p.bus_color, "bus_color")
    if color then
      util.write_track(bus, "I_CUSTOMCOLOR", color)
    end
    local fx_added = apply_chain(bus, p.fx_chain or {}, problems)
    local sends = json.array()
    for number, source in ipairs(sources) do
      util.collect(problems, "send " .. (number - 1), function()
        if source.track == bus then
          errors.invalid("source_track", "must not be the bus itself")
        end
        source.entry.reuse = source.entry.reuse == nil and p.reuse or source.entry.reuse
        sends[#sends + 1] = make_send(source.track, bus, source.entry)
      end)
    end
    util.refresh()
    return {
      bus_track_index = util.track_index(bus), bus_track_guid = reaper.GetTrackGUID(bus),
      created = created or false, fx_added = fx_added, sends_created = sends, errors = problems,
    }
  end

  local function clean_fx(track, prefix)
    local removed = 0
    for fx = reaper.TrackFX_GetCount(track) - 1, 0, -1 do
      if util.fx_name(track, fx):sub(1, #prefix) == prefix and reaper.TrackFX_Delete(track, fx) then
        removed = removed + 1
      end
    end
    return removed
  end

  function handlers.setup_master_chain(p)
    local master = util.track(-1)
    if p.clean and p.clean_prefix == "" then
      errors.invalid("clean_prefix", "must not be empty, it would remove every effect")
    end
    local cleared = p.clean and clean_fx(master, p.clean_prefix) or 0
    local problems = json.array()
    local fx_added = apply_chain(master, p.fx_chain, problems)
    return { cleared = cleared, fx_added = fx_added, errors = problems }
  end

  function handlers.clean_tagged(p)
    if p.fx_prefix == "" and (p.track_prefix or "") == "" then
      errors.invalid("fx_prefix", "must not be empty, it would remove everything")
    end
    local tracks, removed = {}, 0
    if p.track_indices then
      for _, index in ipairs(p.track_indices) do
        local whole = math.type(index) and math.tointeger(index)
        if not whole or whole < -1 then
          errors.invalid("track_indices", "must hold integers from -1")
        end
        tracks[#tracks + 1] = util.track(whole)
      end
    else
      for i = -1, reaper.CountTracks(0) - 1 do
        tracks[#tracks + 1] = util.track(i)
      end
    end
    if p.fx_prefix ~= "" then
      for _, track in ipairs(tracks) do
        removed = removed + clean_fx(track, p.fx_prefix)
      end
    end
    local names = json.array()
    local prefix = p.track_prefix or ""
    if prefix ~= "" then
      for i = reaper.CountTracks(0) - 1, 0, -1 do
        local track = reaper.GetTrack(0, i)
        local name = util.track_name(track)
        if name:sub(1, #prefix) == prefix then
          reaper.DeleteTrack(track)
          table.insert(names, 1, name)
        end
      end
    end
    return { fx_removed = removed, tracks_removed = #names, track_names = names }
  end

  -- Side-chain ------------------------------------------------------------------

  local function has_word(name, word)
    return name:lower():find(word, 1, true) ~= nil
  end

  -- ReaComp: parameter by index, in its own scale. Others, where their scales
  -- are not known, are an error of the caller: they come as params instead.
  local REACOMP = {
    { 0, "threshold", function(s) return util.to_gain(s.threshold_db) end },
    { 1, "ratio", function(s) return (s.ratio - 1) / 99 end },
    { 2, "attack", function(s) return s.attack_ms / 500 end },
    { 3, "release", function(s) return s.release_ms / 5000 end },
    { 6, "detector_lowpass", function(s) return s.lowpass_hz and s.lowpass_hz / 20000 end },
    { 7, "detector_highpass", function(s) return s.highpass_hz and s.highpass_hz / 20000 end },
    -- Detector input: index 2 of 0 to 1084 is the auxiliary pair, channels 3/4.
    { 8, "detector_input", function(_) return 2 / 1084 end },
  }

  local function wire_pins(track, fx)
    local _, inputs = reaper.TrackFX_GetIOSize(track, fx)
    if util.int(inputs or 0) < 4 then
      return false
    end
    local ok = true
    for pin = 0, 3 do
      -- Pin n listens to channel n.
      reaper.TrackFX_SetPinMappings(track, fx, 0, pin, 1 << pin, 0)
      local low = reaper.TrackFX_GetPinMappings(track, fx, 0, pin)
      ok = ok and util.int(low or 0) == 1 << pin
    end
    return ok
  end

  local function is_reacomp(track, fx)
    local found, name = reaper.TrackFX_GetNamedConfigParm(track, fx, "original_name")
    if not found or name == "" then
      name = util.fx_name(track, fx)
    end
    return has_word(name, "reacomp")
  end

  local function compressor(p, target)
    if p.fx_index >= 0 then
      util.check_fx(target, p.fx_index)
      return p.fx_index, false
    end
    if p.renamed_name then
      local fx = find_renamed(target, p.renamed_name)
      if fx then
        return fx, false
      end
    end
    -- An instance of its own: the track's other compressors have their work.
    return util.add_fx(target, p.compressor_name, "add")
  end

  function handlers.setup_sidechain(p)
    if p.source_track == p.target_track then
      errors.invalid("target_track", "must be another track than `source_track`")
    end
    local source, target = util.track(p.source_track), util.track(p.target_track)
    local settings = {
      threshold_db = p.threshold_db or (-10 - 20 * p.amount),
      ratio = (p.ratio and p.ratio > 0) and p.ratio or (2 + 10 * p.amount),
      attack_ms = p.attack_ms, release_ms = p.release_ms,
      highpass_hz = p.detector_highpass_hz, lowpass_hz = p.detector_lowpass_hz,
    }
    if settings.ratio < 1 then
      fail("VALUE_OUT_OF_RANGE", "`ratio` must be at least 1", { parameter = "ratio" })
    end
    local fx, added = compressor(p, target)
    if not is_reacomp(target, fx) then
      local name = util.fx_name(target, fx)
      if added then
        reaper.TrackFX_Delete(target, fx)
      end
      fail("UNSUPPORTED", "the detector input and scales of `" .. name .. "` are not known; use ReaComp, or "
        .. "send_create with setup_fx_chain", { fx_name = name })
    end
    if util.int(util.track_value(target, "I_NCHAN")) < 4 then
      util.write_track(target, "I_NCHAN", 4)
    end
    local send, send_created = util.ensure_send(source, target, true, 2)
    util.write_send(source, send, "I_SRCCHAN", 0)
    util.write_send(source, send, "I_DSTCHAN", 2)
    util.write_send(source, send, "D_VOL", util.to_gain(p.send_db))
    util.write_send(source, send, "I_SENDMODE", 0)
    local flags = util.int(reaper.GetTrackSendInfo_Value(source, 0, send, "I_MIDIFLAGS"))
    -- The key's notes must not play the target's instrument.
    util.write_send(source, send, "I_MIDIFLAGS", (math.max(flags, 0) & ~1023) | 31)
    local pins = wire_pins(target, fx)
    local params, unmatched, warnings, detector = json.array(), json.array(), json.array(), false
    for _, row in ipairs(REACOMP) do
      local index, label, value = row[1], row[2], row[3](settings)
      if value then
        value = math.max(0, math.min(1, value))
        local info = util.write_param(target, fx, index, value, false)
        -- The detector's steps are finer than the usual tolerance.
        if label == "detector_input" then
          info.ok = math.abs(info.value - value) < 0.5 / 1084
          detector = info.ok
        end
        info.label = label
        params[#params + 1] = info
        if not info.ok then
          unmatched[#unmatched + 1] = label
        end
      end
    end
    if not detector then
      fail("READBACK_MISMATCH", "the compressor does not listen to its auxiliary input", { params_set = params })
    end
    if not pins then
      warnings[#warnings + 1] = "pins could not be wired; the plug-in's own layout is used"
    end
    if #unmatched > 0 then
      warnings[#warnings + 1] = "values that read back differently: " .. table.concat(unmatched, ", ")
    end
    if p.renamed_name then
      local got = util.rename_fx(target, fx, p.renamed_name)
      if got ~= p.renamed_name then
        warnings[#warnings + 1] = "the shown name reads back as `" .. got .. "`"
      end
    end
    return {
      send_index = send, send_created = send_created, fx_index = fx, fx_added = added,
      fx_guid = reaper.TrackFX_GetFXGUID(target, fx) or "",
      target_channels = util.int(util.track_value(target, "I_NCHAN")),
      pin_mappings_set = pins, detector_set = detector, unmatched_params = unmatched, warnings = warnings,
      params_set = params, threshold_db = settings.threshold_db, ratio = settings.ratio,
      attack_ms = settings.attack_ms, release_ms = settings.release_ms,
    }
  end
end
