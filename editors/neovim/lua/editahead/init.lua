-- Editahead in Neovim: the predicted next edit, shown in place, with one key to go there and accept it.
local accept_all = require("editahead.accept_all")
local activity = require("editahead.activity")
local apply = require("editahead.apply")
local apply_preview = require("editahead.apply_preview")
local client = require("editahead.client")
local config = require("editahead.config")
local finish = require("editahead.finish")
local search = require("editahead.search")
local keys = require("editahead.keys")
local render = require("editahead.render")
local view = require("editahead.view")

local M = {}

local is_set_up = false

---@return boolean
function M.is_set_up()
  return is_set_up
end

local function on(events, callback, extra_options)
  local options = { group = "editahead", callback = callback }
  vim.api.nvim_create_autocmd(events, vim.tbl_extend("error", options, extra_options or {}))
end

-- Clients must send `textDocument/didFocus` themselves: the method is not part of LSP.
local function notify_focus(bufnr)
  local server = client.get(bufnr)
  if server then
    server:notify("textDocument/didFocus", { textDocument = { uri = vim.uri_from_bufnr(bufnr) } })
  end
end

local function on_attach(bufnr)
  keys.map(bufnr)
  if config.options.inline_completion and vim.lsp.inline_completion then
    vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
  end
  if bufnr == vim.api.nvim_get_current_buf() then
    notify_focus(bufnr)
    view.schedule_request(bufnr, "cursor")
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
      on_attach(event.buf)
    end
  end)
  on("LspDetach", function(event)
    local server = vim.lsp.get_client_by_id(event.data.client_id)
    if server and server.name == client.NAME then
      apply_preview.reject()
      view.detach(event.buf)
      keys.unmap(event.buf)
    end
  end)
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, function(event)
    view.on_text_changed(event.buf)
  end)
  on({ "CursorMoved", "CursorMovedI", "ModeChanged" }, function()
    local bufnr = vim.api.nvim_get_current_buf()
    view.redraw(bufnr)
    view.schedule_request(bufnr, "cursor")
  end)
  on({ "WinScrolled", "WinResized", "CompleteChanged", "CompleteDone" }, function()
    local bufnr = vim.api.nvim_get_current_buf()
    vim.schedule(function()
      view.redraw(bufnr)
    end)
  end)
  on("TextYankPost", function(event)
    if vim.v.event.operator == "y" then
      client.report_copy(event.buf, vim.fn.line("'[") - 1, vim.fn.line("']") - 1)
    end
  end)
  on("DiagnosticChanged", function(event)
    view.on_diagnostics_changed(event.buf)
  end)
  on("BufEnter", function(event)
    notify_focus(event.buf)
  end)
  on({ "BufEnter", "WinEnter" }, function(event)
    view.redraw(event.buf)
    view.schedule_request(event.buf, "cursor")
  end)
  on({ "BufLeave", "WinLeave" }, function(event)
    view.hide(event.buf)
  end)
  on({ "BufUnload", "BufWipeout" }, function(event)
    client.forget(event.buf)
    view.detach(event.buf)
  end)
  on("ColorScheme", render.define_highlights)
  on("VimLeavePre", client.on_leave)
end

--- Start the plugin with options (:help editahead-options), or with those of `vim.g.editahead`.
---@param options table|nil
function M.setup(options)
  for _, problem in ipairs(config.set(options or vim.g.editahead or {})) do
    vim.notify("Editahead: " .. problem, vim.log.levels.WARN)
  end
  is_set_up = true
  activity.load()
  render.define_highlights()
  watch_events()
  keys.watch()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      client.attach(bufnr)
    end
  end
end

M.go = view.go

--- Apply the edit in the preview, or accept the next edit.
function M.accept()
  return apply_preview.accept() or view.accept()
end

--- Discard the preview of a sketch, or reject the shown edit.
function M.reject()
  return apply_preview.reject() or view.reject()
end

--- Bring back the edit that was rejected last, and go there.
function M.restore()
  client.execute(vim.api.nvim_get_current_buf(), "editahead.restore", {}, function(restored)
    if restored == vim.NIL or restored == nil then
      vim.api.nvim_echo({ { "Editahead: No rejected edit can be brought back." } }, false, {})
    else
      view.go()
    end
  end)
end

M.reveal = view.reveal

--- Return whether a prediction is shown, for a statusline or for your own key mappings.
---@return boolean
function M.is_visible()
  return view.visible() ~= nil
end

function M.accept_word()
  return view.accept_part("word")
end

--- Accept the next line of the prediction, or so many.
---@param count integer|nil
function M.accept_line(count)
  return view.accept_part("line", count)
end

--- Show the next alternative; after the last, show the first.
---@return boolean  whether an alternative is shown
function M.next()
  return view.show_alternative(1)
end

--- Show the previous alternative.
---@return boolean  whether an alternative is shown
function M.prev()
  return view.show_alternative(-1)
end

--- Turn the predictions off or on, in later sessions too. A snooze ends.
function M.toggle()
  view.set_enabled(not activity.is_active())
  vim.api.nvim_echo({ { "Editahead is " .. (activity.is_enabled and "on" or "off") .. "." } }, false, {})
end

--- Show nothing for some minutes.
---@param minutes number|nil
function M.snooze(minutes)
  minutes = minutes or activity.DEFAULT_SNOOZE_MINUTES
  view.snooze(minutes)
  vim.api.nvim_echo({ { ("Editahead is off for %g minutes."):format(minutes) } }, false, {})
