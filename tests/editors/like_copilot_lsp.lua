-- What copilot-lsp does with a server, as seen on the wire: it asks after changes, in insert mode too; counts in UTF-16
-- whatever was agreed on; takes the first edit, says that it shows it, jumps, and then applies it; it runs no command.
local M = {}

local NAME = "editahead"

local function server()
  return vim.lsp.get_clients({ name = NAME, bufnr = 0 })[1]
end

function M.request()
  local client, bufnr = assert(server()), vim.api.nvim_get_current_buf()
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  params.textDocument.version = vim.lsp.util.buf_versions[bufnr]
  client:request("textDocument/copilotInlineEdit", params, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
      return
    end
    M.edit = nil
    for _, edit in ipairs(result.edits) do
      M.edit = M.edit or edit
    end
    if M.edit then
      client:notify("textDocument/didShowInlineEdit", { item = { command = M.edit.command } })
    end
  end, bufnr)
end

function M.start(command, capabilities)
  vim.lsp.config(NAME, {
    cmd = command,
    filetypes = { "python" },
    capabilities = capabilities,
    init_options = {
      editorInfo = { name = "neovim", version = "0.11.0" },
      editorPluginInfo = { name = "Github Copilot LSP for Neovim", version = "0.0.1" },
    },
    handlers = {
      didChangeStatus = function(_, status)
        M.status = status
      end,
    },
  })
  vim.lsp.enable(NAME)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    callback = function()
      if server() then
        M.request()
      end
    end,
  })
end

function M.jump_or_apply()
  local edit = M.edit
  local row = edit.range.start.line + 1
  if vim.fn.line(".") ~= row then
    vim.lsp.util.show_document({ uri = edit.textDocument.uri, range = edit.range }, "utf-16", { focus = true })
    return "jumped"
  end
  M.edit = nil
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, vim.api.nvim_get_current_buf(), "utf-16")
  return "applied"
end

return M
