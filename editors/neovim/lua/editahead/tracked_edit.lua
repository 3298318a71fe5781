-- A prediction's edits, tracked with extmarks: their ranges move with the text, typing an insertion's characters consumes the
-- insertion, and any other change of the replaced text invalidates the prediction.
local diff = require("editahead.diff")

local M = {}

local NS = vim.api.nvim_create_namespace("editahead.tracked_edit")

---@class editahead.TrackedEdit
---@field mark integer    the extmark of its range
---@field old string
---@field new string
---@field prefix string  the text before the range, on its first line
---@field suffix string  the text after the range, on its last line

---@class editahead.LiveEdit  An edit at its present range: 0-based rows, byte columns, exclusive end.
---@field edit editahead.TrackedEdit
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer
---@field typed string|nil  the prefix of `new` that the buffer has already; nil for replacements

---@class editahead.Prediction
---@field id string
---@field uri string
---@field bufnr integer|nil   nil when the document is not loaded
---@field label string
---@field edits editahead.TrackedEdit[]
---@field jump lsp.Position|nil
---@field cursor_after lsp.Position
---@field first_row integer   row of the first edit in the response
---@field encoding string
---@field response table      the prediction in the server's response
---@field shown_at integer|nil  when the prediction became visible, in ms
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
function M.to_row_col(bufnr, position, encoding)
  local col = vim.str_byteindex(line_at(bufnr, position.line), encoding, position.character, false)
  return position.line, col
end

--- Convert a text edit to a range and a text. Positions after the last line's end do not exist in a buffer: clamp them.
---@return integer row, integer col, integer end_row, integer end_col, string text
function M.to_buffer_edit(bufnr, edit, encoding)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local row, col = M.to_row_col(bufnr, edit.range.start, encoding)
  local end_row, end_col = M.to_row_col(bufnr, edit.range["end"], encoding)
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

--- Return whether a prediction in a response is for the present text of its buffer.
---@param response table
---@return boolean
function M.is_valid(response)
  local target = vim.uri_to_bufnr(response.textDocument.uri)
  return not vim.api.nvim_buf_is_loaded(target) or response.textDocument.version == vim.lsp.util.buf_versions[target]
end

--- Return whether a workspace edit is of another version of a buffer, after the person went on typing.
---@param edit lsp.WorkspaceEdit
---@return boolean
function M.is_stale(edit)
  return vim.iter(edit.documentChanges or {}):any(function(change)
    local document = change.textDocument
    local version = document and vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)]
    return version ~= nil and type(document.version) == "number" and version ~= document.version
  end)
end

--- Return whether a buffer can be changed, and say so where not.
---@param bufnr integer
---@return boolean
function M.check_modifiable(bufnr)
  if not vim.bo[bufnr].modifiable then
    vim.notify("Editahead: The buffer is not modifiable. Set 'modifiable' first.", vim.log.levels.WARN)
    return false
  end
  return true
end

