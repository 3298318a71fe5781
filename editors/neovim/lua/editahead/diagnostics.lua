-- Diagnostics of other servers and linters, for the server, which cannot see what others publish.
local M = {}

-- The source of the server's own diagnostics.
local OWN_SOURCE = "editahead"
-- Diagnostics sent for diagnostic buffer; the server ignores any more.
local MAX_DIAGNOSTICS = 100

-- Convert a byte column to the server's units.
local function to_character(line, col, encoding)
  return vim.str_utfindex(line, encoding, math.min(col, #line), false)
end

--- Return a buffer's diagnostics as LSP, nearest to a row first.
---@param bufnr integer
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param row integer  0-based
---@return lsp.Diagnostic[]
function M.for_buffer(bufnr, encoding, row)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local diagnostics = vim.tbl_filter(function(diagnostic)
    return diagnostic.source ~= OWN_SOURCE and diagnostic.lnum < count
  end, vim.diagnostic.get(bufnr))
  table.sort(diagnostics, function(a, b)
    local near, far = math.abs(a.lnum - row), math.abs(b.lnum - row)
    return near < far or near == far and (a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col)
  end)
  local function position(lnum, col)
    if lnum >= count then
      return { line = count, character = 0 }
    end
    local line = vim.api.nvim_buf_get_lines(bufnr, lnum, lnum + 1, false)[1]
    return { line = lnum, character = to_character(line, col, encoding) }
  end
  return vim.tbl_map(function(diagnostic)
    local range = {
      start = position(diagnostic.lnum, diagnostic.col),
      ["end"] = position(diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col),
    }
    return { range = range, message = diagnostic.message, code = diagnostic.code, source = diagnostic.source }
  end, vim.list_slice(diagnostics, 1, MAX_DIAGNOSTICS))
end

--- Return the buffer's diagnostics, and record them as sent; nil when they have not changed. The server moves diagnostics with
--- the text, and Neovim does not: sending the same ones again would undo that.
---@param bufnr integer
---@param view {diagnostics_changed: boolean, sent_diagnostics: lsp.Diagnostic[]}
---@param encoding string
function M.take_changed(bufnr, view, encoding)
  if not view.diagnostics_changed then
    return nil
  end
  view.diagnostics_changed = false
  local present = M.for_buffer(bufnr, encoding, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if vim.deep_equal(present, view.sent_diagnostics) then
    return nil
  end
  view.sent_diagnostics = present
  return present
end

return M
