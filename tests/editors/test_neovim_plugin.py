"""The Neovim plugin in real Neovims: typed, seen, accepted, refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from neovim import Neovim
from samples import HALF, HIDDEN, NAMES, RENAME, VISIBLE

Start = Callable[..., Neovim]


def test_a_prediction_elsewhere_is_drawn_word_by_word(start: Start) -> None:
    neovim = start(
        "x = 1\nself.guest_name = other\n", plan={"replace": {"guest_name = other": "visitor = other"}}
    )
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == [(1, 5, "guest_name")]
    assert neovim.drawn("EditaheadStrike") == [(1, 5, "guest_name")]
    assert neovim.drawn("EditaheadInsert") == [(1, 15, "visitor")]
    assert any("self.guest_namevisitor = other" in row for row in neovim.screen)
    assert neovim.drawn("EditaheadSign") == [(1, 0, " »")]


def test_with_jump_first_tab_jumps_then_applies_to_the_end(start: Start) -> None:
    neovim = start(NAMES, plan=RENAME, jump_first=True)
    neovim.until(VISIBLE)
    neovim.keys("gg0w")
    neovim.settle()
    walk = []
    for _ in range(2 * NAMES.count("guest")):
        neovim.until(VISIBLE)
        before = neovim.text
        neovim.keys("<Tab>")
        neovim.settle()
        walk.append("applied" if neovim.text != before else f"to {neovim.cursor[0]}")
        if "guest" not in neovim.text:
            break
    assert neovim.text == NAMES.replace("guest", "visitor")
    assert walk == ["applied", "to 2", "applied", "to 5", "applied", "to 6", "applied"]
    neovim.until(HIDDEN)


def test_the_cursor_lands_after_the_edit(start: Start) -> None:
    neovim = start('a = "🧳 guest", 1\n', plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text('a = "🧳 visitor", 1\n')
    assert neovim.cursor == (1, len('a = "🧳 visitor'.encode()))


def test_an_accepted_edit_is_undone_in_one_step(start: Start) -> None:
    neovim = start("x = 1\nguest = guest\n", plan=RENAME)
    neovim.keys("ggOy = 2")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("y = 2\nx = 1\nvisitor = guest\n")
    assert neovim.mode == "i"
    neovim.keys("!<Esc>")
    neovim.settle()
    assert neovim.text == "y = 2\nx = 1\nvisitor! = guest\n"
    neovim.keys("u")
    neovim.until_text("y = 2\nx = 1\nvisitor = guest\n")
    neovim.keys("u")
    neovim.until_text("y = 2\nx = 1\nguest = guest\n")
    neovim.keys("u")
    neovim.until_text("x = 1\nguest = guest\n")


def test_ghost_text_is_used_up_by_typing_it(start: Start) -> None:
    neovim = start("\n", plan={"complete": [HALF]})
    neovim.keys("idef h")
    neovim.until("#vim.api.nvim_get_current_line() == 5 and " + VISIBLE)
    assert neovim.drawn("EditaheadGhost") == [(0, 0, "    return n / 2"), (0, 5, "alf(n):")]
    neovim.keys("al")
    neovim.until("#vim.api.nvim_get_current_line() == 7 and " + VISIBLE)
    assert neovim.drawn("EditaheadGhost")[1] == (0, 7, "f(n):")
    neovim.keys("<Tab>")
    neovim.until_text(HALF + "\n")
    assert neovim.cursor == (2, len("    return n / 2"))
    assert neovim.mode == "i"


def test_typing_something_else_takes_the_ghost_away(start: Start) -> None:
    neovim = start("\n", plan={"complete": [HALF]})
    neovim.keys("idef h")
    neovim.until(VISIBLE)
    neovim.keys("o")
    neovim.until("vim.api.nvim_get_current_line() == 'def ho' and " + HIDDEN)
    assert neovim.marks() == []


def test_escape_refuses_ghost_text_and_leaves_insert_mode(start: Start) -> None:
    neovim = start("\n", plan={"complete": [HALF]})
    neovim.keys("idef h")
    neovim.until(VISIBLE)
    neovim.keys("<Esc>")
    neovim.until("vim.api.nvim_get_mode().mode == 'n'")
    neovim.keys("A")
    neovim.settle()
    assert neovim.mode == "i"
    assert not neovim.lua("return " + VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("def h   \n")


def test_escape_in_normal_mode_refuses_what_is_shown(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n\nguest = 3\n", plan=RENAME)
    neovim.listen()
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == [(1, 0, "guest")]
    neovim.keys("<Esc>")
    neovim.until("vim.iter(_G.outcomes):any(function(o) return o.event == 'rejected' and o.shownMs >= 0 end)")
    neovim.keys("l")
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == [(3, 0, "guest")], "the refused one is not shown again"


def test_leaving_insert_mode_does_not_refuse_what_is_elsewhere(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.keys("A0")
    neovim.until("vim.api.nvim_get_current_line() == 'x = 10' and " + VISIBLE)
    neovim.keys("<Esc>")
    neovim.settle()
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x = 10\nvisitor = 2\n")


def test_escape_does_what_it_did(start: Start) -> None:
    neovim = start(
        "guest = 2\n", plan=RENAME, before="iabbrev teh the\ninoremap <Esc> <C-]><Esc>:let g:left = 1<CR>"
    )
    neovim.until(VISIBLE)
    neovim.keys("oteh<Esc>")
    neovim.until("vim.g.left == 1")
    assert neovim.mode == "n"
    assert neovim.text == "guest = 2\nthe\n"


def test_tab_with_nothing_shown_is_a_tab(start: Start) -> None:
    neovim = start("x = 1\n", plan={}, before="set expandtab shiftwidth=4 softtabstop=4")
    neovim.keys("ggIteh<Tab>")
    neovim.until_text("teh x = 1\n")
    neovim.keys("<Esc>Go<Tab>y")
    neovim.until_text("teh x = 1\n    y\n")
    neovim.keys("<Esc>gg<C-o><Tab>")
    neovim.settle()
    assert neovim.mode == "n"
    assert neovim.messages == ""


def test_tab_indents_a_blank_line_though_something_is_shown_elsewhere(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, before="set expandtab shiftwidth=4 softtabstop=4")
    neovim.keys("Go")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>y")
    neovim.until_text("x = 1\nguest = 2\n    y\n")


def test_tab_belongs_to_an_open_completion_menu(start: Start) -> None:
    neovim = start(
        "x = 1\nguest = 2\nwonder = 3\nwonderful = 4\n",
        plan=RENAME,
        before="inoremap <expr> <Tab> pumvisible() ? '<C-n>' : '<Tab>'\nset completeopt=menuone,noselect",
    )
    neovim.until(VISIBLE)
    neovim.keys("Gowond<C-n>")
    neovim.until("vim.fn.pumvisible() == 1")
    assert not neovim.lua("return " + VISIBLE), "a menu covers the place"
    neovim.keys("<Tab>")
    neovim.until("vim.api.nvim_get_current_line() == 'wonder'")
    neovim.keys("<C-y>")
    neovim.until("vim.fn.pumvisible() == 0 and " + VISIBLE)
    neovim.keys("<Tab>")
    neovim.until("vim.fn.line('.') == 2 and vim.api.nvim_get_current_line() == 'visitor = 2'")


def test_tab_belongs_to_an_active_snippet(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys("Go")
    neovim.until("vim.api.nvim_get_mode().mode == 'i'")
    neovim.lua("vim.snippet.expand('call(${1:one}, ${2:two})')")
    neovim.keys("a")
    neovim.until("vim.api.nvim_get_current_line() == 'call(a, two)' and " + VISIBLE)
    neovim.keys("<Tab>")
    neovim.until("vim.api.nvim_get_mode().mode == 's'")
    neovim.keys("b")
    neovim.until("vim.api.nvim_get_current_line() == 'call(a, b)'")
    assert "guest = 2" in neovim.text


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("inoremap <Tab> (global)", "x = 1(global)\n"),
        ("inoremap <buffer> <Tab> (buffer)", "x = 1(buffer)\n"),
        ("imap <Tab> <Plug>(mine)\ninoremap <Plug>(mine) (plug)", "x = 1(plug)\n"),
        ("inoremap <expr> <Tab> '(' .. (1 + 1) .. ')'", "x = 1(2)\n"),
        (
            "lua vim.keymap.set('i', '<Tab>', function() vim.api.nvim_put({ '(lua)' }, 'c', false, true) end)",
            "x = 1(lua)\n",
        ),
        (
            "lua vim.keymap.set('i', '<Tab>', function() return '(expr)' end, { expr = true })",
            "x = 1(expr)\n",
        ),
    ],
)
def test_a_mapping_of_ones_own_is_not_lost(start: Start, mapping: str, expected: str) -> None:
    neovim = start("x = 1\n", plan={}, before=mapping)
    neovim.keys("A<Tab>")
    neovim.until_text(expected)


def test_a_place_out_of_sight_is_hinted_at(start: Start) -> None:
    neovim = start("x = 1\n" * 100 + "guest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    assert neovim.hint
    assert neovim.hint["text"] == " ↓ 100 lines: guest -> visitor  <Tab> "
    assert any(row.endswith(neovim.hint["text"].rstrip()) for row in neovim.screen)
    assert neovim.drawn("EditaheadSign") == [(100, 0, " »")]
    neovim.keys("<Tab>")
    neovim.settle()
    assert neovim.hint is None
    assert "a.py:101  guest = 2  visitor = 2  <Tab>" in {row.strip() for row in neovim.screen}
    assert neovim.cursor[0] == 1
    neovim.keys("<Tab>")
    neovim.until("vim.fn.line('.') == 101 and vim.api.nvim_get_current_line() == 'visitor = 2'")
    neovim.keys("<C-o>")
    neovim.until("vim.fn.line('.') == 1")


def test_tab_leads_to_another_file(start: Start) -> None:
    neovim = start({"a.py": "x = 1\n", "b.py": "y = 1\nguest = 2\n"}, plan=RENAME)
    neovim.lua("vim.fn.bufload('b.py') vim.bo[vim.fn.bufnr('b.py')].filetype = 'python'")
    neovim.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = vim.fn.bufnr('b.py') }) == 1")
    neovim.keys("l")
    neovim.until(VISIBLE)
    assert neovim.hint
    assert neovim.hint["text"] == " ↓ b.py:2  guest -> visitor  visitor = 2  <Tab> "
    neovim.keys("<Tab>")
    neovim.settle()
    assert "b.py:2  guest = 2  visitor = 2  <Tab>" in {row.strip() for row in neovim.screen}
    neovim.keys("<Tab>")
    neovim.until("vim.fn.expand('%:t') == 'b.py'")
    neovim.until_text("y = 1\nvisitor = 2\n")


def test_a_prediction_is_drawn_where_one_looks(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.keys(":vnew<CR>")
    neovim.until(HIDDEN)
    buffers = "#vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('a.py'), a[1], 0, -1, {})"
    namespace = neovim.lua("return vim.api.nvim_get_namespaces()['editahead']")
    assert neovim.lua(f"local a = ... return {buffers}", [namespace]) == 0
    neovim.keys("<C-w>p")
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadDelete") == [(1, 0, "guest")]


def test_escape_always_refuses_by_setting(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, refuse_in_insert="always")
    neovim.keys("A0")
    neovim.until("vim.api.nvim_get_current_line() == 'x = 10' and " + VISIBLE)
    neovim.keys("<Esc>")
    neovim.until(f"vim.api.nvim_get_mode().mode == 'n' and {HIDDEN}")
    neovim.keys("j")
    neovim.settle()
    assert not neovim.lua("return " + VISIBLE)


def test_whole_lines_are_drawn_and_made(start: Start) -> None:
    plan = {"replace": {"a = 1\nb = 2\n": "c = 3\n", "old\n": ""}}
    neovim = start("x\na = 1\nb = 2\ny\nold\n", plan=plan)
    neovim.until(VISIBLE)
    assert {row for row, _, _ in neovim.drawn("EditaheadStrike")} == {1, 2}
    neovim.keys("<Tab>")
    neovim.until_text("x\nc = 3\ny\nold\n")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x\nc = 3\ny\n")


def test_lines_end_as_they_did(start: Start) -> None:
    neovim = start("x = 1\r\nguest = 2\r\n", plan={"replace": {"guest = 2": "visitor = 2\r\nbell = 3"}})
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nvisitor = 2\nbell = 3\n")
    neovim.keys(":write<CR>")
    neovim.until("not vim.bo.modified")
    path = neovim.lua("return vim.api.nvim_buf_get_name(0)")
    assert Path(path).read_bytes() == b"x = 1\r\nvisitor = 2\r\nbell = 3\r\n"
