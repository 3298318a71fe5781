-- What the Neovim test does inside the editor. Every function waits for what it needs, and none sleeps.
local M = {}

-- A real buffer number, never 0: Neovim 0.11.4 sends the typed text ahead of a request only for a real one.
local function here()
  return vim.api.nvim_get_current_buf()
end

local function client()
  return assert(vim.lsp.get_client_by_id(M.id), "the server is gone")
end

function M.start(command, root, environment)
  M.id = vim.lsp.start({
    name = "editahead",
    cmd = command,
    cmd_env = environment,
    root_dir = root,
    init_options = { editahead = { debounce_ms = 0 } },
  })
  return vim.wait(20000, function()
    return client().initialized == true and vim.lsp.buf_is_attached(here(), M.id)
  end, 10)
end

-- The cursor as the protocol writes it, in the encoding agreed on.
function M.position()
  return vim.lsp.util.make_position_params(0, client().offset_encoding).position
end

function M.request(method, params)
  local answer, why = client():request_sync(method, params, 20000, here())
  assert(answer, why)
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

function M.document()
  return { uri = vim.uri_from_bufnr(here()), version = vim.lsp.util.buf_versions[here()] }
end

-- Asks for the next edit as sidekick.nvim does.
function M.inline_edits()
  return M.request("textDocument/copilotInlineEdit", {
    textDocument = M.document(),
    position = M.position(),
    context = { triggerKind = 2 },
  }).edits
end

function M.next_edit(trigger)
  return M.request("editahead/nextEdit", {
    textDocument = M.document(),
    position = M.position(),
    context = { trigger = trigger },
  })
end

function M.go(position)
  vim.api.nvim_win_set_cursor(0, { position.line + 1, position.character })
end

-- Makes one edit of `inline_edits` and says so to the server.
function M.accept(edit)
  assert(vim.deep_equal(edit.textDocument, M.document()), "an edit for another version")
  local change = { range = edit.range, newText = edit.text }
  vim.lsp.util.apply_text_edits({ change }, here(), client().offset_encoding)
  M.go(edit.range.start)
  M.request("workspace/executeCommand", edit.command)
end

function M.stop()
  local rpc = client()
  rpc:stop()
  return vim.wait(20000, function()
    return rpc:is_stopped()
  end, 10)
end

return M
