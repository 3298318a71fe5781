-- Loaded by Neovim at start. `vim.g.editahead` contains the options, or `false` to turn the plugin off.
if vim.g.loaded_editahead then
  return
end
vim.g.loaded_editahead = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.notify("Editahead needs Neovim 0.11 or newer. Upgrade Neovim.", vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command("Editahead", function(call)
  require("editahead").command(call.fargs, call.range > 0 and { call.line1, call.line2 } or nil)
end, {
  nargs = "+",
  range = true,
  desc = "Editahead: run a command of the plugin",
  complete = function(start, line)
    if line:find("Editahead%s+%S+%s") then
      return {}
    end
    return vim.tbl_filter(function(name)
      return vim.startswith(name, start)
    end, require("editahead").command_names())
  end,
})

if vim.g.editahead == false then
  return
end

-- Start after the user's files, which may call setup(), and without delaying Neovim's start.
local function start()
  local editahead = require("editahead")
  if not editahead.is_set_up() then
    editahead.setup(vim.g.editahead)
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(start)
else
  vim.api.nvim_create_autocmd("VimEnter", { once = true, callback = vim.schedule_wrap(start) })
end
