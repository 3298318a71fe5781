-- Keys are borrowed, not taken: with nothing shown, each does what it did before, whoever had mapped it.
local config = require("editahead.config")
local view = require("editahead.view")

local M = {}

local DESC = "Editahead: "
-- What a key does, and how; `when`: what has to be so, beside that something is shown.
local ACTIONS = {
  accept = { "go to the predicted edit, or make it", view.accept },
  accept_word = {
    "make the next word of the predicted edit",
    function()
      return view.accept_part("word")
    end,
  },
  accept_line = {
    "make the next line of the predicted edit",
    function()
      return view.accept_part("line")
    end,
  },
  next = {
    "show the next prediction in place of this one",
    function()
      return view.choose(1)
    end,
    when = view.has_alternatives,
  },
  prev = {
    "show the previous prediction in place of this one",
    function()
      return view.choose(-1)
    end,
    when = view.has_alternatives,
  },
}

local function codes(keys)
  return vim.api.nvim_replace_termcodes(keys, true, true, true)
end

-- The mapping that ours stands before: of this buffer when it was there first, else a global one as it is now.
---@type table<string, table> "bufnr:mode:lhs" -> a mapping as maparg() describes it
local before = {}

local function is_ours(mapping)
  return vim.startswith(mapping.desc or "", DESC)
end

local function global(mode, lhs)
  local wanted = codes(lhs)
  for _, mapping in ipairs(vim.api.nvim_get_keymap(mode)) do
    if codes(mapping.lhs) == wanted and not is_ours(mapping) then
      return mapping
    end
  end
end

--- What the key does when nothing is shown: a mapping, or nil for what Neovim does by itself.
---@param bufnr integer
---@param mode string
---@param lhs string
---@return table|nil
function M.underneath(bufnr, mode, lhs)
  return before[("%d:%s:%s"):format(bufnr, mode, lhs)] or global(mode, lhs)
end

-- What waits to be run after an <expr> mapping, which itself may change nothing.
local waiting

--- Runs it; called by a mapping.
function M.run()
  local run = waiting
  waiting = nil
  if run then
    run()
  end
end

local RUN = "<Cmd>lua require('editahead.keys').run()<CR>"

local function later(run)
  waiting = run
  return codes(RUN)
end

local function text_of(result, replace)
  result = type(result) == "string" and result or ""
  return replace and codes(result) or result
end

-- The keys that do what a mapping does.
local function follow(mapping, lhs)
  local result
  if mapping.callback then
    if mapping.expr ~= 1 then
      return later(mapping.callback)
    end
    result = text_of(mapping.callback(), mapping.replace_keycodes == 1)
  else
    local rhs = codes(((mapping.rhs or ""):gsub("<[sS][iI][dD]>", ("<SNR>%d_"):format(mapping.sid or 0))))
    if mapping.expr == 1 then
      rhs = text_of(vim.api.nvim_eval(rhs), mapping.replace_keycodes == 1)
    end
    result = rhs
  end
  if mapping.noremap == 1 or result == "" then
    return result
  end
  -- As in Vim, a mapping that begins with its own key does not meet itself.
  local own = codes(lhs)
  local first = vim.startswith(result, own) and own or ""
  return later(function()
    vim.api.nvim_feedkeys(result:sub(#first + 1), "im", false)
    vim.api.nvim_feedkeys(first, "in", false)
  end)
end

local function fall_through(bufnr, mode, lhs)
  local mapping = M.underneath(bufnr, mode, lhs)
  return mapping and follow(mapping, lhs) or codes(lhs)
end

-- Whether Tab is for indenting: nothing but blanks before the cursor, and no text is offered right there.
local function indents(lhs)
  if codes(lhs) ~= "\t" then
    return false
  end
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1]
  return line:find("%S") == nil and col == #line and view.ghost() == nil
end

local function snippet_is_active()
  if vim.snippet.active({ direction = 1 }) then
    return true
  end
  local luasnip = package.loaded["luasnip"]
  return type(luasnip) == "table" and luasnip.locally_jumpable ~= nil and luasnip.locally_jumpable(1) or false
end

-- Whether a key is Editahead's at this moment.
local function is_for_us(mode, lhs)
  return view.visible() ~= nil and not snippet_is_active() and not (mode == "i" and indents(lhs))
end

-- Neovim 0.12's own ghost text, when that is what shows the cursor's line.
local function native(mode, name)
  return mode == "i"
    and name == "accept"
    and config.options.inline_completion
    and vim.lsp.inline_completion ~= nil
    and not view.menu_is_open()
    and not snippet_is_active()
    and vim.lsp.inline_completion.get()
end

--- Map the keys in a buffer that has the server.
---@param bufnr integer
function M.map(bufnr)
  for name, action in pairs(ACTIONS) do
    local lhs = config.options.keys[name]
    for _, mode in ipairs(lhs and { "n", "i" } or {}) do
      local there = vim.api.nvim_buf_call(bufnr, function()
        return vim.fn.maparg(lhs, mode, false, true)
      end)
      if there.buffer == 1 and not is_ours(there) then
        before[("%d:%s:%s"):format(bufnr, mode, lhs)] = there
      end
      vim.keymap.set(mode, lhs, function()
        if is_for_us(mode, lhs) and (not action.when or action.when()) then
          return later(action[2])
        end
        return native(mode, name) and "" or fall_through(bufnr, mode, lhs)
      end, { buffer = bufnr, expr = true, replace_keycodes = false, desc = DESC .. action[1] })
    end
  end
end

--- Take the keys back, and give back what they did.
---@param bufnr integer
function M.unmap(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for _, mode in ipairs({ "n", "i" }) do
    for _, mapping in ipairs(vim.api.nvim_buf_get_keymap(bufnr, mode)) do
      if is_ours(mapping) then
        vim.keymap.del(mode, mapping.lhs, { buffer = bufnr })
      end
    end
  end
  for key, mapping in pairs(before) do
    local number, mode = key:match("^(%d+):(%a):")
    if tonumber(number) == bufnr then
      vim.api.nvim_buf_call(bufnr, function()
        vim.fn.mapset(mode, false, mapping)
      end)
      before[key] = nil
    end
  end
end

local function refuses()
  local mode = vim.api.nvim_get_mode().mode
  if mode:sub(1, 1) ~= "i" then
    return mode == "n"
  end
  -- In insert mode <Esc> mostly means "done typing", which refuses nothing that is shown elsewhere.
  local when = config.options.refuse_in_insert
  return when == "always" or (when == "ghost" and view.ghost() ~= nil)
end

local WATCH = vim.api.nvim_create_namespace("editahead.keys")

--- Watch for the key that refuses. It is only watched, never mapped, so that it does what it does in any case.
function M.watch()
  local key = config.options.keys.dismiss
  local wanted = key and codes(key)
  vim.on_key(wanted and function(_, typed)
    if typed == wanted and view.visible() and refuses() then
      view.reject()
    end
  end or nil, WATCH)
end

return M
