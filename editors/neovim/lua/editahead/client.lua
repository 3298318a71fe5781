-- The server: where it is, starting it, starting it again, and speaking to it.
local config = require("editahead.config")

local M = {}

M.NAME = "editahead"
-- A server that ends more often than this within a minute is left alone.
local RESTARTS = 3
local MINUTE_MS = 60000

---@type table<integer, true> the buffers that the server is for
local wanted = {}
---@type integer[] when it was started again, in ms
local restarts = {}
local leaving = false

--- How the server is started, or nil when it is not to be found. Never from the folder that is being edited: that
--- may come from anywhere.
---@return string[]|nil
function M.command()
  local cmd = config.options.cmd
  if cmd then
    return vim.fn.executable(cmd[1]) == 1 and cmd or nil
  end
  local here = debug.getinfo(1, "S").source:sub(2)
  local checkout = vim.fn.fnamemodify(vim.uv.fs_realpath(here) or here, ":h:h:h:h:h")
  for _, place in ipairs({ vim.fn.exepath("editahead"), checkout .. "/.venv/bin/editahead" }) do
    if vim.fn.executable(place) == 1 then
      return { place, "lsp" }
    end
  end
end

---@param bufnr integer
---@return vim.lsp.Client|nil
function M.get(bufnr)
  local client = vim.lsp.get_clients({ name = M.NAME, bufnr = bufnr })[1]
  return client and client.initialized and not client:is_stopped() and client or nil
end

---@param bufnr integer
function M.is_wanted(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ""
    and vim.api.nvim_buf_get_name(bufnr) ~= ""
    and config.options.filetypes[vim.bo[bufnr].filetype] ~= false
end

--- Attach the server to a buffer; starts it when it does not run.
---@param bufnr integer
function M.attach(bufnr)
  if not M.is_wanted(bufnr) or #restarts > RESTARTS then
    return
  end
  local cmd = M.command()
  if not cmd then
    local name = config.options.cmd and config.options.cmd[1] or "editahead"
    vim.notify_once(
      ("Editahead: there is no server `%s`, see `:checkhealth editahead`"):format(name),
      vim.log.levels.WARN
    )
    return
  end
  wanted[bufnr] = true
  -- This plugin shows everything itself, so the faces for clients without next edits stay off.
  local settings = vim.tbl_extend("keep", config.options.settings, { hints = "off", completion_item = "off" })
  vim.lsp.start({
    name = M.NAME,
    cmd = cmd,
    cmd_env = config.options.cmd_env,
    root_dir = vim.fs.root(bufnr, config.options.root_markers),
    init_options = { editahead = settings },
    on_exit = M.ended,
  }, { bufnr = bufnr, silent = true })
end

---@param code integer
---@param signal integer
function M.ended(code, signal)
  if leaving or (code == 0 and signal == 0) then
    return
  end
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < MINUTE_MS
  end, restarts)
  table.insert(restarts, now)
  vim.schedule(function()
    if #restarts > RESTARTS then
      vim.notify_once("Editahead: the server keeps ending, see `:checkhealth editahead`", vim.log.levels.ERROR)
      return
    end
    for bufnr in pairs(wanted) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        M.attach(bufnr)
      end
    end
  end)
end

---@param bufnr integer
function M.forget(bufnr)
  wanted[bufnr] = nil
end

function M.leave()
  leaving = true
end

--- End the server and start it anew, with the options as they are now.
function M.restart()
  restarts = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME })) do
    client:stop(true)
  end
end

--- Ask the server to execute a command of its own; `done` gets the result.
---@param bufnr integer
---@param command string
---@param arguments any[]
---@param done fun(result: any)
function M.execute(bufnr, command, arguments, done)
  local client = M.get(bufnr)
  if not client then
    vim.notify("Editahead: no server for this buffer, see `:checkhealth editahead`", vim.log.levels.WARN)
    return
  end
  client:request("workspace/executeCommand", { command = command, arguments = arguments }, function(err, result)
    if err then
      vim.notify("Editahead: " .. err.message, vim.log.levels.WARN)
    else
      done(result)
    end
  end, bufnr)
end

--- Tell the server what became of a prediction.
---@param bufnr integer
---@param id string
---@param event "shown"|"accepted"|"partiallyAccepted"|"rejected"|"ignored"
---@param more table|nil
function M.outcome(bufnr, id, event, more)
  local client = M.get(bufnr)
  if client then
    client:notify("editahead/outcome", vim.tbl_extend("error", { id = id, event = event }, more or {}))
  end
end

return M
