-- Lookups, conversions and the shapes that several modules return.

return function(bridge)
  local json, errors = bridge.json, bridge.errors
  local reaper = reaper
  local util = {}

  local fail = errors.fail

  -- Numbers -------------------------------------------------------------

  -- The API returns whole numbers as floats; on the wire they are integers.
  function util.int(value)
    return math.tointeger(value) or math.floor((value or 0) + 0.5)
  end

  -- REAPER shows -150 dB for anything below 2.98e-8.
  function util.to_db(gain)
    if gain < 2.98e-8 then
      return -150.0
    end
    return 20 * math.log(gain, 10)
  end

  function util.to_gain(db)
    if db <= -150 then
      return 0.0
    end
    return 10 ^ (db / 20)
  end

  -- The field of a nested entry; the schema covers only the top level.
  function util.field(entry, name, kind, required)
    local value = entry[name]
    if value == nil or value == json.null then
      if required then
        errors.missing(name)
      end
      return nil
    end
    if kind == "int" then
      value = math.type(value) and math.tointeger(value)
      if not value then
        errors.invalid(name, "must be an integer")
      end
    elseif kind == "bool" then
      if value == 0 or value == 1 then
        return value == 1
      end
      if type(value) ~= "boolean" then
        errors.invalid(name, "must be true or false")
      end
    elseif kind == "list" then
      if type(value) == "string" then
        value = json.decode(value)
      end
      if type(value) ~= "table" or json.is_object(value) then
        errors.invalid(name, "must be a list")
      end
    elseif kind == "object" then
      if type(value) ~= "table" or json.is_array(value) then
        errors.invalid(name, "must be an object")
      end
    elseif type(value) ~= kind then
      errors.invalid(name, "must be a " .. kind)
    end
    return value
  end

  function util.between(value, name, low, high)
    if value and (value < low or value > high) then
      fail("VALUE_OUT_OF_RANGE", string.format("`%s` is %s, it must lie between %s and %s",
        name, tostring(value), tostring(low), tostring(high)), { parameter = name })
    end
    return value
  end

  -- A list of objects: fails at the first entry that is none.
  function util.each(list, name, action)
    for index, entry in ipairs(list) do
      if type(entry) ~= "table" or json.is_array(entry) or entry == json.null then
        errors.invalid(name, "must hold objects, entry " .. index .. " is none")
      end
      action(entry, index)
    end
  end

  -- Runs `action` and keeps its failure as text in `list`.
  function util.collect(list, label, action)
    local ok, caught = pcall(action)
    if ok then
      return true
    end
    local info = errors.info(caught, "run")
    list[#list + 1] = { entry = label, code = info.code, error = info.message }
    return false
  end

  -- Needs functions that older versions or other hosts may lack.
  function util.need(...)
    for _, name in ipairs({ ... }) do
      if not reaper[name] then
        fail("UNSUPPORTED", "this host has no function `" .. name .. "`", { api = name })
      end
    end
  end

  -- Tracks --------------------------------------------------------------

  function util.track(index)
    local track
    if index == -1 then
      track = reaper.GetMasterTrack(0)
    else
      track = reaper.GetTrack(0, index)
    end
    if not track then
      fail("NOT_FOUND", string.format("Track not found (index %d, the project has %d)",
        index, reaper.CountTracks(0)), { index = index })
    end
    return track
  end

  function util.track_index(track)
    local number = util.int(reaper.GetMediaTrackInfo_Value(track, "IP_TRACKNUMBER"))
    return number > 0 and number - 1 or -1
  end

  function util.track_index_of_guid(guid)
    guid = guid:upper()
    for i = 0, reaper.CountTracks(0) - 1 do
      if reaper.GetTrackGUID(reaper.GetTrack(0, i)):upper() == guid then
        return i
      end
    end
    if reaper.GetTrackGUID(reaper.GetMasterTrack(0)):upper() == guid then
      return -1
    end
    return nil
  end

  -- The track of an entry that names it by index, GUID or both.
  function util.entry_track(entry, name, master)
    name = name or "track_index"
    local guid_name = bridge.validate.guid_name(name)
    local index = util.field(entry, name, "int")
    local guid = util.field(entry, guid_name, "string")
    if guid then
      local found = util.track_index_of_guid(guid)
      if not found then
        fail("NOT_FOUND", "no track has the GUID " .. guid, { guid = guid })
      end
      if index and index ~= found then
        fail("STALE_INDEX", string.format("`%s` is %d, but its GUID now has the index %d", name, index, found),
          { index = index, current_index = found, guid = guid })
      end
      index = found
    end
    if not index then
      errors.missing(name)
    end
    if index < (master and -1 or 0) then
      fail("NOT_FOUND", "Track not found (index " .. index .. ")", { index = index })
    end
    return util.track(index), index
  end

  function util.track_name(track)
    local _, name = reaper.GetTrackName(track)
    return name or ""
  end

  function util.track_value(track, key)
    return reaper.GetMediaTrackInfo_Value(track, key)
  end

  function util.set_track_value(track, key, value)
    reaper.SetMediaTrackInfo_Value(track, key, value)
  end

  function util.set_name(track, name)
    reaper.GetSetMediaTrackInfo_String(track, "P_NAME", name, true)
  end

  function util.native_color(r, g, b)
    return reaper.ColorToNative(r, g, b) | 0x1000000
  end

  -- The three parts of a native colour; black for the default colour.
  function util.rgb(native)
    native = util.int(native)
    if native & 0x1000000 == 0 then
      return 0, 0, 0
    end
    local r, g, b = reaper.ColorFromNative(native & 0xffffff)
    return util.int(r), util.int(g), util.int(b)
  end

  -- A `[r, g, b]` list as native colour, nil when there is none; black is the
  -- default colour, as in the classic protocol.
  function util.color_of(list, name)
    if list == nil or list == json.null then
      return nil
    end
    if type(list) == "string" then
      list = json.decode(list)
    end
    if type(list) ~= "table" or #list ~= 3 then
      errors.invalid(name, "must be [r, g, b]")
    end
    for i = 1, 3 do
      local part = math.type(list[i]) and math.tointeger(list[i])
      if not part or part < 0 or part > 255 then
        errors.invalid(name, "must hold integers from 0 to 255")
      end
    end
    local r, g, b = math.tointeger(list[1]), math.tointeger(list[2]), math.tointeger(list[3])
    if r == 0 and g == 0 and b == 0 then
      return 0
    end
    return util.native_color(r, g, b)
  end

  -- Base name of a path in either notation.
  function util.file_name(path)
    return path:match("([^/\\]+)$") or path
  end

  -- The file behind an item's active take: sections and reversed sources
  -- have it in a parent.
  function util.source_of(take)
    local source = take and reaper.GetMediaItemTake_Source(take)
    local depth = 0
    while source and depth < 8 do
      local parent = reaper.GetMediaSourceParent and reaper.GetMediaSourceParent(source)
      if not parent then
        break
      end
      source, depth = parent, depth + 1
    end
    return source
  end

  function util.source_file(take)
    local source = util.source_of(take)
    if not source then
      return ""
    end
    return reaper.GetMediaSourceFileName(source) or ""
  end

  function util.media_files(track, limit, full)
    local files, seen = json.array(), {}
    for i = 0, reaper.CountTrackMediaItems(track) - 1 do
      if #files >= limit then
        break
      end
      local take = reaper.GetActiveTake(reaper.GetTrackMediaItem(track, i))
      if take and not reaper.TakeIsMIDI(take) then
        local path = util.source_file(take)
        if path ~= "" and not seen[path] then
          seen[path] = true
          files[#files + 1] = full and path or util.file_name(path)
        end
      end
    end
    return files
  end

  function util.track_info(track)
    local value = util.track_value
    local volume = value(track, "D_VOL")
    local channels = util.int(value(track, "I_NCHAN"))
    local r, g, b = util.rgb(value(track, "I_CUSTOMCOLOR"))
    return {
      index = util.track_index(track),
      guid = reaper.GetTrackGUID(track),
      name = util.track_name(track),
      volume = volume,
      volume_db = util.to_db(volume),
      pan = value(track, "D_PAN"),
      width = value(track, "D_WIDTH"),
      mute = value(track, "B_MUTE") ~= 0,
      solo = value(track, "I_SOLO") ~= 0,
      armed = value(track, "I_RECARM") ~= 0,
      selected = value(track, "I_SELECTED") ~= 0,
      fx_count = reaper.TrackFX_GetCount(track),
      item_count = reaper.CountTrackMediaItems(track),
      sample_filenames = util.media_files(track, 20, false),
      send_count = reaper.GetTrackNumSends(track, 0),
      receive_count = reaper.GetTrackNumSends(track, -1),
      channel_count = channels == 0 and 2 or channels,
      folder_depth = util.int(value(track, "I_FOLDERDEPTH")),
      main_send = value(track, "B_MAINSEND") ~= 0,
      color_r = r, color_g = g, color_b = b,
      input_index = util.int(value(track, "I_RECINPUT")),
      phase_invert = value(track, "B_PHASE") ~= 0,
      automation_mode = util.int(value(track, "I_AUTOMODE")),
    }
  end

  -- Effects -------------------------------------------------------------

  function util.fx_name(track, fx)
    local _, name = reaper.TrackFX_GetFXName(track, fx)
    return name or ""
  end

  function util.check_fx(track, fx)
    local count = reaper.TrackFX_GetCount(track)
    if fx < 0 or fx >= count then
      fail("NOT_FOUND", string.format("fx_index %d out of range (chain has %d)", fx, count), { fx_index = fx })
    end
  end

  function util.fx_preset(track, fx)
    local _, preset = reaper.TrackFX_GetPreset(track, fx)
    return preset or ""
  end

  function util.fx_info(track, fx)
    return {
      index = fx,
      guid = reaper.TrackFX_GetFXGUID(track, fx) or "",
      name = util.fx_name(track, fx),
      enabled = reaper.TrackFX_GetEnabled(track, fx),
      offline = reaper.TrackFX_GetOffline(track, fx),
      preset = util.fx_preset(track, fx),
      param_count = reaper.TrackFX_GetNumParams(track, fx),
    }
  end

  function util.fx_chain(track)
    local list = json.array()
    for fx = 0, reaper.TrackFX_GetCount(track) - 1 do
      list[#list + 1] = util.fx_info(track, fx)
    end
    return list
  end

  -- Items ---------------------------------------------------------------

  function util.item(index)
    local item = reaper.GetMediaItem(0, index)
    if not item then
      fail("NOT_FOUND", string.format("Item not found (index %d, the project has %d)",
        index, reaper.CountMediaItems(0)), { index = index })
    end
    return item
  end

  -- New items are not always the last: find them again by pointer.
  function util.item_index(item)
    for i = 0, reaper.CountMediaItems(0) - 1 do
      if reaper.GetMediaItem(0, i) == item then
        return i
      end
    end
    return -1
  end

  function util.item_guid(item)
    local _, guid = reaper.GetSetMediaItemInfo_String(item, "GUID", "", false)
    return guid or ""
  end

  function util.item_index_of_guid(guid)
    guid = guid:upper()
    for i = 0, reaper.CountMediaItems(0) - 1 do
      if util.item_guid(reaper.GetMediaItem(0, i)):upper() == guid then
        return i
      end
    end
    return nil
  end

  function util.is_midi(item)
    local take = reaper.GetActiveTake(item)
    return take ~= nil and reaper.TakeIsMIDI(take)
  end

  function util.item_info(item, index)
    local value = reaper.GetMediaItemInfo_Value
    local take = reaper.GetActiveTake(item)
    local volume = value(item, "D_VOL")
    local file = take and util.source_file(take) or ""
    local take_value = reaper.GetMediaItemTakeInfo_Value
    return {
      index = index or util.item_index(item),
      guid = util.item_guid(item),
      track_index = util.track_index(reaper.GetMediaItem_Track(item)),
      position = value(item, "D_POSITION"),
      length = value(item, "D_LENGTH"),
      volume = volume,
      volume_db = util.to_db(volume),
      name = take and reaper.GetTakeName(take) or "",
      source_file = file,
      source_filename = util.file_name(file),
      selected = value(item, "B_UISEL") ~= 0,
      mute = value(item, "B_MUTE") ~= 0,
      is_midi = take ~= nil and reaper.TakeIsMIDI(take),
      pitch = take and take_value(take, "D_PITCH") or 0.0,
      playrate = take and take_value(take, "D_PLAYRATE") or 1.0,
      fade_in = value(item, "D_FADEINLEN"),
      fade_out = value(item, "D_FADEOUTLEN"),
      color = util.int(value(item, "I_CUSTOMCOLOR")),
    }
  end

  -- Files ---------------------------------------------------------------

  -- Size in bytes, nil when there is no readable file.
  function util.file_size(path)
    local file = io.open(path, "rb")
    if not file then
      return nil
    end
    local size = file:seek("end")
    file:seek("set")
    local readable = size == 0 or file:read(1) ~= nil
    file:close()
    return readable and size or nil
  end

  function util.folder_of(path)
    return path:match("^(.*)[/\\][^/\\]*$") or ""
  end

  function util.refresh()
    reaper.TrackList_AdjustWindows(false)
    reaper.UpdateArrange()
  end

  return util
end
