-- The choice between readings of a sketch that is not certain: `vim.ui.select`, with the diffs in a window above.
local M = {}

---@class editahead.Choice
---@field title string
---@field diff string
---@field place string|nil  where the choice changes something

-- Return the lines of all choices, and the first line of each, 0-based.
---@param choices editahead.Choice[]
local function describe(choices)
  local lines, starts = {}, {}
  for number, choice in ipairs(choices) do
    starts[number] = #lines
    table.insert(lines, ("%d: %s"):format(number, choice.title))
    vim.list_extend(lines, vim.split(vim.trim(choice.diff), "\n"))
    table.insert(lines, "")
  end
  return lines, starts
end

---@return integer bufnr
local function diff_buffer(lines)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "diff"
  return bufnr
end

--- Let the user pick a choice.
---@param choices editahead.Choice[]
---@param on_choice fun(number: integer|nil)  called with the number of the choice; nil when the user picks none
function M.pick(choices, on_choice)
  local lines, starts = describe(choices)
  local bufnr = diff_buffer(lines)
  local height = math.max(1, math.min(#lines, math.floor(vim.o.lines / 2)))
  local ok, window = pcall(vim.api.nvim_open_win, bufnr, false, { split = "above", win = 0, height = height, style = "minimal" })
  vim.cmd.redraw() -- `vim.ui.select` of Neovim itself waits for an answer, and draws nothing meanwhile
  vim.ui.select(vim.fn.range(1, #choices), {
    prompt = "Which change does the sketch mean?",
    kind = "editahead.choice",
    format_item = function(number)
      local choice = choices[number]
      return choice.place and ("%s (%s)"):format(choice.title, choice.place) or choice.title
    end,
    preview_item = function(number)
      return { buf = bufnr, pos = { starts[number] + 1, 0 } }
    end,
  }, function(number)
    if ok and vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    elseif vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
    on_choice(number)
  end)
end

return M
