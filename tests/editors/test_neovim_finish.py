"""`:Editahead finish` in real Neovims: the places in the quickfix list, a mark at each, made one by one or all at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neovim import Neovim

Start = Callable[..., Neovim]

FILES = {
    "models.py": "def total(user):\n    return user.sum\n",
    "bills.py": "from models import total\n\nprint(total(1))\n",
    "tills.py": "from models import total\n\nprint(total(2))\n",
}
HEARD = "vim.fn.execute('messages')"
LISTED = "vim.fn.getqflist()"


def of_file(neovim: Neovim, name: str) -> str:
    """Return the text of a loaded buffer."""
    lines = neovim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)", name)
    return "\n".join(lines) + "\n"


@pytest.fixture
def renamed(start: Start) -> Neovim:
    """The definition is renamed and not saved; the real predictors."""
    neovim = start(FILES, before="set cmdheight=9", places_left=False)
    neovim.keys("/total<CR>cwsum_of<Esc>")
    neovim.until_text(FILES["models.py"].replace("total", "sum_of"))
    return neovim


def test_the_places_are_listed_and_nothing_is_changed(renamed: Neovim) -> None:
    renamed.keys(":Editahead finish<CR>")
    renamed.until(f"#{LISTED} == 4")
    renamed.until(f"{HEARD}:find('4 places left')")
    items = renamed.lua(f"return {LISTED}")
    where = {(renamed.lua("return vim.fn.bufname(...)", item["bufnr"]), item["lnum"]) for item in items}
    assert where == {(name, line) for name in ("bills.py", "tills.py") for line in (1, 3)}
    assert all("rename total -> sum_of" in item["text"] for item in items)
    assert of_file(renamed, "bills.py") == FILES["bills.py"]
    marked = renamed.lua(
        """local ns = vim.api.nvim_get_namespaces()['editahead-finish']
        local marks = vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('bills.py'), ns, 0, -1, { details = true })
        return vim.tbl_map(function(mark) return { mark[2], mark[4].virt_lines[1][1][1] } end, marks)"""
    )
    assert marked == [[0, "from models import sum_of"], [2, "print(sum_of(1))"]]


def test_one_place_and_then_all_others_are_made(renamed: Neovim) -> None:
    renamed.keys(":Editahead finish<CR>")
    renamed.until("vim.bo.buftype == 'quickfix'")
    first = renamed.lua(f"return {LISTED}[1]")
    renamed.keys(":Editahead make<CR>")
    renamed.until(f"#{LISTED} == 3")
    name = renamed.lua("return vim.fn.bufname(...)", first["bufnr"])
    row = first["lnum"] - 1
    assert "sum_of" in of_file(renamed, name).splitlines()[row]
    assert of_file(renamed, name).count("total") == 1
    renamed.keys(":Editahead make all<CR>")
    renamed.until(f"#{LISTED} == 0")
    for made in ("bills.py", "tills.py"):
        assert of_file(renamed, made) == FILES[made].replace("total", "sum_of")
    assert renamed.lua("return vim.bo[vim.fn.bufnr('bills.py')].modified")
    renamed.keys(":Editahead make all<CR>")
    renamed.until(f"{HEARD}:find('No place is listed')")


def test_places_follow_edits_and_edited_ones_are_left_alone(renamed: Neovim) -> None:
    renamed.keys(":Editahead finish<CR>")
    renamed.until(f"#{LISTED} == 4")
    renamed.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('bills.py'), 0, 0, true, { '# first' })")
    renamed.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('tills.py'), 2, 3, true, { 'print(total(3))' })")
    renamed.keys(":Editahead make all<CR>")
    renamed.until(f"{HEARD}:find('1 place was edited meanwhile')")
    assert of_file(renamed, "bills.py") == "# first\n" + FILES["bills.py"].replace("total", "sum_of")
    assert of_file(renamed, "tills.py") == "from models import sum_of\n\nprint(total(3))\n"


def test_a_complete_change(start: Start) -> None:
    neovim = start(FILES, before="set cmdheight=9", places_left=False)
    neovim.keys(":Editahead finish<CR>")
    neovim.until(f"{HEARD}:find('complete, as far as 0 rules tell')")
    neovim.keys(":Editahead make<CR>")
    neovim.until(f"{HEARD}:find('No place is listed')")
    neovim.keys(":Editahead make some<CR>")
    neovim.until(f"{HEARD}:find('`make` the word `all`')")


def test_the_count_in_the_statusline(start: Start) -> None:
    neovim = start(FILES, before="set cmdheight=9", settings={"index": "on"})
    neovim.keys("/total<CR>cwsum_of<Esc>")
    neovim.until("require('editahead').places_left() == '4 places left'")
    neovim.keys(":Editahead status<CR>")
    neovim.until(f"{HEARD}:find('your change: 4 places left')")
