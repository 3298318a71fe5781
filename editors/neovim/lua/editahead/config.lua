-- The options: defaults and validation.
local M = {}

---@class editahead.Keys  A key, or false for none.
---@field accept string|false     accepts the prediction
---@field accept_all string|false shows, then makes all edits of the prediction's kind
---@field dismiss string|false    rejects the prediction, in addition to the key's own meaning
---@field accept_word string|false
---@field accept_line string|false
---@field next string|false       shows an alternative
---@field prev string|false

---@class editahead.Options
---@field cmd string[]|nil        the server's command line; nil: see client.command
---@field cmd_env table<string, string>|nil
---@field root_markers string[]
---@field filetypes table<string, boolean>  false: no server there
---@field settings table<string, any>  the server's own settings
---@field keys editahead.Keys
---@field refuse_in_insert "ghost"|"always"|"never"  what `dismiss` rejects in insert mode
---@field inline_completion boolean  show predictions on the cursor's line as Neovim 0.12's own ghost text
---@field sign string             the mark at the edit's line; "" for none
---@field modes ("n"|"i")[]       the modes in which predictions are shown
---@field places_left boolean     count in pauses what the change still lacks
---@field jump_first boolean      `accept` goes to an edit off the cursor's line first, and then accepts it
---@field evidence boolean        ask the buffer's other language servers where a symbol is used, before it is renamed
---@field display "full"|"subtle"  "subtle": only the mark, until `accept` is pressed
M.defaults = {
  cmd = nil,
  cmd_env = nil,
  root_markers = { ".git", "editahead.toml" },
  filetypes = {},
  settings = {},
  keys = {
    accept = "<Tab>",
    accept_all = "<M-CR>",
    dismiss = "<Esc>",
    accept_word = "<M-Right>",
    accept_line = "<M-C-Right>",
    next = "<M-]>",
    prev = "<M-[>",
  },
  refuse_in_insert = "ghost",
  inline_completion = false,
  sign = "»",
  modes = { "n", "i" },
  display = "full",
  jump_first = false,
  places_left = true,
  evidence = true,
}

local CHECKS = {
  cmd = function(value)
    return value == nil or (vim.islist(value) and #value > 0), "a list: the command and its arguments"
  end,
  cmd_env = function(value)
    return value == nil or type(value) == "table", "a table of strings"
  end,
  root_markers = function(value)
    return vim.islist(value), "a list of names"
  end,
  filetypes = function(value)
    return type(value) == "table", "a table of filetypes with true or false"
  end,
  settings = function(value)
    return type(value) == "table", "a table of the server's settings"
  end,
  keys = function(value)
    if type(value) ~= "table" then
      return false, "a table"
    end
    for name, key in pairs(value) do
      if M.defaults.keys[name] == nil or not (key == false or type(key) == "string") then
        return false, "a table of accept, accept_all, dismiss, accept_word, accept_line, next, prev, each a key or false"
      end
    end
    return true
  end,
  refuse_in_insert = function(value)
    return vim.list_contains({ "ghost", "always", "never" }, value), '"ghost", "always" or "never"'
  end,
  inline_completion = function(value)
    return type(value) == "boolean", "true or false"
  end,
  sign = function(value)
    return type(value) == "string" and vim.fn.strdisplaywidth(value) <= 2, "a string of at most two cells"
  end,
  modes = function(value)
    local ok = vim.islist(value) and vim.iter(value):all(function(mode)
      return mode == "n" or mode == "i"
    end)
    return ok, 'a list of "n" and "i"'
  end,
  places_left = function(value)
    return type(value) == "boolean", "true or false"
  end,
  jump_first = function(value)
    return type(value) == "boolean", "true or false"
  end,
  evidence = function(value)
    return type(value) == "boolean", "true or false"
  end,
  display = function(value)
    return value == "full" or value == "subtle", '"full" or "subtle"'
  end,
}

---@type editahead.Options
M.options = vim.deepcopy(M.defaults)

--- Set the options. An invalid option keeps its default; return a message for each.
---@param given table|nil
---@return string[]
function M.set(given)
  local problems, good = {}, {}
  for name, value in pairs(given or {}) do
    local check = CHECKS[name]
    local ok, allowed
    if check then
      ok, allowed = check(value)
    end
    if ok then
      good[name] = value
    elseif check then
      table.insert(problems, ("The option `%s` must be %s. Its default is used."):format(name, allowed))
    else
      table.insert(problems, ("The option `%s` is unknown. See :help editahead-options."):format(name))
    end
  end
  M.options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), good)
  M.options.modes = good.modes or M.options.modes -- as given: shorter lists are not merged
  table.sort(problems)
  return problems
end

return M
