-- The pause after typing, in which the edit at the cursor counts as finished.
local M = {}

local PAUSE_MS = 300

local timer = assert(vim.uv.new_timer())

--- Call a function after the pause, unless `stop` comes first.
---@param on_pause fun()
function M.start(on_pause)
  timer:start(PAUSE_MS, 0, vim.schedule_wrap(on_pause))
end

--- Cancel the call.
function M.stop()
  timer:stop()
end

return M
