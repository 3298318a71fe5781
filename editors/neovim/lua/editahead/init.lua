-- Editahead in Neovim: the predicted next edit, shown in its place, one key to go there and to make it.
local client = require("editahead.client")
local config = require("editahead.config")
local keys = require("editahead.keys")
local render = require("editahead.render")
local view = require("editahead.view")

local M = {}

local set_up = false

---@return boolean
function M.is_set_up()
  return set_up
end

local function on(events, callback, more)
  local options = { group = "editahead", callback = callback }
  vim.api.nvim_create_autocmd(events, vim.tbl_extend("error", options, more or {}))
end

-- Only these say `textDocument/didFocus`: it is no method of the standard.
local function tell_focus(bufnr)
  local server = client.get(bufnr)
  if server then
    server:notify("textDocument/didFocus", { textDocument = { uri = vim.uri_from_bufnr(bufnr) } })
  end
end

local function attached(bufnr)
  keys.map(bufnr)
  if config.options.inline_completion and vim.lsp.inline_completion then
    vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
  end
  if bufnr == vim.api.nvim_get_current_buf() then
    tell_focus(bufnr)
    view.ask_soon(bufnr, "cursor")
  end
end

local function watch_events()
  vim.api.nvim_create_augroup("editahead", { clear = true })
  on("FileType", function(event)
    vim.schedule(function()
      client.attach(event.buf)
    end)
  end)
  on({ "BufReadPost", "BufNewFile", "BufFilePost" }, function(event)
    vim.schedule(function()
      client.attach(event.buf)
    end)
  end)
  on("LspAttach", function(event)
    local server = vim.lsp.get_client_by_id(event.data.client_id)
    if server and server.name == client.NAME then
      attached(event.buf)
    end
  end)
  on("LspDetach", function(event)
    local server = vim.lsp.get_client_by_id(event.data.client_id)
    if server and server.name == client.NAME then
      view.forget(event.buf)
      keys.unmap(event.buf)
    end
  end)
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, function(event)
    view.redraw(event.buf)
    view.ask_soon(event.buf, "typed")
  end)
  on({ "CursorMoved", "CursorMovedI", "ModeChanged" }, function()
    local bufnr = vim.api.nvim_get_current_buf()
    view.redraw(bufnr)
    view.ask_soon(bufnr, "cursor")
  end)
  on({ "WinScrolled", "WinResized", "CompleteChanged", "CompleteDone" }, function()
    local bufnr = vim.api.nvim_get_current_buf()
    vim.schedule(function()
      view.redraw(bufnr)
    end)
  end)
  on("BufEnter", function(event)
    tell_focus(event.buf)
  end)
  on({ "BufEnter", "WinEnter" }, function(event)
    view.redraw(event.buf)
    view.ask_soon(event.buf, "cursor")
  end)
  on({ "BufLeave", "WinLeave" }, function(event)
    view.hide(event.buf)
  end)
  on({ "BufUnload", "BufWipeout" }, function(event)
    client.forget(event.buf)
    view.forget(event.buf)
  end)
  on("ColorScheme", render.define_highlights)
  on("VimLeavePre", client.leave)
end

--- Begin, with these options (:help editahead-options); `vim.g.editahead` is used when there are none.
---@param options table|nil
function M.setup(options)
  for _, problem in ipairs(config.set(options or vim.g.editahead or {})) do
    vim.notify("Editahead: " .. problem, vim.log.levels.WARN)
  end
  set_up = true
  render.define_highlights()
  watch_events()
  keys.watch()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      client.attach(bufnr)
    end
  end
end

M.accept = view.accept
M.next = view.next
M.reject = view.reject

--- Whether a prediction is on the screen: for a statusline, or for key mappings of one's own.
---@return boolean
function M.is_visible()
  return view.visible() ~= nil
end

function M.accept_word()
  return view.accept_part("word")
end

function M.accept_line()
  return view.accept_part("line")
end

function M.toggle()
  view.enable(not view.enabled)
  vim.api.nvim_echo({ { "Editahead is " .. (view.enabled and "on" or "off") } }, false, {})
end

local function tell(lines)
  vim.api.nvim_echo({ { table.concat(lines, "\n") } }, true, {})
end

--- Says what the last prediction weighed, and why it is shown or not.
function M.why()
  local bufnr = vim.api.nvim_get_current_buf()
  client.execute(bufnr, "editahead.why", { vim.uri_from_bufnr(bufnr) }, function(why)
    local lines = {}
    if type(why.silence) == "table" then
      table.insert(lines, ("Editahead shows nothing (%s): %s"):format(why.silence.reason, why.silence.detail))
    elseif #why.shown > 0 then
      table.insert(lines, "Editahead shows " .. table.concat(why.shown, ", "))
    else
      table.insert(lines, "Editahead has predicted nothing here yet.")
    end
    for _, candidate in ipairs(why.candidates) do
      table.insert(
        lines,
        ("  %3.0f %%  %s (%s): %s"):format(
          100 * candidate.confidence,
          candidate.label,
          candidate.source,
          candidate.verdict
        )
      )
    end
    tell(lines)
  end)
end

--- Says how the server is.
function M.status()
  client.execute(vim.api.nvim_get_current_buf(), "editahead.status", {}, function(status)
    local backend, outcomes = status.backend, status.outcomes
    tell({
      ("Editahead %s, %s (%s), %s"):format(
        status.version,
        backend.name,
        backend.state,
        view.enabled and "on" or "off here"
      ),
      ("documents: %d"):format(status.documents),
      ("answers: %.0f ms (half), %.0f ms (95 %%)"):format(status.latency.p50, status.latency.p95),
      ("shown: %d, accepted: %d, refused: %d"):format(outcomes.shown, outcomes.accepted, outcomes.rejected),
    })
  end)
end

local COMMANDS = {
  accept = M.accept,
  next = M.next,
  reject = M.reject,
  status = M.status,
  toggle = M.toggle,
  why = M.why,
  restart = client.restart,
}

---@return string[]
function M.command_names()
  local names = vim.tbl_keys(COMMANDS)
  table.sort(names)
  return names
end

--- What `:Editahead NAME` does.
---@param arguments string[]
function M.command(arguments)
  local command = COMMANDS[arguments[1]]
  if not command then
    vim.notify("Editahead: one of " .. table.concat(M.command_names(), ", "), vim.log.levels.WARN)
    return
  end
  if not set_up then
    M.setup()
  end
  command()
end

return M
