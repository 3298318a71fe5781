-- The language server: its command line, start, restart, and requests.
local config = require("editahead.config")

local M = {}

M.NAME = "editahead"
-- Restarts within a minute, after which the server is not started again: its start would fail forever.
local MAX_RESTARTS = 3
local MINUTE_MS = 60000

---@type table<integer, true> the buffers to attach after a restart
local attached = {}
---@type integer[] times of unexpected exits, in ms
local exits = {}
local is_leaving = false

--- Return the server's command line, or nil if no server is found. The folder being edited is never searched, because its
--- content is not trusted.
---@return string[]|nil
function M.command()
  local cmd = config.options.cmd
  if cmd then
    return vim.fn.executable(cmd[1]) == 1 and cmd or nil
  end
  local here = debug.getinfo(1, "S").source:sub(2)
  local checkout = vim.fn.fnamemodify(vim.uv.fs_realpath(here) or here, ":h:h:h:h:h")
  for _, path in ipairs({ vim.fn.exepath("editahead"), checkout .. "/.venv/bin/editahead" }) do
    if vim.fn.executable(path) == 1 then
      return { path, "lsp" }
    end
  end
end

--- Return the folder that the server starts in.
---@return string
function M.own_folder()
  return vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
end

---@param bufnr integer
---@return vim.lsp.Client|nil
function M.get(bufnr)
  local client = vim.lsp.get_clients({ name = M.NAME, bufnr = bufnr })[1]
  return client and client.initialized and not client:is_stopped() and client or nil
end

---@param bufnr integer
function M.is_supported(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ""
    and vim.api.nvim_buf_get_name(bufnr) ~= ""
    and config.options.filetypes[vim.bo[bufnr].filetype] ~= false
end

--- Attach the server to a buffer. Start the server if necessary.
---@param bufnr integer
function M.attach(bufnr)
  if not M.is_supported(bufnr) or #exits > MAX_RESTARTS then
    return
  end
  local cmd = M.command()
  if not cmd then
    local name = config.options.cmd and config.options.cmd[1] or "editahead"
    vim.notify_once(
      ("Editahead: The server `%s` was not found. Run `:checkhealth editahead`."):format(name),
      vim.log.levels.WARN
    )
    return
  end
  attached[bufnr] = true
  -- The plugin shows next edits itself: the server's hints and completion item would duplicate them.
  local settings = vim.tbl_extend("keep", config.options.settings, { hints = "off", completion_item = "off" })
  settings.placesLeft = config.options.places_left
  vim.lsp.start({
    name = M.NAME,
    cmd = cmd,
    cmd_env = config.options.cmd_env,
    cmd_cwd = M.own_folder(), -- not the workspace, whose modules a Python would import
    root_dir = vim.fs.root(bufnr, config.options.root_markers),
    init_options = { editahead = settings },
    on_exit = M.on_exit,
    handlers = {
      ["$/progress"] = function(err, params, context)
        if not require("editahead.apply").on_progress(params) then
          vim.lsp.handlers["$/progress"](err, params, context)
        end
      end,
      ["editahead/placesLeft"] = function(...)
        require("editahead.finish").on_places_left(...)
      end,
      ["editahead/askEvidence"] = function(_, params, context)
        local server = vim.lsp.get_client_by_id(context.client_id)
        if server then
          require("editahead.evidence").answer(params, server)
        end
      end,
      ["editahead/nextEdit/refresh"] = function(_, params)
        require("editahead.view").refresh(params.textDocument)
      end,
    },
  }, { bufnr = bufnr, silent = true })
end

--- Restart the server after an unexpected exit.
---@param code integer
---@param signal integer
function M.on_exit(code, signal)
  if is_leaving or (code == 0 and signal == 0) then
    return
  end
  local now = vim.uv.now()
  exits = vim.tbl_filter(function(at)
    return now - at < MINUTE_MS
  end, exits)
  table.insert(exits, now)
  vim.schedule(function()
    if #exits > MAX_RESTARTS then
      vim.notify_once("Editahead: The server stops repeatedly. Run `:checkhealth editahead`.", vim.log.levels.ERROR)
      return
    end
    for bufnr in pairs(attached) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        M.attach(bufnr)
      end
    end
  end)
end

---@param bufnr integer
function M.forget(bufnr)
  attached[bufnr] = nil
end

function M.on_leave()
  is_leaving = true
end

--- Restart the server with the present options.
function M.restart()
  exits = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME })) do
    client:stop(true)
  end
end

--- Execute a command of the server.
---@param bufnr integer
---@param command string
---@param arguments any[]
---@param on_result fun(result: any)
function M.execute(bufnr, command, arguments, on_result)
  local client = M.get(bufnr)
  if not client then
    vim.notify("Editahead: The server is not attached to this buffer. Run `:checkhealth editahead`.", vim.log.levels.WARN)
    return
  end
  client:request("workspace/executeCommand", { command = command, arguments = arguments }, function(err, result)
    if err then
      vim.notify("Editahead: " .. err.message, vim.log.levels.WARN)
    else
      on_result(result)
    end
  end, bufnr)
end

--- Report the outcome of a prediction to the server.
---@param bufnr integer
---@param id string
---@param event "shown"|"accepted"|"partiallyAccepted"|"rejected"|"ignored"
---@param details table|nil
function M.report_outcome(bufnr, id, event, details)
  local client = M.get(bufnr)
  if client then
    client:notify("editahead/outcome", vim.tbl_extend("error", { id = id, event = event }, details or {}))
  end
end

--- Report to the server where a person went from the results of a search. It writes this down only if `search_log` is on.
---@param bufnr integer
---@param query string
---@param uri string
---@param line integer  from 0
function M.report_opened(bufnr, query, uri, line)
  local client = M.get(bufnr)
  if client then
    client:notify("editahead/didOpenSearchResult", { query = query, uri = uri, line = line })
  end
end

--- Report to the server which lines a person yanked.
---@param bufnr integer
---@param first integer  from 0
---@param last integer  from 0
function M.report_copy(bufnr, first, last)
  local client = M.get(bufnr)
  if client then
    client:notify("editahead/didCopy", {
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
      range = { start = { line = first, character = 0 }, ["end"] = { line = last + 1, character = 0 } },
    })
  end
end

return M
