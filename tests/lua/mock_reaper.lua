-- A very small REAPER: tracks with values and sends, undo steps, time. Enough
-- to run the bridge's core under plain Lua; the embedded host does the rest.

local mock = {}

function mock.new(script_path)
  local reaper = {}
  local tracks, steps, redo = {}, {}, {}
  local state = { tracks = tracks, steps = steps, console = {}, deferred = {}, at_exit = {}, open_blocks = 0, holds = 0 }
  local clock, next_guid = 100.0, 0

  local defaults = {
    D_VOL = 1.0, D_PAN = 0.0, D_WIDTH = 1.0, I_NCHAN = 2.0, B_MAINSEND = 1.0, I_FXEN = 1.0,
  }

  local function new_track()
    next_guid = next_guid + 1
    return { values = {}, texts = {}, guid = string.format("{00000000-0000-0000-0000-%012d}", next_guid), sends = {} }
  end

  local master = new_track()
  state.master = master

  function reaper.get_action_context() return false, script_path, 0, 0, -1, -1, -1, "" end
  function reaper.time_precise() clock = clock + 0.0005 return clock end
  function reaper.defer(f) state.deferred[#state.deferred + 1] = f return true end
  function reaper.atexit(f) state.at_exit[#state.at_exit + 1] = f end
  function reaper.ShowConsoleMsg(text) state.console[#state.console + 1] = text end
  function reaper.RecursiveCreateDirectory() return 1 end
  function reaper.GetAppVersion() return "7.77/mock" end
  function reaper.GetOS() return "Other" end
  function reaper.GetResourcePath() return "/nowhere" end
  function reaper.PreventUIRefresh(n) state.holds = state.holds + n end
  function reaper.TrackList_AdjustWindows() end
  function reaper.UpdateArrange() end

  function reaper.CountTracks() return #tracks end
  function reaper.GetTrack(_, i) return tracks[i + 1] end
  function reaper.GetMasterTrack() return master end
  function reaper.InsertTrackAtIndex(i) table.insert(tracks, math.min(i, #tracks) + 1, new_track()) end
  function reaper.DeleteTrack(track)
    for i, other in ipairs(tracks) do
      if other == track then table.remove(tracks, i) return end
    end
    error("expected MediaTrack*")
  end
  function reaper.GetTrackGUID(track) return track.guid end
  function reaper.GetTrackName(track) return true, track.texts.P_NAME or "Track" end
  function reaper.GetMediaTrackInfo_Value(track, key)
    if key == "IP_TRACKNUMBER" then
      for i, other in ipairs(tracks) do
        if other == track then return i + 0.0 end
      end
      return track == master and -1.0 or 0.0
    end
    return track.values[key] or defaults[key] or 0.0
  end
  function reaper.SetMediaTrackInfo_Value(track, key, value)
    -- A value that does not arrive.
    if key == "I_FOLDERDEPTH" and state.deaf then return true end
    track.values[key] = value + 0.0
    return true
  end
  function reaper.GetSetMediaTrackInfo_String(track, key, value, set)
    if set then track.texts[key] = value end
    return track.texts[key] ~= nil, track.texts[key] or ""
  end
  function reaper.SetTrackSelected(track, on) track.values.I_SELECTED = on and 1.0 or 0.0 end
  function reaper.CountTrackMediaItems() return 0 end
  function reaper.CountMediaItems() return 0 end
  function reaper.GetMediaItem() return nil end
  function reaper.TrackFX_GetCount() return 0 end
  function reaper.TrackFX_GetInstrument() return -1 end
  function reaper.ColorToNative(r, g, b) return r << 16 | g << 8 | b end
  function reaper.ColorFromNative(c) return c >> 16 & 255, c >> 8 & 255, c & 255 end

  local function sends_of(track, category)
    if category == 0 then return track.sends end
    local list = {}
    for _, other in ipairs(tracks) do
      for _, send in ipairs(other.sends) do
        if send.P_DESTTRACK == track then list[#list + 1] = send end
      end
    end
    return list
  end
  function reaper.GetTrackNumSends(track, category) return #sends_of(track, category) end
  function reaper.CreateTrackSend(source, dest)
    source.sends[#source.sends + 1] = { P_SRCTRACK = source, P_DESTTRACK = dest, D_VOL = 1.0 }
    return #source.sends - 1
  end
  function reaper.GetTrackSendInfo_Value(track, category, i, key) return sends_of(track, category)[i + 1][key] or 0.0 end
  function reaper.SetTrackSendInfo_Value(track, category, i, key, value)
    sends_of(track, category)[i + 1][key] = value + 0.0
    return true
  end

  -- Undo: labels only.
  local function step(label) steps[#steps + 1] = label end
  function reaper.Undo_BeginBlock() state.open_blocks = state.open_blocks + 1 end
  function reaper.Undo_BeginBlock2() state.open_blocks = state.open_blocks + 1 end
  function reaper.Undo_EndBlock(label) state.open_blocks = state.open_blocks - 1 step(label) end
  function reaper.Undo_EndBlock2(_, label) state.open_blocks = state.open_blocks - 1 step(label) end
  function reaper.Undo_OnStateChangeEx2(_, label) step(label) end
  function reaper.Undo_OnStateChange2(_, label) step(label) end
  function reaper.Undo_CanUndo2() return steps[#steps] end
  function reaper.Undo_CanRedo2() return redo[#redo] end
  function reaper.Undo_DoUndo2() redo[#redo + 1] = table.remove(steps) return 1 end
  function reaper.Undo_DoRedo2() steps[#steps + 1] = table.remove(redo) return 1 end

  state.reaper = reaper
  return state
end

return mock
