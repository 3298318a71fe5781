-- `:Editahead finish`: list the places that the change still lacks, with a mark at each; `:Editahead make` makes them.
local client = require("editahead.client")

local M = {}

local namespace = vim.api.nvim_create_namespace("editahead-finish")
local TITLE = "Editahead: what the change still lacks"

---@class editahead.Place
---@field bufnr integer
---@field mark integer     the extmark at its first line
---@field old string[]     the lines as they are
---@field new string[]     the lines as they should be
---@field text string      its line in the quickfix list

---@type editahead.Place[]  the places that are listed and not made
local places = {}
---@type table[]  the uses to look at, for which there is no edit
local uses = {}
---@type {server: vim.lsp.Client, id: integer}|nil  the request that runs
local running
local count = 0
---@type string|nil  what the server counted last
local counted

local function notify(text, level)
  vim.notify("Editahead: " .. text, level or vim.log.levels.INFO)
end

-- Return the lines of a text of whole lines.
local function to_lines(text)
  if text == "" then
    return {}
  end
  return vim.split((text:gsub("\r\n?", "\n"):gsub("\n$", "")), "\n", { plain = true })
end

local function row_of(place)
  return vim.api.nvim_buf_get_extmark_by_id(place.bufnr, namespace, place.mark, {})[1]
end

local function clear()
  for _, place in ipairs(places) do
    if vim.api.nvim_buf_is_valid(place.bufnr) then
      vim.api.nvim_buf_clear_namespace(place.bufnr, namespace, 0, -1)
    end
  end
  places, uses = {}, {}
end

local function list(action)
  local items = vim.tbl_map(function(place)
    return { bufnr = place.bufnr, lnum = (row_of(place) or 0) + 1, col = 1, type = "I", text = place.text }
  end, places)
  -- What to look at comes behind the places: the n-th line of the list is the n-th place.
  for _, use in ipairs(uses) do
    local item = { bufnr = vim.uri_to_bufnr(use.uri), lnum = use.range.start.line + 1, col = use.range.start.character + 1 }
    item.type, item.text = "W", ("Look at this: %s %s"):format(use.why, vim.trim(use.text))
    table.insert(items, item)
  end
  vim.fn.setqflist({}, action, { title = TITLE, items = items })
end

-- Mark a place, and show below its lines what they should become.
local function add(found, label)
  local bufnr = vim.uri_to_bufnr(found.uri)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buflisted = true
  local old, new = to_lines(found.old), to_lines(found.new)
  local shown = vim.tbl_map(function(line)
    return { { line == "" and " " or line, "EditaheadInsert" } }
  end, new)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local first = math.min(found.range.start.line, last)
  local mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, first, 0, {
    end_row = math.min(first + #old, last),
    virt_lines = shown,
    virt_lines_above = #old == 0,
    hl_group = #old > 0 and "EditaheadDelete" or nil,
    invalidate = #old > 0,
  })
  local change = ("%s -> %s"):format(vim.trim(old[1] or ""), vim.trim(new[1] or ""))
  local text = ("%.0f%% %s: %s. %s"):format(100 * found.confidence, label, change, found.why)
  table.insert(places, { bufnr = bufnr, mark = mark, old = old, new = new, text = text })
end

