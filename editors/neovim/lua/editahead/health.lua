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
    health.error("not found: " .. tried, {
      "Install Editahead (`pipx install`), so that `editahead` is on PATH,",
      "or name it: require('editahead').setup({ cmd = { '/path/to/editahead', 'lsp' } })",
    })
    return
  end
  health.ok("command: " .. table.concat(cmd, " "))
  if cmd[#cmd] == "lsp" then
    local asked = vim.list_slice(cmd, 1, #cmd - 1)
    table.insert(asked, "--version")
    local done = vim.system(asked, { text = true, env = config.options.cmd_env }):wait(10000)
    if done.code == 0 then
      health.ok("version: " .. vim.trim(done.stdout))
    else
      health.error("it does not start: " .. vim.trim(done.stderr or ""), { "Run `editahead doctor` in a shell." })
    end
  end
  local running = vim.lsp.get_clients({ name = client.NAME })
  if #running == 0 then
    health.warn("not running", { "Open a file." })
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
    local on = config.options.inline_completion
    health.info("Neovim's own ghost text: " .. (on and "used on the cursor's line" or "not used (`inline_completion`)"))
  elseif config.options.inline_completion then
    health.warn("`inline_completion` needs Neovim 0.12", { "Without it, this plugin shows ghost text itself." })
  end
  for _, other in ipairs(vim.lsp.get_clients()) do
    if other.name:lower():find("copilot", 1, true) then
      health.warn("another server predicts edits too: " .. other.name, {
        "If it is Editahead under another name (for sidekick.nvim), use either that or this plugin.",
      })
    end
  end
end

local function describe(mapping)
  if not mapping then
    return "what Neovim does by itself"
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
        local under = describe(keys.underneath(bufnr, mode, lhs))
        health.ok(("%s in mode %s: %s; with nothing shown: %s"):format(name, mode, lhs, under))
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
