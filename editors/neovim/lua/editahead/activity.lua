-- Whether predictions are wanted now: the switch, which outlives a restart, the snooze, and the modes.
local config = require("editahead.config")

local M = {}

local MINUTE_MS = 60000
M.DEFAULT_SNOOZE_MINUTES = 10

M.is_enabled = true
-- Whether the preview of a sketch is open, which keeps its keys and its place.
M.is_previewing = false
---@type uv.uv_timer_t|nil  ends the snooze
local snooze

-- The file exists while Editahead is off.
local function off_file()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "editahead", "off")
end

--- Read the switch as the last session left it.
function M.load()
  M.is_enabled = vim.uv.fs_stat(off_file()) == nil
end

--- Turn the predictions on or off, in later sessions too.
---@param is_enabled boolean
function M.set_enabled(is_enabled)
  M.end_snooze()
  M.is_enabled = is_enabled
  local path = off_file()
  if is_enabled then
    vim.fn.delete(path)
  else
    pcall(vim.fn.mkdir, vim.fs.dirname(path), "p")
    pcall(vim.fn.writefile, {}, path) -- a read-only state folder: off in this session only
  end
end

---@return boolean
function M.is_snoozed()
  return snooze ~= nil
end

--- End the snooze before its time.
function M.end_snooze()
  if snooze then
    snooze:stop()
    snooze:close()
    snooze = nil
  end
end

--- Show nothing for some minutes.
---@param minutes number
---@param on_end fun()  called when the time is over
function M.snooze(minutes, on_end)
  M.end_snooze()
  snooze = vim.defer_fn(function()
    snooze = nil -- vim.defer_fn closes the timer
    on_end()
  end, math.floor(minutes * MINUTE_MS))
end

--- Return whether predictions are wanted at all: neither off nor snoozed.
---@return boolean
function M.is_active()
  return M.is_enabled and not M.is_snoozed()
end

--- Return whether predictions are wanted in the present mode. In visual mode, in a snippet's selected field and on the command
--- line, keys have other meanings.
---@return boolean
function M.is_mode_supported()
  local mode = vim.api.nvim_get_mode().mode
  if M.is_previewing then
    return false
  end
  if mode == "n" then
    return vim.list_contains(config.options.modes, "n")
  end
  return (mode:sub(1, 1) == "i" or mode:sub(1, 2) == "ni") and vim.list_contains(config.options.modes, "i")
end

--- Return whether a completion menu is open. An open menu keeps its keys and the place at the cursor.
function M.is_menu_open()
  if vim.fn.pumvisible() ~= 0 then
    return true
  end
  for module, method in pairs({ ["blink.cmp"] = "is_visible", cmp = "visible" }) do
    local loaded = package.loaded[module]
    if type(loaded) == "table" and type(loaded[method]) == "function" then
      local ok, open = pcall(loaded[method])
      if ok and open then
        return true
      end
    end
  end
  return false
end

return M
