-- What a prediction looks like: words struck and words put in, ghost text at the cursor, a sign, and a hint at the end
-- of the window when the place is out of sight.
local config = require("editahead.config")
local diff = require("editahead.diff")

local M = {}

M.NS = vim.api.nvim_create_namespace("editahead")
-- A line with more changed places than this is shown as a whole below the old one.
local LEGIBLE = 3

function M.define_highlights()
  local links = {
    EditaheadGhost = "Comment", -- what would be inserted at the cursor
    EditaheadInsert = "DiffAdd", -- what would be inserted elsewhere
    EditaheadDelete = "DiffDelete", -- what would be removed; EditaheadStrike strikes it out
    EditaheadContext = "Comment", -- unchanged text that is repeated for legibility
    EditaheadSign = "DiagnosticSignHint",
    EditaheadHint = "DiagnosticVirtualTextHint", -- where a place out of sight is
  }
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  vim.api.nvim_set_hl(0, "EditaheadStrike", { strikethrough = true, default = true })
end

-- Virtual text shows tabs as control characters.
local function shown(bufnr, text)
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

-- A whole new line, its changed words set off.
local function full_line(bufnr, new, words)
  local chunks, at = {}, 0
  for _, word in ipairs(words) do
    table.insert(chunks, { shown(bufnr, new:sub(at + 1, word.new_from)), "EditaheadContext" })
    table.insert(chunks, { shown(bufnr, new:sub(word.new_from + 1, word.new_to)), "EditaheadInsert" })
    at = word.new_to
  end
  table.insert(chunks, { shown(bufnr, new:sub(at + 1)), "EditaheadContext" })
  return vim.tbl_filter(function(chunk)
    return chunk[1] ~= ""
  end, chunks)
end

-- One line that becomes another. Returns the virtual line to show below it, if there is one.
local function changed_line(bufnr, row, old, new)
  local words = diff.words(old, new)
  local below = #words > LEGIBLE
  for _, word in ipairs(words) do
    if word.old_to > word.old_from then
      strike(bufnr, row, word.old_from, row, word.old_to)
    end
    if not below and word.new_to > word.new_from then
      local text = shown(bufnr, new:sub(word.new_from + 1, word.new_to))
      mark(bufnr, row, word.old_to, { virt_text = { { text, "EditaheadInsert" } }, virt_text_pos = "inline" })
    end
  end
  return below and full_line(bufnr, new, words) or nil
end

-- Virtual lines after a row; -1: above the first line, where the window has to make room for them.
local function lines_after(bufnr, row, lines)
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

-- The rows from the first of these edits to the last: how they are and how they would be.
local function draw_rows(bufnr, edits)
  local first, last = edits[1].row, edits[#edits].end_row
  local old = vim.api.nvim_buf_get_lines(bufnr, first, last + 1, false)
  local text, row, col = {}, first, 0
  local function keep(to_row, to_col)
    table.insert(text, table.concat(vim.api.nvim_buf_get_text(bufnr, row, col, to_row, to_col, {}), "\n"))
  end
  for _, at in ipairs(edits) do
    keep(at.row, at.col)
    table.insert(text, at.edit.new)
    row, col = at.end_row, at.end_col
  end
  keep(last, #old[#old])
  local new = vim.split(table.concat(text), "\n")
  for _, hunk in ipairs(diff.lines(old, new)) do
    local old_start, old_count, new_start, new_count = unpack(hunk)
    local both = math.min(old_count, new_count)
    local below = {}
    for i = 0, both - 1 do
      local line = changed_line(bufnr, first + old_start - 1 + i, old[old_start + i], new[new_start + i])
      if line then
        lines_after(bufnr, first + old_start - 1 + i, { line })
      end
    end
    for i = both, old_count - 1 do
      strike(bufnr, first + old_start - 1 + i, 0, first + old_start + i, 0)
    end
    for i = both, new_count - 1 do
      table.insert(below, { { shown(bufnr, new[new_start + i]), "EditaheadInsert" } })
    end
    lines_after(bufnr, first + old_start - 1 + math.max(old_count, 1) - 1, below)
  end
end

-- The rest of an insertion at the cursor.
local function draw_ghost(bufnr, at, text)
  local lines = vim.split(text, "\n")
  if lines[1] ~= "" then
    mark(bufnr, at.end_row, at.end_col, {
      virt_text = { { shown(bufnr, lines[1]), "EditaheadGhost" } },
      virt_text_pos = "inline",
    })
  end
  local below = {}
  for i = 2, #lines do
    table.insert(below, { { shown(bufnr, lines[i]), "EditaheadGhost" } })
  end
  if #below > 0 and at.edit.suffix ~= "" then
    table.insert(below[#below], { shown(bufnr, at.edit.suffix), "EditaheadContext" })
  end
  lines_after(bufnr, at.end_row, below)
end

--- What is left to insert at the cursor, when that is all there is to the prediction.
---@param live editahead.Live[]
---@param row integer
---@param col integer
---@return string|nil
function M.ghost_text(live, row, col)
  local at = live[1]
  if #live == 1 and at.typed and at.end_row == row and at.end_col == col then
    return at.edit.new:sub(#at.typed + 1)
  end
end

-- A line at the edge of the window that is nearest to the place.
local function hint(win, bufnr, up, text)
  local row = vim.fn.line(up and "w0" or "w$", win) - 1
  local key = config.options.keys.accept
  local chunks = { { (" %s %s%s "):format(up and "↑" or "↓", text, key and "  " .. key or ""), "EditaheadHint" } }
  mark(bufnr, row, 0, { virt_text = chunks, virt_text_pos = "right_align" })
end

local function counted(lines)
  return lines == 1 and "1 line" or lines .. " lines"
end

---@param bufnr integer
function M.clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, M.NS, 0, -1)
  end
end

--- Draw a prediction in the current window.
---@param prediction editahead.Prediction
---@param live editahead.Live[]|nil  nil: it is for another document
---@param number string|nil  which of several it is, when that is to be seen
function M.draw(prediction, live, number)
  local win, bufnr = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  local label = prediction.label .. (number and "  " .. number or "")
  if prediction.bufnr ~= bufnr or not live then
    local name = vim.fn.fnamemodify(vim.uri_to_fname(prediction.uri), ":~:.")
    local line = prediction.jump and ":" .. prediction.jump.line + 1 or ""
    hint(win, bufnr, false, name .. line .. "  " .. label)
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(win)
  local target = #live > 0 and live[1].row or prediction.jump and prediction.jump.line or cursor[1] - 1
  if config.options.sign ~= "" then
    mark(bufnr, target, 0, { sign_text = config.options.sign, sign_hl_group = "EditaheadSign" })
  end
  local top, bottom = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1
  if target < top or target > bottom then
    hint(win, bufnr, target < top, counted(math.abs(target - cursor[1] + 1)) .. ": " .. label)
    return
  end
  if #live == 0 or number then
    local text = #live == 0 and label or number
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
      draw_rows(bufnr, group)
      group = {}
    end
    table.insert(group, at)
  end
  draw_rows(bufnr, group)
end

return M
