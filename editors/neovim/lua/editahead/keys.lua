-- The key mappings. While nothing is shown, each key keeps its earlier meaning, including mappings of the user or of plugins.
local accept_all = require("editahead.accept_all")
local activity = require("editahead.activity")
local apply_preview = require("editahead.apply_preview")
local config = require("editahead.config")
local view = require("editahead.view")

local M = {}

local DESC = "Editahead: "
-- For each key: a description, the action with the typed count, and `when`, a condition beside a shown prediction.
local ACTIONS = {
  accept = {
    "accept the next edit",
    function()
      return apply_preview.accept() or view.accept()
    end,
  },
  accept_all = { "show and make all edits of this kind", accept_all.accept_all },
  accept_word = {
    "accept the next word of the edit",
    function()
      return view.accept_part("word")
    end,
  },
  accept_line = {
    "accept the next line of the edit, or so many",
    function(count)
      return view.accept_part("line", count)
    end,
  },
  next = {
    "show the next alternative",
    function()
      return view.show_alternative(1)
    end,
    when = view.has_alternatives,
  },
  prev = {
    "show the previous alternative",
    function()
      return view.show_alternative(-1)
    end,
    when = view.has_alternatives,
  },
}

local function termcodes(keys)
  return vim.api.nvim_replace_termcodes(keys, true, true, true)
end

-- The buffer-local mappings that the plugin has replaced.
---@type table<string, table> "bufnr:mode:lhs" -> a mapping in the form of maparg()
local replaced = {}

local function is_own(mapping)
  return vim.startswith(mapping.desc or "", DESC)
end

local function global_mapping(mode, lhs)
  local wanted = termcodes(lhs)
  for _, mapping in ipairs(vim.api.nvim_get_keymap(mode)) do
    if termcodes(mapping.lhs) == wanted and not is_own(mapping) then
      return mapping
    end
  end
end

--- Return the mapping of a key while nothing is shown, or nil for Neovim's default.
---@param bufnr integer
---@param mode string
---@param lhs string
---@return table|nil
function M.underlying_mapping(bufnr, mode, lhs)
  return replaced[("%d:%s:%s"):format(bufnr, mode, lhs)] or global_mapping(mode, lhs)
end

-- The action to run after an <expr> mapping, which itself must not change text.
local pending_action

--- Run the pending action. Called by the keys that `run_later` returns.
function M.run()
  local action = pending_action
  pending_action = nil
  if action then
    action()
  end
end

local RUN = "<Cmd>lua require('editahead.keys').run()<CR>"

local function run_later(action)
  pending_action = action
  return termcodes(RUN)
end

local function keys_from_result(result, replace_keycodes)
  result = type(result) == "string" and result or ""
  return replace_keycodes and termcodes(result) or result
end

