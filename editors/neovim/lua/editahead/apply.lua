-- `:Editahead apply`: preview and apply a sketch of a change, from the selection or a register, or explain why it was refused.
local apply_preview = require("editahead.apply_preview")
local change_log = require("editahead.change_log")
local choices = require("editahead.choices")
local client = require("editahead.client")
local config = require("editahead.config")
local diff = require("editahead.diff")

local M = {}

-- LSP's RequestFailed: a refusal, with the reason in the error's data.
local REQUEST_FAILED = -32803
-- LSP's RequestCancelled.
local REQUEST_CANCELLED = -32800
-- The code action that applies selected whole lines: title and kind.
local ACTION_TITLE, ACTION_KIND = "Apply sketch in selection", "refactor.rewrite.editahead.apply"
-- Lines of the refused part that the message quotes: enough to find the part in the sketch.
local MAX_QUOTED_LINES = 3

local REFUSAL_REASONS = {
  unplaced = "no code resembles one part of the sketch",
  ambiguous = "one part of the sketch fits several places",
  unparsed = "the sketch cannot be parsed",
  ["would-break-syntax"] = "the result would have a syntax error",
  ["would-lose-code"] = "the result would lose code that the sketch does not mention",
  stale = "the document has changed since the request",
  ["outside-workspace"] = "the sketch names a file outside the workspace",
  ["too-large"] = "the sketch is too large",
  ["engine-unavailable"] = "this sketch needs a model, and none is available",
}

--- Return the register to use when none is named: the clipboard, or the unnamed register where Neovim has no clipboard.
---@return string
local function default_register()
  return vim.fn.has("clipboard") == 1 and "+" or '"'
end

local function notify(text, level)
  vim.notify("Editahead: " .. text, level)
end

-- Fill the quickfix list with the code that resembles the refused part.
---@return integer count
local function list_similar_code(refusal, uri)
  local near = type(refusal.near) == "table" and refusal.near or {}
  local items = vim.tbl_map(function(place)
    local bufnr = vim.uri_to_bufnr(place.uri or uri)
    return {
      bufnr = bufnr,
      lnum = place.range.start.line + 1,
      end_lnum = place.range["end"].line + 1,
      col = 1,
      type = "W",
      text = ("%.0f %% similar: %s"):format(100 * place.similarity, vim.trim(refusal.part):match("[^\n]*")),
    }
  end, near)
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "Editahead apply: " .. refusal.reason, items = items })
  end
  return #items
end

