-- Sends and receives between tracks.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  -- Names of the classic protocol for what is read.
  local MODE_NAMES = {
    [0] = "post_fader", [1] = "pre_fader_post_fx", [2] = "pre_fader_pre_fx", [3] = "post_fx_only",
  }
  -- REAPER's own meaning: 1 is before the effects, 3 behind them and before
  -- the fader.
  local MODES = { post_fader = 0, pre_fx = 1, pre_fader = 3 }
  util.send_modes = MODES

  local function value(track, index, key, category)
    return reaper.GetTrackSendInfo_Value(track, category or 0, index, key)
  end

  local function write(track, index, key, wanted)
    reaper.SetTrackSendInfo_Value(track, 0, index, key, wanted)
    local got = value(track, index, key)
    if math.abs(got - wanted) > 1e-6 * math.max(1, math.abs(wanted)) then
      fail("READBACK_MISMATCH", string.format("%s of the send reads back as %g, not %g", key, got, wanted),
        { key = key, requested = wanted, value = got })
    end
  end
  util.write_send = write

  local function channel_text(raw)
    if raw < 0 then
      return "none"
    end
    local first = (raw & 1023) + 1
    local shape = raw >> 10
    if shape == 1 then
      return tostring(first)
    end
    local count = shape == 0 and 2 or shape * 2
    return first .. "/" .. (first + count - 1)
  end

  local function info(track, index)
    local volume = value(track, index, "D_VOL")
    local flags = util.int(value(track, index, "I_MIDIFLAGS"))
    local source, dest = flags & 31, (flags >> 5) & 31
    local mode = util.int(value(track, index, "I_SENDMODE"))
    local from, to = util.int(value(track, index, "I_SRCCHAN")), util.int(value(track, index, "I_DSTCHAN"))
    local target = value(track, index, "P_DESTTRACK")
    local to_text = to & 1024 ~= 0 and tostring((to & 1023) + 1) or channel_text(to & 1023)
    return {
      index = index, volume = volume, volume_db = util.to_db(volume),
      pan = value(track, index, "D_PAN"), mute = value(track, index, "B_MUTE") ~= 0,
      midi_source_channel = source, midi_dest_channel = dest, midi_enabled = source ~= 31,
      dest_track_index = util.track_index(target), dest_track_guid = reaper.GetTrackGUID(target),
      dest_track_name = util.track_name(target),
      send_mode = { raw = mode, name = MODE_NAMES[mode] or tostring(mode) },
      audio = {
        source_channel_raw = from, destination_channel_raw = to,
        interpreted = from < 0 and "none" or channel_text(from) .. " -> " .. to_text,
      },
    }
  end
  util.send_info = info

  local function checked(p)
    local track = util.track(p.track_index)
    local count = reaper.GetTrackNumSends(track, 0)
    if p.send_index >= count then
      fail("NOT_FOUND", string.format("send %d does not exist (the track has %d)", p.send_index, count))
    end
    return track, p.send_index
  end

  -- The send that is there, or a new one; returns its index and whether it is
  -- new. `dest_channel` tells apart a key send from an ordinary one.
  function util.ensure_send(source, dest, reuse, dest_channel)
    if reuse then
      for i = 0, reaper.GetTrackNumSends(source, 0) - 1 do
        if value(source, i, "P_DESTTRACK") == dest
            and (not dest_channel or util.int(value(source, i, "I_DSTCHAN")) == dest_channel) then
          return i, false
        end
      end
    end
    local before = reaper.GetTrackNumSends(source, 0)
    local index = reaper.CreateTrackSend(source, dest)
    if index < 0 or reaper.GetTrackNumSends(source, 0) ~= before + 1 then
      fail("COMMAND_FAILED", string.format("REAPER made no send from `%s` to `%s`; it would be a loop",
        util.track_name(source), util.track_name(dest)))
    end
    return index, true
  end

  local function set_midi(track, index, source, dest)
    local flags = util.int(value(track, index, "I_MIDIFLAGS"))
    flags = flags < 0 and 0 or flags
    write(track, index, "I_MIDIFLAGS", (flags & ~1023) | source | (dest << 5))
  end

  function handlers.send_create(p)
    if p.source_track == p.dest_track then
      errors.invalid("dest_track", "must be another track than `source_track`")
    end
    if (p.midi_source_channel == nil) ~= (p.midi_dest_channel == nil) then
      errors.invalid("midi_source_channel", "and `midi_dest_channel` belong together")
    end
    local source, dest = util.track(p.source_track), util.track(p.dest_track)
    local index, created = util.ensure_send(source, dest, p.reuse)
    if p.midi_source_channel then
      set_midi(source, index, p.midi_source_channel, p.midi_dest_channel)
    end
    if p.volume_db then write(source, index, "D_VOL", util.to_gain(p.volume_db)) end
    if p.pan then write(source, index, "D_PAN", p.pan) end
    if p.mode then write(source, index, "I_SENDMODE", MODES[p.mode]) end
    local result = info(source, index)
    result.source_track_index, result.source_track_name = p.source_track, util.track_name(source)
    result.total_sends, result.created = reaper.GetTrackNumSends(source, 0), created
    return result
  end

  function handlers.send_remove(p)
    local track, index = checked(p)
    local before = reaper.GetTrackNumSends(track, 0)
    reaper.RemoveTrackSend(track, 0, index)
    local remaining = reaper.GetTrackNumSends(track, 0)
    if remaining ~= before - 1 then
      fail("COMMAND_FAILED", "REAPER did not remove the send")
    end
    return { removed = index, remaining = remaining }
  end

  local function setter(key, convert)
    return function(p)
      local track, index = checked(p)
      write(track, index, key, convert(p))
      return info(track, index)
    end
  end

  handlers.send_set_volume = setter("D_VOL", function(p) return util.to_gain(p.volume_db) end)
  handlers.send_set_pan = setter("D_PAN", function(p) return p.pan end)
  handlers.send_set_mute = setter("B_MUTE", function(p) return p.mute and 1 or 0 end)
  handlers.send_set_mode = setter("I_SENDMODE", function(p) return MODES[p.mode] end)

  function handlers.send_set_midi_channel(p)
    local track, index = checked(p)
    set_midi(track, index, p.midi_source_channel, p.midi_dest_channel)
    return info(track, index)
  end

  local function receives(track)
    local list = json.array()
    for i = 0, reaper.GetTrackNumSends(track, -1) - 1 do
      local source = value(track, i, "P_SRCTRACK", -1)
      list[#list + 1] = {
        index = i, volume_db = util.to_db(value(track, i, "D_VOL", -1)), pan = value(track, i, "D_PAN", -1),
        mute = value(track, i, "B_MUTE", -1) ~= 0, source_track_index = util.track_index(source),
        source_track_guid = reaper.GetTrackGUID(source), source_track_name = util.track_name(source),
      }
    end
    return list
  end

  local function sends(track)
    local list = json.array()
    for i = 0, reaper.GetTrackNumSends(track, 0) - 1 do
      list[#list + 1] = info(track, i)
    end
    return list
  end

  function handlers.send_get_all(p)
    local track = util.track(p.track_index)
    local out, into = sends(track), receives(track)
    return { send_count = #out, receive_count = #into, sends = out, receives = into }
  end

  function handlers.send_get_routing_diagram(_)
    local tracks = json.array()
    for i = 0, reaper.CountTracks(0) - 1 do
      local track = reaper.GetTrack(0, i)
      tracks[#tracks + 1] = { index = i, name = util.track_name(track), sends = sends(track), receives = receives(track) }
    end
    return { tracks = tracks }
  end
end