-- Return the keys that have the effect of a mapping.
local function keys_for(mapping, lhs)
  local result
  if mapping.callback then
    if mapping.expr ~= 1 then
      return run_later(mapping.callback)
    end
    result = keys_from_result(mapping.callback(), mapping.replace_keycodes == 1)
  else
    local rhs = termcodes(((mapping.rhs or ""):gsub("<[sS][iI][dD]>", ("<SNR>%d_"):format(mapping.sid or 0))))
    if mapping.expr == 1 then
      rhs = keys_from_result(vim.api.nvim_eval(rhs), mapping.replace_keycodes == 1)
    end
    result = rhs
  end
  if mapping.noremap == 1 or result == "" then
    return result
  end
  -- As in Vim, a mapping that starts with its own key is not recursive.
  local own = termcodes(lhs)
  local first = vim.startswith(result, own) and own or ""
  return run_later(function()
    vim.api.nvim_feedkeys(result:sub(#first + 1), "im", false)
    vim.api.nvim_feedkeys(first, "in", false)
  end)
end

local function fall_through(bufnr, mode, lhs)
  local mapping = M.underlying_mapping(bufnr, mode, lhs)
  return mapping and keys_for(mapping, lhs) or termcodes(lhs)
end

-- Return whether Tab indents: only blanks precede the cursor, and the cursor has no ghost text.
local function is_indenting(lhs)
  if termcodes(lhs) ~= "\t" then
    return false
  end
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1]
  return line:find("%S") == nil and col == #line and view.ghost_text() == nil
end

local function is_snippet_active()
  if vim.snippet.active({ direction = 1 }) then
    return true
  end
  local luasnip = package.loaded["luasnip"]
  return type(luasnip) == "table" and luasnip.locally_jumpable ~= nil and luasnip.locally_jumpable(1) or false
end

-- Return whether the plugin handles a key at this moment.
local function is_handled(mode, lhs, name)
  if mode == "n" and (name == "accept" or name == "accept_all") and apply_preview.is_ready() then
    return true
  end
  return view.visible() ~= nil and not is_snippet_active() and not (mode == "i" and is_indenting(lhs))
end

-- Accept Neovim 0.12's own ghost text. Returns whether there was any.
local function accept_native_ghost_text(mode, name)
  return mode == "i"
    and name == "accept"
    and config.options.inline_completion
    and vim.lsp.inline_completion ~= nil
    and not activity.is_menu_open()
    and not is_snippet_active()
    and vim.lsp.inline_completion.get()
end

--- Map the keys in a buffer with the server.
---@param bufnr integer
function M.map(bufnr)
  for name, action in pairs(ACTIONS) do
    local lhs = config.options.keys[name]
    for _, mode in ipairs(lhs and { "n", "i" } or {}) do
      local present = vim.api.nvim_buf_call(bufnr, function()
        return vim.fn.maparg(lhs, mode, false, true)
      end)
      if present.buffer == 1 and not is_own(present) then
        replaced[("%d:%s:%s"):format(bufnr, mode, lhs)] = present
      end
      vim.keymap.set(mode, lhs, function()
        if is_handled(mode, lhs, name) and (not action.when or action.when()) then
          local count = mode == "n" and vim.v.count1 or 1 -- `3o` leaves its count for insert mode
          return run_later(function()
            action[2](count)
          end)
        end
        return accept_native_ghost_text(mode, name) and "" or fall_through(bufnr, mode, lhs)
      end, { buffer = bufnr, expr = true, replace_keycodes = false, desc = DESC .. action[1] })
    end
  end
end

--- Remove the mappings, and restore the replaced ones.
---@param bufnr integer
function M.unmap(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for _, mode in ipairs({ "n", "i" }) do
    for _, mapping in ipairs(vim.api.nvim_buf_get_keymap(bufnr, mode)) do
      if is_own(mapping) then
        vim.keymap.del(mode, mapping.lhs, { buffer = bufnr })
      end
    end
  end
  for key, mapping in pairs(replaced) do
    local number, mode = key:match("^(%d+):(%a):")
    if tonumber(number) == bufnr then
      vim.api.nvim_buf_call(bufnr, function()
        vim.fn.mapset(mode, false, mapping)
      end)
      replaced[key] = nil
    end
  end
end

local function is_rejection()
  local mode = vim.api.nvim_get_mode().mode
  if mode:sub(1, 1) ~= "i" then
    return mode == "n"
  end
  -- In insert mode, <Esc> usually ends the typing: by default, the key rejects only ghost text at the cursor.
  local when = config.options.refuse_in_insert
  return when == "always" or (when == "ghost" and view.ghost_text() ~= nil)
end

local WATCH = vim.api.nvim_create_namespace("editahead.keys")

--- Watch for the key that rejects a prediction. The key is never mapped, so that its own meaning stays.
function M.watch()
  local key = config.options.keys.dismiss
  local wanted = key and termcodes(key)
  vim.on_key(wanted and function(_, typed)
    if typed == wanted and apply_preview.is_open() and vim.api.nvim_get_mode().mode == "n" then
      apply_preview.reject()
    elseif typed == wanted and view.visible() and is_rejection() then
      view.reject()
    end
  end or nil, WATCH)
end

return M
