-- Undo steps: exactly one per command that succeeds, none for one that fails.
--
-- Blocks opened from a deferred script do not notice items and MIDI, the plain
-- state-change call does; the flagged call covers the rest. Blocks and refresh
-- holds that a handler leaves open are ended here.

return function(bridge)
  local undo = {}
  local reaper = reaper

  local GROUP_IDLE = 60.0
  local ABORTED = "MCP: aborted (unbalanced undo block)"

  local blocks, holds = 0, 0
  local real = {}
  -- While the dispatcher records the step itself, blocks stay away from
  -- REAPER and only their name is kept.
  local intercept, wanted_name = false, nil

  local function wrap(name, replacement)
    real[name] = reaper[name]
    if real[name] then
      reaper[name] = replacement
    end
  end

  -- Counts what handlers open. Call it once.
  function undo.install()
    wrap("PreventUIRefresh", function(count)
      holds = holds + (tonumber(count) or 0)
      return real.PreventUIRefresh(count)
    end)
    wrap("Undo_BeginBlock", function()
      blocks = blocks + 1
      if not intercept then
        real.Undo_BeginBlock()
      end
    end)
    wrap("Undo_BeginBlock2", function(project)
      blocks = blocks + 1
      if not intercept then
        real.Undo_BeginBlock2(project)
      end
    end)
    wrap("Undo_EndBlock", function(name, flags)
      blocks = blocks - 1
      wanted_name = name
      if not intercept then
        real.Undo_EndBlock(name, flags)
      end
    end)
    wrap("Undo_EndBlock2", function(project, name, flags)
      blocks = blocks - 1
      wanted_name = name
      if not intercept then
        real.Undo_EndBlock2(project, name, flags)
      end
    end)
  end

  -- Puts the functions back as they were.
  function undo.uninstall()
    for name, original in pairs(real) do
      reaper[name] = original
    end
    real = {}
  end

  local function unwind(command)
    while holds > 0 do
      reaper.PreventUIRefresh(-1)
    end
    local unbalanced = blocks > 0
    while blocks > 0 do
      reaper.Undo_EndBlock2(0, ABORTED, -1)
    end
    blocks, holds = 0, 0
    if unbalanced then
      reaper.ShowConsoleMsg("reaper-batch: `" .. command .. "` left an undo block open\n")
    end
  end

  -- Groups --------------------------------------------------------------

  local group, runs = nil, {}

  function undo.begin_group(name)
    if group then
      group.depth = group.depth + 1
    else
      runs[name] = (runs[name] or 0) + 1
      group = { name = name, run = runs[name], depth = 1 }
    end
    group.last = reaper.time_precise()
    return group.name, group.run
  end

  function undo.end_group()
    if not group then
      return false
    end
    group.depth = group.depth - 1
    if group.depth == 0 then
      group = nil
    end
    return true
  end

  -- Ends a group whose client is gone. Once per tick.
  function undo.expire()
    if group and reaper.time_precise() - group.last > GROUP_IDLE then
      group = nil
    end
  end

  function undo.label(command)
    if group then
      group.last = reaper.time_precise()
      return string.format("MCP: %s#%d > %s", group.name, group.run, command)
    end
    return "MCP: " .. command
  end

  -- "MCP: name#run > " of a step made inside a group, else nil.
  function undo.group_prefix(label)
    return label and label:match("^(MCP: .-#%d+ > )")
  end

  -- Runs a handler so that it leaves the right step. Returns what `pcall`
  -- does.
  function undo.run(command, mode, handler, params)
    local label = undo.label(command)
    intercept, wanted_name = mode == "P" or mode == "I", nil
    if mode == "B" then
      real.Undo_BeginBlock2(0)
    end
    local ok, result = pcall(handler, params)
    unwind(command)
    intercept = false
    if mode == "B" then
      if ok then
        real.Undo_EndBlock2(0, label, -1)
      else
        -- What a failed command did before it failed is taken back.
        local failed = label .. " (failed)"
        real.Undo_EndBlock2(0, failed, -1)
        if reaper.Undo_CanUndo2(0) == failed then
          reaper.Undo_DoUndo2(0)
        end
      end
    elseif ok and mode == "P" then
      reaper.Undo_OnStateChangeEx2(0, label, -1, -1)
    elseif ok and mode == "I" then
      reaper.Undo_OnStateChange2(0, label)
    end
    return ok, result
  end

  return undo
end
