-- `:checkhealth editahead`
local client = require("editahead.client")
local config = require("editahead.config")
local keys = require("editahead.keys")

local M = {}

local health = vim.health

local function check_server()
  health.start("Editahead: the server")
  local cmd = client.command()
  if not cmd then
    local tried = config.options.cmd and table.concat(config.options.cmd, " ") or "editahead (on PATH)"
    health.error("server not found: " .. tried, {
      "Install Editahead (`pipx install`), so that `editahead` is on PATH.",
      "Or set the command: require('editahead').setup({ cmd = { '/path/to/editahead', 'lsp' } })",
    })
    return
  end
  health.ok("command: " .. table.concat(cmd, " "))
  if cmd[#cmd] == "lsp" then
    local version_command = vim.list_slice(cmd, 1, #cmd - 1)
    table.insert(version_command, "--version")
    local result = vim.system(version_command, { text = true, cwd = client.own_folder(), env = config.options.cmd_env }):wait(10000)
    if result.code == 0 then
      health.ok("version: " .. vim.trim(result.stdout))
    else
      health.error("the server does not start: " .. vim.trim(result.stderr or ""), { "Run `editahead doctor` in a shell." })
    end
  end
  local running = vim.lsp.get_clients({ name = client.NAME })
  if #running == 0 then
    health.warn("the server is not running", { "Open a file." })
  end
  for _, server in ipairs(running) do
    local count = vim.tbl_count(server.attached_buffers)
    health.ok(("running: client %d, %d buffer(s), positions in %s"):format(server.id, count, server.offset_encoding))
  end
end

local function check_editor()
  health.start("Editahead: Neovim")
  health.ok("Neovim " .. tostring(vim.version()))
  if vim.lsp.inline_completion then
    local is_on = config.options.inline_completion
    health.info("Neovim's own ghost text: " .. (is_on and "shows predictions on the cursor's line" or "off (option `inline_completion`)"))
  elseif config.options.inline_completion then
    health.warn("`inline_completion` needs Neovim 0.12", { "The plugin shows ghost text itself." })
  end
  for _, other in ipairs(vim.lsp.get_clients()) do
    if other.name:lower():find("copilot", 1, true) then
      health.warn("another server predicts edits: " .. other.name, {
        "If that server is Editahead under another name (for sidekick.nvim), use only one of the two.",
      })
    end
  end
end

local function describe(mapping)
  if not mapping then
    return "Neovim's default"
  end
  return mapping.desc or mapping.rhs or "a Lua function"
end

local function check_keys()
  health.start("Editahead: keys")
  local bufnr = vim.api.nvim_get_current_buf()
  for _, name in ipairs({ "accept", "accept_word", "accept_line", "next", "prev" }) do
    local lhs = config.options.keys[name]
    if not lhs then
      health.info(name .. ": no key")
    else
      for _, mode in ipairs({ "n", "i" }) do
        local underlying = describe(keys.underlying_mapping(bufnr, mode, lhs))
        health.ok(("%s in mode %s: %s; while nothing is shown: %s"):format(name, mode, lhs, underlying))
      end
    end
  end
  local dismiss = config.options.keys.dismiss
  health.ok("dismiss: " .. (dismiss and dismiss .. " (watched, not mapped)" or "no key"))
end

function M.check()
  check_server()
  check_editor()
  check_keys()
end

return M
