-- `:Editahead apply`: a sketch of a change, from the selection or a register, becomes an edit; or it is said why not.
local client = require("editahead.client")

local M = {}

-- LSP's RequestFailed: the server says why in the error's data, and has changed nothing.
local REFUSED = -32803
-- The code action that applies whole selected lines, and its kind.
local SELECTED, KIND = "Apply sketch in selection", "refactor.rewrite.editahead.apply"
-- So many lines of a refused part are repeated in the message; the rest is in the sketch.
local REPEATED = 3

local REASONS = {
  unplaced = "no place is like a part of it",
  ambiguous = "a part of it fits several places",
  unparsed = "it cannot be read",
  ["would-break-syntax"] = "the result would not parse",
  ["would-lose-code"] = "code would be lost that it does not mention",
  stale = "the text has changed meanwhile",
  ["outside-workspace"] = "it names a file outside of the workspace",
  ["too-large"] = "it is too large",
  ["engine-unavailable"] = "it takes a model, and there is none",
}

--- The register that is meant when none is named: what was copied elsewhere, where Neovim can get at it.
---@return string
local function default_register()
  return vim.fn.has("clipboard") == 1 and "+" or '"'
end

local function tell(text, level)
  vim.notify("Editahead: " .. text, level)
end

-- Into the quickfix list: the places that are like the part that could not be placed.
---@return integer  how many there are
local function list_places(refusal, uri)
  local near = type(refusal.near) == "table" and refusal.near or {}
  local items = vim.tbl_map(function(place)
    local bufnr = vim.uri_to_bufnr(place.uri or uri)
    return {
      bufnr = bufnr,
      lnum = place.range.start.line + 1,
      end_lnum = place.range["end"].line + 1,
      col = 1,
      type = "W",
      text = ("%.0f %% like: %s"):format(100 * place.similarity, vim.trim(refusal.part):match("[^\n]*")),
    }
  end, near)
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "Editahead apply: " .. refusal.reason, items = items })
  end
  return #items
end

---@param err lsp.ResponseError
---@param uri string
local function say_refusal(err, uri)
  local refusal = err.code == REFUSED and type(err.data) == "table" and err.data or nil
  if not refusal then
    tell(err.message, vim.log.levels.WARN)
    return
  end
  local lines = { ("nothing was changed: %s (%s)"):format(REASONS[refusal.reason] or err.message, refusal.reason) }
  local part = vim.split(vim.trim(type(refusal.part) == "string" and refusal.part or ""), "\n")
  for i = 1, math.min(#part, REPEATED) do
    if part[i] ~= "" then
      table.insert(lines, "  | " .. part[i])
    end
  end
  if #part > REPEATED then
    table.insert(lines, ("  | ... (%d lines)"):format(#part))
  end
  local places = list_places(refusal, uri)
  if places > 0 then
    table.insert(lines, ("%s like it: see :copen"):format(places == 1 and "1 place is" or places .. " places are"))
  end
  tell(table.concat(lines, "\n"), vim.log.levels.WARN)
end

-- Into the quickfix list: what a person should read first, where it is now that the edit is made.
---@return integer  how many there are
local function list_flags(hunks)
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
    vim.fn.setqflist({}, " ", { title = "Editahead apply: to be read first", items = items })
  end
  return #items
end

local function say_result(result)
  if result.applied == false then
    local reason = type(result.failureReason) == "string" and result.failureReason or "the editor declined"
    tell("nothing was changed: " .. reason, vim.log.levels.WARN)
  elseif result.method == "none" then
    tell("the sketch is there already", vim.log.levels.INFO)
  else
    local count, flags = #result.hunks, list_flags(result.hunks)
    local text = ("applied, %s changed"):format(count == 1 and "1 place" or count .. " places")
    tell(flags > 0 and ("%s; to be read first: %d, see :copen"):format(text, flags) or text, vim.log.levels.INFO)
  end
end

-- Whole lines as a range; there is no line after a buffer's last one.
local function lines_range(bufnr, first, last, encoding)
  local finish = { line = last, character = 0 }
  if last >= vim.api.nvim_buf_line_count(bufnr) then
    local line = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, true)[1]
    finish = { line = last - 1, character = vim.str_utfindex(line, encoding) }
  end
  return { start = { line = first - 1, character = 0 }, ["end"] = finish }
end

-- A sketch from elsewhere; range: the edit has to stay within it.
local function apply_register(server, bufnr, register, range)
  local sketch = vim.fn.getreg(register)
  if vim.trim(sketch) == "" then
    tell(("there is no sketch in the register %s"):format(register), vim.log.levels.WARN)
    return
  end
  local uri = vim.uri_from_bufnr(bufnr)
  local argument = { uri = uri, sketch = sketch, range = range }
  local params = { command = "editahead.apply", arguments = { argument } }
  server:request("workspace/executeCommand", params, function(err, result)
    if err then
      say_refusal(err, uri)
    else
      say_result(result)
    end
  end, bufnr)
end

-- The sketch stands in the buffer, as whole lines: they go, and what they say is done to the rest.
local function apply_selection(server, bufnr, range)
  local uri = vim.uri_from_bufnr(bufnr)
  local function make(action)
    vim.lsp.util.apply_workspace_edit(action.edit, server.offset_encoding)
    tell("applied the selected sketch", vim.log.levels.INFO)
  end
  server:request("textDocument/codeAction", {
    textDocument = { uri = uri },
    range = range,
    context = { diagnostics = {}, only = { KIND } },
  }, function(err, actions)
    local action = vim.iter(not err and actions or {}):find(function(offered)
      return offered.title == SELECTED
    end)
    if err then
      say_refusal(err, uri)
    elseif not action then
      tell("the selected lines hold no sketch", vim.log.levels.WARN)
    elseif action.edit then
      make(action)
    else
      server:request("codeAction/resolve", action, function(refusal, resolved)
        if refusal then
          say_refusal(refusal, uri)
        else
          make(resolved)
        end
      end, bufnr)
    end
  end, bufnr)
end

---@param from {register: string|nil, first: integer|nil, last: integer|nil}  lines of this buffer (1-based, both
---within) that are the sketch; or a register, whose edit has to stay within the lines if there are any; neither: the
---clipboard, else the unnamed register
function M.apply(from)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.get(bufnr)
  if not server then
    tell("no server for this buffer, see `:checkhealth editahead`", vim.log.levels.WARN)
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
