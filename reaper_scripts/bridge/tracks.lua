-- Tracks: the list, mixer values, colours, selection.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- Writes a value and returns the track, or fails when it did not arrive.
  local function write(track, key, value, tolerance)
    reaper.SetMediaTrackInfo_Value(track, key, value)
    local got = reaper.GetMediaTrackInfo_Value(track, key)
    if math.abs(got - value) > (tolerance or 1e-6) * math.max(1, math.abs(value)) then
      fail("READBACK_MISMATCH", string.format("%s of `%s` reads back as %g, not %g",
        key, util.track_name(track), got, value), { key = key, requested = value, value = got })
    end
  end
  util.write_track = write

  local function setter(key, convert)
    return function(p)
      local track = util.track(p.track_index)
      write(track, key, convert(p))
      return util.track_info(track)
    end
  end

  local function switch(name)
    return function(p) return p[name] and 1 or 0 end
  end

  function handlers.track_get_all(_)
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      tracks[#tracks + 1] = util.track_info(reaper.GetTrack(0, i))
    end
    return { track_count = #tracks, tracks = tracks }
  end

  function handlers.track_get_info(p)
    local track = util.track(p.track_index)
    local info = util.track_info(track)
    info.fx_chain = util.fx_chain(track)
    return info
  end

  function handlers.track_create(p)
    local count = reaper.CountTracks(0)
    local index = p.index < 0 and count or math.min(p.index, count)
    reaper.InsertTrackAtIndex(index, false)
    if reaper.CountTracks(0) ~= count + 1 then
      fail("COMMAND_FAILED", "REAPER did not insert the track")
    end
    local track = util.track(index)
    if p.name ~= "" then
      util.set_name(track, p.name)
    end
    util.refresh()
    return util.track_info(track)
  end

  -- All tracks that an entry means.
  local function tracks_of(entry, found)
    if util.field(entry, "all", "bool") then
      for i = 0, reaper.CountTracks(0) - 1 do
        found[reaper.GetTrack(0, i)] = i
      end
      return
    end
    local indices = util.field(entry, "track_indices", "list")
    if not indices then
      local track, index = util.entry_track(entry)
      found[track] = index
      return
    end
    for _, index in ipairs(indices) do
      local whole = math.type(index) and math.tointeger(index)
      if not whole or whole < 0 then
        errors.invalid("track_indices", "must hold integers from 0")
      end
      found[util.track(whole)] = whole
    end
  end

  function handlers.track_delete_batch(p)
    local found, problems = {}, json.array()
    util.each(p.entries, "entries", function(entry, index)
      util.collect(problems, index - 1, function() tracks_of(entry, found) end)
    end)
    local list = {}
    for track, index in pairs(found) do
      list[#list + 1] = { track = track, index = index }
    end
    -- From the end, so that the indices of the others stay.
    table.sort(list, function(a, b) return a.index > b.index end)
    local deleted = json.array()
    for _, entry in ipairs(list) do
      local name = util.track_name(entry.track)
      reaper.DeleteTrack(entry.track)
      table.insert(deleted, 1, { track_index = entry.index, name = name })
    end
    util.refresh()
    return {
      deleted = #deleted, deleted_tracks = deleted,
      remaining_tracks = reaper.CountTracks(0), errors = problems,
    }
  end

  function handlers.track_rename(p)
    if p.track_index == -1 then
      fail("COMMAND_REJECTED", "the master track has no name to set")
    end
    local track = util.track(p.track_index)
    util.set_name(track, p.name)
    return util.track_info(track)
  end

  handlers.track_set_volume = setter("D_VOL", function(p) return util.to_gain(p.volume_db) end)
  handlers.track_set_mute = setter("B_MUTE", switch("mute"))
  handlers.track_set_solo = setter("I_SOLO", switch("solo"))
  handlers.track_set_phase = setter("B_PHASE", switch("invert"))
  handlers.track_set_record_arm = setter("I_RECARM", switch("arm"))
  handlers.track_set_folder = setter("I_FOLDERDEPTH", function(p) return p.folder_depth end)
  handlers.track_set_main_send = setter("B_MAINSEND", switch("enabled"))
  -- 6112: all MIDI inputs, all channels.
  handlers.track_set_input = setter("I_RECINPUT", function(p) return p.input_index < 0 and 6112 or p.input_index end)

  function handlers.track_set_pan(p)
    local track = util.track(p.track_index)
    write(track, "D_PAN", p.pan)
    if p.width then
      write(track, "D_WIDTH", p.width)
    end
    return util.track_info(track)
  end

  function handlers.track_set_channels(p)
    if p.channels % 2 ~= 0 then
      errors.invalid("channels", "must be even")
    end
    local track = util.track(p.track_index)
    write(track, "I_NCHAN", p.channels)
    return util.track_info(track)
  end

  function handlers.track_set_color(p)
    local track = util.track(p.track_index)
    write(track, "I_CUSTOMCOLOR", util.native_color(p.r, p.g, p.b))
    return util.track_info(track)
  end

  local function ext_key(key)
    if not key:find("^[%w_%.%-]+$") then
      errors.invalid("key", "may hold letters, digits, `_`, `-` and `.` only")
    end
    return "P_EXT:" .. key
  end

  function util.set_ext(track, key, value)
    reaper.GetSetMediaTrackInfo_String(track, ext_key(key), value, true)
    return util.get_ext(track, key)
  end

  function util.get_ext(track, key)
    local ok, value = reaper.GetSetMediaTrackInfo_String(track, ext_key(key), "", false)
    return ok and value or ""
  end

  function handlers.track_set_ext(p)
    local value = util.set_ext(util.track(p.track_index), p.key, p.value)
    if value ~= p.value then
      fail("READBACK_MISMATCH", "the stored text reads back differently", { value = value })
    end
    return { track_index = p.track_index, key = p.key, value = value }
  end

  function handlers.track_get_ext(p)
    local value = util.get_ext(util.track(p.track_index), p.key)
    return { track_index = p.track_index, key = p.key, value = value }
  end

  function handlers.track_select(p)
    local track = util.track(p.track_index)
    if p.exclusive then
      for i = 0, reaper.CountTracks(0) - 1 do
        reaper.SetTrackSelected(reaper.GetTrack(0, i), false)
      end
      reaper.SetTrackSelected(reaper.GetMasterTrack(0), false)
    end
    reaper.SetTrackSelected(track, p.selected)
    return util.track_info(track)
  end

  function handlers.track_get_mixer_state(_)
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      tracks[#tracks + 1] = {
        i = i,
        name = util.track_name(track),
        vol_db = util.to_db(util.track_value(track, "D_VOL")),
        pan = util.track_value(track, "D_PAN"),
        mute = util.track_value(track, "B_MUTE") ~= 0,
        solo = util.track_value(track, "I_SOLO") ~= 0,
        fx_bypassed = util.track_value(track, "I_FXEN") == 0,
      }
    end
    return { track_count = #tracks, tracks = tracks }
  end

  function handlers.track_get_peak(p)
    util.need("Track_GetPeakInfo")
    local track = util.track(p.track_index)
    local left, right = reaper.Track_GetPeakInfo(track, 0), reaper.Track_GetPeakInfo(track, 1)
    local function floor_db(value) return math.max(-144.0, util.to_db(value)) end
    return {
      peak_l_linear = left, peak_r_linear = right,
      peak_l_db = floor_db(left), peak_r_db = floor_db(right),
      peak_max_db = floor_db(math.max(left, right)),
    }
  end

  -- Runs an action with only this track selected, then restores the selection.
  function util.with_only_track(track, action)
    local selected = {}
    for i = 0, reaper.CountTracks(0) - 1 do
      local other = reaper.GetTrack(0, i)
      selected[other] = util.track_value(other, "I_SELECTED")
      reaper.SetTrackSelected(other, other == track)
    end
    local ok, caught = pcall(action)
    for other, value in pairs(selected) do
      if reaper.ValidatePtr2(0, other, "MediaTrack*") then
        util.set_track_value(other, "I_SELECTED", value)
      end
    end
    if not ok then
      error(caught, 0)
    end
  end

  local function freeze_action(id)
    return function(p)
      local track = util.track(p.track_index)
      util.with_only_track(track, function() reaper.Main_OnCommand(id, 0) end)
      local name = reaper.kbd_getTextFromCmd and reaper.kbd_getTextFromCmd(id, 0) or tostring(id)
      return { track_index = p.track_index, action = name }
    end
  end

  handlers.track_freeze = freeze_action(41223)
  handlers.track_unfreeze = freeze_action(41644)

  function handlers.track_get_state_chunk(p)
    local ok, chunk = reaper.GetTrackStateChunk(util.track(p.track_index), "", false)
    if not ok then
      fail("COMMAND_FAILED", "REAPER gave no state of the track")
    end
    return { chunk = chunk }
  end

  function handlers.track_set_state_chunk(p)
    local track = util.track(p.track_index)
    -- Two tracks with one GUID would be one for everything that addresses
    -- tracks by GUID.
    local chunk = p.chunk:gsub("(\n%s*TRACKID )%b{}", function(prefix)
      return prefix .. reaper.genGuid("")
    end, 1)
    chunk = chunk:gsub("^(%s*<TRACK )%b{}", function(prefix)
      return prefix .. reaper.genGuid("")
    end, 1)
    if not reaper.SetTrackStateChunk(track, chunk, false) then
      fail("COMMAND_FAILED", "REAPER refused the state of the track")
    end
    -- The item call alone would miss the track's own settings.
    reaper.Undo_OnStateChangeEx2(0, bridge.undo.label("track_set_state_chunk"), -1, -1)
    return util.track_info(util.track(p.track_index))
  end
end
