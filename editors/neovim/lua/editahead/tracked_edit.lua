-- One prediction, kept true to the buffer: its places move with the text, typing its own characters uses them up, and
-- it ends as soon as the text is no longer the one that it was made for.
local diff = require("editahead.diff")

local M = {}

local NS = vim.api.nvim_create_namespace("editahead.tracked_edit")

---@class editahead.Edit  prefix, suffix: the rest of the lines that the edit begins and ends on.
---@field mark integer
---@field old string
---@field new string
---@field prefix string
---@field suffix string

---@class editahead.Live  An edit where it stands now: 0-based rows, byte columns, the end exclusive.
---@field edit editahead.Edit
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer
---@field typed string|nil  the part of `new` that is there already; nil while the old text is

---@class editahead.Prediction
---@field id string
---@field uri string
---@field bufnr integer|nil   the buffer that it is for; nil: a document that is not loaded
---@field label string
---@field edits editahead.Edit[]
---@field jump lsp.Position|nil
---@field cursor_after lsp.Position
---@field first_row integer   of its first edit, when it came
---@field encoding string
---@field wire table          as it came
---@field shown_at integer|nil  when it was first seen, in ms
local Prediction = {}
Prediction.__index = Prediction

---@param bufnr integer
---@param row integer
---@return string
local function line_at(bufnr, row)
  return vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
end

---@param bufnr integer
---@param position lsp.Position
---@param encoding string
---@return integer row, integer col
function M.place(bufnr, position, encoding)
  local col = vim.str_byteindex(line_at(bufnr, position.line), encoding, position.character, false)
  return position.line, col
end

-- The place of a text edit, and its text, with nothing after the end of the last line: a buffer has no such place.
local function fitted(bufnr, edit, encoding)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local row, col = M.place(bufnr, edit.range.start, encoding)
  local end_row, end_col = M.place(bufnr, edit.range["end"], encoding)
  local text = edit.newText:gsub("\r\n?", "\n")
  if end_row > last then
    end_row, end_col = last, #line_at(bufnr, last)
    if row > last then
      row, col, text = end_row, end_col, "\n" .. text:gsub("\n$", "")
    elseif text == "" and col == 0 and row > 0 then
      row, col = row - 1, #line_at(bufnr, row - 1)
    else
      text = text:gsub("\n$", "")
    end
  end
  return row, col, end_row, end_col, text
end

local function text_in(bufnr, row, col, end_row, end_col)
  return table.concat(vim.api.nvim_buf_get_text(bufnr, row, col, end_row, end_col, {}), "\n")
end

