-- Notes on many tracks.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  function handlers.compose_ensure_tracks(p)
    local created = util.ensure_tracks(p.max_track_index + 1)
    return { tracks_ensured = reaper.CountTracks(0), created = created }
  end

  -- MIDI items only: audio on the track is somebody's recording.
  local function delete_midi(track)
    local deleted = 0
    for i = reaper.CountTrackMediaItems(track) - 1, 0, -1 do
      local item = reaper.GetTrackMediaItem(track, i)
      if util.is_midi(item) and reaper.DeleteTrackMediaItem(track, item) then
        deleted = deleted + 1
      end
    end
    return deleted
  end

  -- Time in seconds of an entry that gives seconds or quarter notes.
  local function time_of(entry, name, qn_name, required)
    local beats = util.field(entry, qn_name, "number")
    if beats then
      return reaper.TimeMap2_QNToTime(0, beats)
    end
    return util.field(entry, name, "number", required)
  end

  local function cc_time(entry)
    local time = time_of(entry, "position", "position_qn")
    if not time then
      time = time_of(entry, "time", "time_qn", true)
    end
    return time
  end

  -- The last moment at which something ends.
  local function extent(notes, ccs)
    local first, last
    util.each(notes, "notes", function(entry)
      local start = time_of(entry, "start", "start_qn", true)
      local stop = time_of(entry, "end", "end_qn", true)
      first, last = math.min(first or start, start), math.max(last or stop, stop)
    end)
    util.each(ccs, "ccs", function(entry)
      last = math.max(last or 0, cc_time(entry))
    end)
    return first, last
  end

  local function write_ccs(take, ccs)
    local written = 0
    for _, entry in ipairs(ccs) do
      local ppq = reaper.MIDI_GetPPQPosFromProjTime(take, cc_time(entry))
      local channel = util.between(util.field(entry, "channel", "int") or 0, "channel", 0, 15)
      local bend = util.between(util.field(entry, "pitch_bend", "int"), "pitch_bend", 0, 16383)
      if bend then
        util.insert_cc(take, ppq, 0xE0, channel, bend & 127, bend >> 7)
      else
        local number = util.between(util.field(entry, "cc", "int") or util.field(entry, "cc_number", "int", true), "cc", 0, 127)
        local value = util.between(util.field(entry, "value", "int") or util.field(entry, "cc_value", "int", true), "value", 0, 127)
        util.insert_cc(take, ppq, 0xB0, channel, number, value)
      end
      written = written + 1
    end
    return written
  end

  local function write_track(data, clear)
    local index = util.field(data, "track_index", "int")
    if index and index >= 0 then
      util.ensure_tracks(index + 1)
    end
    local track
    track, index = util.entry_track(data, "track_index")
    local notes = util.field(data, "notes", "list") or {}
    local ccs = util.field(data, "ccs", "list") or {}
    if #notes + #ccs == 0 then
      errors.missing("notes")
    end
    local first, last = extent(notes, ccs)
    local position = util.field(data, "position", "number") or 0
    if first and first < position then
      errors.invalid("notes", string.format("begin at %g s, before the item at %g s", first, position))
    end
    local length = util.field(data, "length", "number") or (math.max(4, last - position) + 1)
    if length <= 0 then
      errors.invalid("length", "must be above 0")
    end
    local name = util.field(data, "track_name", "string")
    if name and name ~= "" then
      util.set_name(track, name)
    end
    local deleted = clear and delete_midi(track) or 0
    local item = reaper.CreateNewMIDIItemInProj(track, position, position + length, false)
    local take = item and reaper.GetActiveTake(item)
    if not take then
      fail("COMMAND_FAILED", "REAPER did not make the MIDI item")
    end
    local ok, written, ccs_written = pcall(function()
      local plan = {}
      for i, entry in ipairs(notes) do
        plan[i] = util.read_note(take, entry)
      end
      return util.write_notes(take, plan), write_ccs(take, ccs)
    end)
    if not ok then
      reaper.DeleteTrackMediaItem(track, item)
      error(written, 0)
    end
    reaper.MIDI_Sort(take)
    if written ~= #notes then
      reaper.DeleteTrackMediaItem(track, item)
      fail("COMMAND_FAILED", string.format("REAPER took %d of %d notes", written, #notes))
    end
    local coverage = first and math.min(100, 100 * (last - position) / length) or 0
    return {
      track_index = index, item_index = util.item_index(item), item_guid = util.item_guid(item),
      items_deleted = deleted, position = position, length = length,
      notes_inserted = written, ccs_inserted = ccs_written,
      notes_earliest = first or json.null, notes_latest = last or json.null, coverage_pct = coverage,
      warning = coverage < 50 and "the notes cover less than half of the item" or nil,
    }
  end

  function handlers.compose_single_track(p)
    return write_track(p.track_data, p.clear_existing)
  end

  function handlers.compose_arrangement(p)
    local tracks = json.array()
    util.each(p.tracks, "tracks", function(entry, index)
      tracks[index] = write_track(entry, p.clear_existing)
    end)
    -- Items of later tracks move the indices of earlier ones.
    for _, entry in ipairs(tracks) do
      entry.item_index = util.item_index_of_guid(entry.item_guid) or -1
    end
    return { tracks = tracks }
  end

  local function track_list(list, name)
    local tracks = {}
    for _, index in ipairs(list) do
      local whole = math.type(index) and math.tointeger(index)
      if not whole or whole < 0 then
        errors.invalid(name, "must hold integers from 0")
      end
      tracks[#tracks + 1] = { track = util.track(whole), index = whole }
    end
    return tracks
  end

  local function all_tracks()
    local tracks = {}
    for i = 0, reaper.CountTracks(0) - 1 do
      tracks[#tracks + 1] = { track = reaper.GetTrack(0, i), index = i }
    end
    return tracks
  end

  function handlers.wipe_all_midi(p)
    local tracks = p.tracks and track_list(p.tracks, "tracks") or all_tracks()
    local items, wiped = 0, 0
    for _, entry in ipairs(tracks) do
      local deleted = delete_midi(entry.track)
      items = items + deleted
      wiped = wiped + (deleted > 0 and 1 or 0)
    end
    reaper.UpdateArrange()
    return { items_deleted = items, tracks_wiped = wiped }
  end

  -- `all`, also with quotes around it as some clients send it, or a list of
  -- indices or of objects that name a track.
  local function targets(value)
    if type(value) == "string" then
      local word = value:gsub('^"(.*)"$', "%1")
      if word == "all" then
        return all_tracks()
      end
      local list, message = json.decode(value)
      if not list then
        errors.invalid("tracks", "must be `all` or a list: " .. message)
      end
      value = list
    end
    if type(value) ~= "table" or json.is_object(value) then
      errors.invalid("tracks", "must be `all` or a list")
    end
    local tracks = {}
    for _, entry in ipairs(value) do
      if type(entry) == "table" then
        local track, index = util.entry_track(entry, "track_index")
        tracks[#tracks + 1] = { track = track, index = index, entry = entry }
      else
        tracks[#tracks + 1] = track_list({ entry }, "tracks")[1]
      end
    end
    if #tracks == 0 then
      errors.invalid("tracks", "names no track")
    end
    return tracks
  end

  local function midi_takes(track, start, stop)
    local takes = {}
    for i = 0, reaper.CountTrackMediaItems(track) - 1 do
      local item = reaper.GetTrackMediaItem(track, i)
      local position = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
      local finish = position + reaper.GetMediaItemInfo_Value(item, "D_LENGTH")
      if util.is_midi(item) and position < stop and finish > start then
        takes[#takes + 1] = { take = reaper.GetActiveTake(item), item = item, position = position }
      end
    end
    return takes
  end

  local function clear_range(take, start, stop, mode)
    local notes, ccs = util.midi_counts(take)
    local notes_deleted, ccs_deleted = 0, 0
    local function inside(ppq)
      local time = reaper.MIDI_GetProjTimeFromPPQPos(take, ppq)
      -- Half a sample of slack: ticks do not hit seconds exactly.
      return time >= start - 1e-5 and time < stop - 1e-5
    end
    if mode ~= "ccs_only" then
      for i = notes - 1, 0, -1 do
        local _, _, _, first = reaper.MIDI_GetNote(take, i)
        if inside(first) then
          reaper.MIDI_DeleteNote(take, i)
          notes_deleted = notes_deleted + 1
        end
      end
    end
    if mode ~= "notes_only" then
      for i = ccs - 1, 0, -1 do
        local _, _, _, ppq = reaper.MIDI_GetCC(take, i)
        if inside(ppq) then
          reaper.MIDI_DeleteCC(take, i)
          ccs_deleted = ccs_deleted + 1
        end
      end
    end
    return notes_deleted, ccs_deleted
  end

  local function trim(take, item, position)
    local notes = util.midi_counts(take)
    local last = position
    for i = 0, notes - 1 do
      local _, _, _, _, stop = reaper.MIDI_GetNote(take, i)
      last = math.max(last, reaper.MIDI_GetProjTimeFromPPQPos(take, stop))
    end
    if last > position then
      reaper.SetMediaItemInfo_Value(item, "D_LENGTH", last - position)
    end
  end

  local function edit(target, p)
    local takes = midi_takes(target.track, p.start_time, p.end_time)
    local result = { track_index = target.index, notes_deleted = 0, ccs_deleted = 0, notes_inserted = 0, ccs_inserted = 0 }
    local entry = target.entry or {}
    local notes, ccs = util.field(entry, "notes", "list") or {}, util.field(entry, "ccs", "list") or {}
    if #takes == 0 then
      if #notes + #ccs > 0 then
        fail("NOT_FOUND", string.format("track %d has no MIDI item in the range to write into", target.index))
      end
      return result, 0
    end
    -- Read before anything is deleted, so that a wrong note changes nothing.
    local plan = {}
    for i, note in ipairs(notes) do
      plan[i] = util.read_note(takes[1].take, note)
    end
    for _, part in ipairs(takes) do
      local notes_deleted, ccs_deleted = clear_range(part.take, p.start_time, p.end_time, p.mode)
      result.notes_deleted = result.notes_deleted + notes_deleted
      result.ccs_deleted = result.ccs_deleted + ccs_deleted
    end
    result.notes_inserted = util.write_notes(takes[1].take, plan)
    result.ccs_inserted = write_ccs(takes[1].take, ccs)
    reaper.MIDI_Sort(takes[1].take)
    if p.trim_item then
      for _, part in ipairs(takes) do
        trim(part.take, part.item, part.position)
      end
    end
    return result, #takes
  end

  function handlers.edit_section(p)
    if p.end_time <= p.start_time then
      errors.invalid("end_time", "must lie after `start_time`")
    end
    local tracks, touched = json.array(), 0
    for _, target in ipairs(targets(p.tracks)) do
      local result, count = edit(target, p)
      touched = touched + count
      tracks[#tracks + 1] = result
    end
    if touched == 0 then
      fail("NOT_FOUND", "no MIDI item of these tracks lies in the range")
    end
    return { tracks = tracks }
  end

  -- Reading --------------------------------------------------------------------

  local GAP = 2.0
  local MOST_GAPS = 5

  local function notes_of(track, start, stop)
    local notes = {}
    for _, part in ipairs(midi_takes(track, start, stop)) do
      for i = 0, util.midi_counts(part.take) - 1 do
        local _, _, _, first, last, _, pitch, velocity = reaper.MIDI_GetNote(part.take, i)
        local from = reaper.MIDI_GetProjTimeFromPPQPos(part.take, first)
        if from >= start and from < stop then
          notes[#notes + 1] = {
            from = from, to = reaper.MIDI_GetProjTimeFromPPQPos(part.take, last),
            pitch = util.int(pitch), velocity = util.int(velocity),
          }
        end
      end
    end
    table.sort(notes, function(a, b) return a.from < b.from end)
    return notes
  end

  local function summary(notes)
    local pitch_low, pitch_high, vel_low, vel_high = 127, 0, 127, 0
    local pitches, velocities, durations = 0, 0, 0
    local gaps, sounding = json.array(), nil
    for _, note in ipairs(notes) do
      pitch_low, pitch_high = math.min(pitch_low, note.pitch), math.max(pitch_high, note.pitch)
      vel_low, vel_high = math.min(vel_low, note.velocity), math.max(vel_high, note.velocity)
      pitches, velocities = pitches + note.pitch, velocities + note.velocity
      durations = durations + note.to - note.from
      if sounding and note.from - sounding > GAP and #gaps < MOST_GAPS then
        gaps[#gaps + 1] = { start = sounding, ["end"] = note.from }
      end
      sounding = math.max(sounding or note.to, note.to)
    end
    local count = #notes
    return {
      note_count = count, pitch_range = json.array({ pitch_low, pitch_high }), avg_pitch = pitches / count,
      vel_range = json.array({ vel_low, vel_high }), avg_vel = velocities / count, avg_dur = durations / count,
      time_span = json.array({ notes[1].from, sounding }), gaps = gaps,
    }
  end

  function handlers.analyze_score(p)
    local stop = p.end_time >= 0 and p.end_time or math.huge
    local tracks = json.array()
    for _, target in ipairs(targets(p.tracks)) do
      local notes = notes_of(target.track, p.start_time, stop)
      if #notes > 0 then
        local result = summary(notes)
        result.track_index, result.name = target.index, util.track_name(target.track)
        tracks[#tracks + 1] = result
      end
    end
    return { tracks = tracks }
  end
end
