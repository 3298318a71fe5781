"""The Neovim plugin in real Neovims: what other servers say of a buffer is answered by the real server."""

from __future__ import annotations

from collections.abc import Callable

from neovim import Neovim
from samples import HIDDEN, VISIBLE

Start = Callable[..., Neovim]

SHOP = """\
def total(prices):
    return sum(prices)


label = "🧾 total"; print(label, totl([1, 2]))
print(total([3]))
"""
"""The misspelt name stands behind a character that is four bytes, and two units of UTF-16."""


def complain(neovim: Neovim, row: int, name: str, message: str) -> None:
    """As another language server does. An empty message takes everything back."""
    neovim.lua(
        """local row, name, message = ...
        local col = vim.fn.getline(row + 1):find(name, 1, true) - 1
        local one = { lnum = row, col = col, end_lnum = row, end_col = col + #name, message = message, source = 'other' }
        vim.diagnostic.set(vim.api.nvim_create_namespace('other'), 0, message ~= '' and { one } or {})""",
        row,
        name,
        message,
    )


def test_a_diagnostic_is_answered(start: Start) -> None:
    neovim = start(SHOP)
    complain(neovim, 4, "totl", 'Undefined name "totl". Did you mean "total"?')
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == [(4, SHOP.splitlines()[4].encode().index(b"totl"), "totl")]
    neovim.keys("<Tab>")
    neovim.until_text(SHOP.replace("totl", "total"))


def test_a_diagnostic_that_is_taken_back_is_not_answered(start: Start) -> None:
    neovim = start(SHOP)
    complain(neovim, 4, "totl", 'Undefined name "totl". Did you mean "total"?')
    neovim.until(VISIBLE)
    complain(neovim, 4, "totl", "")
    neovim.until(HIDDEN)


def test_the_servers_own_hints_are_not_sent_back(start: Start) -> None:
    neovim = start(SHOP)
    neovim.lua(
        """vim.diagnostic.set(vim.api.nvim_create_namespace('own'), 0, {
          { lnum = 4, col = 0, message = 'x', source = 'editahead' },
          { lnum = 90, col = 3, message = 'beyond the end', source = 'other' },
        })"""
    )
    assert neovim.lua("return require('editahead.diagnostics').for_buffer(0, 'utf-16', 0)") == []
