-- Automation, in units of people: linear gain, -1 left to 1 right, 0 to 1.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- Actions that show, and so create, the envelope of the selected track.
  local CREATE = {
    ["Volume"] = 40406, ["Pan"] = 40407, ["Mute"] = 40867,
    ["Volume (Pre-FX)"] = 40408, ["Pan (Pre-FX)"] = 40409,
    ["Width"] = 41870, ["Width (Pre-FX)"] = 41869,
  }
  -- Track values that creation may move into the envelope.
  local KEPT = { "D_VOL", "D_PAN", "D_WIDTH" }

  local function create(track, name)
    local action = CREATE[name]
    if not action then
      errors.invalid("envelope_name", "must be Volume, Pan, Mute or Width, or one with ` (Pre-FX)`")
    end
    if track == reaper.GetMasterTrack(0) then
      fail("UNSUPPORTED", "an envelope of the master is used where it exists, and not created")
    end
    local before = {}
    for _, key in ipairs(KEPT) do
      before[key] = util.track_value(track, key)
    end
    util.with_only_track(track, function() reaper.Main_OnCommand(action, 0) end)
    for _, key in ipairs(KEPT) do
      util.set_track_value(track, key, before[key])
    end
    local envelope = reaper.GetTrackEnvelopeByName(track, name)
    if not envelope then
      fail("UNSUPPORTED", "the host did not create the envelope `" .. name .. "`")
    end
    -- The point that REAPER puts at the start would be a value nobody asked
    -- for.
    reaper.DeleteEnvelopePointRange(envelope, -1, 1e9)
    return envelope
  end

  -- Converters between people's units and the envelope's. Pan is stored
  -- negated; parameters have a range of their own.
  local function units(track, p, envelope, is_fx)
    if is_fx then
      local _, low, high = reaper.TrackFX_GetParam(track, p.fx_index, p.param_index)
      local span = high - low
      return {
        low = 0, high = 1,
        write = function(v) return low + v * span end,
        read = function(v) return span ~= 0 and (v - low) / span or 0 end,
      }
    end
    local mode = reaper.GetEnvelopeScalingMode(envelope)
    local sign = p.envelope_name:find("^Pan") and -1 or 1
    local limits = { Volume = { 0, 4 }, Pan = { -1, 1 }, Width = { -1, 1 }, Mute = { 0, 1 } }
    local limit = limits[p.envelope_name:match("^%a+")] or { -1e9, 1e9 }
    return {
      low = limit[1], high = limit[2],
      write = function(v) return reaper.ScaleToEnvelopeMode(mode, v * sign) end,
      read = function(v) return reaper.ScaleFromEnvelopeMode(mode, v) * sign end,
    }
  end

  local function envelope_of(p, make)
    local track = util.track(p.track_index)
    local is_fx = p.fx_index >= 0 or p.param_index >= 0
    local envelope
    if is_fx then
      if p.fx_index < 0 or p.param_index < 0 then
        errors.invalid("fx_index", "and `param_index` belong together")
      end
      util.check_fx(track, p.fx_index)
      if p.param_index >= reaper.TrackFX_GetNumParams(track, p.fx_index) then
        fail("NOT_FOUND", string.format("param_index %d out of range", p.param_index))
      end
      envelope = reaper.GetFXEnvelope(track, p.fx_index, p.param_index, make)
    else
      envelope = reaper.GetTrackEnvelopeByName(track, p.envelope_name)
      if not envelope and make then
        envelope = create(track, p.envelope_name)
      end
    end
    if not envelope then
      fail("NOT_FOUND", is_fx and "the parameter has no envelope"
        or "the track has no envelope `" .. p.envelope_name .. "`")
    end
    return envelope, units(track, p, envelope, is_fx)
  end

  function handlers.envelope_get_points(p)
    local envelope, unit = envelope_of(p, false)
    local total = reaper.CountEnvelopePoints(envelope)
    local points = json.array()
    for i = 0, math.min(total, p.max_results) - 1 do
      local ok, time, value, shape, tension, selected = reaper.GetEnvelopePoint(envelope, i)
      if ok then
        points[#points + 1] = {
          index = i, time = time, value = unit.read(value), shape = util.int(shape),
          tension = tension, selected = selected,
        }
      end
    end
    return { total_points = total, returned = #points, truncated = #points < total, points = points }
  end

  local function check_points(p, unit)
    local plan, zeros = {}, 0
    util.each(p.points, "points", function(entry, index)
      local value = util.field(entry, "value", "number", true)
      util.between(value, "value", unit.low, unit.high)
      if p.envelope_name == "Mute" and p.fx_index < 0 and value ~= 0 and value ~= 1 then
        errors.invalid("value", "of a Mute envelope must be 0 or 1")
      end
      local shape = util.between(util.field(entry, "shape", "int") or 0, "shape", 0, 5)
      local tension = util.between(util.field(entry, "tension", "number") or 0, "tension", -1, 1)
      local time = util.between(util.field(entry, "time", "number", true), "time", 0, 1e6)
      zeros = zeros + (value == 0 and 1 or 0)
      plan[index] = { time = time, value = value, shape = shape, tension = tension }
    end)
    if #plan >= 2 and zeros == #plan and p.fx_index < 0 and p.envelope_name:find("^Volume") then
      errors.invalid("points", "of a Volume envelope are linear gain; all 0 would silence the track (0 dB is 1)")
    end
    return plan
  end

  function handlers.envelope_add_points(p)
    local envelope, unit = envelope_of(p, p.create)
    local plan = check_points(p, unit)
    local before = reaper.CountEnvelopePoints(envelope)
    for _, point in ipairs(plan) do
      reaper.InsertEnvelopePoint(envelope, point.time, unit.write(point.value), point.shape, point.tension, false, true)
    end
    reaper.Envelope_SortPoints(envelope)
    local total = reaper.CountEnvelopePoints(envelope)
    if #plan > 0 and total <= before then
      fail("COMMAND_FAILED", "REAPER did not add the points")
    end
    reaper.UpdateArrange()
    return { points_added = total - before, total_points = total }
  end

  function handlers.envelope_clear_range(p)
    if p.end_time <= p.start_time then
      errors.invalid("end_time", "must lie after `start_time`")
    end
    local envelope = envelope_of(p, false)
    local before = reaper.CountEnvelopePoints(envelope)
    reaper.DeleteEnvelopePointRange(envelope, p.start_time, p.end_time)
    reaper.Envelope_SortPoints(envelope)
    local total = reaper.CountEnvelopePoints(envelope)
    return {
      cleared_range = { start = p.start_time, ["end"] = p.end_time },
      points_removed = before - total, total_points = total,
    }
  end
end
