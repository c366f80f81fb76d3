-- Tempo and metre markers, and what they make of time.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper

  local function marker(index)
    local ok, time, measure, beat, bpm, num, den, linear = reaper.GetTempoTimeSigMarker(0, index)
    if not ok then
      return nil
    end
    return {
      index = index, time = time, measure = util.int(measure), beat = beat, bpm = bpm,
      time_sig_num = math.max(0, util.int(num)), time_sig_denom = math.max(0, util.int(den)),
      linear = linear,
    }
  end

  function handlers.tempo_list_markers(_)
    local markers = json.array()
    local count = reaper.CountTempoTimeSigMarkers(0)
    for i = 0, count - 1 do
      markers[#markers + 1] = marker(i)
    end
    return { count = count, markers = markers }
  end

  function handlers.tempo_add_marker(p)
    if p.bpm ~= 0 and p.bpm < 20 then
      errors.fail("VALUE_OUT_OF_RANGE", "`bpm` must be 0 or at least 20", { parameter = "bpm" })
    end
    if (p.time_sig_num == 0) ~= (p.time_sig_denom == 0) then
      errors.invalid("time_sig_num", "and `time_sig_denom` belong together")
    end
    if p.time_sig_denom & (p.time_sig_denom - 1) ~= 0 then
      errors.invalid("time_sig_denom", "must be a power of two")
    end
    local bpm = p.bpm
    if bpm == 0 then
      local _, _, tempo = reaper.TimeMap_GetTimeSigAtTime(0, p.position)
      bpm = tempo or reaper.Master_GetTempo()
    end
    local ok = reaper.SetTempoTimeSigMarker(0, -1, p.position, -1, -1, bpm, p.time_sig_num, p.time_sig_denom, p.linear)
    if not ok then
      errors.fail("COMMAND_FAILED", "REAPER did not add the tempo marker")
    end
    reaper.UpdateTimeline()
    local count = reaper.CountTempoTimeSigMarkers(0)
    local added
    for i = 0, count - 1 do
      local candidate = marker(i)
      if candidate and math.abs(candidate.time - p.position) < 1e-6 then
        added = candidate
      end
    end
    local result = added or {}
    result.count = count
    return result
  end

  function handlers.tempo_delete_marker(p)
    local count = reaper.CountTempoTimeSigMarkers(0)
    if p.index >= count then
      errors.fail("NOT_FOUND", string.format("tempo marker %d does not exist (there are %d)", p.index, count))
    end
    reaper.DeleteTempoTimeSigMarker(0, p.index)
    reaper.UpdateTimeline()
    local left = reaper.CountTempoTimeSigMarkers(0)
    if left ~= count - 1 then
      errors.fail("COMMAND_FAILED", "REAPER did not delete the tempo marker")
    end
    return { deleted = p.index, count = left }
  end

  function handlers.tempo_clear_all(_)
    local count = reaper.CountTempoTimeSigMarkers(0)
    for i = count - 1, 0, -1 do
      reaper.DeleteTempoTimeSigMarker(0, i)
    end
    reaper.UpdateTimeline()
    local left = reaper.CountTempoTimeSigMarkers(0)
    return { deleted = count - left, count = left }
  end

  function handlers.tempo_time_map(p)
    local function convert(list, name, with)
      local out = json.array()
      for i, value in ipairs(list or {}) do
        if type(value) ~= "number" then
          errors.invalid(name, "must hold numbers, entry " .. i .. " is none")
        end
        out[i] = with(0, value)
      end
      return out
    end
    return {
      times = convert(p.beats, "beats", reaper.TimeMap2_QNToTime),
      beats = convert(p.times, "times", reaper.TimeMap2_timeToQN),
    }
  end
end
