"""The Neovim plugin in real Neovims: yanked lines are reported to the server."""

from __future__ import annotations

from collections.abc import Callable

from neovim import Neovim

Start = Callable[..., Neovim]

NOTE_COPIES = """
local server = vim.lsp.get_clients({ name = 'editahead' })[1]
local notify = server.notify
vim.g.copies = {}
server.notify = function(self, method, ...)
  if method == 'editahead/didCopy' then
    local range = (...).range
    vim.g.copies = vim.list_extend(vim.g.copies, { { range.start.line, range['end'].line } })
  end
  return notify(self, method, ...)
end
"""


def test_yanked_lines_are_reported_and_deleted_ones_are_not(start: Start) -> None:
    neovim = start("one = 1\ntwo = 2\nthree = 3\n")
    neovim.lua(NOTE_COPIES)
    neovim.keys("2Gyj")
    neovim.keys("1Gyiw")
    neovim.keys("1Gdd")
    neovim.until("vim.fn.line('$') == 2")
    assert neovim.lua("return vim.g.copies") == [[1, 3], [0, 1]]