--- A prediction as it came, for the text that is in the buffer now.
---@param wire table
---@param encoding string
---@return editahead.Prediction
function M.new(wire, encoding)
  local bufnr = vim.uri_to_bufnr(wire.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    bufnr = nil
  end
  local self = setmetatable({
    id = wire.id,
    uri = wire.textDocument.uri,
    bufnr = bufnr,
    label = wire.label,
    edits = {},
    jump = wire.jump ~= vim.NIL and wire.jump or nil,
    cursor_after = wire.cursorAfter,
    first_row = 0,
    encoding = encoding,
    wire = wire,
  }, Prediction)
  for _, edit in ipairs(bufnr and wire.edits or {}) do
    local row, col, end_row, end_col, text = fitted(bufnr, edit, encoding)
    table.insert(self.edits, {
      -- Grows with what is typed at either end of it.
      mark = vim.api.nvim_buf_set_extmark(bufnr, NS, row, col, {
        end_row = end_row,
        end_col = end_col,
        right_gravity = false,
        end_right_gravity = true,
      }),
      old = text_in(bufnr, row, col, end_row, end_col),
      new = text,
      prefix = line_at(bufnr, row):sub(1, col),
      suffix = line_at(bufnr, end_row):sub(end_col + 1),
    })
    if #self.edits == 1 then
      self.first_row = row
    end
  end
  return self
end

function Prediction:drop()
  if self.bufnr and vim.api.nvim_buf_is_valid(self.bufnr) then
    for _, edit in ipairs(self.edits) do
      vim.api.nvim_buf_del_extmark(self.bufnr, NS, edit.mark)
    end
  end
end

--- Its edits where they stand now, in order; nil when the text around one is no longer what it was made for, or when
--- all has been typed.
---@return editahead.Live[]|nil
function Prediction:live()
  local bufnr = self.bufnr
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  local out, open = {}, #self.edits == 0
  for _, edit in ipairs(self.edits) do
    local mark = vim.api.nvim_buf_get_extmark_by_id(bufnr, NS, edit.mark, { details = true })
    if not mark[1] or mark[3].invalid then
      return nil
    end
    local row, col, end_row, end_col = mark[1], mark[2], mark[3].end_row, mark[3].end_col
    if (end_row < row) or (end_row == row and end_col < col) then
      return nil
    end
    local ok, text = pcall(text_in, bufnr, row, col, end_row, end_col)
    if not ok or line_at(bufnr, row):sub(1, col) ~= edit.prefix then
      return nil
    end
    if line_at(bufnr, end_row):sub(end_col + 1) ~= edit.suffix then
      return nil
    end
    local typed = edit.old == "" and vim.startswith(edit.new, text) and text or nil
    if not typed and text ~= edit.old then
      return nil
    end
    open = open or typed ~= edit.new
    table.insert(out, { edit = edit, row = row, col = col, end_row = end_row, end_col = end_col, typed = typed })
  end
  return open and out or nil
end

--- Whether Tab goes there first: the cursor (0-based row) is not on a line of the edits.
---@param live editahead.Live[]
---@param bufnr integer
---@param row integer
function Prediction:is_elsewhere(live, bufnr, row)
  if self.bufnr ~= bufnr or #live == 0 then
    return true
  end
  return row < live[1].row or row > live[#live].end_row
end

-- Typing around it must not be undone along with it, nor it along with the typing.
local function undo_break(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

--- Make all that is left of it, as one step for undo. Returns where the cursor goes: 1-based row, byte column.
---@param live editahead.Live[]
---@return integer[]
function Prediction:apply(live)
  local bufnr = assert(self.bufnr)
  local shift = live[1].row - self.first_row
  undo_break(bufnr)
  for i = #live, 1, -1 do
    local at = live[i]
    vim.api.nvim_buf_set_text(bufnr, at.row, at.col, at.end_row, at.end_col, vim.split(at.edit.new, "\n"))
  end
  undo_break(bufnr)
  local row = math.min(self.cursor_after.line + shift, vim.api.nvim_buf_line_count(bufnr) - 1)
  local _, col = M.place(bufnr, { line = row, character = self.cursor_after.character }, self.encoding)
  return { row + 1, col }
end

-- A word with the blanks before it; a line with the line end before it.
local PIECES = { word = [[^\_s*\%(\k\+\|\%(\k\@!\S\)\+\)\?]], line = [[^\n\?[^\n]*]] }

-- What differs between what stands at an edit's place and its new text. What was typed of an insertion is its beginning,
-- whatever else it may look like.
---@param at editahead.Live
---@return editahead.WordHunk[]
local function missing(at)
  local there, new = at.typed or at.edit.old, at.edit.new
  if at.typed then
    return { { old_from = #there, old_to = #there, new_from = #there, new_to = #new } }
  end
  return diff.words(there, new)
end

-- The place so many bytes into the text that begins at a place.
local function further(row, col, text)
  local lines = vim.split(text, "\n")
  return row + #lines - 1, #lines[#lines] + (#lines == 1 and col or 0)
end

---@class editahead.Piece
---@field live editahead.Live
---@field made string     what stands at the edit's place then
---@field done integer    so many bytes of `made` are as they will be in the end
---@field length integer  of all new text from the first edit on that is there then, in UTF-16 units
---@field whole boolean   nothing is left then

--- The next word or line of it: what is removed before that word, or on the way to that line's end, goes with it.
---@param live editahead.Live[]
---@param kind "word"|"line"
---@return editahead.Piece|nil
function Prediction:piece(live, kind)
  local length = 0
  for i, at in ipairs(live) do
    local there, new = at.typed or at.edit.old, at.edit.new
    local hunks = missing(at)
    if there ~= new then
      local first = hunks[1]
      local stop = first.new_from + #vim.fn.matchstr(new:sub(first.new_from + 1), PIECES[kind])
      local done, kept = 0, 0
      for n, hunk in ipairs(hunks) do
        if n == 1 or (kind == "line" and hunk.new_from < stop) then
          done, kept = math.min(hunk.new_to, stop), hunk.old_to
        end
      end
      local made = new:sub(1, done) .. there:sub(kept + 1)
      length = length + vim.str_utfindex(new:sub(1, done), "utf-16")
      return { live = at, made = made, done = done, length = length, whole = i == #live and made == new }
    end
    length = length + vim.str_utfindex(new, "utf-16")
  end
end

--- Make one piece, as one step for undo. Returns where the cursor goes: 1-based row, byte column.
---@param piece editahead.Piece
---@return integer[]
function Prediction:apply_piece(piece)
  local bufnr, at = assert(self.bufnr), piece.live
  undo_break(bufnr)
  vim.api.nvim_buf_set_text(bufnr, at.row, at.col, at.end_row, at.end_col, vim.split(piece.made, "\n"))
  undo_break(bufnr)
  local end_row, end_col = further(at.row, at.col, piece.made)
  -- What is left of it may only insert now: then it can be typed.
  at.edit.old = piece.done == #piece.made and "" or piece.made
  vim.api.nvim_buf_set_extmark(bufnr, NS, at.row, at.col, {
    id = at.edit.mark,
    end_row = end_row,
    end_col = end_col,
    right_gravity = false,
    end_right_gravity = true,
  })
  local row, col = further(at.row, at.col, piece.made:sub(1, piece.done))
  return { row + 1, col }
end

return M