---@param err lsp.ResponseError
---@param uri string
local function show_refusal(err, uri)
  local refusal = err.code == REQUEST_FAILED and type(err.data) == "table" and err.data or nil
  if not refusal then
    notify(err.message, vim.log.levels.WARN)
    return
  end
  local lines = { ("Nothing was changed: %s."):format(REFUSAL_REASONS[refusal.reason] or err.message:gsub("%.$", "")) }
  local part = vim.split(vim.trim(type(refusal.part) == "string" and refusal.part or ""), "\n")
  for i = 1, math.min(#part, MAX_QUOTED_LINES) do
    if part[i] ~= "" then
      table.insert(lines, "  | " .. part[i])
    end
  end
  if #part > MAX_QUOTED_LINES then
    table.insert(lines, ("  | ... (%d lines)"):format(#part))
  end
  local places = list_similar_code(refusal, uri)
  if places > 0 then
    table.insert(lines, ("See :copen for %s."):format(places == 1 and "1 similar place" or places .. " similar places"))
  end
  notify(table.concat(lines, "\n"), vim.log.levels.WARN)
end

-- Let the user choose between the readings of a refused sketch, or show the refusal.
---@param apply_choice fun(id: string)
local function choose_or_show(err, uri, apply_choice)
  local readings = type(err.data) == "table" and err.data.choices or nil
  if type(readings) ~= "table" or #readings == 0 then
    return show_refusal(err, uri)
  end
  local offered = vim.tbl_map(function(reading)
    local places = vim.tbl_map(function(place)
      local name = place.uri == uri and "line" or vim.fn.fnamemodify(vim.uri_to_fname(place.uri), ":t") .. ", line"
      return ("%s %d"):format(name, place.line + 1)
    end, reading.places)
    return { title = reading.title, diff = reading.diff, place = table.concat(places, "; ") }
  end, readings)
  choices.pick(offered, function(number)
    if number then
      apply_choice(readings[number].id)
    else
      notify("Nothing was changed.", vim.log.levels.INFO)
    end
  end)
end

-- Fill the quickfix list with the warnings and new problems, at their places in the changed text.
---@return integer count
local function list_warnings(hunks, problems)
  local items, shifts = {}, {}
  local function add(uri, line, text)
    table.insert(items, { bufnr = vim.uri_to_bufnr(uri), lnum = line + 1, col = 1, type = "W", text = text })
  end
  for _, hunk in ipairs(hunks) do
    local range, shift = hunk.range, shifts[hunk.uri] or 0
    for _, flag in ipairs(hunk.flags or {}) do
      add(hunk.uri, range.start.line + shift, flag)
    end
    local _, lines = hunk.newText:gsub("\n", "")
    shifts[hunk.uri] = shift + lines - (range["end"].line - range.start.line)
  end
  for _, problem in ipairs(problems) do
    add(problem.uri, problem.range.start.line, ("%s (%s)"):format(problem.message, problem.source))
  end
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "Editahead apply: review first", items = items })
  end
  return #items
end

-- Return an edit without annotations: Neovim 0.12 would ask again.
local function without_annotations(edit)
  local out = vim.deepcopy(edit)
  out.changeAnnotations = nil
  for _, change in ipairs(out.documentChanges or {}) do
    change.annotationId = nil
    for _, text_edit in ipairs(change.edits or {}) do
      text_edit.annotationId = nil
    end
  end
  return out
end

-- Return "1 place" or "3 places".
local function count_places(hunks)
  return #hunks == 1 and "1 place" or #hunks .. " places"
end

---@class editahead.Planned
---@field edit table
---@field hunks table[]
---@field plan string|nil  the name of the edit, to ask for its problems

local function make(server, planned, problems)
  vim.lsp.util.apply_workspace_edit(without_annotations(planned.edit), server.offset_encoding)
  local warnings = list_warnings(planned.hunks, problems)
  local text = ("Applied the sketch in %s."):format(count_places(planned.hunks))
  notify(warnings > 0 and ("%s Review first: %d, see :copen."):format(text, warnings) or text, vim.log.levels.INFO)
end

---@type {token: string, hunks: table[]}|nil  the request whose answer is awaited, and the hunks that have come
local running
local count = 0

local function say_unchanged()
  notify("Nothing was changed.", vim.log.levels.INFO)
end

-- Ask for the new problems of the edit in the preview.
---@param on_found fun(problems: table[])
local function find_problems(server, bufnr, plan, on_found)
  local params = { command = "editahead.applyProblems", arguments = { { plan = plan } } }
  local sent, id = server:request("workspace/executeCommand", params, function(err, result)
    if not err then
      on_found(result.problems)
    end
  end, bufnr)
  return function()
    if sent then
      server:cancel_request(id)
    end
  end
end

-- Show an edit of which something should be read, until the user applies or discards it.
local function preview(server, bufnr, planned, reading)
  local problems = {}
  local function stop() end
  apply_preview.open({
    hunks = vim.tbl_map(apply_preview.describe, planned.hunks),
    encoding = server.offset_encoding,
    on_accept = function()
      stop()
      make(server, planned, problems)
    end,
    on_close = function()
      stop()
      say_unchanged()
    end,
    on_change = function()
      stop()
      notify("Nothing was changed: the text has changed since the preview. Apply the sketch again.", vim.log.levels.WARN)
    end,
  })
  local keys = config.options.keys
  notify(
    ("%s, %d to read. %s applies, %s discards."):format(
      count_places(planned.hunks):gsub("place", "change"),
      reading,
      keys.accept or ":Editahead accept",
      keys.dismiss or ":Editahead reject"
    ),
    vim.log.levels.INFO
  )
  if planned.plan then
    stop = find_problems(server, bufnr, planned.plan, function(found)
      problems = found
      apply_preview.update({ problems = found })
      if #found > 0 and apply_preview.is_ready() then
        local texts = vim.tbl_map(function(problem)
          local name = vim.fn.fnamemodify(vim.uri_to_fname(problem.uri), ":~:.")
          return ("  %s:%d: %s (%s)"):format(name, problem.range.start.line + 1, problem.message, problem.source)
        end, found)
        notify("New problems:\n" .. table.concat(texts, "\n"), vim.log.levels.WARN)
      end
    end)
  end
end

-- Plan an edit, and apply it: at once if there is nothing to read or the user has chosen it by its diff, else after a preview.
---@param request fun(token: string, choice: string|nil): string, table  returns the method and the parameters
---@param read fun(result: any): editahead.Planned|nil  reads the answer; nil where there is nothing to change
---@param choice string|nil
local function run(server, bufnr, request, read, choice)
  local uri = vim.uri_from_bufnr(bufnr)
  count = count + 1
  local token = "editahead-apply-" .. count
  local method, params = request(token, choice)
  apply_preview.reject()
  local log = change_log.start(server)
  local sent, id = server:request(method, params, function(err, result)
    log:stop()
    if not running or running.token ~= token then
      return
    end
    running = nil
    apply_preview.close()
    if err and err.code == REQUEST_CANCELLED then
      return
    elseif err then
      return choose_or_show(err, uri, function(chosen)
        run(server, bufnr, request, read, chosen)
      end)
    end
    local planned = read(result)
    if not planned then
      return notify("The buffer already contains the sketch's changes.", vim.log.levels.INFO)
    end
    local moved, has_moved = log:move_along(planned)
    if not moved then
      return notify("Nothing was changed: the text has changed since. Apply the sketch again.", vim.log.levels.WARN)
    elseif has_moved then
      moved.plan = nil -- the lines of its problems would be those of the earlier text
    end
    local reading = #vim.tbl_filter(function(hunk)
      return apply_preview.describe(hunk).needs_reading
    end, moved.hunks)
    if choice or reading == 0 then
      make(server, moved, {})
    else
      preview(server, bufnr, moved, reading)
    end
  end, bufnr)
  if not sent then
    log:stop()
    return
  end
  running = { token = token, hunks = {} }
  apply_preview.open({
    is_coming = true,
    encoding = server.offset_encoding,
    on_close = function()
      running = nil
      server:cancel_request(id)
      say_unchanged()
    end,
    on_change = function() end, -- the whole edit moves along with the text
  })