--- Start to track a prediction of the buffer's present text.
---@param response table
---@param encoding string
---@return editahead.Prediction
function M.new(response, encoding)
  local bufnr = vim.uri_to_bufnr(response.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    bufnr = nil
  end
  local self = setmetatable({
    id = response.id,
    uri = response.textDocument.uri,
    bufnr = bufnr,
    label = response.label,
    edits = {},
    jump = response.jump ~= vim.NIL and response.jump or nil,
    cursor_after = response.cursorAfter,
    first_row = 0,
    encoding = encoding,
    response = response,
  }, Prediction)
  for _, edit in ipairs(bufnr and response.edits or {}) do
    local row, col, end_row, end_col, text = M.to_buffer_edit(bufnr, edit, encoding)
    table.insert(self.edits, {
      -- Text typed at either end extends the range.
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

--- Return for how long the prediction has been visible.
---@return integer
function Prediction:shown_ms()
  return self.shown_at and math.floor(vim.uv.now() - self.shown_at) or 0
end

--- Delete the extmarks.
function Prediction:delete()
  if self.bufnr and vim.api.nvim_buf_is_valid(self.bufnr) then
    for _, edit in ipairs(self.edits) do
      vim.api.nvim_buf_del_extmark(self.bufnr, NS, edit.mark)
    end
  end
end

--- Return the edits at their present ranges, in order; nil when the text at an edit has changed, or when all insertions
--- were typed.
---@return editahead.LiveEdit[]|nil
function Prediction:live_edits()
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

--- Return whether the cursor is not on a line of the edits.
---@param live editahead.LiveEdit[]
---@param bufnr integer
---@param row integer  the cursor's, 0-based
function Prediction:is_elsewhere(live, bufnr, row)
  if self.bufnr ~= bufnr or #live == 0 then
    return true
  end
  return row < live[1].row or row > live[#live].end_row
end

--- Return whether one of the edits' lines is visible in the current window, and in no closed fold.
---@param live editahead.LiveEdit[]
---@return boolean
function Prediction:is_in_sight(live)
  local top, bottom = vim.fn.line("w0"), vim.fn.line("w$")
  return self.bufnr == vim.api.nvim_get_current_buf()
    and vim.iter(live):any(function(at)
      local line = math.max(at.row + 1, top)
      return line <= math.min(at.end_row + 1, bottom) and vim.fn.foldclosed(line) == -1
    end)
end

--- Return the first line that changes, for an edit elsewhere.
---@return {old: string, new: string, more: integer|nil}|nil
function Prediction:preview()
  local preview = self.response.preview
  return preview ~= vim.NIL and preview or nil
end

-- Start a new undo step: an accepted edit is undone apart from the typing before and after.
local function undo_break(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

--- Apply the edits as one undo step.
---@param live editahead.LiveEdit[]
---@return integer[] cursor  1-based row, byte column
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
  local _, col = M.to_row_col(bufnr, { line = row, character = self.cursor_after.character }, self.encoding)
  return { row + 1, col }
end

-- A word includes the blanks before it. A line includes the line end before it; one that begins at its start includes that
-- behind it, so that it does not join the line below.
local PART_PATTERNS = { word = [[\_s*\%(\k\+\|\%(\k\@!\S\)\+\)\?]], line = [[\n\?[^\n]*]], whole_line = [[[^\n]*\n\?]] }

-- Return the bytes of the next words or lines of a new text, from the byte `from` on.
---@param at editahead.LiveEdit
local function part_length(at, from, kind, count)
  local new = at.edit.new
  local is_line_start = new:sub(from, from) == "\n" or (from == 0 and at.col == 0)
  local pattern = PART_PATTERNS[kind == "line" and is_line_start and "whole_line" or kind]
  return #vim.fn.matchstr(new:sub(from + 1), ([[^\%%(%s\)\{1,%d}]]):format(pattern, count))
end

-- Return the hunks between an edit's present text and its new text. The typed text of an insertion is its prefix, although a
-- diff could align the text elsewhere.
---@param at editahead.LiveEdit
---@return editahead.WordHunk[]
local function remaining_hunks(at)
  local present, new = at.typed or at.edit.old, at.edit.new
  if at.typed then
    return { { old_from = #present, old_to = #present, new_from = #present, new_to = #new } }
  end
  return diff.words(present, new)
end

-- Return the position after a text that starts at a position.
local function position_after(row, col, text)
  local lines = vim.split(text, "\n")
  return row + #lines - 1, #lines[#lines] + (#lines == 1 and col or 0)
end

---@class editahead.EditPart
---@field live editahead.LiveEdit
---@field text string      the text in the edit's range once the part is accepted
---@field final_bytes integer  length of the prefix of `text` that is final
---@field accepted_length integer  new text of all edits up to here, in UTF-16 units
---@field is_last boolean  whether the part completes the prediction

--- Return the next words or lines, with the removals before the word or within the lines.
---@param live editahead.LiveEdit[]
---@param kind "word"|"line"
---@param count integer
---@return editahead.EditPart|nil
function Prediction:next_part(live, kind, count)
  local accepted_length = 0
  for i, at in ipairs(live) do
    local present, new = at.typed or at.edit.old, at.edit.new
    local hunks = remaining_hunks(at)
    if present ~= new then
      local first = hunks[1]
      local stop = first.new_from + part_length(at, first.new_from, kind, count)
      local final_bytes, replaced_to = 0, 0
      for n, hunk in ipairs(hunks) do
        if n == 1 or (kind == "line" and hunk.new_from < stop) then
          final_bytes, replaced_to = math.min(hunk.new_to, stop), hunk.old_to
        end
      end
      local text = new:sub(1, final_bytes) .. present:sub(replaced_to + 1)
      accepted_length = accepted_length + vim.str_utfindex(new:sub(1, final_bytes), "utf-16")
      return {
        live = at,
        text = text,
        final_bytes = final_bytes,
        accepted_length = accepted_length,
        is_last = i == #live and text == new,
      }
    end
    accepted_length = accepted_length + vim.str_utfindex(new, "utf-16")
  end
end

--- Apply a part as one undo step.
---@param part editahead.EditPart
---@return integer[] cursor  1-based row, byte column
function Prediction:apply_part(part)
  local bufnr, at = assert(self.bufnr), part.live
  undo_break(bufnr)
  vim.api.nvim_buf_set_text(bufnr, at.row, at.col, at.end_row, at.end_col, vim.split(part.text, "\n"))
  undo_break(bufnr)
  local end_row, end_col = position_after(at.row, at.col, part.text)
  -- An edit with only insertions left becomes one that can be typed.
  at.edit.old = part.final_bytes == #part.text and "" or part.text
  vim.api.nvim_buf_set_extmark(bufnr, NS, at.row, at.col, {
    id = at.edit.mark,
    end_row = end_row,
    end_col = end_col,
    right_gravity = false,
    end_right_gravity = true,
  })
  local row, col = position_after(at.row, at.col, part.text:sub(1, part.final_bytes))
  return { row + 1, col }
end

return M
