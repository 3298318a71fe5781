-- The drawing of a prediction: removed words struck out, inserted words inline, ghost text at the cursor, a mark at the line, and
-- a hint at the edge of the window when the edit is outside the visible lines.
local config = require("editahead.config")
local diff = require("editahead.diff")
local line_mark = require("editahead.line_mark")
local place_hint = require("editahead.place_hint")
local syntax_colors = require("editahead.syntax_colors")

local M = {}

M.NS = vim.api.nvim_create_namespace("editahead")
-- Changed words shown inline on one line. A line with more is shown as a whole below the old line.
local MAX_INLINE_CHANGES = 3

function M.define_highlights()
  local links = {
    EditaheadGhost = "Comment", -- an insertion at the cursor
    EditaheadInsert = "DiffAdd", -- an insertion elsewhere
    EditaheadDelete = "DiffDelete", -- removed text, which EditaheadStrike strikes out
    EditaheadContext = "Comment", -- repeated unchanged text
    EditaheadSign = "DiagnosticSignHint",
    EditaheadHint = "DiagnosticVirtualTextHint", -- the place of an edit outside the visible lines
  }
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  vim.api.nvim_set_hl(0, "EditaheadStrike", { strikethrough = true, default = true })
  syntax_colors.clear()
end

-- Virtual text shows tabs as control characters: expand them.
local function expand_tabs(bufnr, text)
  local width = vim.bo[bufnr].tabstop
  local out, column = {}, 0
  for _, part in ipairs(vim.split(text, "\t")) do
    if #out > 0 then
      local blank = width - column % width
      table.insert(out, (" "):rep(blank))
      column = column + blank
    end
    table.insert(out, part)
    column = column + vim.fn.strdisplaywidth(part)
  end
  return table.concat(out)
end

local function mark(bufnr, row, col, options)
  options.priority = options.priority or 200
  pcall(vim.api.nvim_buf_set_extmark, bufnr, M.NS, row, col, options)
end

local function strike(bufnr, row, col, end_row, end_col)
  for i, group in ipairs({ "EditaheadDelete", "EditaheadStrike" }) do
    mark(bufnr, row, col, { end_row = end_row, end_col = end_col, hl_group = group, hl_eol = true, priority = 200 + i })
  end
end

-- Return the chunks of a whole new line, with its changed words highlighted.
local function whole_line_chunks(bufnr, new, words)
  local chunks, at = {}, 0
  for _, word in ipairs(words) do
    table.insert(chunks, { expand_tabs(bufnr, new:sub(at + 1, word.new_from)), "EditaheadContext" })
    table.insert(chunks, { expand_tabs(bufnr, new:sub(word.new_from + 1, word.new_to)), "EditaheadInsert" })
    at = word.new_to
  end
  table.insert(chunks, { expand_tabs(bufnr, new:sub(at + 1)), "EditaheadContext" })
  return vim.tbl_filter(function(chunk)
    return chunk[1] ~= ""
  end, chunks)
end

-- Draw a changed line. Returns the virtual line to show below it, if the new line is shown as a whole.
local function draw_changed_line(bufnr, row, old, new)
  local words = diff.words(old, new)
  local below = #words > MAX_INLINE_CHANGES
  for _, word in ipairs(words) do
    if word.old_to > word.old_from then
      strike(bufnr, row, word.old_from, row, word.old_to)
    end
    if not below and word.new_to > word.new_from then
      local text = expand_tabs(bufnr, new:sub(word.new_from + 1, word.new_to))
      mark(bufnr, row, word.old_to, { virt_text = { { text, "EditaheadInsert" } }, virt_text_pos = "inline" })
    end
  end
  return below and whole_line_chunks(bufnr, new, words) or nil
end