end

--- Draw the hunks of a partial result. Return false if it is of another request.
---@return boolean
function M.on_progress(params)
  local value = params.value
  if not running or params.token ~= running.token or type(value) ~= "table" or value.kind then
    return false
  end
  local hunks = vim.tbl_filter(function(hunk)
    return hunk.uri ~= value.withdrawn
  end, running.hunks)
  running.hunks = vim.list_extend(hunks, value.hunks)
  local by_model = vim.iter(running.hunks):any(function(hunk)
    return hunk.origin == "model"
  end)
  if not apply_preview.is_ready() then
    apply_preview.update({ hunks = by_model and vim.tbl_map(apply_preview.describe, running.hunks) or {} })
  end
  return true
end

-- Return the range of whole lines. The last line of a buffer has no line after it to end at.
local function lines_range(bufnr, first, last, encoding)
  local finish = { line = last, character = 0 }
  if last >= vim.api.nvim_buf_line_count(bufnr) then
    local line = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, true)[1]
    finish = { line = last - 1, character = vim.str_utfindex(line, encoding) }
  end
  return { start = { line = first - 1, character = 0 }, ["end"] = finish }
end

-- Apply the sketch in a register. With a range, the edit stays within the range.
local function apply_register(server, bufnr, register, range)
  local sketch = vim.fn.getreg(register)
  if vim.trim(sketch) == "" then
    notify(("Register %s contains no sketch. Copy one first."):format(register), vim.log.levels.WARN)
    return
  end
  local uri = vim.uri_from_bufnr(bufnr)
  run(server, bufnr, function(token, choice)
    local argument = { uri = uri, sketch = sketch, range = range, dryRun = true, partialResultToken = token, choice = choice }
    return "workspace/executeCommand", { command = "editahead.apply", arguments = { argument } }
  end, function(result)
    return result.method ~= "none" and result or nil
  end)
