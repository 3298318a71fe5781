"""An edit in a file that is not open, in Neovim: the hint names the place, Tab goes there, Tab makes the edit."""

from __future__ import annotations

from collections.abc import Callable

from editahead_inference.closed_documents import MAX_NEW_CHARS
from neovim import Neovim
from samples import ORDERS, PRICES, VISIBLE

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
    neovim.until("vim.fn.expand('%:t') == 'orders.py' and vim.fn.line('.') == 1 and " + VISIBLE)
    assert neovim.text == ORDERS
    neovim.keys("<Tab>")
    neovim.until_text(ORDERS.replace("import net_total", "import compute_total"))
    neovim.keys("<C-o>")
    neovim.until("vim.fn.expand('%:t') == 'prices.py'")


def test_what_is_found_in_a_pause_appears_without_a_key(start: Start) -> None:
    long = ORDERS + f"# {'x' * 97}\n" * (MAX_NEW_CHARS // 45)
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
