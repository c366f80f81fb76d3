-- Rendering: every setting is written, and the files are looked for afterwards.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- Sink blocks: four-byte code and settings, as base64.
  local FORMATS = {
    wav16 = "ZXZhdxAAAQ==", wav24 = "ZXZhdxgAAQ==", wav32f = "ZXZhdyAAAQ==", wav64f = "ZXZhd0AAAQ==",
    wav32 = "ZXZhdyEAAQ==",
    aiff16 = "ZmZpYRAAAA==", aiff24 = "ZmZpYRgAAA==", aiff32 = "ZmZpYSAAAA==",
    flac16 = "Y2FsZhAAAAAFAAAA", flac24 = "Y2FsZhgAAAAFAAAA",
    ["mp3-320"] = "bDNwbUABAAAAAAAAAgAAAP////8EAAAAQAEAAAAAAAA=",
    ["mp3-192"] = "bDNwbcAAAAAAAAAAAgAAAP////8EAAAAwAAAAAAAAAA=",
    ["mp3-128"] = "bDNwbYAAAAAAAAAAAgAAAP////8EAAAAgAAAAAAAAAA=",
    ogg = "dmdnbwAAAD8AgAAAAIAAAACAAAAAgAAAAAA=",
  }
  FORMATS.wav, FORMATS.flac, FORMATS.aiff, FORMATS.mp3 = FORMATS.wav24, FORMATS.flac24, FORMATS.aiff24, FORMATS["mp3-320"]

  -- The first base64 digits of a block with this bare code.
  local CODES = { evaw = "ZXZhd", calf = "Y2FsZ", l3pm = "bDNwb", vggo = "dmdnb", ffia = "ZmZpY" }

  local SOURCES = { master = 0, stems = 3, stems_and_master = 1, stems_via_master = 128 }
  -- Every bit that chooses a source; the others, such as embedding metadata,
  -- are the project's.
  local SOURCE_BITS = 1 | 2 | 8 | 32 | 64 | 128 | 4096

  -- Value of RENDER_BOUNDSFLAG, and its bit in RENDER_TAILFLAG.
  local BOUNDS = {
    custom = { 0, 1 }, project = { 1, 2 }, time_selection = { 2, 4 }, regions = { 3, 8 }, markers = { 6, 8 },
  }

  local function get(key)
    return reaper.GetSetProjectInfo(0, key, 0, false)
  end

  local function set(key, value)
    reaper.GetSetProjectInfo(0, key, value, true)
  end

  local function get_text(key)
    local ok, text = reaper.GetSetProjectInfo_String(0, key, "", false)
    return ok and text or ""
  end

  local function set_text(key, value)
    reaper.GetSetProjectInfo_String(0, key, value, true)
  end

  local function format_of(p)
    local asked = p.format or p.format_code or "wav24"
    local block = FORMATS[asked]
    if block then
      return block, block
    end
    if CODES[asked] then
      return asked, CODES[asked]
    end
    -- A block of one's own: at least the code, in base64.
    if #asked >= 8 and #asked % 4 == 0 and asked:find("^[%w+/]+=*$") then
      return asked, asked:sub(1, 5)
    end
    fail("INVALID_FORMAT", "unknown render format `" .. asked .. "`", { format = asked })
  end

  local function is_absolute(path)
    return path:find("^/") or path:find("^%a:[/\\]") or path:find("^\\\\")
  end

  -- `;` separates, and is legal in file names: a piece that is no absolute
  -- path belongs to the one before it.
  local function split_targets(text)
    local paths = {}
    for piece in text:gmatch("[^;]+") do
      if #paths == 0 or is_absolute(piece) then
        paths[#paths + 1] = piece
      else
        paths[#paths] = paths[#paths] .. ";" .. piece
      end
    end
    return paths
  end

  -- `FILE:path;PEAK:-1.0;...` for each file.
  local function parse_stats(text)
    local records, record, last = json.array(), nil, nil
    for piece in text:gmatch("[^;\n]+") do
      local key, value = piece:match("^([A-Z][A-Z0-9_]*):(.*)$")
      if key == "FILE" then
        record = { file = value }
        records[#records + 1] = record
        last = "file"
      elseif key and record then
        last = key:lower()
        record[last] = tonumber(value) or value
      elseif record and last and type(record[last]) == "string" then
        record[last] = record[last] .. ";" .. piece
      end
    end
    return records
  end

  local function select_tracks(indices)
    for i = 0, reaper.CountTracks(0) - 1 do
      reaper.SetTrackSelected(reaper.GetTrack(0, i), false)
    end
    for _, index in ipairs(indices) do
      local whole = math.type(index) and math.tointeger(index)
      if not whole or whole < 0 then
        errors.invalid("track_indices", "must hold integers from 0")
      end
      reaper.SetTrackSelected(util.track(whole), true)
    end
  end

  local function selection()
    local tracks = {}
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      if util.track_value(track, "I_SELECTED") ~= 0 then
        tracks[#tracks + 1] = track
      end
    end
    return tracks
  end

  -- A file that the project plays must not be what a render replaces.
  local function sources()
    local used = {}
    for i = 0, reaper.CountMediaItems(0) - 1 do
      local take = reaper.GetActiveTake(reaper.GetMediaItem(0, i))
      if take and not reaper.TakeIsMIDI(take) then
        used[util.source_file(take)] = true
      end
    end
    return used
  end

  local function clear_targets(targets)
    local used = sources()
    for _, path in ipairs(targets) do
      if used[path] then
        fail("INVALID_PATH", "the render would replace a source of the project: " .. path, { path = path })
      end
    end
    for _, path in ipairs(targets) do
      -- REAPER would ask what to do with a file that is there.
      if util.file_size(path) then
        os.remove(path)
      end
    end
  end

  local function write_bounds(p)
    local tail_bit
    if p.bounds ~= "keep" then
      local row = BOUNDS[p.bounds]
      set("RENDER_BOUNDSFLAG", row[1])
      tail_bit = row[2]
    else
      local flag = util.int(get("RENDER_BOUNDSFLAG"))
      tail_bit = ({ [0] = 1, 2, 4, 8, 16, 32, 8, 32 })[flag] or 2
    end
    if p.bounds == "custom" then
      if not p.start or not p["end"] or p["end"] <= p.start then
        errors.invalid("end", "must lie after `start`; custom bounds need both")
      end
      set("RENDER_STARTPOS", p.start)
      set("RENDER_ENDPOS", p["end"])
    end
    if p.tail_ms then
      set("RENDER_TAILFLAG", p.tail_ms > 0 and tail_bit or 0)
      set("RENDER_TAILMS", p.tail_ms)
    end
    if p.bounds == "project" and reaper.GetProjectLength(0) <= 0 then
      fail("RENDER_FAILED", "the project is empty, there is nothing to render")
    end
  end

  local function check_stem_names(p, selected)
    if not p.source:find("^stems") then
      return
    end
    if #selected == 0 then
      errors.invalid("track_indices", "names no track and none is selected")
    end
    -- A number makes no folder.
    local names = p.render_pattern:gsub("%$tracknumber", "")
    if names:find("$track", 1, true) then
      for _, track in ipairs(selected) do
        local name = util.track_name(track)
        if name:find("[/\\]") then
          errors.invalid("render_pattern", "would make folders of the track name `" .. name .. "`")
        end
      end
    end
  end

  local function render(p, block, expected)
    local before = util.int(get("RENDER_SETTINGS"))
    set("RENDER_SETTINGS", (before & ~SOURCE_BITS) | SOURCES[p.source])
    write_bounds(p)
    if p.sample_rate then
      set("RENDER_SRATE", p.sample_rate)
    end
    if p.channels then
      set("RENDER_CHANNELS", p.channels)
    end
    set("RENDER_DITHER", p.dither or 0)
    set("RENDER_NORMALIZE", p.normalize or 0)
    set("RENDER_ADDTOPROJ", 0)
    reaper.RecursiveCreateDirectory(p.render_dir, 0)
    set_text("RENDER_FILE", p.render_dir)
    set_text("RENDER_PATTERN", p.render_pattern)
    set_text("RENDER_FORMAT", block)
    set_text("RENDER_FORMAT2", "")
    local readback = {
      render_file = get_text("RENDER_FILE"), pattern = get_text("RENDER_PATTERN"),
      format = get_text("RENDER_FORMAT"), settings = util.int(get("RENDER_SETTINGS")),
      bounds = util.int(get("RENDER_BOUNDSFLAG")), sample_rate = util.int(get("RENDER_SRATE")),
      channels = util.int(get("RENDER_CHANNELS")),
    }
    local format_ok = readback.format == block or readback.format:sub(1, #expected) == expected
    if not format_ok then
      fail("INVALID_FORMAT", "the host did not take the render format", { readback = readback })
    end
    local targets = split_targets(get_text("RENDER_TARGETS"))
    clear_targets(targets)
    -- Our own host raises why it cannot render; REAPER would show a dialog.
    local rendered, message = pcall(reaper.Main_OnCommand, 42230, 0)
    if not rendered then
      fail("RENDER_FAILED", (tostring(message):gsub("^.-Main_OnCommand: ", ""):gsub("\nstack traceback:.*", "")))
    end
    return readback, targets
  end

  -- What is on the disk now, for the files that the host named before or after.
  local function look(targets, stats)
    local list, missing, seen = json.array(), json.array(), {}
    local function add(path)
      if seen[path] then
        return
      end
      seen[path] = true
      local bytes = util.file_size(path)
      list[#list + 1] = { path = path, exists = bytes ~= nil, bytes = bytes or 0 }
      if not bytes or bytes == 0 then
        missing[#missing + 1] = path
      end
    end
    for _, path in ipairs(targets) do
      add(path)
    end
    for _, record in ipairs(stats) do
      if is_absolute(record.file) then
        add(record.file)
      end
    end
    return list, missing
  end

  function handlers.project_export_audio(p)
    local block, expected = format_of(p)
    if p.render_pattern == "" then
      errors.missing("render_pattern")
    end
    local previous = selection()
    if p.track_indices then
      select_tracks(p.track_indices)
    end
    local selected = selection()
    check_stem_names(p, selected)
    local ok, readback, targets = pcall(render, p, block, expected)
    local stats = ok and get_text("RENDER_STATS") or ""
    if p.track_indices then
      select_tracks({})
      for _, track in ipairs(previous) do
        reaper.SetTrackSelected(track, true)
      end
    end
    if not ok then
      error(readback, 0)
    end
    local records = parse_stats(stats)
    local list, missing = look(targets, records)
    if #list == 0 then
      fail("RENDER_FAILED", "the host named no output files", { stats = stats, readback = readback })
    end
    if #missing > 0 then
      fail("RENDER_FAILED", "the render left no file, or an empty one: " .. missing[1],
        { missing = missing, targets = list })
    end
    return {
      rendered = true, format_ok = true, selected_track_count = #selected,
      targets = list, stats = stats, stats_parsed = records,
      sent = {
        render_dir = p.render_dir, render_pattern = p.render_pattern, format = block, source = p.source,
        bounds = p.bounds, sample_rate = p.sample_rate, tail_ms = p.tail_ms,
      },
      readback = readback,
    }
  end
end
