-- What other servers and linters say of a buffer. The server cannot see what they publish, so it is told.
local M = {}

-- The source of the server's own hints, which it knows.
local OWN = "editahead"
-- The server looks at no more of one buffer.
local MOST = 100

-- A column in bytes, in the units that the server counts in.
local function character(line, col, encoding)
  return vim.str_utfindex(line, encoding, math.min(col, #line), false)
end

--- All diagnostics of a buffer as LSP has them, those nearest to `row` when there are too many.
---@param bufnr integer
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@param row integer  0-based
---@return lsp.Diagnostic[]
function M.of(bufnr, encoding, row)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local found = vim.tbl_filter(function(one)
    return one.source ~= OWN and one.lnum < count
  end, vim.diagnostic.get(bufnr))
  table.sort(found, function(a, b)
    local near, far = math.abs(a.lnum - row), math.abs(b.lnum - row)
    return near < far or near == far and (a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col)
  end)
  local function position(lnum, col)
    if lnum >= count then
      return { line = count, character = 0 }
    end
    local line = vim.api.nvim_buf_get_lines(bufnr, lnum, lnum + 1, false)[1]
    return { line = lnum, character = character(line, col, encoding) }
  end
  return vim.tbl_map(function(one)
    local range = {
      start = position(one.lnum, one.col),
      ["end"] = position(one.end_lnum or one.lnum, one.end_col or one.col),
    }
    return { range = range, message = one.message, code = one.code, source = one.source }
  end, vim.list_slice(found, 1, MOST))
end

return M
