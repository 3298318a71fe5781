"""`:Editahead apply` in real Neovims: what it asks the server for, and what a person is told of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neovim import Neovim

Start = Callable[..., Neovim]

TEXT = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
SKETCH = "def two():\n    return 22\n"
PLACE = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}
HUNK = {"uri": "file:///tmp/a.py", "range": PLACE, "newText": "x\ny\n"}
DONE = {"edit": {}, "hunks": [HUNK, HUNK], "sketchKind": "declaration", "method": "merge", "stats": {}}
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
    assert asked["uri"].endswith("/a.py")
    neovim.until(f"{HEARD}:find('Editahead: The buffer already contains')")


def test_what_should_be_read_first_is_listed_where_it_is_now(neovim: Neovim) -> None:
    uri = neovim.lua("return vim.uri_from_bufnr(vim.api.nvim_get_current_buf())")
    later = {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}}
    inserts = {**HUNK, "uri": uri}
    flagged = {"uri": uri, "range": later, "newText": "def two(n):\n", "flags": ["Changes a signature."]}
    answer(neovim, result={**DONE, "hunks": [inserts, flagged]})
    neovim.lua("vim.fn.setreg('x', ...)", SKETCH)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(f"{HEARD}:find('Editahead: 2 changes, 1 to read', 1, true)")
    neovim.keys("<Tab>")
    neovim.until(f"{HEARD}:find('Applied the sketch in 2 places. Review first: 1, see :copen')")
    (flag,) = neovim.lua("return vim.fn.getqflist()")
    assert (flag["lnum"], flag["text"]) == (7, "Changes a signature.")


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
    neovim.until(f"{HEARD}:find('See :copen for 1 similar place.', 1, true)")
    assert "Editahead: Nothing was changed: no code resembles one part of the sketch" in neovim.messages
    assert "| def tow():" in neovim.messages
    assert "| ... (4 lines)" in neovim.messages
    (place,) = neovim.lua("return vim.fn.getqflist()")
    assert (place["lnum"], place["end_lnum"], place["text"]) == (5, 6, "82 % similar: def tow():")
    assert neovim.lua("return vim.fn.bufname(...)", place["bufnr"]).endswith("a.py")
    assert neovim.text == TEXT


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"error": refused("would-lose-code")},
            "the result would lose code that the sketch does not mention",
        ),
        ({"error": {"code": -32602, "message": "There is no such command."}}, "There is no such command."),
    ],
)
def test_any_other_answer_is_reported(neovim: Neovim, said: dict[str, Any], message: str) -> None:
    answer(neovim, **said)
    neovim.lua("vim.fn.setreg('x', ...)", SKETCH)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(f"{HEARD}:find(a[1], 1, true)", message)
    assert neovim.lua("return #vim.fn.getqflist()") == 0


REAL_TEXT = """\
def nights(begins, ends):
    begins, ends = date(begins), date(ends)
    if ends < begins:
        raise ValueError("it ends before it begins")
    return (ends - begins).days


def covers(begins, ends, day):
    return begins <= day < ends
"""
REAL_SKETCH = """\
def nights(begins, ends):
    \"\"\"How often the guest sleeps here.\"\"\"
    # ... existing code ...
    if ends <= begins:
        raise ValueError("it ends before it begins")
    # ... existing code ...
"""
APPLIED = REAL_TEXT.replace("    if ends < begins:", "    if ends <= begins:").replace(
    "    begins,", '    """How often the guest sleeps here."""\n    begins,'
)


READY = "package.loaded['editahead.apply_preview'].is_ready()"
"""A preview of a whole edit waits for the person."""


def say_yes(neovim: Neovim) -> None:
    """Apply the edit in the preview."""
    neovim.until(READY)
    neovim.keys("<Tab>")


def test_a_copied_sketch_is_applied_by_the_real_server(start: Start) -> None:
    neovim = start(REAL_TEXT, before="set cmdheight=9")
    neovim.lua("vim.fn.setreg('x', ...)", REAL_SKETCH)
    neovim.keys(":Editahead apply x<CR>")
    say_yes(neovim)
    neovim.until_text(APPLIED)
    neovim.until(f"{HEARD}:find('Review first: 1, see :copen')")
    (flag,) = neovim.lua("return vim.fn.getqflist()")
    assert 1 < flag["lnum"] <= 4
    assert "ends <= begins" in flag["text"]
    neovim.keys("u")
    neovim.until_text(REAL_TEXT)


def test_a_selected_sketch_is_applied_to_the_rest(start: Start) -> None:
    neovim = start(REAL_TEXT + "\n\n" + REAL_SKETCH, before="set cmdheight=9")
    neovim.keys("GV5k:Editahead apply<CR>")
    say_yes(neovim)
    neovim.until(f"{HEARD}:find('Editahead: Applied the sketch')")
    assert neovim.text.rstrip("\n") == APPLIED.rstrip("\n")
    neovim.keys("u")
    neovim.until_text(REAL_TEXT + "\n\n" + REAL_SKETCH)


def test_the_real_server_refuses_what_has_no_place(start: Start) -> None:
    diff = "@@ -1,3 +1,3 @@\n def mornings(begins, ends):\n-    return begins.hours\n+    return ends.hours\n"
    neovim = start(REAL_TEXT, before="set cmdheight=9")
    neovim.lua("vim.fn.setreg('x', ...)", diff)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(
        f"{HEARD}:find('Editahead: Nothing was changed: no code resembles one part of the sketch', 1, true)"
    )
    assert neovim.text == REAL_TEXT


def test_a_registers_sketch_stays_within_the_lines_given(start: Start) -> None:
    neovim = start(REAL_TEXT, before="set cmdheight=9")
    neovim.lua("vim.fn.setreg('x', ...)", REAL_SKETCH)
    neovim.keys(":8,9Editahead apply x<CR>")
    neovim.until(f"{HEARD}:find('Editahead: Nothing was changed: ')")
    assert neovim.text == REAL_TEXT
    neovim.keys(":1,5Editahead apply x<CR>")
    say_yes(neovim)
    neovim.until_text(APPLIED)


def test_what_is_selected_may_be_no_sketch_or_fit_nowhere(start: Start) -> None:
    text = "Dear guest,\nwelcome.\n\n" + REAL_TEXT
    neovim = start(text, before="set cmdheight=9")
    neovim.keys(":3Editahead apply<CR>")
    neovim.until(f"{HEARD}:find('Editahead: The selected lines contain no sketch')")
    neovim.keys(":1,2Editahead apply<CR>")
    neovim.until(f"{HEARD}:find('Editahead: Nothing was changed: ')")
    assert neovim.text == text


def test_what_cannot_be_asked(neovim: Neovim) -> None:
    answer(neovim, result=DONE)
    neovim.keys(":Editahead apply y<CR>")
    neovim.until(f"{HEARD}:find('Register y contains no sketch')")
    neovim.keys(":Editahead apply two words<CR>")
    neovim.until(f"{HEARD}:find('Only `apply` takes a range')")
    neovim.keys(":1,2Editahead reject<CR>")
    neovim.until(f"select(2, {HEARD}:gsub('Only `apply` takes a range', '')) == 2")
    assert not neovim.lua("return _G.asked")
