"""`:Editahead search` in a real Neovim: the places in a list, and the cursor at the chosen one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from editahead_retrieval.search.search_log import FILE_NAME, read_opened
from neovim import Neovim

Start = Callable[..., Neovim]

FILES = {
    "first.py": "x = 1\n",
    "cart.py": "import shop\n\n\ndef add_to_cart(item):\n    shop.cart.append(item)\n",
    "mail.py": "def send_receipt(order):\n    pass\n",
}
CHOOSE = """
vim.ui.select = function(items, options, on_choice)
  shown = vim.tbl_map(options.format_item, items)
  on_choice(items[1])
end
"""


@pytest.fixture
def neovim(start: Start) -> Neovim:
    neovim = start(FILES, settings={"index": "on"}, places_left=False)
    neovim.lua(CHOOSE)
    return neovim


def ready(neovim: Neovim) -> None:
    neovim.lua(
        """local function look()
          require('editahead.client').execute(0, 'editahead.status', {}, function(status)
            index_state = status.index[1].state
            if index_state ~= 'ready' then vim.defer_fn(look, 20) end
          end)
        end
        look()"""
    )
    neovim.until("index_state == 'ready'")


def test_the_chosen_place_is_shown(neovim: Neovim) -> None:
    ready(neovim)
    neovim.keys(":Editahead search where is something added to the cart<CR>")
    neovim.until("vim.fn.bufname() == 'cart.py' or vim.fn.bufname():find('cart.py$') ~= nil")
    assert neovim.lua("return vim.api.nvim_win_get_cursor(0)")[0] == 4
    assert "cart.py:4  def add_to_cart(item):  (defines add_to_cart" in neovim.lua("return shown[1]")


def test_what_was_chosen_is_logged_for_who_wants_it(start: Start, homes: dict[str, str]) -> None:
    neovim = start(FILES, settings={"index": "on", "search_log": "on"}, places_left=False)
    neovim.lua(CHOOSE)
    ready(neovim)
    for query, file in (("cart", "cart.py"), ("receipt", "mail.py")):
        # The second answer comes after the first choice is logged.
        neovim.keys(f":Editahead search {query}<CR>")
        neovim.until("vim.fn.bufname():find(a[1]) ~= nil", file)
        neovim.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = 0 }) > 0")
    [log] = Path(homes["XDG_STATE_HOME"]).rglob(FILE_NAME)
    opened = read_opened(log)[0]
    assert (opened.query, opened.path) == ("cart", "cart.py")
    assert "def add_to_cart(item):" in opened.text


def test_nothing_is_found(start: Start) -> None:
    neovim = start(FILES, settings={"index": "on", "search_encoder": "off"}, places_left=False)
    ready(neovim)
    neovim.keys(":Editahead search unheard_of_thing<CR>")
    neovim.until("vim.fn.execute('messages'):find('Nothing found') ~= nil")
