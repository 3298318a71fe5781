-- The preview of a sketch's edit, drawn in the buffers that it changes: first what a model has written so far, then the whole
-- edit, which the user applies or discards. Nothing is changed before.
local activity = require("editahead.activity")
local tracked_edit = require("editahead.tracked_edit")

local M = {}

local NS = vim.api.nvim_create_namespace("editahead.apply_preview")

-- What a hunk does, by its class.
local LABELS = {
  semantic = "Changes what the code does",
  rename = "Renames",
  moved = "Moves",
  import = "Changes imports",
  comment = "Changes comments",
  formatting = "Changes the layout",
}

---@class editahead.PreviewHunk  A text edit of a file.
---@field uri string
---@field range lsp.Range
---@field newText string
---@field label string           what it does, and what is easily overlooked
---@field needs_reading boolean  false: it only renames, moves, imports, comments or formats

---@class editahead.Preview
---@field hunks editahead.PreviewHunk[]
---@field encoding string
---@field is_coming boolean      a model still writes
---@field problems table[]|nil   the new problems that the edit would bring
---@field on_accept fun()|nil
---@field on_close fun()|nil     called when the user discards the preview
---@field on_change fun()        called when a buffer was changed, after which nothing is drawn
---@field buffers table<integer, true>

---@type editahead.Preview|nil
local current

--- Return a hunk of the server's answer as one of a preview.
---@param hunk table
---@return editahead.PreviewHunk
function M.describe(hunk)
  local flags = hunk.flags or {}
  local what = hunk.label or LABELS[hunk.class] or LABELS.semantic
  local text = table.concat(vim.list_extend({ what .. "." }, flags), " ")
  local needs_reading = hunk.class == "semantic" or #flags > 0 or hunk.origin == "model"
  return { uri = hunk.uri, range = hunk.range, newText = hunk.newText, label = text, needs_reading = needs_reading }
end

-- Return the lines of a hunk that go, from `row` on, and those that come.
local function changed_lines(bufnr, hunk, encoding)
  local row, col, end_row, end_col, text = tracked_edit.to_buffer_edit(bufnr, hunk, encoding)
  local old = vim.api.nvim_buf_get_lines(bufnr, row, end_row + 1, false)
  local new = vim.split(old[1]:sub(1, col) .. text .. old[#old]:sub(end_col + 1), "\n")
  while #old > 0 and old[1] == new[1] do
    table.remove(old, 1)
    table.remove(new, 1)
    row = row + 1
  end
  while #old > 0 and old[#old] == new[#new] do
    table.remove(old)
    table.remove(new)
  end
  return row, old, new
end

-- Return the lines below a hunk for the problems in its new text, which begins at line `first`.
local function problem_lines(hunk, first, problems)
  local _, count = hunk.newText:gsub("\n", "")
  local lines = {}
  for _, problem in ipairs(problems) do
    local line = problem.range.start.line
    if problem.uri == hunk.uri and line >= first and line <= first + count then
      local text = ("line %d: %s (%s)"):format(line + 1, problem.message, problem.source)
      table.insert(lines, { { text, "DiagnosticVirtualTextWarn" } })
    end
  end
  return lines
end

local function draw_hunk(bufnr, hunk, encoding, problems)
  local row, old, new = changed_lines(bufnr, hunk, encoding)
  local inserted = hunk.needs_reading and "EditaheadInsert" or "EditaheadContext"
  local deleted = hunk.needs_reading and "EditaheadDelete" or "EditaheadContext"
  local label = { "  " .. hunk.label, hunk.needs_reading and "EditaheadHint" or "EditaheadContext" }
  local below = vim.tbl_map(function(line)
    return { { line == "" and " " or line, inserted } }
  end, new)
  if #below > 0 then
    table.insert(below[1], label)
  end
  vim.list_extend(below, problems)
  for offset = 0, #old - 1 do
    vim.api.nvim_buf_set_extmark(bufnr, NS, row + offset, 0, { line_hl_group = deleted, hl_mode = "combine" })
  end
  local is_above = #old == 0 and row == 0
  vim.api.nvim_buf_set_extmark(bufnr, NS, math.max(row + math.max(#old, 0) - 1, 0), 0, {
    virt_lines = below,
    virt_lines_above = is_above,
    virt_text = #new == 0 and { label } or nil,
    virt_text_pos = #new == 0 and "eol" or nil,
  })
end

-- Watch a buffer: after any change, the hunks are no longer where they are drawn.
local function watch(preview, bufnr)
  local function on_change()
    if current == preview then
      vim.schedule(function()
        if current == preview then
          M.close()
          preview.on_change()
        end
      end)
    end
    return true -- detach
  end
  vim.api.nvim_buf_attach(bufnr, false, { on_lines = on_change, on_reload = on_change, on_detach = on_change })
end

local function clear(preview)
  for bufnr in pairs(preview.buffers) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, NS, 0, -1)
    end
  end
end

local function draw(preview)
  clear(preview)
  local shifts = {}
  for _, hunk in ipairs(preview.hunks) do
    local path = vim.uri_to_fname(hunk.uri)
    local bufnr = vim.fn.bufexists(path) == 1 and vim.uri_to_bufnr(hunk.uri)
      or vim.uv.fs_stat(path) and vim.uri_to_bufnr(hunk.uri)
    local shift = shifts[hunk.uri] or 0
    if bufnr then -- else the edit creates the file
      if not preview.buffers[bufnr] then
        vim.fn.bufload(bufnr)
        vim.bo[bufnr].buflisted = true
        preview.buffers[bufnr] = true
        watch(preview, bufnr)
      end
      draw_hunk(bufnr, hunk, preview.encoding, problem_lines(hunk, hunk.range.start.line + shift, preview.problems or {}))
    end
    local _, lines = hunk.newText:gsub("\n", "")
    shifts[hunk.uri] = shift + lines - (hunk.range["end"].line - hunk.range.start.line)
  end
end

--- Return whether there is a preview. A request for an edit has one from its start.
---@return boolean
function M.is_open()
  return current ~= nil
end

--- Return whether there is a preview of a whole edit.
---@return boolean
function M.is_ready()
  return current ~= nil and not current.is_coming
end

--- Open a preview in place of the present one.
---@param preview table  see editahead.Preview
function M.open(preview)
  M.close()
  current = vim.tbl_extend("force", { hunks = {}, is_coming = false, buffers = {} }, preview)
  activity.is_previewing = true
  draw(current)
end

--- Draw other hunks, or problems, in the present preview.
---@param fields {hunks: editahead.PreviewHunk[]|nil, problems: table[]|nil}
function M.update(fields)
  if current then
    current.hunks = fields.hunks or current.hunks
    current.problems = fields.problems or current.problems
    draw(current)
  end
end

--- Draw nothing any more.
function M.close()
  if current then
    clear(current)
    current = nil
    activity.is_previewing = false
  end
end

--- Apply the edit in the preview. Return false if there is none.
---@return boolean
function M.accept()
  local preview = current
  if not preview or preview.is_coming then
    return false
  end
  M.close()
  preview.on_accept()
  return true
end

--- Discard the preview. Return false if there is none.
---@return boolean
function M.reject()
  local preview = current
  if not preview then
    return false
  end
  M.close()
  if preview.on_close then
    preview.on_close()
  end
  return true
end

return M
