-- Items: listing, placing, cutting, copying.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  local function write(item, key, value)
    reaper.SetMediaItemInfo_Value(item, key, value)
    local got = reaper.GetMediaItemInfo_Value(item, key)
    if math.abs(got - value) > 1e-6 * math.max(1, math.abs(value)) then
      fail("READBACK_MISMATCH", string.format("%s of the item reads back as %g, not %g", key, got, value),
        { key = key, requested = value, value = got })
    end
  end
  util.write_item = write

  local function done(item)
    reaper.UpdateItemInProject(item)
    return util.item_info(item)
  end

  function handlers.item_get_all(p)
    local items = json.array()
    local total
    if p.track_index >= 0 then
      local track = util.track(p.track_index)
      total = reaper.CountTrackMediaItems(track)
      for i = 0, math.min(total, p.max_results) - 1 do
        items[#items + 1] = util.item_info(reaper.GetTrackMediaItem(track, i))
      end
    else
      total = reaper.CountMediaItems(0)
      for i = 0, math.min(total, p.max_results) - 1 do
        items[#items + 1] = util.item_info(reaper.GetMediaItem(0, i), i)
      end
    end
    return { items = items, total_items = total, returned = #items, truncated = #items < total }
  end

  function handlers.item_get_info(p)
    return util.item_info(util.item(p.item_index), p.item_index)
  end

  function handlers.item_select(p)
    local item = util.item(p.item_index)
    if p.exclusive then
      for i = 0, reaper.CountMediaItems(0) - 1 do
        reaper.SetMediaItemSelected(reaper.GetMediaItem(0, i), false)
      end
    end
    reaper.SetMediaItemSelected(item, p.selected)
    reaper.UpdateArrange()
    return util.item_info(item, p.item_index)
  end

  -- Built from its parts: InsertMedia works on cursor and selection, and
  -- leaves them changed.
  function handlers.item_insert_media(p)
    local track = util.track(p.track_index)
    if not util.file_size(p.path) then
      fail("INVALID_PATH", "there is no readable file at " .. p.path, { path = p.path })
    end
    local source = reaper.PCM_Source_CreateFromFile(p.path)
    if not source then
      fail("INVALID_PATH", "REAPER cannot read the media file " .. p.path, { path = p.path })
    end
    local length, in_beats = reaper.GetMediaSourceLength(source)
    if in_beats then
      local start = reaper.TimeMap2_timeToQN(0, p.position)
      length = reaper.TimeMap2_QNToTime(0, start + length) - p.position
    end
    if not length or length <= 0 then
      fail("INVALID_PATH", "the media file has no content: " .. p.path, { path = p.path })
    end
    local item = reaper.AddMediaItemToTrack(track)
    local take = reaper.AddTakeToMediaItem(item)
    reaper.SetMediaItemTake_Source(take, source)
    local name = p.name or util.file_name(p.path)
    reaper.GetSetMediaItemTakeInfo_String(take, "P_NAME", name, true)
    -- A one-shot: it does not begin again when it is made longer.
    reaper.SetMediaItemInfo_Value(item, "B_LOOPSRC", 0)
    reaper.SetMediaItemInfo_Value(item, "D_POSITION", p.position)
    reaper.SetMediaItemInfo_Value(item, "D_LENGTH", length)
    return done(item)
  end

  function handlers.item_create_midi(p)
    local track = util.track(p.track_index)
    local item = reaper.CreateNewMIDIItemInProj(track, p.position, p.position + p.length, false)
    if not item then
      fail("COMMAND_FAILED", "REAPER did not make the MIDI item")
    end
    return done(item)
  end

  function handlers.item_split(p)
    local item = util.item(p.item_index)
    local right = reaper.SplitMediaItem(item, p.position)
    if not right then
      fail("VALUE_OUT_OF_RANGE", string.format("%g s lies outside the item", p.position), { parameter = "position" })
    end
    reaper.UpdateArrange()
    return { left_item = util.item_info(item), right_item = util.item_info(right) }
  end

  function handlers.item_delete(p)
    local item = util.item(p.item_index)
    local track = reaper.GetMediaItem_Track(item)
    local deleted = {
      position = reaper.GetMediaItemInfo_Value(item, "D_POSITION"),
      length = reaper.GetMediaItemInfo_Value(item, "D_LENGTH"),
      track_index = util.track_index(track), track_name = util.track_name(track),
    }
    if not reaper.DeleteTrackMediaItem(track, item) then
      fail("COMMAND_FAILED", "REAPER did not delete the item")
    end
    reaper.UpdateArrange()
    return { deleted_index = p.item_index, remaining_items = reaper.CountMediaItems(0), deleted = deleted }
  end

  local function setter(key, convert)
    return function(p)
      local item = util.item(p.item_index)
      write(item, key, convert(p))
      return done(item)
    end
  end

  handlers.item_move = setter("D_POSITION", function(p) return p.new_position end)
  handlers.item_set_length = setter("D_LENGTH", function(p) return p.length end)
  handlers.item_set_volume = setter("D_VOL", function(p) return util.to_gain(p.volume_db) end)
  handlers.item_set_mute = setter("B_MUTE", function(p) return p.mute and 1 or 0 end)

  local function set_fades(item, fade_in, fade_out)
    if fade_in and fade_in >= 0 then
      write(item, "D_FADEINLEN", fade_in)
    end
    if fade_out and fade_out >= 0 then
      write(item, "D_FADEOUTLEN", fade_out)
    end
  end

  function handlers.item_set_fade(p)
    local item = util.item(p.item_index)
    set_fades(item, p.fade_in, p.fade_out)
    return done(item)
  end

  function handlers.item_move_to_track(p)
    local item, track = util.item(p.item_index), util.track(p.dest_track_index)
    if reaper.GetMediaItem_Track(item) ~= track and not reaper.MoveMediaItemToTrack(item, track) then
      fail("COMMAND_FAILED", "REAPER did not move the item")
    end
    return done(item)
  end

  local function entry_item(entry)
    local index, guid = util.field(entry, "item_index", "int"), util.field(entry, "item_guid", "string")
    if guid then
      local found = util.item_index_of_guid(guid)
      if not found then
        fail("NOT_FOUND", "no item has the GUID " .. guid)
      end
      if index and index ~= found then
        fail("STALE_INDEX", string.format("`item_index` is %d, but its GUID now has the index %d", index, found))
      end
      index = found
    end
    if not index then
      errors.missing("item_index")
    end
    return util.item(index)
  end

  local function apply(item, entry)
    local position = util.between(util.field(entry, "position", "number"), "position", 0, 1e6)
    local length = util.between(util.field(entry, "length", "number"), "length", 1e-6, 1e6)
    local volume = util.between(util.field(entry, "volume_db", "number"), "volume_db", -1000, 60)
    local mute = util.field(entry, "mute", "bool")
    local fade_in = util.between(util.field(entry, "fade_in", "number"), "fade_in", -1, 60)
    local fade_out = util.between(util.field(entry, "fade_out", "number"), "fade_out", -1, 60)
    if position then write(item, "D_POSITION", position) end
    if length then write(item, "D_LENGTH", length) end
    if volume then write(item, "D_VOL", util.to_gain(volume)) end
    if mute ~= nil then write(item, "B_MUTE", mute and 1 or 0) end
    set_fades(item, fade_in, fade_out)
  end

  function handlers.items_apply(p)
    local applied, problems, doomed = 0, json.array(), {}
    -- Items are looked up before anything moves, since moving reorders them.
    local work = {}
    util.each(p.entries, "entries", function(entry, number)
      util.collect(problems, number - 1, function()
        work[#work + 1] = { item = entry_item(entry), entry = entry, number = number - 1 }
      end)
    end)
    for _, job in ipairs(work) do
      util.collect(problems, job.number, function()
        if util.field(job.entry, "delete", "bool") then
          doomed[#doomed + 1] = job.item
        else
          apply(job.item, job.entry)
          applied = applied + 1
        end
      end)
    end
    for _, item in ipairs(doomed) do
      if reaper.ValidatePtr2(0, item, "MediaItem*")
          and reaper.DeleteTrackMediaItem(reaper.GetMediaItem_Track(item), item) then
        applied = applied + 1
      end
    end
    reaper.UpdateArrange()
    return { applied = applied, errors = problems }
  end

  -- Cutting ---------------------------------------------------------------

  local function chop_list(pieces, origin)
    local chops = json.array()
    for _, item in ipairs(pieces) do
      local position = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
      chops[#chops + 1] = {
        item_index = util.item_index(item), item_guid = util.item_guid(item), position = position,
        length = reaper.GetMediaItemInfo_Value(item, "D_LENGTH"),
        offset_in_original_sec = position - origin,
      }
    end
    return chops
  end

  local function split_at(item, positions)
    table.sort(positions)
    local pieces, current = { item }, item
    for _, position in ipairs(positions) do
      local right = reaper.SplitMediaItem(current, position)
      if right then
        pieces[#pieces + 1] = right
        current = right
      end
    end
    reaper.UpdateArrange()
    return pieces
  end

  function handlers.item_split_at_positions(p)
    local item = util.item(p.item_index)
    local positions = {}
    for i, position in ipairs(p.positions) do
      if type(position) ~= "number" then
        errors.invalid("positions", "must hold numbers, entry " .. i .. " is none")
      end
      positions[i] = position
    end
    local origin = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
    local pieces = split_at(item, positions)
    if #pieces == 1 then
      fail("VALUE_OUT_OF_RANGE", "none of the positions lies inside the item", { parameter = "positions" })
    end
    return {
      splits_requested = #positions, splits_made = #pieces - 1, chops_total = #pieces,
      chops = chop_list(pieces, origin),
    }
  end

  function handlers.item_split_at_transients(p)
    local item = util.item(p.item_index)
    local start = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
    local stop = start + reaper.GetMediaItemInfo_Value(item, "D_LENGTH")
    local cursor, selected = reaper.GetCursorPosition(), {}
    for i = 0, reaper.CountMediaItems(0) - 1 do
      local other = reaper.GetMediaItem(0, i)
      selected[#selected + 1] = { other, reaper.GetMediaItemInfo_Value(other, "B_UISEL") }
      reaper.SetMediaItemSelected(other, other == item)
    end
    local positions, at = {}, start
    reaper.SetEditCurPos(start, false, false)
    while #positions < 500 do
      reaper.Main_OnCommand(40375, 0)
      local next_at = reaper.GetCursorPosition()
      if next_at <= at + 1e-6 or next_at >= stop - 1e-6 then
        break
      end
      positions[#positions + 1] = next_at
      at = next_at
    end
    reaper.SetEditCurPos(cursor, false, false)
    for _, entry in ipairs(selected) do
      reaper.SetMediaItemInfo_Value(entry[1], "B_UISEL", entry[2])
    end
    if #positions == 0 then
      fail("COMMAND_FAILED", "the host found no transients in the item")
    end
    local pieces = split_at(item, positions)
    return { chops_created = #pieces - 1, chops_total = #pieces, chops = chop_list(pieces, start) }
  end

  -- Copying -----------------------------------------------------------------

  -- A copied chunk carries GUIDs with it: two items with one GUID would share
  -- MIDI and undo.
  local function fresh_guids(chunk)
    local pattern = "(\n%s*%u+ )(%b{})"
    return (chunk:gsub(pattern, function(head)
      local key = head:match("(%u+)")
      if key == "IGUID" or key == "GUID" or key == "POOLEDEVTS" then
        return head .. reaper.genGuid("")
      end
    end))
  end

  function util.clone_item(item, track, position)
    local ok, chunk = reaper.GetItemStateChunk(item, "", false)
    if not ok then
      fail("COMMAND_FAILED", "REAPER gave no state of the item")
    end
    local clone = reaper.AddMediaItemToTrack(track)
    if not reaper.SetItemStateChunk(clone, fresh_guids(chunk), false) then
      reaper.DeleteTrackMediaItem(track, clone)
      fail("COMMAND_FAILED", "REAPER refused the state of the copy")
    end
    reaper.SetMediaItemInfo_Value(clone, "D_POSITION", position)
    return clone
  end

  function handlers.item_duplicate(p)
    local item = util.item(p.item_index)
    local track = reaper.GetMediaItem_Track(item)
    local start = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
    local spacing = p.spacing_sec > 0 and p.spacing_sec or reaper.GetMediaItemInfo_Value(item, "D_LENGTH")
    local copies = {}
    for i = 1, p.count do
      copies[i] = util.clone_item(item, track, start + i * spacing)
    end
    reaper.UpdateArrange()
    local clones = json.array()
    for i, copy in ipairs(copies) do
      clones[i] = util.item_info(copy)
    end
    return { copies_created = #clones, clones = clones }
  end

  function handlers.item_clone_to_position(p)
    local item = util.item(p.source_item_index)
    local track = p.target_track_index and util.track(p.target_track_index) or reaper.GetMediaItem_Track(item)
    local clone = util.clone_item(item, track, p.target_position_sec)
    reaper.UpdateArrange()
    return {
      new_item_index = util.item_index(clone), new_item_guid = util.item_guid(clone),
      position = reaper.GetMediaItemInfo_Value(clone, "D_POSITION"),
      length = reaper.GetMediaItemInfo_Value(clone, "D_LENGTH"),
    }
  end
end
