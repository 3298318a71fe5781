"""A rename of ten uses in real Neovims: the keys that finish it, one by one or all at once."""

from __future__ import annotations

from collections.abc import Callable

from neovim import Neovim
from samples import PRICE, VISIBLE

Start = Callable[..., Neovim]
RENAMED = PRICE.replace("price", "cost")


def rename(start: Start, files: str | dict[str, str] = PRICE, **options: object) -> Neovim:
    neovim = start(files, **options)
    neovim.keys("/price<CR>cwcost<Esc>")
    neovim.until(f"vim.api.nvim_get_mode().mode == 'n' and {VISIBLE}")
    return neovim


def count_tabs(neovim: Neovim) -> int:
    tabs = 0
    while "price" in neovim.text:
        neovim.until(VISIBLE)
        neovim.keys("<Tab>")
        neovim.settle()
        tabs += 1
    assert neovim.text == RENAMED
    return tabs


def test_ten_uses_take_ten_tabs(start: Start) -> None:
    assert count_tabs(rename(start)) == 10


def test_with_jump_first_they_take_twenty(start: Start) -> None:
    assert count_tabs(rename(start, jump_first=True)) == 20


def test_one_key_draws_all_and_makes_them_and_undo_takes_them_back(start: Start) -> None:
    neovim = rename(start)
    before = neovim.text
    neovim.keys("<M-CR>")
    neovim.until("vim.fn.execute('messages'):find('10 edits in 1 file: rename price')")
    assert neovim.text == before
    assert any("    log(cost)" in row for row in neovim.screen)
    neovim.keys("<M-CR>")
    neovim.until_text(RENAMED)
    neovim.keys("u")
    neovim.until_text(before)


def test_all_edits_are_discarded_by_escape(start: Start) -> None:
    neovim = rename(start)
    before = neovim.text
    neovim.keys(":Editahead all<CR>")
    neovim.until("vim.fn.execute('messages'):find('10 edits')")
    neovim.keys("<Esc>")
    neovim.until("vim.fn.execute('messages'):find('Nothing was changed')")
    assert neovim.text == before


def test_without_a_prediction_nothing_is_made(start: Start) -> None:
    neovim = start("x = 1\n", plan={})
    neovim.keys(":Editahead all<CR>")
    neovim.until("vim.fn.execute('messages'):find('No next edit is shown')")


def test_after_a_change_while_all_are_asked_for_nothing_is_drawn(start: Start) -> None:
    neovim = rename(start)
    neovim.lua(
        """local client = require('editahead.client')
        local execute = client.execute
        client.execute = function(bufnr, command, arguments, on_result)
          execute(bufnr, command, arguments, function(result)
            vim.api.nvim_buf_set_lines(bufnr, 0, 0, false, { '# above' })
            on_result(result)
          end)
        end"""
    )
    neovim.keys("<M-CR>")
    neovim.until("vim.fn.execute('messages'):find('the text has changed since')")
    assert not neovim.lua("return require('editahead.apply_preview').is_open()")


def test_an_edit_in_a_closed_fold_is_no_edit_in_sight(start: Start) -> None:
    neovim = start(PRICE)
    neovim.keys(":set foldmethod=manual<CR>:3,6fold<CR>gg/price<CR>cwcost<Esc>")
    neovim.until(f"vim.api.nvim_get_mode().mode == 'n' and {VISIBLE}")
    neovim.settle()
    assert neovim.hint
    neovim.keys("<Tab>")
    neovim.settle()
    assert neovim.text.count("cost") == 1, "only its code is shown"
    assert any("cost += 1" in row for row in neovim.screen)
    neovim.keys("<Tab>")
    neovim.until("vim.fn.getline(3):find('cost += 1', 1, true) and vim.fn.foldclosed(3) == -1")
