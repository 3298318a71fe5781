-- The jump to a prediction, with some of the text around it in sight.
local tracked_edit = require("editahead.tracked_edit")

local M = {}

-- Lines above and below the place of a jump that stay in sight.
local MAX_CONTEXT_LINES = 5

-- Scroll so that lines around the cursor can be seen, too.
local function keep_off_edge()
  local height = vim.api.nvim_win_get_height(0)
  local margin = math.min(MAX_CONTEXT_LINES, math.floor(height / 4))
  local row = vim.fn.winline()
  if row <= margin or row > height - margin then
    vim.cmd("normal! zz")
  end
end

--- Go to a prediction's first edit, or to its place.
---@param prediction editahead.Prediction
---@param live editahead.LiveEdit[]
function M.go_to(prediction, live)
  vim.cmd("normal! m'")
  if prediction.bufnr == vim.api.nvim_get_current_buf() then
    local row, col
    if #live > 0 then
      row, col = live[1].row, live[1].col
    else
      row, col = tracked_edit.to_row_col(vim.api.nvim_get_current_buf(), prediction.jump, prediction.encoding)
    end
    vim.api.nvim_win_set_cursor(0, { row + 1, col })
    vim.cmd("normal! zv")
    keep_off_edge()
    return
  end
  local place = prediction.jump or prediction.response.edits[1].range.start
  local location = { uri = prediction.uri, range = { start = place, ["end"] = place } }
  vim.lsp.util.show_document(location, prediction.encoding, { focus = true, reuse_win = true })
  keep_off_edge()
end

return M
