-- `:Editahead all`: all places that are left of the rule of the shown prediction, drawn first, then made.
local apply_preview = require("editahead.apply_preview")
local client = require("editahead.client")
local config = require("editahead.config")
local tracked_edit = require("editahead.tracked_edit")
local view = require("editahead.view")

local M = {}

local function notify(text, level)
  vim.notify("Editahead: " .. text, level or vim.log.levels.INFO)
end

-- Return the edit without annotations, of which Neovim asks for nothing, and its hunks.
local function read(edit, label)
  local hunks, changes = {}, {}
  for _, change in ipairs(edit.documentChanges) do
    local edits = {}
    for _, one in ipairs(change.edits) do
      table.insert(edits, { range = one.range, newText = one.newText })
      table.insert(hunks, {
        uri = change.textDocument.uri,
        range = one.range,
        newText = one.newText,
        label = label,
        needs_reading = true,
      })
    end
    table.insert(changes, { textDocument = change.textDocument, edits = edits })
  end
  return { documentChanges = changes }, hunks
end

local STALE = "Nothing was changed: the text has changed since."

local function show(server, bufnr, id, result)
  local edit, hunks = read(result.edit, result.label)
  if tracked_edit.is_stale(edit) then
    return notify(STALE, vim.log.levels.WARN)
  end
  vim.cmd.stopinsert()
  apply_preview.open({
    hunks = hunks,
    encoding = server.offset_encoding,
    on_accept = function()
      client.report_outcome(bufnr, id, "accepted")
      vim.lsp.util.apply_workspace_edit(edit, server.offset_encoding)
      notify(("Made %s, unsaved."):format(result.message))
    end,
    on_close = function()
      notify("Nothing was changed.")
    end,
    on_change = function()
      notify(STALE, vim.log.levels.WARN)
    end,
  })
  local keys = config.options.keys
  local applies = keys.accept_all or keys.accept or ":Editahead accept"
  notify(("%s: %s. %s makes them, %s discards."):format(result.message, result.label, applies, keys.dismiss or ":Editahead reject"))
end

--- Draw all edits of the kind of the shown prediction in their files. The second time, make them.
---@return boolean  whether there is something to draw or make
function M.accept_all()
  if apply_preview.accept() then
    return true
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local prediction, server = view.visible(bufnr), client.get(bufnr)
  if not prediction or not server then
    notify("No next edit is shown.")
    return false
  end
  client.execute(bufnr, "editahead.acceptAll", { { id = prediction.id, dryRun = true } }, function(result)
    show(server, bufnr, prediction.id, result)
  end)
  return true
end

return M
