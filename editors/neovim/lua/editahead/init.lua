-- Editahead in Neovim: the predicted next edit, shown in its place, one key to go there and to make it.
local apply = require("editahead.apply")
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
  on("DiagnosticChanged", function(event)
    view.diagnosed(event.buf)
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
M.go = view.go
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

--- Show the next of the predictions in place of this one; after the last comes the first.
---@return boolean  whether another is shown now
function M.next()
  return view.choose(1)
end

---@return boolean  whether another is shown now
function M.prev()
  return view.choose(-1)
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

--- Apply a sketch: these lines of the buffer (`first` and `last`, 1-based), or what is in a `register`; with both, what
--- is in the register, to these lines; with neither, what is on the clipboard, or else in the unnamed register.
---@param from {register: string|nil, first: integer|nil, last: integer|nil}|nil
function M.apply(from)
  apply.apply(from or {})
end

local COMMANDS = {
  accept = M.accept,
  apply = M.apply,
  go = M.go,
  next = M.next,
  prev = M.prev,
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

--- What `:Editahead NAME` does; `:Editahead apply` takes a range or a register, too.
---@param arguments string[]
---@param lines integer[]|nil  the first and the last line of a range, 1-based
function M.command(arguments, lines)
  local name, register = arguments[1], arguments[2]
  local command = COMMANDS[name]
  if not command then
    vim.notify("Editahead: one of " .. table.concat(M.command_names(), ", "), vim.log.levels.WARN)
    return
  end
  if (name ~= "apply" and (register or lines)) or (register and #register > 1) or #arguments > 2 then
    vim.notify("Editahead: only `apply` takes more: lines, or the name of a register", vim.log.levels.WARN)
    return
  end
  if not set_up then
    M.setup()
  end
  if name == "apply" then
    lines = lines or {}
    M.apply({ register = register, first = lines[1], last = lines[2] })
  else
    command()
  end
end

return M
