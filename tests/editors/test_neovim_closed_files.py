"""An edit in a file that is not open, in Neovim: the hint names the place, Tab shows the code, Tab makes the edit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from editahead_inference.closed_documents import MAX_NEW_CHARS
from neovim import Neovim
from samples import ORDERS, PRICES, VISIBLE

RECORD = f"""_G.shown = {{}}
vim.api.nvim_create_autocmd('TextChangedI', {{ callback = function()
  if {VISIBLE} then table.insert(_G.shown, vim.api.nvim_get_current_line()) end
end }})"""
"""Lua code: record the cursor's line after each typed key that leaves a prediction on the screen."""

Start = Callable[..., Neovim]

INDEXED = """(function()
  local client = vim.lsp.get_clients({ name = 'editahead' })[1]
  local answer = client:request_sync('workspace/executeCommand', { command = 'editahead.status', arguments = {} }, 5000, 0)
  local index = answer and answer.result and answer.result.index[1]
  return index and index.state == 'ready'
end)()"""


def test_tab_leads_to_a_closed_file_and_makes_the_edit_there(start: Start) -> None:
    neovim = start({"prices.py": PRICES, "orders.py": ORDERS})
    neovim.until(INDEXED)
    neovim.keys("/net<CR>cwcompute_total<Esc>5G")
    neovim.until(VISIBLE)
    assert neovim.hint
    text = neovim.hint["text"].split("  ")
    assert text[0] == " ↓ orders.py:1"
    assert "from prices import compute_total" in text
    neovim.keys("<Tab>")
    neovim.settle()
    assert neovim.hint is None
    assert [row.strip() for row in neovim.screen if "orders.py:1" in row] == [
        "orders.py:1  from prices import net_total  from prices import compute_total  <Tab>"
    ]
    neovim.keys("<Tab>")
    neovim.until("vim.fn.expand('%:t') == 'orders.py' and vim.fn.line('.') == 1")
    neovim.until_text(ORDERS.replace("import net_total", "import compute_total"))
    neovim.keys("<C-o>")
    neovim.until("vim.fn.expand('%:t') == 'prices.py'")


def test_who_types_on_in_the_opened_file_makes_the_edit_by_another_tab(start: Start) -> None:
    neovim = start({"prices.py": PRICES, "orders.py": ORDERS})
    neovim.until(INDEXED)
    neovim.keys("/net<CR>cwcompute_total<Esc>5G")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.settle()
    neovim.keys("<Tab>Go# by hand<Esc>gg")
    neovim.until(f"vim.fn.expand('%:t') == 'orders.py' and {VISIBLE}")
    neovim.settle()
    assert neovim.text == f"{ORDERS}# by hand\n"
    neovim.keys("<Tab>")
    neovim.until_text(ORDERS.replace("import net_total", "import compute_total") + "# by hand\n")


def test_what_is_found_in_a_pause_appears_without_a_key(start: Start) -> None:
    long = ORDERS + f"{'x' * 97} = 1\n" * (MAX_NEW_CHARS // 45)
    neovim = start({"prices.py": PRICES, "orders.py": long})
    neovim.until(INDEXED)
    neovim.keys("/net<CR>cwcompute_total<Esc>5G")
    neovim.until(VISIBLE)
    assert neovim.hint and neovim.hint["text"].startswith(" ↓ orders.py:1")


def test_in_insert_mode_it_appears_in_a_pause(start: Start) -> None:
    neovim = start({"prices.py": PRICES, "orders.py": ORDERS})
    neovim.until(INDEXED)
    neovim.keys("/net<CR>cwcompute_total")
    neovim.until(VISIBLE)
    assert neovim.hint and neovim.hint["text"].startswith(" ↓ orders.py:1")
    neovim.keys("s")  # who writes on sees it no more
    neovim.until(f"not ({VISIBLE})")


def test_who_writes_on_elsewhere_sees_it_no_more_until_the_next_pause(start: Start) -> None:
    neovim = start({"prices.py": PRICES, "orders.py": ORDERS})
    neovim.until(INDEXED)
    neovim.keys("/net<CR>cwcompute_total<Esc>5G")
    neovim.until(VISIBLE)
    neovim.lua(RECORD)
    neovim.keys("ccclass Cost:")
    neovim.until("vim.fn.mode() == 'i' and vim.api.nvim_get_current_line() == 'class Cost:'")
    neovim.until(VISIBLE)
    assert neovim.hint and "rename net_total -> compute_total" in neovim.hint["text"]
    shown = neovim.lua("return _G.shown")
    assert [line for line in shown if line != "class Cost:"] == []


LONG = "a_folder_with_a_long_name/and_another_one_in_there/orders_of_guests.py"


@pytest.mark.parametrize("columns", [100, 60, 48])
def test_label_and_key_are_whole_in_a_narrow_window(start: Start, columns: int) -> None:
    neovim = start({"prices.py": PRICES, LONG: ORDERS}, before="set nowrap")
    neovim.until(INDEXED)
    neovim.lua("vim.cmd.vnew() vim.cmd.wincmd('p') vim.api.nvim_win_set_width(0, ...)", columns)
    neovim.keys("/net<CR>cwcompute_total")
    neovim.until(VISIBLE)
    hint = neovim.hint
    assert hint and hint["width"] <= columns
    assert "rename net_total -> compute_total" in hint["text"]
    assert hint["text"].endswith("  <Tab> ")
    assert "_guests.py:1  " in hint["text"] or columns < 60
