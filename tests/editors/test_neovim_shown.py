"""When and how the Neovim plugin shows a prediction: the hint, the mark, the switch, the snooze."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neovim import Neovim
from samples import HIDDEN, NAMES, RENAME, VISIBLE

Start = Callable[..., Neovim]

FAR = "x = 1\n" * 100 + "guest = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "1 + " * 60 + "1\n" + "y = 2\n" * 100 + "guest = 2\n", id="a wrapped line"),
        pytest.param(("x = " + "1 + " * 60 + "1\n") * 40 + "guest = 2\n", id="wrapped lines"),
    ],
)
def test_a_hint_is_drawn_beside_long_lines(start: Start, text: str) -> None:
    neovim = start(text, plan=RENAME)
    neovim.until(VISIBLE)
    assert neovim.hint
    assert any(row.endswith(neovim.hint["text"].rstrip()) for row in neovim.screen)


def test_a_hint_is_cut_to_the_window(start: Start) -> None:
    neovim = start(FAR, plan=RENAME, before="set nowrap")
    neovim.until(VISIBLE)
    neovim.keys(":vnew<CR><C-w>p:vertical resize 20<CR>l")
    neovim.until(VISIBLE)
    assert neovim.hint
    assert neovim.hint["width"] == 20
    assert neovim.hint["text"].endswith("…  <Tab> ")


def test_a_hint_is_never_over_the_cursors_line(start: Start) -> None:
    neovim = start(FAR + "x = 1\n" * 100, plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("L")
    neovim.until(VISIBLE)
    cursor = neovim.lua("return vim.fn.screenpos(0, vim.fn.line('.'), 1).row")
    assert neovim.hint
    assert neovim.hint["row"] == cursor - 1
    neovim.keys("G")
    neovim.until(VISIBLE)
    neovim.keys("H")
    neovim.until(f"vim.fn.screenpos(0, vim.fn.line('.'), 1).row == 1 and {VISIBLE}")
    assert neovim.hint["row"] == 2


def test_a_place_that_one_jumps_to_is_not_at_the_edge(start: Start) -> None:
    neovim = start(FAR + "x = 1\n" * 100, plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("<Tab><Tab>")
    neovim.until("vim.fn.line('.') == 101")
    neovim.until("vim.fn.winline() > 4 and vim.fn.winline() < vim.fn.winheight(0) - 4")


@pytest.mark.parametrize(
    ("before", "kind"),
    [("", "virt_text"), ("set number", "number_hl_group"), ("set signcolumn=yes", "sign_text")],
)
def test_the_mark_moves_no_text(start: Start, before: str, kind: str) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, before=before)
    neovim.until(VISIBLE)
    assert any(mark["row"] == 1 and mark.get(kind) for mark in neovim.marks())
    width = "return vim.fn.getwininfo(vim.fn.win_getid())[1].textoff"
    shown = neovim.lua(width)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(HIDDEN)
    assert neovim.lua(width) == shown


def test_asked_for_while_off_it_is_shown_and_made(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(HIDDEN)
    neovim.keys("j0")
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys(":Editahead go<CR>")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nvisitor = 2\n")


def test_nothing_goes_on_after_an_accept_is_undone(start: Start) -> None:
    neovim = start(NAMES, plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("gg0w<Tab>")
    neovim.until("vim.api.nvim_get_current_line():find('visitor') and " + VISIBLE)
    neovim.keys("u")
    neovim.until_text(NAMES)
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys("j")
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys("Ox = 0<Esc>")
    neovim.until(VISIBLE)


def test_subtle_is_only_a_mark_until_tab(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, display="subtle")
    neovim.listen()
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == neovim.drawn("EditaheadInsert") == []
    assert neovim.drawn("EditaheadSign") == [(1, 0, " »")]
    neovim.keys("<Tab>")
    neovim.until("#_G.outcomes > 0")
    assert neovim.cursor[0] == 1
    assert neovim.drawn("EditaheadDelete") == [(1, 0, "guest")]
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nvisitor = 2\n")


def test_subtle_has_no_hint_out_of_sight(start: Start) -> None:
    neovim = start(FAR, plan=RENAME, display="subtle")
    neovim.until(VISIBLE)
    assert neovim.hint is None
    neovim.keys("<Tab>")
    neovim.settle()
    assert neovim.hint


def test_subtle_marks_the_cursors_line_for_another_file(start: Start) -> None:
    neovim = start({"a.py": "x = 1\n", "b.py": "y = 1\nguest = 2\n"}, plan=RENAME, display="subtle")
    neovim.lua("vim.fn.bufload('b.py') vim.bo[vim.fn.bufnr('b.py')].filetype = 'python'")
    neovim.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = vim.fn.bufnr('b.py') }) == 1")
    neovim.keys("l")
    neovim.until(VISIBLE)
    assert neovim.hint is None
    assert neovim.drawn("EditaheadSign") == [(0, 0, " »")]
    neovim.keys("<Tab>")
    neovim.settle()
    assert neovim.hint
    assert neovim.drawn("EditaheadSign") == []


def test_a_mode_can_be_off(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, modes=["n"])
    neovim.until(VISIBLE)
    neovim.keys("A0")
    neovim.until("vim.api.nvim_get_current_line() == 'x = 10' and " + HIDDEN)
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys("<Esc>")
    neovim.until(VISIBLE)


def test_snoozed_for_minutes(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys(":Editahead snooze 60<CR>")
    neovim.until(HIDDEN)
    neovim.keys("l")
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys(":Editahead snooze 0.0001<CR>")
    neovim.until(VISIBLE)
    neovim.keys(":Editahead snooze<CR>")
    neovim.until(HIDDEN)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(VISIBLE)


def test_the_switch_outlives_a_restart(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(HIDDEN)
    # As at the next start.
    neovim.lua("require('editahead').setup(vim.g.editahead)")
    neovim.keys("l")
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(VISIBLE)


def test_a_rejected_edit_can_be_brought_back(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("<Esc>")
    neovim.until(HIDDEN)
    neovim.keys("l")
    neovim.settle()
    assert neovim.lua("return " + HIDDEN)
    neovim.keys(":Editahead restore<CR>")
    neovim.until("vim.fn.line('.') == 2 and " + VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nvisitor = 2\n")


def test_ghost_text_has_the_colours_of_the_code(start: Start) -> None:
    neovim = start({"a.c": "\n"}, plan={"complete": ["int half(int n) {\n    return n / 2;\n}"]})
    if not neovim.lua("return (pcall(vim.treesitter.start))"):
        pytest.skip("this Neovim has no parser for C")
    neovim.keys("iint h")
    neovim.until("#vim.api.nvim_get_current_line() == 5 and " + VISIBLE)
    assert neovim.drawn("EditaheadGhost@type.builtin.c") == [(0, 5, "int")]
    assert neovim.drawn("EditaheadGhost@keyword.return.c") == [(0, 0, "return")]
    assert neovim.drawn("EditaheadGhost@number.c") == [(0, 0, "2")]
    keyword = neovim.lua("return vim.api.nvim_get_hl(0, { name = '@keyword.return.c', link = false }).fg")
    ghost = neovim.lua("return vim.api.nvim_get_hl(0, { name = 'EditaheadGhost@keyword.return.c' })")
    assert ghost["italic"] and ghost["fg"] != keyword
    neovim.keys("<Tab>")
    neovim.until_text("int half(int n) {\n    return n / 2;\n}\n")


def test_ghost_text_without_tree_sitter_has_one_colour(start: Start) -> None:
    neovim = start({"a.c": "\n"}, plan={"complete": ["int half(int n) {\n    return n / 2;\n}"]})
    neovim.keys("iint h")
    neovim.until("#vim.api.nvim_get_current_line() == 5 and " + VISIBLE)
    assert (0, 5, "alf(int n) {") in neovim.drawn("EditaheadGhost")


def test_ghost_text_below_a_long_line_has_one_colour(start: Start) -> None:
    neovim = start(
        {"a.c": f"/* {'x' * 30_000} */\n\n"}, plan={"complete": ["int half(int n) {\n    return n / 2;\n}"]}
    )
    if not neovim.lua("return (pcall(vim.treesitter.start))"):
        pytest.skip("this Neovim has no parser for C")
    neovim.keys("Giint h")
    neovim.until("#vim.api.nvim_get_current_line() == 5 and " + VISIBLE)
    assert (1, 5, "alf(int n) {") in neovim.drawn("EditaheadGhost")
