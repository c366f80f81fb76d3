-- Notes and events of an item's active take.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  local function take_of(p)
    local item = util.item(p.item_index)
    local take = reaper.GetActiveTake(item)
    if not take or not reaper.TakeIsMIDI(take) then
      fail("COMMAND_REJECTED", string.format("item %d is no MIDI item", p.item_index))
    end
    return take, item
  end

  local function counts(take)
    local _, notes, ccs, texts = reaper.MIDI_CountEvts(take)
    return util.int(notes or 0), util.int(ccs or 0), util.int(texts or 0)
  end
  util.midi_counts = counts

  local function to_ppq(take, time)
    return reaper.MIDI_GetPPQPosFromProjTime(take, time)
  end

  local function to_time(take, ppq)
    return reaper.MIDI_GetProjTimeFromPPQPos(take, ppq)
  end

  local function whole(entry, name, low, high, default)
    local value = util.field(entry, name, "int")
    if value == nil then
      if default == nil then
        errors.missing(name)
      end
      return default
    end
    return util.between(value, name, low, high)
  end

  -- Checks one note and returns it in ticks of the take.
  function util.read_note(take, entry)
    local first, last
    local start, stop = util.field(entry, "start", "number"), util.field(entry, "end", "number")
    local start_qn, end_qn = util.field(entry, "start_qn", "number"), util.field(entry, "end_qn", "number")
    if start_qn then
      first = reaper.MIDI_GetPPQPosFromProjQN(take, start_qn)
    elseif start then
      first = to_ppq(take, start)
    else
      errors.missing("start")
    end
    if end_qn then
      last = reaper.MIDI_GetPPQPosFromProjQN(take, end_qn)
    elseif stop then
      last = to_ppq(take, stop)
    else
      errors.missing("end")
    end
    if last <= first then
      errors.invalid("end", "must lie after the start")
    end
    return {
      first = first, last = last,
      channel = whole(entry, "channel", 0, 15, 0),
      pitch = whole(entry, "pitch", 0, 127),
      velocity = whole(entry, "velocity", 1, 127, 96),
    }
  end

  -- Writes checked notes; returns how many arrived.
  function util.write_notes(take, notes)
    local before = counts(take)
    for _, note in ipairs(notes) do
      reaper.MIDI_InsertNote(take, false, false, note.first, note.last, note.channel, note.pitch, note.velocity, true)
    end
    reaper.MIDI_Sort(take)
    local after = counts(take)
    return after - before
  end

  function handlers.midi_insert_note(p)
    local take = take_of(p)
    if p.end_position <= p.start_position then
      errors.invalid("end_position", "must lie after `start_position`")
    end
    local written = util.write_notes(take, { {
      first = to_ppq(take, p.start_position), last = to_ppq(take, p.end_position),
      channel = p.channel, pitch = p.pitch, velocity = p.velocity,
    } })
    if written ~= 1 then
      fail("COMMAND_FAILED", "REAPER did not insert the note; it may lie before the item")
    end
    local notes, ccs = counts(take)
    return { inserted = true, total_notes = notes, total_ccs = ccs }
  end

  function handlers.midi_insert_notes_batch(p)
    local take = take_of(p)
    local notes = {}
    util.each(p.notes, "notes", function(entry, index)
      local ok, note = pcall(util.read_note, take, entry)
      if not ok then
        error((tostring(note):gsub("^(%[[A-Z_]+%]) ", "%1 note " .. (index - 1) .. ": ")), 0)
      end
      notes[index] = note
    end)
    local written = util.write_notes(take, notes)
    if written ~= #notes then
      fail("COMMAND_FAILED", string.format("REAPER took %d of %d notes", written, #notes),
        { inserted_count = written })
    end
    local total, ccs = counts(take)
    return { inserted_count = written, total_notes = total, total_ccs = ccs }
  end

  local function note_info(take, index)
    local ok, selected, muted, first, last, channel, pitch, velocity = reaper.MIDI_GetNote(take, index)
    if not ok then
      return nil
    end
    return {
      index = index, selected = selected, muted = muted,
      start_position = to_time(take, first), end_position = to_time(take, last),
      start_qn = reaper.MIDI_GetProjQNFromPPQPos(take, first),
      end_qn = reaper.MIDI_GetProjQNFromPPQPos(take, last),
      channel = util.int(channel), pitch = util.int(pitch), velocity = util.int(velocity),
    }
  end

  function handlers.midi_get_notes(p)
    local take = take_of(p)
    local total = counts(take)
    local notes = json.array()
    for i = 0, math.min(total, p.max_results) - 1 do
      notes[#notes + 1] = note_info(take, i)
    end
    return { note_count = total, notes_returned = #notes, truncated = #notes < total, notes = notes }
  end

  local EVENT_NAMES = { [0xA0] = "poly_pressure", [0xB0] = "cc", [0xC0] = "program", [0xD0] = "pressure", [0xE0] = "pitch_bend" }

  function handlers.midi_get_ccs(p)
    local take = take_of(p)
    local _, total = counts(take)
    local ccs = json.array()
    for i = 0, math.min(total, p.max_results) - 1 do
      local ok, _, _, ppq, message, channel, msg2, msg3 = reaper.MIDI_GetCC(take, i)
      if ok then
        message = util.int(message)
        ccs[#ccs + 1] = {
          index = i, position = to_time(take, ppq), type = EVENT_NAMES[message & 0xF0] or tostring(message),
          channel = util.int(channel), msg2 = util.int(msg2), msg3 = util.int(msg3),
        }
      end
    end
    return { cc_count = total, returned = #ccs, truncated = #ccs < total, ccs = ccs }
  end

  local function check_note(take, index)
    local total = counts(take)
    if index >= total then
      fail("NOT_FOUND", string.format("note %d does not exist (the take has %d)", index, total))
    end
  end

  local function keep(value)
    return value >= 0 and value or nil
  end

  function handlers.midi_set_note(p)
    local take = take_of(p)
    check_note(take, p.note_index)
    local before = note_info(take, p.note_index)
    local start, stop = keep(p.start_position) or before.start_position, keep(p.end_position) or before.end_position
    if stop <= start then
      errors.invalid("end_position", "must lie after the start")
    end
    local velocity = keep(p.velocity)
    if velocity == 0 then
      errors.invalid("velocity", "must be at least 1")
    end
    local first = keep(p.start_position) and to_ppq(take, start) or nil
    local last = keep(p.end_position) and to_ppq(take, stop) or nil
    reaper.MIDI_SetNote(take, p.note_index, nil, nil, first, last, keep(p.channel), keep(p.pitch), velocity, true)
    local note = note_info(take, p.note_index)
    reaper.MIDI_Sort(take)
    return { note = note }
  end

  function handlers.midi_delete_note(p)
    local take = take_of(p)
    check_note(take, p.note_index)
    local before = counts(take)
    reaper.MIDI_DeleteNote(take, p.note_index)
    local total = counts(take)
    if total ~= before - 1 then
      fail("COMMAND_FAILED", "REAPER did not delete the note")
    end
    return { deleted = p.note_index, total_notes = total }
  end

  function handlers.midi_delete_all_notes(p)
    local take = take_of(p)
    local before = counts(take)
    for i = before - 1, 0, -1 do
      reaper.MIDI_DeleteNote(take, i)
    end
    local total = counts(take)
    return { deleted = before - total, total_notes = total }
  end

  function handlers.midi_select_notes(p)
    local take = take_of(p)
    local total = counts(take)
    for i = 0, total - 1 do
      reaper.MIDI_SetNote(take, i, p.select_all, nil, nil, nil, nil, nil, nil, true)
    end
    return { selected_count = p.select_all and total or 0, total_notes = total }
  end

  -- Controllers -------------------------------------------------------------

  local function insert_cc(take, ppq, message, channel, msg2, msg3)
    local _, before = counts(take)
    reaper.MIDI_InsertCC(take, false, false, ppq, message, channel, msg2, msg3)
    local _, after = counts(take)
    if after ~= before + 1 then
      fail("COMMAND_FAILED", "REAPER did not insert the event")
    end
  end
  util.insert_cc = insert_cc

  function handlers.midi_insert_cc(p)
    local take = take_of(p)
    insert_cc(take, to_ppq(take, p.position), 0xB0, p.channel, p.cc_number, p.cc_value)
    reaper.MIDI_Sort(take)
    local _, total = counts(take)
    return { inserted = true, total_ccs = total }
  end

  function handlers.midi_insert_program_change(p)
    local take = take_of(p)
    local ppq = to_ppq(take, p.position)
    local inserted = 0
    -- Bank before program, one tick apart: equal positions have no sure order.
    if p.bank_msb then
      insert_cc(take, ppq, 0xB0, p.channel, 0, p.bank_msb)
      inserted = inserted + 1
    end
    if p.bank_lsb then
      insert_cc(take, ppq + inserted, 0xB0, p.channel, 32, p.bank_lsb)
      inserted = inserted + 1
    end
    insert_cc(take, ppq + inserted, 0xC0, p.channel, p.program, 0)
    reaper.MIDI_Sort(take)
    local _, total = counts(take)
    return { inserted = inserted + 1, total_ccs = total }
  end

  function handlers.midi_delete_cc(p)
    local take = take_of(p)
    local _, before = counts(take)
    if p.cc_index >= before then
      fail("NOT_FOUND", string.format("event %d does not exist (the take has %d)", p.cc_index, before))
    end
    reaper.MIDI_DeleteCC(take, p.cc_index)
    local _, total = counts(take)
    if total ~= before - 1 then
      fail("COMMAND_FAILED", "REAPER did not delete the event")
    end
    return { deleted = p.cc_index, total_ccs = total }
  end

  function handlers.midi_list_programs(p)
    util.need("HasTrackMIDIPrograms", "EnumTrackMIDIProgramNames")
    local track = util.track(p.track_index)
    local supplier = reaper.HasTrackMIDIPrograms(0, p.track_index)
    local programs = json.array()
    if supplier then
      for i = 0, 127 do
        local ok, name = reaper.EnumTrackMIDIProgramNames(util.track_index(track), i, "")
        if not ok then
          break
        end
        programs[#programs + 1] = { program = i, name = name }
      end
    end
    return { supplier = supplier or json.null, count = #programs, programs = programs }
  end

  local NAMES = { "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B" }

  function handlers.midi_get_note_names(_)
    local names = json.array()
    for pitch = 0, 127 do
      -- Middle C, 60, is C4.
      names[pitch + 1] = { pitch = pitch, name = NAMES[pitch % 12 + 1] .. (pitch // 12 - 1) }
    end
    return { names = names }
  end

  local function event_counts(take)
    local notes, ccs, texts = counts(take)
    return { notes = notes, ccs = ccs, text_sysex = texts }
  end

  function handlers.midi_count_events(p)
    return event_counts((take_of(p)))
  end

  function handlers.midi_sort(p)
    local take = take_of(p)
    reaper.MIDI_Sort(take)
    local result = event_counts(take)
    result.sorted = true
    return result
  end

  function handlers.midi_set_item_extents(p)
    local _, item = take_of(p)
    if p.end_qn <= p.start_qn then
      errors.invalid("end_qn", "must lie after `start_qn`")
    end
    if not reaper.MIDI_SetItemExtents(item, p.start_qn, p.end_qn) then
      fail("COMMAND_FAILED", "REAPER did not resize the item")
    end
    reaper.UpdateItemInProject(item)
    return util.item_info(item)
  end

  -- Rhythm --------------------------------------------------------------------

  -- Rewrites all notes by `change(note)`, which edits it; returns how many
  -- differ. Positions are ticks.
  local function rewrite(take, change)
    local total, changed = counts(take), 0
    for i = 0, total - 1 do
      local ok, _, _, first, last, _, _, velocity = reaper.MIDI_GetNote(take, i)
      if ok then
        local note = { first = first, last = last, velocity = util.int(velocity) }
        change(note)
        if note.first ~= first or note.last ~= last or note.velocity ~= util.int(velocity) then
          reaper.MIDI_SetNote(take, i, nil, nil, note.first, note.last, nil, nil, note.velocity, true)
          changed = changed + 1
        end
      end
    end
    reaper.MIDI_Sort(take)
    return total, changed
  end

  function handlers.midi_quantize(p)
    local take = take_of(p)
    if (p.grid_seconds == nil) == (p.grid_qn == nil) then
      errors.invalid("grid_seconds", "or `grid_qn`: give one of them")
    end
    local total, moved = rewrite(take, function(note)
      local length = note.last - note.first
      local target
      if p.grid_qn then
        local beat = reaper.MIDI_GetProjQNFromPPQPos(take, note.first)
        local goal = math.floor(beat / p.grid_qn + 0.5) * p.grid_qn
        target = reaper.MIDI_GetPPQPosFromProjQN(take, beat + (goal - beat) * p.strength)
      else
        local time = to_time(take, note.first)
        local goal = math.floor(time / p.grid_seconds + 0.5) * p.grid_seconds
        target = to_ppq(take, time + (goal - time) * p.strength)
      end
      target = math.max(0, math.floor(target + 0.5))
      note.first, note.last = target, target + length
    end)
    return { note_count = total, moved = moved }
  end

  -- Lehmer generator: the same sequence in every Lua.
  local function random(seed)
    local state = seed % 2147483646 + 1
    return function()
      state = state * 48271 % 2147483647
      return state / 2147483647
    end
  end

  function handlers.midi_humanize(p)
    local take, item = take_of(p)
    local next_random = random(p.seed)
    local start = reaper.GetMediaItemInfo_Value(item, "D_POSITION")
    local low = to_ppq(take, start)
    local high = to_ppq(take, start + reaper.GetMediaItemInfo_Value(item, "D_LENGTH"))
    local total, changed = rewrite(take, function(note)
      local shift_s = (next_random() * 2 - 1) * p.timing_ms / 1000
      local length = note.last - note.first
      local moved = math.floor(to_ppq(take, to_time(take, note.first) + shift_s) + 0.5)
      -- A note that began inside the item goes on doing so.
      if note.first >= low then
        moved = math.max(low, math.min(moved, math.max(low, high - length)))
      end
      note.first, note.last = moved, moved + length
      local change = math.floor((next_random() * 2 - 1) * p.velocity_amount + 0.5)
      note.velocity = math.max(1, math.min(127, note.velocity + change))
    end)
    return { note_count = total, changed = changed }
  end
end
