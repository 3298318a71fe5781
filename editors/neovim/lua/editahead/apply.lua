-- `:Editahead apply`: a sketch of a change, from the selection or a register, becomes an edit; or it is said why not.
local client = require("editahead.client")

local M = {}

-- LSP's RequestFailed: the server says why in the error's data, and has changed nothing.
local REFUSED = -32803
-- So many lines of a refused part are repeated in the message; the rest is in the sketch.
local REPEATED = 3

local REASONS = {
  unplaced = "no place is like a part of it",
  ambiguous = "a part of it fits several places",
  unparsed = "it cannot be read",
  ["would-break-syntax"] = "the result would not parse",
  ["would-lose-code"] = "code would be lost that it does not mention",
  stale = "the text has changed meanwhile",
  ["outside-workspace"] = "it names a file outside of the workspace",
  ["too-large"] = "it is too large",
  ["engine-unavailable"] = "it takes a model, and there is none",
}

--- The register that is meant when none is named: what was copied elsewhere, where Neovim can get at it.
---@return string
local function default_register()
  return vim.fn.has("clipboard") == 1 and "+" or '"'
end

local function tell(text, level)
  vim.notify("Editahead: " .. text, level)
end

-- Into the quickfix list: the places that are like the part that could not be placed.
---@return integer  how many there are
local function list_places(refusal, uri)
  local near = type(refusal.near) == "table" and refusal.near or {}
  local items = vim.tbl_map(function(place)
    local bufnr = vim.uri_to_bufnr(place.uri or uri)
    return {
      bufnr = bufnr,
      lnum = place.range.start.line + 1,
      end_lnum = place.range["end"].line + 1,
      col = 1,
      type = "W",
      text = ("%.0f %% like: %s"):format(100 * place.similarity, vim.trim(refusal.part):match("[^\n]*")),
    }
  end, near)
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "Editahead apply: " .. refusal.reason, items = items })
  end
  return #items
end

---@param err lsp.ResponseError
---@param uri string
local function say_refusal(err, uri)
  local refusal = err.code == REFUSED and type(err.data) == "table" and err.data or nil
  if not refusal then
    tell(err.message, vim.log.levels.WARN)
    return
  end
  local lines = { ("nothing was changed: %s (%s)"):format(REASONS[refusal.reason] or err.message, refusal.reason) }
  local part = vim.split(vim.trim(type(refusal.part) == "string" and refusal.part or ""), "\n")
  for i = 1, math.min(#part, REPEATED) do
    if part[i] ~= "" then
      table.insert(lines, "  | " .. part[i])
    end
  end
  if #part > REPEATED then
    table.insert(lines, ("  | ... (%d lines)"):format(#part))
  end
  local places = list_places(refusal, uri)
  if places > 0 then
    table.insert(lines, ("%s like it: see :copen"):format(places == 1 and "1 place is" or places .. " places are"))
  end
  tell(table.concat(lines, "\n"), vim.log.levels.WARN)
end

local function say_result(result)
  if result.applied == false then
    local reason = type(result.failureReason) == "string" and result.failureReason or "the editor declined"
    tell("nothing was changed: " .. reason, vim.log.levels.WARN)
  elseif result.method == "none" then
    tell("the sketch is there already", vim.log.levels.INFO)
  else
    local count = #result.hunks
    tell(("applied, %s changed"):format(count == 1 and "1 place" or count .. " places"), vim.log.levels.INFO)
  end
end

-- Whole lines as a range; there is no line after a buffer's last one.
local function lines_range(bufnr, first, last, encoding)
  local finish = { line = last, character = 0 }
  if last >= vim.api.nvim_buf_line_count(bufnr) then
    local line = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, true)[1]
    finish = { line = last - 1, character = vim.str_utfindex(line, encoding) }
  end
  return { start = { line = first - 1, character = 0 }, ["end"] = finish }
end

---@param from {register: string|nil, first: integer|nil, last: integer|nil}  lines of this buffer (1-based, both
---within), or a register; neither: the clipboard, else the unnamed one
function M.apply(from)
  local bufnr = vim.api.nvim_get_current_buf()
  local server = client.get(bufnr)
  if not server then
    tell("no server for this buffer, see `:checkhealth editahead`", vim.log.levels.WARN)
    return
  end
  local uri = vim.uri_from_bufnr(bufnr)
  local argument = { uri = uri }
  if from.first then
    local lines = vim.api.nvim_buf_get_lines(bufnr, from.first - 1, from.last, true)
    argument.sketch = table.concat(lines, "\n") .. "\n"
    argument.range = lines_range(bufnr, from.first, from.last, server.offset_encoding)
  else
    local register = from.register or default_register()
    argument.sketch = vim.fn.getreg(register)
    if vim.trim(argument.sketch) == "" then
      tell(("there is no sketch in the register %s"):format(register), vim.log.levels.WARN)
      return
    end
  end
  server:request(
    "workspace/executeCommand",
    { command = "editahead.apply", arguments = { argument } },
    function(err, result)
      if err then
        say_refusal(err, uri)
      else
        say_result(result)
      end
    end,
    bufnr
  )
end

return M