local function show(result)
  clear()
  uses = result.uses
  if result.complete then
    local rules = result.looked.rules
    notify(("complete, as far as %s."):format(rules == 1 and "1 rule tells" or rules .. " rules tell"))
    return
  end
  local labels = {}
  for _, rule in ipairs(result.rules) do
    labels[rule.id] = rule.label
  end
  for _, found in ipairs(result.places) do
    add(found, labels[found.rule] or "")
  end
  list(" ")
  vim.cmd("botright copen")
  local left = {}
  if #places > 0 then
    table.insert(left, #places == 1 and "1 place left" or #places .. " places left")
  end
  if #uses > 0 then
    table.insert(left, #uses == 1 and "1 use to look at" or #uses .. " uses to look at")
  end
  if #result.unsearched > 0 then
    table.insert(left, ("not all files with %s were looked at"):format(table.concat(result.unsearched, ", ")))
  end
  local hint = #places > 0 and " `:Editahead make` makes the one at the cursor, `:Editahead make all` all of them." or ""
  notify(table.concat(left, ", ") .. "." .. hint)
end

--- Look for the places that the change of the working tree still lacks, and list them. Nothing is changed.
function M.finish()
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.get(bufnr)
  if not server then
    notify("The server is not attached to this buffer. Run `:checkhealth editahead`.", vim.log.levels.WARN)
    return
  end
  if running then
    running.server:cancel_request(running.id)
  end
  count = count + 1
  local number = count
  local argument = { uri = vim.uri_from_bufnr(bufnr), workDoneToken = "editahead-finish-" .. number }
  local params = { command = "editahead.finish", arguments = { argument } }
  local sent, id = server:request("workspace/executeCommand", params, function(err, result)
    if number ~= count then
      return
    end
    running = nil
    if err then
      notify(err.message, vim.log.levels.WARN)
    else
      show(result)
    end
  end, bufnr)
  running = sent and { server = server, id = id } or nil
end

-- Make a place. Return false if its lines are no longer as they were.
local function make(place)
  if not vim.api.nvim_buf_is_loaded(place.bufnr) then
    return false
  end
  local row = row_of(place)
  local present = row and vim.api.nvim_buf_get_lines(place.bufnr, row, row + #place.old, false)
  if not present or not vim.deep_equal(present, place.old) or not vim.bo[place.bufnr].modifiable then
    return false
  end
  vim.api.nvim_buf_del_extmark(place.bufnr, namespace, place.mark)
  vim.api.nvim_buf_set_lines(place.bufnr, row, row + #place.old, false, place.new)
  return true
end

-- Return the place of the quickfix list's line, or at the cursor's line.
local function at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  if vim.bo.buftype == "quickfix" then
    return vim.fn.getqflist({ title = 0 }).title == TITLE and line or nil
  end
  local bufnr = vim.api.nvim_get_current_buf()
  for number, place in ipairs(places) do
    local row = place.bufnr == bufnr and row_of(place)
    if row and row < line and line <= row + math.max(#place.old, 1) then
      return number
    end
  end
end

--- Make the listed place at the cursor, or all of them. They stay unsaved, and undo takes them back.
---@param all boolean
function M.make(all)
  if #places == 0 then
    notify("No place is listed. Run `:Editahead finish` first.", vim.log.levels.WARN)
    return
  end
  local wanted = all and places or { places[at_cursor() or 0] }
  if #wanted == 0 then
    notify("There is no listed place at the cursor.", vim.log.levels.WARN)
    return
  end
  local made, stale, rest = 0, 0, {}
  for _, place in ipairs(places) do
    if not vim.list_contains(wanted, place) then
      table.insert(rest, place)
    elseif make(place) then
      made = made + 1
    else
      stale = stale + 1
      table.insert(rest, place)
    end
  end
  places = rest
  if vim.fn.getqflist({ title = 0 }).title == TITLE then
    list("r")
  end
  local text = ("Made %s, unsaved."):format(made == 1 and "1 edit" or made .. " edits")
  if stale > 0 then
    local were = stale == 1 and "1 place was" or stale .. " places were"
    notify(("%s %s edited meanwhile, and left alone."):format(text, were), vim.log.levels.WARN)
  else
    notify(text)
  end
end

--- Handle `editahead/placesLeft`.
function M.on_places_left(_, params)
  counted = params.message ~= "" and params.message or nil
  vim.cmd.redrawstatus()
end

--- Return how many places the change still lacks, such as "3 places left", or "" while that is none or not known.
---@return string
function M.places_left()
  return counted or ""
end

return M
