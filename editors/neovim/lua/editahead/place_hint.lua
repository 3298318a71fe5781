-- The hint at an edge of the window, for an edit outside the visible lines: a floating line, so that no text, however long or
-- wrapped, hides the hint, and no text moves.
local M = {}

---@type integer|nil
local hint_win
---@type integer|nil
local hint_buf

local function buffer()
  if not hint_buf or not vim.api.nvim_buf_is_valid(hint_buf) then
    hint_buf = vim.api.nvim_create_buf(false, true)
    vim.bo[hint_buf].bufhidden = "hide"
  end
  return hint_buf
end

-- Cells of a cut preview that still say something.
local MIN_PREVIEW = 8

---@class editahead.Hint
---@field place string  where the edit is, with what separates the place from the label
---@field label string
---@field preview string|nil  the new text
---@field key string|nil

local cells = vim.fn.strdisplaywidth

-- Return a prefix of at most `width` cells, which ends in an ellipsis where it is cut.
local function cut_end(text, width)
  if cells(text) <= width then
    return text
  end
  local length = vim.fn.strchars(text)
  while length > 0 and cells(vim.fn.strcharpart(text, 0, length)) > width - 1 do
    length = length - 1
  end
  return vim.fn.strcharpart(text, 0, length) .. "…"
end

-- Return a suffix of at most `width` cells, which begins with an ellipsis where it is cut.
local function cut_start(text, width)
  if cells(text) <= width then
    return text
  end
  local start = 0
  while cells(vim.fn.strcharpart(text, start)) > math.max(0, width - 1) do
    start = start + 1
  end
  return "…" .. vim.fn.strcharpart(text, start)
end

-- Return the text of a hint in at most `width` cells: the key is whole, the label where it can be, and the place before the
-- preview.
---@param hint editahead.Hint
---@param width integer
local function fit(hint, width)
  local key = hint.key and "  " .. hint.key or ""
  local label = cut_end(hint.label, width - cells(key))
  local room = width - cells(label .. key)
  local place = room > 1 and cut_start(hint.place, room) or ""
  room = room - cells(place) - 2
  local preview = hint.preview and room >= math.min(MIN_PREVIEW, cells(hint.preview)) and "  " .. cut_end(hint.preview, room) or ""
  return place .. label .. preview .. key
end

--- Return the row of the window, 0-based, for a hint: the first or the last one, or its neighbour where the cursor's line is.
---@param win integer
---@param is_above boolean
---@return integer
local function hint_row(win, is_above)
  local height = vim.api.nvim_win_get_height(win)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local above = vim.fn.screenpos(win, cursor[1], 1).row
  local top = vim.fn.win_screenpos(win)[1] + (vim.wo[win].winbar ~= "" and 1 or 0)
  local last = vim.api.nvim_win_text_height(win, { start_row = cursor[1] - 1, end_row = cursor[1] - 1 }).all
  local first_row = above - top
  local row = is_above and 0 or height - 1
  if above > 0 and row >= first_row and row < first_row + last then
    row = is_above and first_row + last or first_row - 1
  end
  return math.max(0, math.min(row, height - 1))
end

--- Remove the hint from the screen.
function M.clear()
  if hint_win and vim.api.nvim_win_is_valid(hint_win) then
    pcall(vim.api.nvim_win_close, hint_win, true)
  end
  hint_win = nil
end

--- Show a hint at the right of the window's first or last line, never over the cursor's line.
---@param win integer
---@param is_above boolean
---@param hint editahead.Hint
function M.show(win, is_above, hint)
  local width = vim.api.nvim_win_get_width(win)
  local around = (" %s %%s "):format(is_above and "↑" or "↓")
  local line = cut_end(around:format(fit(hint, width - cells(around) + 2)), width)
  vim.api.nvim_buf_set_lines(buffer(), 0, -1, false, { line })
  local length = math.max(1, cells(line))
  local place = {
    relative = "win",
    win = win,
    row = hint_row(win, is_above),
    col = math.max(0, width - length),
    width = length,
    height = 1,
    style = "minimal",
    border = "none",
    focusable = false,
    zindex = 30, -- below completion menus and other plugins' windows
  }
  if hint_win and vim.api.nvim_win_is_valid(hint_win) then
    vim.api.nvim_win_set_config(hint_win, place)
    return
  end
  place.noautocmd = true
  local ok, opened = pcall(vim.api.nvim_open_win, buffer(), false, place)
  if ok then
    hint_win = opened
    vim.wo[opened].winhighlight = "Normal:EditaheadHint,NormalFloat:EditaheadHint"
    vim.wo[opened].wrap = false
  end
end

return M
