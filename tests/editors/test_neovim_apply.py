"""`:Editahead apply` in real Neovims: what it asks the server for, and what a person is told of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neovim import Neovim

Start = Callable[..., Neovim]

TEXT = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
SKETCH = "def two():\n    return 22\n"
DONE = {"edit": {}, "hunks": [{}, {}], "sketchKind": "declaration", "method": "merge", "stats": {}}
HEARD = "vim.fn.execute('messages')"


@pytest.fixture
def neovim(start: Start) -> Neovim:
    return start(TEXT, plan={}, before="set cmdheight=9")


def answer(neovim: Neovim, *, result: Any = None, error: Any = None) -> None:
    """Let the server answer so when it is asked to apply; `_G.asked` is what it was asked for."""
    neovim.lua(
        """local result, err = ...
        local client = vim.lsp.get_clients({ name = 'editahead' })[1]
        local request = client.request
        client.request = function(self, method, params, handler, bufnr)
          if params.command ~= 'editahead.apply' then return request(self, method, params, handler, bufnr) end
          _G.asked = params.arguments
          if err == vim.NIL then err = nil end
          vim.schedule(function() handler(err, result, {}) end)
          return true, 1
        end""",
        result,
        error,
    )


def refused(reason: str, **data: Any) -> dict[str, Any]:
    return {"code": -32803, "message": "Refused.", "data": {"reason": reason, "part": "", "near": [], **data}}


def test_the_selection_is_the_sketch_and_is_named(neovim: Neovim) -> None:
    answer(neovim, result=DONE)
    neovim.keys(f":call setline(7, {SKETCH.splitlines()})<CR>GVk:Editahead apply<CR>")
    neovim.until("_G.asked")
    (asked,) = neovim.lua("return _G.asked")
    assert asked["sketch"] == SKETCH
    line = len("    return 22")
    assert asked["range"] == {
        "start": {"line": 6, "character": 0},
        "end": {"line": 7, "character": line},
    }
    assert asked["uri"].endswith("/a.py")
    neovim.until(f"{HEARD}:find('Editahead: applied, 2 places changed')")


@pytest.mark.parametrize(("command", "register"), [("apply", '"'), ("apply x", "x")])
def test_a_register_is_the_sketch(neovim: Neovim, command: str, register: str) -> None:
    neovim.lua(
        "vim.fn.has = function(what) return what == 'clipboard' and 0 or vim.api.nvim_call_function('has', { what }) end"
    )
    answer(neovim, result={**DONE, "hunks": [], "method": "none"})
    neovim.lua("vim.fn.setreg(...)", register, SKETCH)
    neovim.keys(f":Editahead {command}<CR>")
    neovim.until("_G.asked")
    (asked,) = neovim.lua("return _G.asked")
    assert asked["sketch"] == SKETCH
    assert "range" not in asked
    neovim.until(f"{HEARD}:find('Editahead: the sketch is there already')")


def test_the_clipboard_comes_before_the_unnamed_register(neovim: Neovim) -> None:
    neovim.lua(
        """local text = ...
        vim.g.clipboard = {
          name = 'a test',
          copy = { ['+'] = function() end, ['*'] = function() end },
          paste = { ['+'] = function() return { text, 'V' } end, ['*'] = function() return { {}, 'v' } end },
        }
        vim.fn.setreg('"', 'other')""",
        SKETCH.splitlines(),
    )
    answer(neovim, result=DONE)
    neovim.keys(":Editahead apply<CR>")
    neovim.until("_G.asked")
    assert neovim.lua("return _G.asked")[0]["sketch"] == SKETCH


def test_a_refusal_says_which_part_and_why_and_where_it_might_belong(neovim: Neovim) -> None:
    part = "def tow():\n    return 22\n    # and so on\n    # to the end\n"
    near = [
        {
            "range": {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 12}},
            "similarity": 0.82,
        }
    ]
    answer(neovim, error=refused("unplaced", part=part, near=near))
    neovim.lua("vim.fn.setreg('x', ...)", part)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(f"{HEARD}:find('1 place is like it: see :copen', 1, true)")
    assert "Editahead: nothing was changed: no place is like a part of it (unplaced)" in neovim.messages
    assert "| def tow():" in neovim.messages
    assert "| ... (4 lines)" in neovim.messages
    (place,) = neovim.lua("return vim.fn.getqflist()")
    assert (place["lnum"], place["end_lnum"], place["text"]) == (5, 6, "82 % like: def tow():")
    assert neovim.lua("return vim.fn.bufname(...)", place["bufnr"]).endswith("a.py")
    assert neovim.text == TEXT


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"error": refused("would-lose-code")},
            "code would be lost that it does not mention (would-lose-code)",
        ),
        ({"error": {"code": -32602, "message": "There is no such command."}}, "There is no such command."),
        (
            {"result": {**DONE, "applied": False, "failureReason": "the buffer is read-only"}},
            "nothing was changed: the buffer is read-only",
        ),
    ],
)
def test_whatever_else_is_answered_is_told(neovim: Neovim, said: dict[str, Any], told: str) -> None:
    answer(neovim, **said)
    neovim.lua("vim.fn.setreg('x', ...)", SKETCH)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(f"{HEARD}:find(a[1], 1, true)", told)
    assert neovim.lua("return #vim.fn.getqflist()") == 0


def test_what_cannot_be_asked(neovim: Neovim) -> None:
    answer(neovim, result=DONE)
    neovim.keys(":Editahead apply y<CR>")
    neovim.until(f"{HEARD}:find('there is no sketch in the register y')")
    neovim.keys(":Editahead apply two words<CR>")
    neovim.until(f"{HEARD}:find('only `apply` takes more')")
    neovim.keys(":1,2Editahead reject<CR>")
    neovim.until(f"select(2, {HEARD}:gsub('only `apply` takes more', '')) == 2")
    assert not neovim.lua("return _G.asked")
