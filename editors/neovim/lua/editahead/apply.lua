-- `:Editahead apply`: apply a sketch of a change, from the selection or a register, or explain why the sketch was refused.
local choices = require("editahead.choices")
local client = require("editahead.client")
local diff = require("editahead.diff")

local M = {}

-- LSP's RequestFailed: a refusal, with the reason in the error's data.
local REQUEST_FAILED = -32803
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

-- Fill the quickfix list with the warnings, at their places in the changed text.
---@return integer count
local function list_warnings(hunks)
  local items, shifts = {}, {}
  for _, hunk in ipairs(hunks) do
    local range, shift = hunk.range, shifts[hunk.uri] or 0
    for _, flag in ipairs(hunk.flags or {}) do
      table.insert(items, {
        bufnr = vim.uri_to_bufnr(hunk.uri),
        lnum = range.start.line + shift + 1,
        col = 1,
        type = "W",
        text = flag,
      })
    end
    local _, lines = hunk.newText:gsub("\n", "")
    shifts[hunk.uri] = shift + lines - (range["end"].line - range.start.line)
  end
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "Editahead apply: review first", items = items })
  end
  return #items
end

local function show_result(result)
  if result.applied == false then
    local reason = type(result.failureReason) == "string" and result.failureReason or "Neovim rejected the edit"
    notify("Nothing was changed: " .. reason, vim.log.levels.WARN)
  elseif result.method == "none" then
    notify("The buffer already contains the sketch's changes.", vim.log.levels.INFO)
  else
    local count, warnings = #result.hunks, list_warnings(result.hunks)
    local text = ("Applied the sketch in %s."):format(count == 1 and "1 place" or count .. " places")
    notify(warnings > 0 and ("%s Review first: %d, see :copen."):format(text, warnings) or text, vim.log.levels.INFO)
  end
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
  local argument = { uri = uri, sketch = sketch, range = range }
  local function send()
    local params = { command = "editahead.apply", arguments = { argument } }
    server:request("workspace/executeCommand", params, function(err, result)
      if not err then
        return show_result(result)
      end
      choose_or_show(err, uri, function(id)
        argument.choice = id
        send()
      end)
    end, bufnr)
  end
  send()
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

-- Apply the sketch in whole lines of the buffer: remove the lines, and apply them to the rest.
local function apply_selection(server, bufnr, range)
  local uri = vim.uri_from_bufnr(bufnr)
  local function apply_action(action)
    vim.lsp.util.apply_workspace_edit(action.edit, server.offset_encoding)
    notify("Applied the selected sketch.", vim.log.levels.INFO)
  end
  local function resolve(action)
    action.data.ask = false -- this plugin shows the diffs, too
    server:request("codeAction/resolve", action, function(refusal, resolved)
      if not refusal then
        return apply_action(resolved)
      end
      choose_or_show(refusal, uri, function(id)
        action.data.choice = id
        resolve(action)
      end)
    end, bufnr)
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