-- Draw virtual lines after a row. Row -1 is above the first line, where the window needs filler lines.
local function draw_lines_after(bufnr, row, lines)
  if #lines == 0 then
    return
  end
  if row >= 0 then
    mark(bufnr, row, 0, { virt_lines = lines })
    return
  end
  mark(bufnr, 0, 0, { virt_lines = lines, virt_lines_above = true })
  if vim.fn.line("w0") == 1 then
    vim.fn.winrestview({ topfill = #lines })
  end
end

-- Draw edits that share lines, by comparing those lines before and after the edits.
local function draw_group(bufnr, edits)
  local first, last = edits[1].row, edits[#edits].end_row
  local old = vim.api.nvim_buf_get_lines(bufnr, first, last + 1, false)
  local text, row, col = {}, first, 0
  local function copy_until(to_row, to_col)
    table.insert(text, table.concat(vim.api.nvim_buf_get_text(bufnr, row, col, to_row, to_col, {}), "\n"))
  end
  for _, at in ipairs(edits) do
    copy_until(at.row, at.col)
    table.insert(text, at.edit.new)
    row, col = at.end_row, at.end_col
  end
  copy_until(last, #old[#old])
  local new = vim.split(table.concat(text), "\n")
  for _, hunk in ipairs(diff.lines(old, new)) do
    local old_start, old_count, new_start, new_count = unpack(hunk)
    local paired = math.min(old_count, new_count)
    local below = {}
    for i = 0, paired - 1 do
      local line = draw_changed_line(bufnr, first + old_start - 1 + i, old[old_start + i], new[new_start + i])
      if line then
        draw_lines_after(bufnr, first + old_start - 1 + i, { line })
      end
    end
    for i = paired, old_count - 1 do
      strike(bufnr, first + old_start - 1 + i, 0, first + old_start + i, 0)
    end
    for i = paired, new_count - 1 do
      table.insert(below, { { expand_tabs(bufnr, new[new_start + i]), "EditaheadInsert" } })
    end
    draw_lines_after(bufnr, first + old_start - 1 + math.max(old_count, 1) - 1, below)
  end
end

-- Draw an insertion at the cursor as ghost text.
local function draw_ghost(bufnr, at, text)
  local lines = vim.tbl_map(function(line)
    return expand_tabs(bufnr, line)
  end, vim.split(text, "\n"))
  local first, below = nil, syntax_colors.chunks(bufnr, at.end_row, at.end_col, lines, "EditaheadGhost")
  first = table.remove(below, 1)
  if #first > 0 then
    mark(bufnr, at.end_row, at.end_col, { virt_text = first, virt_text_pos = "inline" })
  end
  if #below > 0 and at.edit.suffix ~= "" then
    table.insert(below[#below], { expand_tabs(bufnr, at.edit.suffix), "EditaheadContext" })
  end
  draw_lines_after(bufnr, at.end_row, below)
end

--- Return the text to insert at the cursor, if inserting that text is all that the edits do.
---@param live editahead.LiveEdit[]
---@param row integer
---@param col integer
---@return string|nil
function M.ghost_text(live, row, col)
  local at = live[1]
  if #live == 1 and at.typed and at.end_row == row and at.end_col == col then
    return at.edit.new:sub(#at.typed + 1)
  end
end

-- Draw a hint at the top or the bottom of the window, on the side of the edit.
local function draw_hint(win, is_above, place, label, preview)
  local key = config.options.keys.accept
  place_hint.show(win, is_above, { place = place, label = label, preview = preview, key = key or nil })
end

local function format_line_count(lines)
  return lines == 1 and "1 line" or lines .. " lines"
end

---@param bufnr integer
function M.clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, M.NS, 0, -1)
  end
  place_hint.clear()
end

-- Draw the code of an edit that is out of sight, below the cursor's line.
local function draw_preview(bufnr, row, place, preview)
  local chunks = { { "  " .. place, "EditaheadHint" } }
  local function add(text, group)
    if text ~= "" then
      vim.list_extend(chunks, { { "  " }, { text, group } })
    end
  end
  add(preview.old, { "EditaheadDelete", "EditaheadStrike" })
  add(preview.new, "EditaheadInsert")
  add(preview.more and ("… %s more"):format(format_line_count(preview.more)) or "", "EditaheadHint")
  add(config.options.keys.accept or "", "EditaheadHint")
  draw_lines_after(bufnr, row, { chunks })
end

--- Draw a prediction in the current window.
---@param prediction editahead.Prediction
---@param live editahead.LiveEdit[]|nil  nil when the prediction is for another document
---@param ordinal string|nil  for example "2/3", once the user has chosen among several predictions
---@param is_previewed boolean  draw the code of an edit that is out of sight
---@param is_subtle boolean  draw only the mark at the line of the edit, or at the cursor's for another document
function M.draw(prediction, live, ordinal, is_previewed, is_subtle)
  local win, bufnr = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  local label = prediction.label .. (ordinal and "  " .. ordinal or "")
  local cursor = vim.api.nvim_win_get_cursor(win)
  local line_options = line_mark.options(win, bufnr, M.NS)
  local function draw_line_mark(row)
    if line_options then
      mark(bufnr, row, 0, line_options)
    end
  end
  if prediction.bufnr ~= bufnr or not live then
    if is_subtle then
      draw_line_mark(cursor[1] - 1)
      return
    end
    local preview = prediction:preview()
    local line = prediction.jump and ":" .. prediction.jump.line + 1 or ""
    local place = vim.fn.fnamemodify(vim.uri_to_fname(prediction.uri), ":~:.") .. line
    if preview and is_previewed then
      draw_preview(bufnr, cursor[1] - 1, place, preview)
    else
      draw_hint(win, false, place .. "  ", label, preview and (preview.new ~= "" and preview.new or preview.old))
    end
    return
  end
  local target = #live > 0 and live[1].row or prediction.jump and prediction.jump.line or cursor[1] - 1
  draw_line_mark(target)
  if is_subtle then
    return
  end
  local top, bottom = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1
  local preview = is_previewed and not prediction:is_in_sight(live) and prediction:preview()
  if preview then
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ":~:.")
    draw_preview(bufnr, cursor[1] - 1, ("%s:%d"):format(name, target + 1), preview)
    return
  end
  if target < top or target > bottom or vim.fn.foldclosed(target + 1) ~= -1 then
    draw_hint(win, target < top, format_line_count(math.abs(target - cursor[1] + 1)) .. ": ", label)
    return
  end
  if #live == 0 or ordinal then
    local text = #live == 0 and label or ordinal
    mark(bufnr, target, 0, { virt_text = { { " " .. text, "EditaheadHint" } }, virt_text_pos = "eol" })
  end
  if #live == 0 then
    return
  end
  local ghost = M.ghost_text(live, cursor[1] - 1, cursor[2])
  if ghost then
    draw_ghost(bufnr, live[1], ghost)
    return
  end
  local group = {}
  for _, at in ipairs(live) do
    if #group > 0 and at.row > group[#group].end_row then
      draw_group(bufnr, group)
      group = {}
    end
    table.insert(group, at)
  end
  draw_group(bufnr, group)
end

return M
