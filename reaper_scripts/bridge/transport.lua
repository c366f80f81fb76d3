-- Playing, tempo of the project, metre.

return function(bridge)
  local errors, util = bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper

  -- The metre in force at a time; the project function knows no denominator.
  local function metre_at(time)
    local num, den = reaper.TimeMap_GetTimeSigAtTime(0, time)
    return util.int(num), util.int(den)
  end
  util.metre_at = metre_at

  local function state()
    local play = util.int(reaper.GetPlayState())
    local position = play ~= 0 and reaper.GetPlayPosition() or reaper.GetCursorPosition()
    local num, den = metre_at(position)
    return {
      play_state = play,
      playing = play & 1 ~= 0,
      paused = play & 2 ~= 0,
      recording = play & 4 ~= 0,
      position = position,
      bpm = reaper.Master_GetTempo(),
      time_sig_num = num,
      time_sig_den = den,
      repeating = reaper.GetSetRepeat(-1) == 1,
      playrate = reaper.Master_GetPlayRate(0),
      project_length = reaper.GetProjectLength(0),
    }
  end

  local function action(id)
    return function()
      reaper.Main_OnCommand(id, 0)
      return state()
    end
  end

  handlers.transport_play = action(1007)
  handlers.transport_pause = action(1008)
  handlers.transport_record = action(1013)
  handlers.transport_stop = action(1016)
  handlers.transport_toggle_repeat = action(1068)
  handlers.transport_get_state = state

  function handlers.transport_toggle_metronome(_)
    reaper.Main_OnCommand(40364, 0)
    local result = state()
    result.metronome_enabled = reaper.GetToggleCommandState(40364) == 1
    return result
  end

  function handlers.transport_set_position(p)
    reaper.SetEditCurPos(p.seconds, true, true)
    return state()
  end

  function handlers.transport_set_bpm(p)
    reaper.SetCurrentBPM(0, p.bpm, false)
    local result = state()
    if math.abs(result.bpm - p.bpm) > 1e-3 then
      errors.fail("READBACK_MISMATCH", string.format("the tempo reads back as %g, not %g", result.bpm, p.bpm))
    end
    return result
  end

  function handlers.transport_set_time_signature(p)
    if p.denominator & (p.denominator - 1) ~= 0 then
      errors.invalid("denominator", "must be a power of two")
    end
    local index, bpm, linear = -1, nil, false
    if reaper.CountTempoTimeSigMarkers(0) > 0 then
      local _, time, _, _, marker_bpm, _, _, is_linear = reaper.GetTempoTimeSigMarker(0, 0)
      if time < 1e-9 then
        index, bpm, linear = 0, marker_bpm, is_linear
      end
    end
    if not bpm then
      local _, _, tempo = reaper.TimeMap_GetTimeSigAtTime(0, 0)
      bpm = tempo or reaper.Master_GetTempo()
    end
    reaper.SetTempoTimeSigMarker(0, index, 0, -1, -1, bpm, p.numerator, p.denominator, linear)
    reaper.UpdateTimeline()
    local num, den = metre_at(0)
    if num ~= p.numerator or den ~= p.denominator then
      errors.fail("READBACK_MISMATCH", string.format("the metre reads back as %d/%d", num, den))
    end
    local result = state()
    result.time_sig_num, result.time_sig_den = num, den
    return result
  end

  function handlers.transport_set_playrate(p)
    reaper.CSurf_OnPlayRateChange(p.rate)
    return state()
  end
end
