-- Markers and regions. Two numbers name one: its index in order of time, and
-- the number that REAPER shows.

return function(bridge)
  local json, errors, util = bridge.json, bridge.errors, bridge.util
  local handlers = bridge.handlers
  local reaper = reaper
  local fail = errors.fail

  local function marker(index)
    local more, is_region, position, stop, name, number, color = reaper.EnumProjectMarkers3(0, index)
    if not more or more == 0 then
      return nil
    end
    return {
      index = index, number = number, is_region = is_region, position = position,
      region_end = is_region and stop or json.null, name = name or "", color = util.int(color or 0),
    }
  end

  local function count()
    local _, markers, regions = reaper.CountProjectMarkers(0)
    return util.int(markers or 0) + util.int(regions or 0)
  end

  local function at(index)
    local found = marker(index)
    if not found then
      fail("NOT_FOUND", string.format("marker index %d does not exist (there are %d)", index, count()))
    end
    return found
  end

  function handlers.marker_get_all(p)
    local list, total = json.array(), count()
    for i = 0, math.min(total, p.max_results) - 1 do
      list[#list + 1] = marker(i)
    end
    return { count = total, returned = #list, truncated = #list < total, markers = list }
  end

  local function index_of(number, is_region, position)
    for i = 0, count() - 1 do
      local candidate = marker(i)
      if candidate and candidate.number == number and candidate.is_region == is_region
          and math.abs(candidate.position - position) < 1e-6 then
        return i
      end
    end
    return -1
  end

  local function add(is_region, position, stop, name, color)
    local before = count()
    local number = reaper.AddProjectMarker2(0, is_region, position, stop, name, -1, color)
    if number < 0 or count() ~= before + 1 then
      fail("COMMAND_FAILED", "REAPER did not add the marker")
    end
    return number, index_of(number, is_region, position)
  end

  local function color(p)
    return util.color_of({ p.color_r, p.color_g, p.color_b }, "color_r") or 0
  end

  function handlers.marker_add(p)
    local number, index = add(false, p.position, 0, p.name, color(p))
    return { marker_number = number, marker_index = index, total_markers = count() }
  end

  function handlers.marker_add_region(p)
    if p["end"] <= p.start then
      errors.invalid("end", "must lie after `start`")
    end
    local number, index = add(true, p.start, p["end"], p.name, color(p))
    return { region_number = number, marker_index = index, total_markers = count() }
  end

  local function delete(index)
    local before = count()
    reaper.DeleteProjectMarkerByIndex(0, index)
    if count() ~= before - 1 then
      fail("COMMAND_FAILED", "REAPER did not delete the marker")
    end
  end

  function handlers.marker_delete(p)
    at(p.marker_index)
    delete(p.marker_index)
    return { deleted = p.marker_index, remaining = count() }
  end

  -- Name flag 1 clears a name; an empty one would keep it otherwise.
  local function write(old, position, stop, name, native)
    local flags = name == "" and 1 or 0
    reaper.SetProjectMarkerByIndex2(0, old.index, old.is_region, position, stop, old.number, name, native, flags)
  end

  function handlers.marker_edit(p)
    local old = at(p.marker_index)
    local position = p.position >= 0 and p.position or old.position
    local stop = old.is_region and old.region_end + (position - old.position) or 0
    local name = p.name or old.name
    write(old, position, stop, name, old.color)
    local index = index_of(old.number, old.is_region, position)
    local now = index >= 0 and marker(index)
    if not now or now.name ~= name then
      fail("READBACK_MISMATCH", "the marker did not change")
    end
    return now
  end

  function handlers.marker_go_to(p)
    for i = 0, count() - 1 do
      local candidate = marker(i)
      if candidate and candidate.number == p.marker_number and not candidate.is_region then
        reaper.SetEditCurPos(candidate.position, true, true)
        return { cursor_position = reaper.GetCursorPosition() }
      end
    end
    fail("NOT_FOUND", string.format("no marker has the number %d", p.marker_number))
  end

  -- Indices are those before the command; a move may reorder, so each entry is
  -- kept as number, kind and place.
  function handlers.markers_apply(p)
    local work, problems, applied = {}, json.array(), 0
    util.each(p.entries, "entries", function(entry, number)
      util.collect(problems, number - 1, function()
        work[#work + 1] = { old = at(util.field(entry, "marker_index", "int", true)), entry = entry, number = number - 1 }
      end)
    end)
    local doomed = {}
    for _, job in ipairs(work) do
      util.collect(problems, job.number, function()
        local entry, old = job.entry, job.old
        if util.field(entry, "delete", "bool") then
          doomed[#doomed + 1] = job
          return
        end
        local position = util.field(entry, "start", "number") or util.field(entry, "position", "number") or old.position
        local stop = util.field(entry, "end", "number")
          or (old.is_region and old.region_end + (position - old.position)) or 0
        if old.is_region and stop <= position then
          errors.invalid("end", "must lie after the start")
        end
        local native = util.color_of(entry.color, "color")
        old.index = index_of(old.number, old.is_region, old.position)
        write(old, position, stop, util.field(entry, "name", "string") or old.name, native or old.color)
        if index_of(old.number, old.is_region, position) < 0 then
          fail("READBACK_MISMATCH", "the marker did not change")
        end
        old.position = position
        applied = applied + 1
      end)
    end
    for _, job in ipairs(doomed) do
      util.collect(problems, job.number, function()
        local index = index_of(job.old.number, job.old.is_region, job.old.position)
        if index < 0 then
          fail("NOT_FOUND", "the marker is gone already")
        end
        delete(index)
        applied = applied + 1
      end)
    end
    return { applied = applied, errors = problems }
  end

  function handlers.add_markers_batch(p)
    local plan = {}
    util.each(p.markers, "markers", function(entry, index)
      local start = util.field(entry, "start", "number") or util.field(entry, "position", "number", true)
      local stop = util.field(entry, "end", "number")
      local is_region = util.field(entry, "is_region", "bool")
      if is_region == nil then
        is_region = stop ~= nil
      end
      util.between(start, "position", 0, 1e6)
      if is_region and (not stop or stop <= start) then
        errors.invalid("end", "of entry " .. (index - 1) .. " must lie after the start")
      end
      plan[index] = {
        is_region = is_region, start = start, stop = stop or 0,
        name = util.field(entry, "name", "string") or "", color = util.color_of(entry.color, "color") or 0,
      }
    end)
    local added = {}
    for i, entry in ipairs(plan) do
      added[i] = add(entry.is_region, entry.start, entry.stop, entry.name, entry.color)
    end
    local items = json.array()
    for i, entry in ipairs(plan) do
      items[i] = {
        index = index_of(added[i], entry.is_region, entry.start), number = added[i],
        is_region = entry.is_region, name = entry.name,
      }
    end
    return { items = items }
  end
end
