-- What a buffer's other language servers say of a symbol that the server asks about, before the person renames it.
local config = require("editahead.config")

local M = {}

--- The time in which other servers answer; what comes later is dropped. No key ever waits.
M.budget_ms = 300
local RENAME, REFERENCES = "textDocument/rename", "textDocument/references"

-- Convert a position between encodings; in a file that is not loaded, it stays as it is. No buffer is made for such a file.
local function convert(uri, position, from, to)
  if from == to or vim.fn.bufloaded(vim.uri_to_fname(uri)) == 0 then
    return position
  end
  local bufnr = vim.uri_to_bufnr(uri)
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
  local byte = vim.str_byteindex(line, from, position.character, false)
  return { line = position.line, character = vim.str_utfindex(line, to, byte, false) }
end

local function place(uri, range, from, to)
  return {
    uri = uri,
    range = { start = convert(uri, range.start, from, to), ["end"] = convert(uri, range["end"], from, to) },
  }
end

-- Return a field of an answer as a table. A server may leave it out, or say that it is null.
local function table_of(value)
  return type(value) == "table" and value or {}
end

-- Return the places of a rename as the server wants them.
local function renames_of(edit, from, to)
  local found = {}
  local function add(uri, edits)
    for _, one in ipairs(edits) do
      if one.range then
        table.insert(found, vim.tbl_extend("error", place(uri, one.range, from, to), { newText = one.newText }))
      end
    end
  end
  for uri, edits in pairs(table_of(edit.changes)) do
    add(uri, edits)
  end
  for _, change in ipairs(table_of(edit.documentChanges)) do
    if change.edits then
      add(change.textDocument.uri, change.edits)
    end
  end
  return found
end

local function references_of(locations, from, to)
  return vim.tbl_map(function(location)
    return place(location.uri, location.range, from, to)
  end, locations)
end

-- Return whether a server is one to ask: any but ours that knows references.
local function is_asked(other, server)
  return other.id ~= server.id and other.name ~= server.name
end

--- Ask the buffer's other servers about a symbol, and report what they say within the budget.
---@param asked {textDocument: {uri: string, version: integer}, symbol: {range: lsp.Range, old: string, new: string}}
---@param server vim.lsp.Client  the server that asks
function M.answer(asked, server)
  local uri = asked.textDocument.uri
  local bufnr = vim.uri_to_bufnr(uri)
  if not config.options.evidence or vim.lsp.util.buf_versions[bufnr] ~= asked.textDocument.version then
    return
  end
  for _, other in ipairs(vim.lsp.get_clients({ bufnr = bufnr, method = REFERENCES })) do
    if is_asked(other, server) then
      M.ask(other, bufnr, asked, server)
    end
  end
end

--- Ask one server.
---@param other vim.lsp.Client
---@param bufnr integer
---@param asked table
---@param server vim.lsp.Client
function M.ask(other, bufnr, asked, server)
  local from, to = other.offset_encoding, server.offset_encoding
  local position = convert(asked.textDocument.uri, asked.symbol.range.start, to, from)
  local params = { textDocument = { uri = asked.textDocument.uri }, position = position }
  local told = { renames = {}, references = {}, source = other.name, complete = false }
  local waiting, left, is_over = {}, 2, false
  local function finish()
    if is_over then
      return
    end
    is_over = true
    for id in pairs(waiting) do
      other:cancel_request(id)
    end
    if (#told.renames > 0 or #told.references > 0) and not server:is_stopped() then
      server:notify("editahead/evidence", vim.tbl_extend("error", asked, told))
    end
  end
  local function end_one()
    left = left - 1
    if left == 0 then
      finish()
    end
  end
  -- A server in this process may answer before this returns.
  local function request(method, more, use)
    if not other:supports_method(method, bufnr) then
      return end_one()
    end
    local is_answered, sent, id = false, nil, nil
    sent, id = other:request(method, vim.tbl_extend("error", params, more), function(err, result)
      is_answered = true
      waiting[id or -1] = nil
      if not is_over then
        if not err and type(result) == "table" then
          use(result)
        end
        end_one()
      end
    end, bufnr)
    if not sent then
      end_one()
    elseif not is_answered then
      waiting[id] = true
    end
  end
  request(RENAME, { newName = asked.symbol.new }, function(edit)
    told.renames = renames_of(edit, from, to)
  end)
  request(REFERENCES, { context = { includeDeclaration = true } }, function(locations)
    told.references, told.complete = references_of(locations, from, to), true
  end)
  vim.defer_fn(finish, M.budget_ms)
end

return M
