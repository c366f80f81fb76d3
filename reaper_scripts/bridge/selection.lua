-- Time selection, loop, selected tracks and items.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper

  local function range(is_loop)
    local start, stop = reaper.GetSet_LoopTimeRange(false, is_loop, 0, 0, false)
    return start, stop
  end

  local function set_range(p, is_loop)
    if p["end"] <= p.start then
      errors.invalid("end", "must lie after `start`")
    end
    reaper.GetSet_LoopTimeRange(true, is_loop, p.start, p["end"], false)
    return range(is_loop)
  end

  function handlers.selection_set_time(p)
    local start, stop = set_range(p, false)
    return { start = start, ["end"] = stop, length = stop - start }
  end

  function handlers.selection_get_time(_)
    local start, stop = range(false)
    local loop_start, loop_end = range(true)
    return { start = start, ["end"] = stop, length = stop - start, loop_start = loop_start, loop_end = loop_end }
  end

  function handlers.selection_set_loop(p)
    local start, stop = set_range(p, true)
    return { loop_start = start, loop_end = stop }
  end

  local function all_items(on)
    return function()
      local count = reaper.CountMediaItems(0)
      for i = 0, count - 1 do
        reaper.SetMediaItemSelected(reaper.GetMediaItem(0, i), on)
      end
      reaper.UpdateArrange()
      return { selected_count = on and count or 0 }
    end
  end

  local function all_tracks(on)
    return function()
      local count = reaper.CountTracks(0)
      for i = 0, count - 1 do
        reaper.SetTrackSelected(reaper.GetTrack(0, i), on)
      end
      return { selected_count = on and count or 0 }
    end
  end

  handlers.selection_select_all_items = all_items(true)
  handlers.selection_deselect_all_items = all_items(false)
  handlers.selection_select_all_tracks = all_tracks(true)
  handlers.selection_deselect_all_tracks = all_tracks(false)

  function handlers.selection_get_selected_tracks(_)
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      if util.track_value(track, "I_SELECTED") ~= 0 then
        tracks[#tracks + 1] = util.track_info(track)
      end
    end
    return { selected_count = #tracks, tracks = tracks }
  end

  function handlers.selection_get_selected_items(_)
    local items = json.array()
    for i = 0, reaper.CountMediaItems(0) - 1 do
      local item = reaper.GetMediaItem(0, i)
      if reaper.GetMediaItemInfo_Value(item, "B_UISEL") ~= 0 then
        items[#items + 1] = util.item_info(item, i)
      end
    end
    return { selected_count = #items, items = items }
  end
end
