-- The colours of ghost text: those of the code that it would be, halfway to the background, so that it looks unwritten.
local M = {}

local PREFIX = "EditaheadGhost"
-- Lines above the cursor that tell in what the ghost text stands.
local CONTEXT_LINES = 40
-- Longer texts, such as a minified file, would take too long at each key.
local MAX_BYTES = 20000

---@type table<string, boolean>  the groups that are defined, by name
local defined = {}

--- Forget the colours, after another colour scheme.
function M.clear()
  defined = {}
end

local function halfway(one, other)
  local mixed = 0
  for _, unit in ipairs({ 0x10000, 0x100, 1 }) do
    mixed = mixed + math.floor((math.floor(one / unit) % 0x100 + math.floor(other / unit) % 0x100) / 2) * unit
  end
  return mixed
end

-- Return the group for a capture of tree-sitter; nil if it has no colour.
local function group_of(capture)
  local name = PREFIX .. capture
  if defined[name] == nil then
    local color = vim.api.nvim_get_hl(0, { name = capture, link = false }).fg
    local background = vim.api.nvim_get_hl(0, { name = "Normal", link = false }).bg
    background = background or (vim.o.background == "light" and 0xffffff or 0)
    defined[name] = color ~= nil
    if color then
      vim.api.nvim_set_hl(0, name, { fg = halfway(color, background), italic = true })
    end
  end
  return defined[name] and name or nil
end

-- Return the language of a buffer that tree-sitter highlights, and its query.
local function highlights_of(bufnr)
  local highlighter = vim.treesitter.highlighter.active[bufnr]
  local lang = highlighter and highlighter.tree:lang()
  return lang, lang and vim.treesitter.query.get(lang, "highlights")
end

-- Return, for each line of the text behind `row`, the group at each byte.
local function groups_by_byte(lang, query, source, first_row)
  local found = {}
  local tree = vim.treesitter.get_string_parser(source, lang):parse()[1]
  for id, node in query:iter_captures(tree:root(), source, first_row) do
    local capture = query.captures[id]
    local from_row, from_col, to_row, to_col = node:range()
    local group = not vim.startswith(capture, "_") and capture ~= "spell" and capture ~= "nospell"
    group = group and group_of(("@%s.%s"):format(capture, lang))
    for row = math.max(from_row, first_row), group and to_row or -1 do
      found[row] = found[row] or {}
      local last = row == to_row and to_col or math.huge
      table.insert(found[row], { row == from_row and from_col or 0, last, group })
    end
  end
  return found
end

-- Return the chunks of a part of a line. Later spans are inner ones, and cover earlier ones.
local function split(text, offset, spans, plain)
  local chunks, at = {}, 0
  local function group_at(byte)
    local group = plain
    for _, span in ipairs(spans or {}) do
      if span[1] <= byte and byte < span[2] then
        group = span[3]
      end
    end
    return group
  end
  while at < #text do
    local group, stop = group_at(offset + at), at + 1
    while stop < #text and group_at(offset + stop) == group do
      stop = stop + 1
    end
    table.insert(chunks, { text:sub(at + 1, stop), group })
    at = stop
  end
  return chunks
end

--- Return the chunks of each line of ghost text. Where tree-sitter highlights the buffer, they have the colours of the code.
---@param bufnr integer
---@param row integer  of the cursor, from 0
---@param col integer  in bytes
---@param lines string[]
---@param plain string  the group of text without a colour
---@return [string, string][][]
function M.chunks(bufnr, row, col, lines, plain)
  local lang, query = highlights_of(bufnr)
  local first = math.max(row - CONTEXT_LINES, 0)
  local above = vim.api.nvim_buf_get_text(bufnr, first, 0, row, col, {})
  local offset, found = #above[#above], {}
  if lang and query then
    local source = table.concat(above, "\n") .. table.concat(lines, "\n")
    local ok, groups = #source <= MAX_BYTES, nil
    if ok then
      ok, groups = pcall(groups_by_byte, lang, query, source, #above - 1)
    end
    found = ok and groups or {}
  end
  local out = {}
  for i, text in ipairs(lines) do
    out[i] = split(text, i == 1 and offset or 0, found[#above - 2 + i], plain)
  end
  return out
end

return M
