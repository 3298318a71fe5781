-- `:Editahead search QUERY`: choose one of the places in the workspace that answer a question, and go there.
local client = require("editahead.client")

local M = {}

local LIMIT = 30
local count = 0

local function notify(text, level)
  vim.notify("Editahead: " .. text, level or vim.log.levels.INFO)
end

local function describe(place)
  local line = place.lines[1]
  local text = line and vim.trim(line.text) or ""
  return ("%s:%d  %s  (%s)"):format(place.path, line and line.line + 1 or place.range.start.line + 1, text, table.concat(place.why, "; "))
end

local function go(place, query)
  local line = place.lines[1] and place.lines[1].line or place.range.start.line
  client.report_opened(vim.api.nvim_get_current_buf(), query, place.uri, line)
  local bufnr = vim.uri_to_bufnr(place.uri)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buflisted = true
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_buf(0, bufnr)
  local last = vim.api.nvim_buf_line_count(bufnr)
  vim.api.nvim_win_set_cursor(0, { math.min(line + 1, last), 0 })
  vim.cmd("normal! ^zv")
end

local function ask(query)
  count = count + 1
  local number = count
  client.execute(vim.api.nvim_get_current_buf(), "editahead.search", { { query = query, limit = LIMIT } }, function(result)
    if number ~= count then
      return
    end
    if result.notice ~= "" then
      notify(result.notice, vim.log.levels.WARN)
    end
    if #result.places == 0 then
      notify("Nothing found. Try other words, or fewer.")
      return
    end
    vim.ui.select(result.places, { prompt = "Go to", format_item = describe, kind = "editahead" }, function(place)
      if place then
        go(place, query)
      end
    end)
  end)
end

--- Search the workspace, and choose where to go.
---@param query string|nil  without it, ask for it
function M.search(query)
  if query and vim.trim(query) ~= "" then
    ask(query)
    return
  end
  vim.ui.input({ prompt = "Find code: " }, function(answer)
    if answer and vim.trim(answer) ~= "" then
      ask(answer)
    end
  end)
end

return M
