---@brief
---
--- @REPOSITORY@
---
--- Editahead predicts the next edit: change one place, and it shows what to change next, and where. It runs beside other
--- servers, for files of all types.
---
--- Install it with `pipx install editahead`. The plugin `editahead.nvim` shows edits in place, and starts the server by
--- itself; do not enable both.

---@type vim.lsp.Config
return {
  cmd = { "editahead", "lsp" },
  root_markers = { ".git", ".hg", ".jj" },
}
