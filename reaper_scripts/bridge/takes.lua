-- Takes and their sources.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  local function active_take(item)
    local take = reaper.GetActiveTake(item)
    if not take then
      fail("NOT_FOUND", "the item has no take")
    end
    return take
  end

  local function write(take, key, value)
    reaper.SetMediaItemTakeInfo_Value(take, key, value)
    local got = reaper.GetMediaItemTakeInfo_Value(take, key)
    if math.abs(got - value) > 1e-6 * math.max(1, math.abs(value)) then
      fail("READBACK_MISMATCH", string.format("%s of the take reads back as %g, not %g", key, got, value))
    end
    return got
  end

  local function take_at(item, index)
    local take = reaper.GetTake(item, index)
    if not take then
      fail("NOT_FOUND", string.format("take %d does not exist (the item has %d)", index, reaper.CountTakes(item)))
    end
    return take
  end

  local function index_of(item, take)
    for i = 0, reaper.CountTakes(item) - 1 do
      if reaper.GetTake(item, i) == take then
        return i
      end
    end
    return -1
  end

  function handlers.item_get_source_info(p)
    local item = util.item(p.item_index)
    local take = active_take(item)
    local source = util.source_of(take)
    if not source then
      fail("NOT_FOUND", "the take has no source")
    end
    local value = reaper.GetMediaItemTakeInfo_Value
    local length = reaper.GetMediaSourceLength(source)
    return {
      source_file = reaper.GetMediaSourceFileName(source) or "",
      source_length_sec = length,
      source_sample_rate = util.int(reaper.GetMediaSourceSampleRate(source)),
      source_channels = util.int(reaper.GetMediaSourceNumChannels(source)),
      source_type = reaper.GetMediaSourceType(source) or "",
      take_start_offset_sec = value(take, "D_STARTOFFS"),
      take_pitch_semis = value(take, "D_PITCH"),
      take_playrate = value(take, "D_PLAYRATE"),
      item_position_sec = reaper.GetMediaItemInfo_Value(item, "D_POSITION"),
      item_length_sec = reaper.GetMediaItemInfo_Value(item, "D_LENGTH"),
      track_index = util.track_index(reaper.GetMediaItem_Track(item)),
    }
  end

  function handlers.chops_create_virtual_slice(p)
    local source_item, track = util.item(p.source_item_index), util.track(p.target_track_index)
    local path = util.source_file(active_take(source_item))
    local source = path ~= "" and reaper.PCM_Source_CreateFromFile(path)
    if not source then
      fail("COMMAND_REJECTED", "the item has no audio source to slice")
    end
    local total = reaper.GetMediaSourceLength(source)
    if p.source_offset_sec >= total then
      fail("VALUE_OUT_OF_RANGE", string.format("`source_offset_sec` lies behind the source's %g s", total))
    end
    local item = reaper.AddMediaItemToTrack(track)
    local take = reaper.AddTakeToMediaItem(item)
    reaper.SetMediaItemTake_Source(take, source)
    reaper.SetMediaItemInfo_Value(item, "B_LOOPSRC", 0)
    util.write_item(item, "D_POSITION", p.target_position_sec)
    util.write_item(item, "D_LENGTH", p.length_sec)
    write(take, "D_STARTOFFS", p.source_offset_sec)
    write(take, "D_PLAYRATE", p.playrate)
    write(take, "D_PITCH", p.pitch_semis)
    local fade = math.min(p.fade_len_sec, p.length_sec / 2)
    util.write_item(item, "D_FADEINLEN", fade)
    util.write_item(item, "D_FADEOUTLEN", fade)
    reaper.UpdateItemInProject(item)
    return {
      new_item_index = util.item_index(item), new_item_guid = util.item_guid(item),
      target_track_index = p.target_track_index, target_position_sec = p.target_position_sec,
      source_offset_sec = p.source_offset_sec, length_sec = p.length_sec,
      pitch_semis = p.pitch_semis, playrate = p.playrate, fade_len_sec = fade,
    }
  end

  function handlers.take_set_pitch(p)
    local item = util.item(p.item_index)
    local take = p.take_index >= 0 and take_at(item, p.take_index) or active_take(item)
    local got = write(take, "D_PITCH", p.semitones)
    reaper.UpdateItemInProject(item)
    return { item_index = p.item_index, take_index = index_of(item, take), semitones = got }
  end

  function handlers.take_set_playrate(p)
    local item = util.item(p.item_index)
    local take = active_take(item)
    local rate = write(take, "D_PLAYRATE", p.rate)
    local keep = write(take, "B_PPITCH", p.preserve_pitch and 1 or 0)
    reaper.UpdateItemInProject(item)
    return { item_index = p.item_index, rate = rate, preserve_pitch = keep ~= 0 }
  end

  -- Runs an action with only this item selected, then restores the selection.
  local function with_only_item(item, id)
    local selected = {}
    for i = 0, reaper.CountMediaItems(0) - 1 do
      local other = reaper.GetMediaItem(0, i)
      selected[#selected + 1] = { other, reaper.GetMediaItemInfo_Value(other, "B_UISEL") }
      reaper.SetMediaItemSelected(other, other == item)
    end
    reaper.Main_OnCommand(id, 0)
    for _, entry in ipairs(selected) do
      if reaper.ValidatePtr2(0, entry[1], "MediaItem*") then
        reaper.SetMediaItemInfo_Value(entry[1], "B_UISEL", entry[2])
      end
    end
  end

  function handlers.take_set_reversed(p)
    local item = util.item(p.item_index)
    local before = reaper.CountTakes(item)
    with_only_item(item, 40270)
    local after = reaper.CountTakes(item)
    if after ~= before + 1 then
      fail("UNSUPPORTED", "the host did not reverse the item (action 40270)")
    end
    return { item_index = p.item_index, take_count = after }
  end

  function handlers.item_take_list(p)
    local item = util.item(p.item_index)
    local active = reaper.GetActiveTake(item)
    local takes = json.array()
    for i = 0, reaper.CountTakes(item) - 1 do
      local take = reaper.GetTake(item, i)
      takes[#takes + 1] = {
        index = i, name = take and reaper.GetTakeName(take) or "",
        is_active = take == active, is_midi = take ~= nil and reaper.TakeIsMIDI(take),
      }
    end
    return { count = #takes, takes = takes }
  end

  function handlers.item_take_set_active(p)
    local item = util.item(p.item_index)
    reaper.SetActiveTake(take_at(item, p.take_index))
    reaper.UpdateItemInProject(item)
    return { item_index = p.item_index, take_index = util.int(reaper.GetMediaItemInfo_Value(item, "I_CURTAKE")) }
  end

  function handlers.item_take_add(p)
    local item = util.item(p.item_index)
    local take = reaper.AddTakeToMediaItem(item)
    if not take then
      fail("COMMAND_FAILED", "REAPER did not add a take")
    end
    return { item_index = p.item_index, take_index = index_of(item, take), take_count = reaper.CountTakes(item) }
  end

  function handlers.item_take_delete_active(p)
    local item = util.item(p.item_index)
    local before = reaper.CountTakes(item)
    if before < 2 then
      fail("COMMAND_REJECTED", "the item has only one take; delete the item instead")
    end
    with_only_item(item, 40129)
    local after = reaper.CountTakes(item)
    if after ~= before - 1 then
      fail("UNSUPPORTED", "the host did not delete the take (action 40129)")
    end
    return { item_index = p.item_index, take_count = after }
  end
end
