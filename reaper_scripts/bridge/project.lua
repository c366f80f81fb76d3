-- The project: files, overview, notes, undo.

return function(bridge)
  local json, errors, util, undo = bridge.json, bridge.errors, bridge.util, bridge.undo
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- The current project's file, empty text when it was never saved.
  local function file_path()
    local _, path = reaper.EnumProjects(-1)
    return path or ""
  end
  util.project_file = file_path

  local function info()
    local _, markers, regions = reaper.CountProjectMarkers(0)
    local num, den = util.metre_at(0)
    return {
      -- One string, not a boolean and a string.
      name = reaper.GetProjectName(0) or "",
      path = reaper.GetProjectPath() or "",
      file_path = file_path(),
      sample_rate = util.int(reaper.GetSetProjectInfo(0, "PROJECT_SRATE", 0, false)),
      bpm = reaper.Master_GetTempo(),
      time_sig_num = num,
      time_sig_den = den,
      track_count = reaper.CountTracks(0),
      item_count = reaper.CountMediaItems(0),
      marker_count = util.int(markers or 0) + util.int(regions or 0),
      length = reaper.GetProjectLength(0),
      dirty = reaper.IsProjectDirty(0) ~= 0,
    }
  end

  function handlers.project_get_info(_)
    return info()
  end

  function handlers.project_get_change_count(_)
    return { change_count = reaper.GetProjectStateChangeCount(0) }
  end

  local function send_summary(track, index)
    local value = reaper.GetTrackSendInfo_Value
    local target = value(track, 0, index, "P_DESTTRACK")
    return {
      index = index,
      dest_track_index = util.track_index(target),
      dest_track_guid = reaper.GetTrackGUID(target),
      volume_db = util.to_db(value(track, 0, index, "D_VOL")),
      pan = value(track, 0, index, "D_PAN"),
      mute = value(track, 0, index, "B_MUTE") ~= 0,
      mode = util.int(value(track, 0, index, "I_SENDMODE")),
      source_channel = util.int(value(track, 0, index, "I_SRCCHAN")),
      dest_channel = util.int(value(track, 0, index, "I_DSTCHAN")),
    }
  end

  local function track_summary(track, with_media)
    local value = util.track_value
    local fx, sends = json.array(), json.array()
    for i = 0, reaper.TrackFX_GetCount(track) - 1 do
      fx[#fx + 1] = {
        index = i,
        guid = reaper.TrackFX_GetFXGUID(track, i) or "",
        name = util.fx_name(track, i),
        enabled = reaper.TrackFX_GetEnabled(track, i),
        offline = reaper.TrackFX_GetOffline(track, i),
      }
    end
    for i = 0, reaper.GetTrackNumSends(track, 0) - 1 do
      sends[#sends + 1] = send_summary(track, i)
    end
    local has_midi, has_audio, first, last = false, false, nil, nil
    local items = reaper.CountTrackMediaItems(track)
    for i = 0, items - 1 do
      local item = reaper.GetTrackMediaItem(track, i)
      if util.is_midi(item) then
        has_midi = true
      elseif reaper.GetActiveTake(item) then
        has_audio = true
      end
      local position = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
      local stop = position + reaper.GetMediaItemInfo_Value(item, "D_LENGTH")
      first = math.min(first or position, position)
      last = math.max(last or stop, stop)
    end
    local r, g, b = util.rgb(value(track, "I_CUSTOMCOLOR"))
    return {
      index = util.track_index(track),
      guid = reaper.GetTrackGUID(track),
      name = util.track_name(track),
      volume_db = util.to_db(value(track, "D_VOL")),
      pan = value(track, "D_PAN"),
      width = value(track, "D_WIDTH"),
      mute = value(track, "B_MUTE") ~= 0,
      solo = value(track, "I_SOLO") ~= 0,
      phase_invert = value(track, "B_PHASE") ~= 0,
      channel_count = util.int(value(track, "I_NCHAN")),
      folder_depth = util.int(value(track, "I_FOLDERDEPTH")),
      main_send = value(track, "B_MAINSEND") ~= 0,
      color = json.array({ r, g, b }),
      selected = value(track, "I_SELECTED") ~= 0,
      fx = fx,
      instrument_index = reaper.TrackFX_GetInstrument(track),
      sends = sends,
      receive_count = reaper.GetTrackNumSends(track, -1),
      item_count = items,
      media_files = with_media and util.media_files(track, 100, true) or json.array(),
      has_midi = has_midi,
      has_audio = has_audio,
      start = first or json.null,
      ["end"] = last or json.null,
    }
  end

  function handlers.project_get_overview(p)
    local result = info()
    result.change_count = reaper.GetProjectStateChangeCount(0)
    result.regions, result.markers = json.array(), json.array()
    local index = 0
    while true do
      local more, is_region, position, stop, name, number = reaper.EnumProjectMarkers3(0, index)
      if not more or more == 0 then
        break
      end
      local entry = { index = index, number = number, name = name or "", start = position }
      if is_region then
        entry["end"] = stop
        result.regions[#result.regions + 1] = entry
      else
        result.markers[#result.markers + 1] = entry
      end
      index = index + 1
    end
    local track_indices, item_indices = json.array(), json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      if util.track_value(reaper.GetTrack(0, i), "I_SELECTED") ~= 0 then
        track_indices[#track_indices + 1] = i
      end
    end
    for i = 0, reaper.CountMediaItems(0) - 1 do
      if reaper.GetMediaItemInfo_Value(reaper.GetMediaItem(0, i), "B_UISEL") ~= 0 then
        item_indices[#item_indices + 1] = i
      end
    end
    local start, stop = reaper.GetSet_LoopTimeRange(false, false, 0, 0, false)
    result.selection = {
      track_indices = track_indices, item_indices = item_indices,
      time_selection = { start = start, ["end"] = stop, length = stop - start },
    }
    result.tracks = json.array()
    if p.include_tracks then
      for i = 0, reaper.CountTracks(0) - 1 do
        result.tracks[i + 1] = track_summary(reaper.GetTrack(0, i), p.include_media)
      end
      result.master = track_summary(reaper.GetMasterTrack(0), false)
    end
    return result
  end

  local function counts()
    return {
      name = reaper.GetProjectName(0) or "", file_path = file_path(),
      track_count = reaper.CountTracks(0), item_count = reaper.CountMediaItems(0),
    }
  end

  local function is_empty()
    return reaper.CountTracks(0) == 0 and file_path() == ""
  end

  -- The action for a new project asks about unsaved changes, which would hold
  -- the loop; a new tab never asks. Hosts without tabs do not ask either.
  function handlers.project_new(_)
    if reaper.IsProjectDirty(0) ~= 0 then
      reaper.Main_OnCommand(41929, 0)
    end
    if reaper.IsProjectDirty(0) == 0 or not is_empty() then
      reaper.Main_OnCommand(40023, 0)
    end
    local result = counts()
    if result.track_count ~= 0 or result.file_path ~= "" then
      fail("COMMAND_FAILED", "the project did not become an empty one")
    end
    return result
  end

  local function same_path(a, b)
    return a:gsub("\\", "/") == b:gsub("\\", "/")
  end

  function handlers.project_open(p)
    if not util.file_size(p.path) then
      fail("INVALID_PATH", "there is no project file at " .. p.path, { path = p.path })
    end
    reaper.Main_openProject("noprompt:" .. p.path)
    if not same_path(file_path(), p.path) then
      fail("COMMAND_FAILED", "REAPER did not open " .. p.path .. "; the current project is `" .. file_path() .. "`")
    end
    return counts()
  end

  local function saved(path)
    local size = util.file_size(path)
    if not size or size == 0 then
      fail("COMMAND_FAILED", "no project file was written at " .. path, { path = path })
    end
    return { saved = true, file_path = path }
  end

  function handlers.project_save(_)
    local path = file_path()
    if path == "" then
      fail("COMMAND_REJECTED", "the project has no file yet; use project_save_as")
    end
    reaper.Main_OnCommand(40026, 0)
    return saved(path)
  end

  -- 8: the project goes on with the new file; 0: a copy.
  local function save_to(path, options)
    util.need("Main_SaveProjectEx")
    local folder = util.folder_of(path)
    if folder ~= "" then
      reaper.RecursiveCreateDirectory(folder, 0)
    end
    reaper.Main_SaveProjectEx(0, path, options)
    return saved(path)
  end

  function handlers.project_save_as(p)
    local result = save_to(p.path, 8)
    if not same_path(file_path(), p.path) then
      fail("READBACK_MISMATCH", "the project's file is `" .. file_path() .. "`, not " .. p.path)
    end
    return result
  end

  function handlers.project_backup(p)
    if same_path(file_path(), p.path) then
      fail("INVALID_PATH", "a backup needs another name than the project")
    end
    return save_to(p.path, 0)
  end

  -- Undo ----------------------------------------------------------------

  local function next_steps(result)
    result.next_undo = reaper.Undo_CanUndo2(0) or json.null
    result.next_redo = reaper.Undo_CanRedo2(0) or json.null
    return result
  end

  local function step_list(count, can, act)
    local list = json.array()
    for _ = 1, count do
      local name = can(0)
      if not name then
        break
      end
      act(0)
      list[#list + 1] = name
    end
    return list
  end

  function handlers.project_undo(p)
    local list = step_list(p.steps, reaper.Undo_CanUndo2, reaper.Undo_DoUndo2)
    return next_steps({ undone = #list > 0, list = list, count = #list })
  end

  function handlers.project_redo(p)
    local list = step_list(p.steps, reaper.Undo_CanRedo2, reaper.Undo_DoRedo2)
    return next_steps({ redone = #list > 0, list = list, count = #list })
  end

  function handlers.project_undo_group(_)
    local prefix = undo.group_prefix(reaper.Undo_CanUndo2(0))
    if not prefix then
      fail("COMMAND_REJECTED", "the newest undo step belongs to no group")
    end
    local list = json.array()
    while #list < 10000 do
      local name = reaper.Undo_CanUndo2(0)
      if not name or name:sub(1, #prefix) ~= prefix then
        break
      end
      reaper.Undo_DoUndo2(0)
      list[#list + 1] = name
    end
    local group = prefix:match("^MCP: (.-) > $")
    return next_steps({ group = group, undone_steps = list, steps_undone = #list })
  end

  -- Texts ---------------------------------------------------------------

  local function notes()
    return reaper.GetSetProjectNotes(0, false, "") or ""
  end

  function handlers.project_get_notes(_)
    return { notes = notes() }
  end

  function handlers.project_set_notes(p)
    reaper.GetSetProjectNotes(0, true, p.notes)
    return { notes = notes() }
  end

  local function info_text(key, value)
    local ok, text = reaper.GetSetProjectInfo_String(0, key, value or "", value ~= nil)
    return ok and text or ""
  end

  local function notes_info()
    return { title = info_text("PROJECT_TITLE"), author = info_text("PROJECT_AUTHOR") }
  end

  function handlers.project_get_notes_info(_)
    return notes_info()
  end

  function handlers.project_set_notes_info(p)
    local written = json.array()
    for _, name in ipairs({ "title", "author" }) do
      if p[name] then
        info_text("PROJECT_" .. name:upper(), p[name])
        written[#written + 1] = name
      end
    end
    if #written == 0 then
      errors.missing("title or author")
    end
    return { written = written, notes_info = notes_info() }
  end

  -- Each field as ID3, Vorbis and APE tag.
  local TAGS = {
    { "title", "TIT2", "TITLE", "Title" },
    { "artist", "TPE1", "ARTIST", "Artist" },
    { "album", "TALB", "ALBUM", "Album" },
    { "comment", "COMM", "COMMENT", "Comment" },
    { "genre", "TCON", "GENRE", "Genre" },
    { "year", "TYER", "DATE", "Year" },
    { "track_number", "TRCK", "TRACKNUMBER", "Track" },
    { "composer", "TCOM", "COMPOSER", "Composer" },
    { "isrc", "TSRC", "ISRC", "ISRC" },
    { "copyright", "TCOP", "COPYRIGHT", "Copyright" },
  }

  local function tags()
    local raw = info_text("RENDER_METADATA")
    local present, set = json.array(), {}
    for tag in raw:gmatch("[^;\n]+") do
      local name = tag:match("^([^|]+)") or tag
      present[#present + 1] = name
      set[name] = true
    end
    return raw, present, set
  end

  function handlers.project_get_metadata(_)
    local raw, present, set = tags()
    local fields = json.object()
    for _, row in ipairs(TAGS) do
      fields[row[1]] = (set["ID3:" .. row[2]] or set["VORBIS:" .. row[3]] or set["APE:" .. row[4]]) == true
    end
    return { raw = raw, tags_present = present, fields_set = fields }
  end

  function handlers.project_set_metadata(p)
    p.artist = p.artist or p.author
    local written = json.array()
    for _, row in ipairs(TAGS) do
      local value = p[row[1]]
      if value then
        for _, tag in ipairs({ "ID3:" .. row[2], "VORBIS:" .. row[3], "APE:" .. row[4] }) do
          reaper.GetSetProjectInfo_String(0, "RENDER_METADATA", tag .. "|" .. value, true)
        end
        written[#written + 1] = row[1]
      end
    end
    if #written == 0 then
      errors.missing("title (or another field)")
    end
    local _, present = tags()
    return { written = written, tags_present_after = present }
  end

  function handlers.project_set_ext(p)
    reaper.SetProjExtState(0, p.section, p.key, p.value)
    local _, value = reaper.GetProjExtState(0, p.section, p.key)
    if (value or "") ~= p.value then
      fail("READBACK_MISMATCH", "the stored text reads back differently")
    end
    return { section = p.section, key = p.key, value = value or "" }
  end

  function handlers.project_get_ext(p)
    local _, value = reaper.GetProjExtState(0, p.section, p.key)
    return { section = p.section, key = p.key, value = value or "" }
  end

  -- Settings ------------------------------------------------------------

  function handlers.project_set_sample_rate(p)
    local force = p.sample_rate > 0 and 1 or 0
    if force == 1 then
      reaper.GetSetProjectInfo(0, "PROJECT_SRATE", p.sample_rate, true)
    end
    reaper.GetSetProjectInfo(0, "PROJECT_SRATE_USE", force, true)
    local rate = util.int(reaper.GetSetProjectInfo(0, "PROJECT_SRATE", 0, false))
    if force == 1 and rate ~= p.sample_rate then
      fail("READBACK_MISMATCH", string.format("the sample rate reads back as %d", rate))
    end
    return { sample_rate = rate, forced = reaper.GetSetProjectInfo(0, "PROJECT_SRATE_USE", 0, false) ~= 0 }
  end

  function handlers.project_main_action(p)
    reaper.Main_OnCommand(p.command_id, 0)
    local name = reaper.kbd_getTextFromCmd and reaper.kbd_getTextFromCmd(p.command_id, 0) or ""
    return { command_id = p.command_id, name = name }
  end

  function handlers.project_set_grid(p)
    -- REAPER counts whole notes.
    reaper.SetProjectGrid(0, p.grid_division / 4)
    local _, division = reaper.GetSetProjectGrid(0, false)
    return { grid_division = division and division * 4 or p.grid_division }
  end

  function handlers.project_set_ripple_mode(p)
    reaper.Main_OnCommand(40309 + p.mode, 0)
    return { mode = p.mode }
  end
end
