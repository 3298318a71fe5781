-- What is edited while an answer comes. An answer for an earlier version of a buffer moves along, as it does in the server.
local M = {}

---@class editahead.LineChange  Lines, counted from 0, that others took the place of; `last` and `new_last` are exclusive.
---@field version integer  of the buffer after the change
---@field first integer
---@field last integer
---@field new_last integer

---@class editahead.ChangeLog
---@field changes table<integer, editahead.LineChange[]>  by buffer
---@field is_over boolean
local ChangeLog = {}
ChangeLog.__index = ChangeLog

--- Start to record the changes of all buffers of a server.
---@param server vim.lsp.Client
---@return editahead.ChangeLog
function M.start(server)
  local self = setmetatable({ changes = {}, is_over = false }, ChangeLog)
  for bufnr in pairs(server.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      self:record(bufnr)
    end
  end
  return self
end

---@private
function ChangeLog:record(bufnr)
  local function forget()
    self.changes[bufnr] = nil
    return true
  end
  self.changes[bufnr] = {}
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, version, first, last, new_last)
      if self.is_over then
        return true -- detach
      end
      if version and self.changes[bufnr] then -- a preview of `:substitute` has no version
        table.insert(self.changes[bufnr], { version = version, first = first, last = last, new_last = new_last })
      end
    end,
    on_reload = forget,
    on_detach = forget,
  })
end

--- End the record.
function ChangeLog:stop()
  self.is_over = true
end

-- Return a range over a change; nil where the change is in its lines. An edit is valid only for unchanged lines, so that no
-- column changes.
---@param range lsp.Range
---@param change editahead.LineChange
---@return lsp.Range|nil
local function move_range(range, change)
  local first, last = range.start.line, range["end"].line
  local behind = (range["end"].character == 0 and last > first) and last or last + 1
  if change.first >= behind then
    return range
  elseif change.last > first then
    return nil
  end
  local added = change.new_last - change.last
  return {
    start = { line = first + added, character = range.start.character },
    ["end"] = { line = last + added, character = range["end"].character },
  }
end

-- Return the changes of a buffer since a version; nil where they are not known.
---@param bufnr integer
---@param version integer
---@return editahead.LineChange[]|nil
function ChangeLog:since(bufnr, version)
  local present = vim.lsp.util.buf_versions[bufnr]
  if present == nil or present == version then
    return {}
  end
  local later = vim.tbl_filter(function(change)
    return change.version > version
  end, self.changes[bufnr] or {})
  return #later > 0 and later[#later].version == present and later or nil
end

---@param edits {range: lsp.Range}[]  of one file, or hunks
---@param changes editahead.LineChange[]
---@return table[]|nil
local function move_edits(edits, changes)
  local moved = {}
  for _, edit in ipairs(edits) do
    local range = edit.range
    for _, change in ipairs(changes) do
      range = range and move_range(range, change)
    end
    if not range then
      return nil
    end
    table.insert(moved, vim.tbl_extend("force", edit, { range = range }))
  end
  return moved
end

-- Return the changes since the version that an edit of a file is for; nil where they are not known.
---@return editahead.LineChange[]|nil
function ChangeLog:since_edit(document)
  if not document or type(document.version) ~= "number" then
    return {}
  end
  return self:since(vim.uri_to_bufnr(document.uri), document.version)
end

--- Return a planned edit over the present texts of its buffers, and whether it was moved; nil where one of its lines was edited
--- meanwhile.
---@param planned editahead.Planned
---@return editahead.Planned|nil, boolean
function ChangeLog:move_along(planned)
  local changes, since = {}, {}
  for _, change in ipairs(planned.edit.documentChanges or {}) do
    local document = change.textDocument
    local later = self:since_edit(document)
    local edits = later and #later > 0 and move_edits(change.edits, later)
    if not later or edits == nil then
      return nil, false
    elseif edits then
      since[document.uri] = later
      local version = vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)]
      change = { textDocument = { uri = document.uri, version = version }, edits = edits }
    end
    table.insert(changes, change)
  end
  if vim.tbl_isempty(since) then
    return planned, false
  end
  local hunks = {}
  for _, hunk in ipairs(planned.hunks) do
    local moved = move_edits({ hunk }, since[hunk.uri] or {})
    if not moved then
      return nil, false
    end
    table.insert(hunks, moved[1])
  end
  local edit = vim.tbl_extend("force", planned.edit, { documentChanges = changes })
  return vim.tbl_extend("force", planned, { edit = edit, hunks = hunks }), true
end

return M
