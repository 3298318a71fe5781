-- The set-up of Editahead's own model, by the server's program, in a terminal below.
local client = require("editahead.client")

local M = {}

--- Return the command line that sets up the model, or nil if the server is started in a way of its own, or not found.
---@return string[]|nil
function M.command()
  local command = client.command()
  if not command or command[#command] ~= "lsp" then
    return nil
  end
  return vim.list_extend(vim.list_slice(command, 1, #command - 1), { "models", "use", "editahead-coder", "--install" })
end

--- Set up the model, and restart the server with it. CTRL-C cancels; the next time goes on with what has come.
function M.use()
  local command = M.command()
  if not command then
    local text = "Editahead: No server ending in `lsp` was found. Run `editahead models use editahead-coder` in a terminal."
    vim.notify(text, vim.log.levels.WARN)
    return
  end
  vim.cmd("botright 12new")
  vim.fn.jobstart(command, {
    term = true,
    cwd = client.own_folder(),
    on_exit = function(_, code)
      if code == 0 then
        client.restart()
      end
    end,
  })
  vim.cmd("startinsert")
end

return M