end

-- Return the diff that an action's edit makes in the buffer.
local function diff_of_action(action, bufnr, encoding)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(scratch, 0, -1, true, lines)
  local uri = vim.uri_from_bufnr(bufnr)
  for _, change in ipairs(action.edit.documentChanges or {}) do
    if change.textDocument and change.textDocument.uri == uri then
      vim.lsp.util.apply_text_edits(change.edits, scratch, encoding)
    end
  end
  local changed = vim.api.nvim_buf_get_lines(scratch, 0, -1, true)
  vim.api.nvim_buf_delete(scratch, { force = true })
  return diff.unified(lines, changed)
end

-- Return the hunks of an edit, with what its annotations say of them. Without annotations, all should be read.
local function hunks_of(edit)
  local hunks = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    for _, text_edit in ipairs(change.edits or {}) do
      local annotation = (edit.changeAnnotations or {})[text_edit.annotationId] or { needsConfirmation = true }
      table.insert(hunks, {
        uri = change.textDocument.uri,
        range = text_edit.range,
        newText = text_edit.newText,
        label = annotation.label,
        class = annotation.needsConfirmation and "semantic" or "moved",
        flags = annotation.description and { annotation.description } or nil,
      })
    end
  end
  return hunks
end

-- Apply the sketch in whole lines of the buffer: remove the lines, and apply them to the rest.
local function apply_selection(server, bufnr, range)
  local uri = vim.uri_from_bufnr(bufnr)
  local function apply_action(action)
    vim.lsp.util.apply_workspace_edit(action.edit, server.offset_encoding)
    notify("Applied the selected sketch.", vim.log.levels.INFO)
  end
  local function resolve(action)
    run(server, bufnr, function(token, choice)
      -- This plugin shows the diffs of choices, too.
      local data = vim.tbl_extend("force", action.data, { ask = false, partialResultToken = token, choice = choice })
      return "codeAction/resolve", vim.tbl_extend("force", action, { data = data })
    end, function(resolved)
      return { edit = resolved.edit, hunks = hunks_of(resolved.edit), plan = resolved.data and resolved.data.plan }
    end)
  end
  server:request("textDocument/codeAction", {
    textDocument = { uri = uri },
    range = range,
    context = { diagnostics = {}, only = { ACTION_KIND } },
  }, function(err, actions)
    -- One action, or one for each reading of the sketch.
    local offered = vim.tbl_filter(function(action)
      return action.title == ACTION_TITLE or vim.startswith(action.title, ACTION_TITLE .. ": ")
    end, not err and actions or {})
    if err then
      show_refusal(err, uri)
    elseif #offered == 0 then
      notify("The selected lines contain no sketch. Select one first.", vim.log.levels.WARN)
    elseif #offered > 1 then
      local readings = vim.tbl_map(function(action)
        return { title = action.title:sub(#ACTION_TITLE + 3), diff = diff_of_action(action, bufnr, server.offset_encoding) }
      end, offered)
      choices.pick(readings, function(number)
        if number then
          apply_action(offered[number])
        end
      end)
    elseif offered[1].edit then
      apply_action(offered[1])
    else
      resolve(offered[1])
    end
  end, bufnr)
end

--- Apply a sketch: the lines from `first` to `last` (1-based, inclusive) of the buffer, or the content of a register. With both,
--- the register's edit stays within the lines. With neither, apply the default register's content.
---@param from {register: string|nil, first: integer|nil, last: integer|nil}
function M.apply(from)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.get(bufnr)
  if not server then
    notify("The server is not attached to this buffer. Run `:checkhealth editahead`.", vim.log.levels.WARN)
    return
  end
  local range = from.first and lines_range(bufnr, from.first, from.last, server.offset_encoding) or nil
  if range and not from.register then
    apply_selection(server, bufnr, range)
  else
    apply_register(server, bufnr, from.register or default_register(), range)
  end
end

return M
