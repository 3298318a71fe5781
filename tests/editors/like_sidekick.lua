-- What sidekick.nvim does with a server whose name contains "copilot", as seen on the wire: it says which file has the
-- focus, once for each change of it; asks when insert mode is left, after changes in normal mode, and after an accept;
-- drops what is for another version; forgets what it has as soon as somebody types. One key jumps to the first of the
-- edits; there it applies all of them, and runs the command of each.
local M = { edits = {} }

local NAME = "editahead-copilot"

local function here()
  return vim.api.nvim_get_current_buf()
end

local function server()
  return vim.lsp.get_clients({ name = NAME, bufnr = here() })[1]
end

local function cancel()
  if M.open then
    server():cancel_request(M.open)
    M.open = nil
  end
  M.edits = {}
end

local function update()
  local client, bufnr = server(), here()
  if not client then
    return
  end
  cancel()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.textDocument.version = vim.lsp.util.buf_versions[bufnr]
  params.context = { triggerKind = 2 }
  local id
  _, id = client:request("textDocument/copilotInlineEdit", params, function(err, result)
    if M.open ~= id or err then
      return
    end
    M.open = nil
    for _, edit in ipairs(result.edits) do
      local target = vim.fn.bufnr(vim.uri_to_fname(edit.textDocument.uri), false)
      if target == bufnr and edit.textDocument.version == vim.lsp.util.buf_versions[target] then
        table.insert(M.edits, edit)
      end
    end
  end, bufnr)
  M.open = id
end

local function focus()
  local uri = vim.uri_from_bufnr(here())
  if server() and M.focused ~= uri then
    M.focused = uri
    server():notify("textDocument/didFocus", { textDocument = { uri = uri } })
  end
end

function M.start(command)
  vim.lsp.config(NAME, { cmd = command, root_markers = { ".git" }, filetypes = { "python" } })
  vim.lsp.enable(NAME)
  local function on(events, pattern, callback)
    vim.api.nvim_create_autocmd(events, { pattern = pattern, callback = callback })
  end
  on({ "BufEnter", "WinEnter", "LspAttach" }, "*", vim.schedule_wrap(focus))
  on("ModeChanged", "i:n", update)
  on("TextChanged", "*", update)
  on("User", "SidekickNesDone", update)
  on({ "TextChangedI", "InsertEnter" }, "*", function()
    if server() then
      cancel()
    end
  end)
end

function M.jump_or_apply()
  local edits, client, bufnr = M.edits, server(), here()
  local row = edits[1].range.start.line + 1
  if vim.fn.line(".") ~= row then
    vim.api.nvim_win_set_cursor(0, { row, 0 })
    return "jumped"
  end
  M.edits = {}
  vim.lsp.util.apply_text_edits(
    vim.tbl_map(function(edit)
      return { range = edit.range, newText = edit.text }
    end, edits),
    bufnr,
    client.offset_encoding
  )
  for _, edit in ipairs(edits) do
    client:exec_cmd(edit.command, { bufnr = bufnr })
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "SidekickNesDone" })
  return "applied"
end

return M
