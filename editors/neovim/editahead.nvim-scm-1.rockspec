rockspec_format = "3.0"
package = "editahead.nvim"
version = "scm-1"
source = {
  url = "git+https://github.com/editahead/editahead.nvim.git",
}
description = {
  summary = "Shows the predicted next edit in place, and Tab makes it",
  detailed = "The plugin for Neovim 0.11 or newer of the language server Editahead. The server is installed on its own.",
  homepage = "https://github.com/editahead/editahead.nvim",
  license = "Apache-2.0",
  labels = { "neovim", "lsp", "completion" },
}
dependencies = {
  "lua >= 5.1",
}
build = {
  type = "builtin",
  copy_directories = { "doc", "plugin" },
}
