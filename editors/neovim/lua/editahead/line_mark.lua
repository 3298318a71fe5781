-- The mark at the line of an edit, in a place where nothing has to move for it.
local config = require("editahead.config")

local M = {}

-- Return whether the window has a sign column at present, whatever Editahead draws.
local function has_sign_column(win, bufnr, ns)
  local setting = vim.wo[win].signcolumn
  if setting:find("^yes") then
    return true
  end
  if setting == "number" then
    return vim.wo[win].number or vim.wo[win].relativenumber
  end
  if setting == "no" then
    return false
  end
  local signs = vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { type = "sign", details = true })
  for _, sign in ipairs(signs) do
    if sign[4].ns_id ~= ns then
      return true
    end
  end
  return #vim.fn.sign_getplaced(bufnr)[1].signs > 0
end

--- Return the options of an extmark that marks a line: a sign where there is a sign column, else a coloured line number, else
--- the sign after the text. A sign alone would open the column, and move the text of the whole window.
---@param win integer
---@param bufnr integer
---@param ns integer  the namespace of Editahead's own signs
---@return table|nil  nil when the option `sign` is empty
function M.options(win, bufnr, ns)
  local sign = config.options.sign
  if sign == "" then
    return nil
  end
  if has_sign_column(win, bufnr, ns) then
    return { sign_text = sign, sign_hl_group = "EditaheadSign" }
  end
  if vim.wo[win].number or vim.wo[win].relativenumber then
    return { number_hl_group = "EditaheadSign" }
  end
  return { virt_text = { { " " .. sign, "EditaheadSign" } }, virt_text_pos = "eol" }
end

return M
