-- What sidekick.nvim does with a server whose name contains "copilot", as seen on the wire: it says which file has the
-- focus, asks when insert mode is left and after changes in normal mode, drops what is for another version, jumps
-- first and then applies, runs the edit's command, and asks again.
local M = { edits = {} }

local function here()
  return vim.api.nvim_get_current_buf()
end

local function server()
  return vim.lsp.get_clients({ name = "copilot-editahead", bufnr = here() })[1]
end

local function update()
  local client, bufnr = server(), here()
  M.edits = {}
  if not client then
    return
  end
  if M.open then
    client:cancel_request(M.open)
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.textDocument.version = vim.lsp.util.buf_versions[bufnr]
  params.context = { triggerKind = 2 }
  _, M.open = client:request("textDocument/copilotInlineEdit", params, function(_, result)
    M.open = nil
    M.edits = vim.tbl_filter(function(edit)
      return edit.textDocument.version == vim.lsp.util.buf_versions[bufnr]
    end, (result or { edits = {} }).edits)
  end, bufnr)
end

function M.start(command)
  vim.lsp.start({ name = "copilot-editahead", cmd = command, root_dir = vim.fn.getcwd() })
  vim.api.nvim_create_autocmd({ "TextChanged", "ModeChanged" }, {
    callback = function(event)
      if event.event == "TextChanged" or event.match:find("^i:n") then
        update()
      end
    end,
  })
end

function M.focus()
  server():notify("textDocument/didFocus", { textDocument = { uri = vim.uri_from_bufnr(here()) } })
end

function M.jump_or_apply()
  local edit, client = M.edits[1], server()
  local row = edit.range.start.line + 1
  if vim.fn.line(".") ~= row then
    vim.api.nvim_win_set_cursor(0, { row, 0 })
    return "jumped"
  end
  M.edits = {}
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, here(), client.offset_encoding)
  client:exec_cmd(edit.command, { bufnr = here() })
  update()
  return "applied"
end

return M