end

local function show(lines)
  vim.api.nvim_echo({ { table.concat(lines, "\n") } }, true, {})
end

--- Show the candidates of the last prediction, and why each is shown or not.
function M.why()
  local bufnr = vim.api.nvim_get_current_buf()
  client.execute(bufnr, "editahead.why", { vim.uri_from_bufnr(bufnr) }, function(why)
    local lines = {}
    if type(why.silence) == "table" then
      table.insert(lines, "Editahead shows nothing: " .. why.silence.detail)
    elseif #why.shown > 0 then
      table.insert(lines, "Editahead shows an edit.")
    else
      table.insert(lines, "Editahead has no prediction here yet. Change something first.")
    end
    for _, candidate in ipairs(why.candidates) do
      local verdict = candidate.verdict:gsub("-", " ")
      if candidate.verdict == "below-threshold" and candidate.threshold then
        verdict = ("needs more than %.0f %%"):format(100 * candidate.threshold)
      end
      table.insert(
        lines,
        ("  %3.0f %%  %s (%s): %s"):format(100 * candidate.confidence, candidate.label, candidate.source, verdict)
      )
    end
    show(lines)
  end)
end

--- Let the server write a scenario file of the last minute.
---@param kind "missed"|"wrong"
local function report(kind)
  client.execute(vim.api.nvim_get_current_buf(), "editahead.report", { kind }, function(result)
    show({ type(result.file) == "string" and "Editahead wrote " .. result.file or "Editahead: " .. result.reason })
  end)
end

--- Report that the edit that was made last should have been predicted.
function M.missed()
  report("missed")
end

--- Report that what was shown last was wrong, and reject it.
function M.wrong()
  report("wrong")
  view.reject()
end

--- Show the server's version, backend, latency and outcomes.
function M.status()
  client.execute(vim.api.nvim_get_current_buf(), "editahead.status", {}, function(status)
    local backend, outcomes = status.backend, status.outcomes
    show({
      ("Editahead %s, %s (%s), %s"):format(
        status.version,
        backend.name,
        backend.state,
        not activity.is_enabled and "off" or activity.is_snoozed() and "snoozed" or "on"
      ),
      ("documents: %d"):format(status.documents),
      ("latency: %.0f ms (p50), %.0f ms (p95)"):format(status.latency.p50, status.latency.p95),
      ("shown: %d, accepted: %d, rejected: %d"):format(outcomes.shown, outcomes.accepted, outcomes.rejected),
      finish.places_left() ~= "" and ("your change: %s"):format(finish.places_left()) or nil,
    })
  end)
end

--- Apply a sketch: the lines from `first` to `last` (1-based, inclusive) of the buffer, or the content of a `register`. With
--- both, the register's edit stays within the lines. With neither, apply the clipboard, or else the unnamed register.
---@param from {register: string|nil, first: integer|nil, last: integer|nil}|nil
function M.apply(from)
  apply.apply(from or {})
end

M.accept_all = accept_all.accept_all
M.finish = finish.finish
M.make = finish.make
M.search = search.search
M.places_left = finish.places_left

local COMMANDS = {
  accept = M.accept,
  all = M.accept_all,
  apply = M.apply,
  finish = M.finish,
  make = M.make,
  model = function()
    require("editahead.model").use()
  end,
  go = M.go,
  missed = M.missed,
  next = M.next,
  prev = M.prev,
  reject = M.reject,
  restore = M.restore,
  reveal = M.reveal,
  search = M.search,
  snooze = M.snooze,
  status = M.status,
  toggle = M.toggle,
  why = M.why,
  wrong = M.wrong,
  restart = client.restart,
}

---@return string[]
function M.command_names()
  local names = vim.tbl_keys(COMMANDS)
  table.sort(names)
  return names
end

--- Run `:Editahead NAME`. `apply` takes a range or a register, `make` the word "all", `search` a question, `snooze` a
--- number of minutes.
---@param arguments string[]
---@param lines integer[]|nil  first and last line of a range, 1-based
function M.command(arguments, lines)
  local name, argument = arguments[1], arguments[2]
  local command = COMMANDS[name]
  if not command then
    vim.notify("Editahead: Unknown command. Use one of " .. table.concat(M.command_names(), ", ") .. ".", vim.log.levels.WARN)
    return
  end
  if name == "search" and not lines then
    if not is_set_up then
      M.setup()
    end
    M.search(table.concat(vim.list_slice(arguments, 2), " "))
    return
  end
  local takes = {
    apply = argument and #argument == 1,
    make = argument == "all",
    snooze = argument and (tonumber(argument) or 0) > 0,
  }
  if #arguments > 2 or (argument and not takes[name]) or (lines and name ~= "apply") then
    local text = "Editahead: Only `apply` takes a range or the name of a register, `make` the word `all`, "
      .. "and `snooze` a number of minutes."
    vim.notify(text, vim.log.levels.WARN)
    return
  end
  if not is_set_up then
    M.setup()
  end
  if name == "apply" then
    lines = lines or {}
    M.apply({ register = argument, first = lines[1], last = lines[2] })
  elseif name == "make" then
    M.make(argument == "all")
  elseif name == "snooze" then
    M.snooze(tonumber(argument))
  else
    command()
  end
end

return M
