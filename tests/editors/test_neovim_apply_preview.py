"""The preview of `:Editahead apply` in real Neovims: drawn while a model writes, applied or discarded by the person."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from neovim import Neovim
from server_with_planned_edits import WAIT, go_on_file
from sketch_fixture import AMBIGUOUS, READINGS, REPLACED, TEXT
from vscode_scenarios import LINTERS

Start = Callable[..., Neovim]

HEARD = "vim.fn.execute('messages')"
READY = "package.loaded['editahead.apply_preview'].is_ready()"
OPEN = "package.loaded['editahead.apply_preview'].is_open()"
MORE = "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(3))
HELD = REPLACED + MORE + WAIT + "\n\ndef last(x):\n    return x\n"
WHOLE, DONE = TEXT + MORE + "\n\ndef last(x):\n    return x\n", HELD.replace(WAIT, "")


MARKS = (
    "vim.inspect(vim.api.nvim_buf_get_extmarks("
    "0, vim.api.nvim_create_namespace('editahead.apply_preview'), 0, -1, { details = true }))"
)


def shows(text: str) -> str:
    """Return the condition that a preview shows a text."""
    return f"{MARKS}:find([=[{text}]=], 1, true)"


NOTHING_DRAWN = f"not {shows('virt_lines')} and not {shows('line_hl_group')}"

SEND_CHANGES = """
local client = vim.lsp.get_clients({ name = "editahead" })[1]
client:request_sync("workspace/executeCommand", { command = "editahead.status" }, 10000, 0)
"""


def begin(neovim: Neovim, sketch: str) -> None:
    neovim.lua("vim.fn.setreg('x', ...)", sketch)
    neovim.keys(":Editahead apply x<CR>")


def go_on(homes: Mapping[str, str]) -> None:
    go_on_file(homes).parent.mkdir(parents=True, exist_ok=True)
    go_on_file(homes).touch()


@pytest.fixture
def coming(start: Start) -> Neovim:
    """A Neovim in which a model has written a hunk, and not yet the rest."""
    neovim = start(WHOLE, plan={"readings": READINGS, "model": HELD}, before="set cmdheight=9")
    begin(neovim, AMBIGUOUS)
    neovim.until(shows("raise ValueError(b)"))
    assert not neovim.lua(f"return {READY}")
    assert neovim.text == WHOLE
    return neovim


def test_settled_hunks_are_drawn_before_the_answer_ends(coming: Neovim, homes: dict[str, str]) -> None:
    go_on(homes)
    coming.until(READY)
    assert coming.lua(f"return {shows('A model wrote this')}")
    assert coming.text == WHOLE
    coming.keys("<Tab>")
    coming.until_text(DONE)
    coming.until(NOTHING_DRAWN)
    coming.keys("u")
    coming.until_text(WHOLE)


def test_escape_cancels(coming: Neovim, homes: dict[str, str]) -> None:
    coming.keys("<Esc>")
    coming.until(f"{HEARD}:find('Editahead: Nothing was changed.', 1, true)")
    coming.until(NOTHING_DRAWN)
    go_on(homes)
    coming.settle()
    assert coming.text == WHOLE
    assert not coming.lua(f"return {OPEN}")


def test_typing_takes_the_drawing_away_and_the_edit_moves_along(
    coming: Neovim, homes: dict[str, str]
) -> None:
    coming.keys("ggOimport re<Esc>")
    coming.until_text("import re\n" + WHOLE)
    coming.until(NOTHING_DRAWN)
    coming.lua(SEND_CHANGES)
    go_on(homes)
    coming.until(READY)
    coming.keys("<Tab>")
    coming.until_text("import re\n" + DONE)


HELD_BACK = """
local changes = require("vim.lsp._changetracking")
changes.flush, changes.send_changes = function() end, function() end
"""
"""Neovim sends what is typed a little later. The answer comes before."""


@pytest.mark.parametrize(
    ("keys", "before", "after"),
    [
        ("ggOimport re<CR><CR>x = 1<Esc>", "import re\n\nx = 1\n", ""),
        ("ggOimport re<Esc>dd", "", ""),
        ("Goy = 1<Esc>", "", "y = 1\n"),
    ],
)
def test_an_answer_for_an_earlier_text_moves_along(
    coming: Neovim, homes: dict[str, str], keys: str, before: str, after: str
) -> None:
    coming.lua(HELD_BACK)
    coming.keys(keys)
    coming.until_text(before + WHOLE + after)
    go_on(homes)
    coming.until(READY)
    assert coming.text == before + WHOLE + after
    assert coming.lua(f"return {shows('raise ValueError(b)')}")
    coming.keys("<Tab>")
    coming.until_text(before + DONE + after)
    coming.keys("u")
    coming.until_text(before + WHOLE + after)


def test_an_answer_for_lines_that_were_edited_is_refused(coming: Neovim, homes: dict[str, str]) -> None:
    at = next(
        n
        for n, pair in enumerate(zip(WHOLE.split("\n"), DONE.split("\n"), strict=False), 1)
        if len({*pair}) == 2
    )
    coming.lua(HELD_BACK)
    coming.keys(f"{at}GA  # mine<Esc>")
    coming.until("vim.fn.search('# mine', 'n') > 0")
    text = coming.text
    go_on(homes)
    coming.until(f"{HEARD}:find('the text has changed since. Apply the sketch again', 1, true)")
    coming.until(NOTHING_DRAWN)
    assert coming.text == text


def test_an_answer_for_a_text_that_is_not_known_is_not_drawn(coming: Neovim, homes: dict[str, str]) -> None:
    coming.lua("vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] = 9999")
    go_on(homes)
    coming.until("vim.fn.execute('messages'):find('the text has changed since', 1, true)")
    coming.until(NOTHING_DRAWN)
    assert not coming.lua(f"return {OPEN}")
    assert coming.text == WHOLE


def test_the_end_of_the_server_takes_the_drawing_away(coming: Neovim) -> None:
    coming.lua("vim.lsp.get_clients({ name = 'editahead' })[1]:stop(true)")
    coming.until(NOTHING_DRAWN)
    assert coming.text == WHOLE


def test_a_closed_buffer_ends_the_preview(coming: Neovim) -> None:
    coming.keys(":bwipeout!<CR>")
    coming.until(f"not {OPEN}")


def test_a_rejected_answer_is_void(start: Start, homes: dict[str, str]) -> None:
    plan = {"readings": READINGS, "model": HELD.replace("ValueError", "KeyError")}
    neovim = start(WHOLE, plan=plan, before="set cmdheight=9")
    neovim.lua("vim.ui.select = function(items, options, on_choice) _G.asked = true on_choice(nil) end")
    begin(neovim, AMBIGUOUS)
    neovim.until(shows("raise KeyError(b)"))
    go_on(homes)
    neovim.until("_G.asked")
    neovim.until(NOTHING_DRAWN)
    assert neovim.text == WHOLE


IMPORTS = """\
--- a/a.py
+++ b/a.py
@@ -1 +1,2 @@
 import os
+import sys
@@ -11,2 +12,2 @@
     c = abs(b)
-    d = c * 2
+    d = undefined * 2
"""


@pytest.fixture
def checked(start: Start, monkeypatch: pytest.MonkeyPatch) -> Neovim:
    monkeypatch.setenv("PATH", f"{LINTERS}:{os.environ['PATH']}")
    neovim = start(TEXT, before="set cmdheight=9")
    begin(neovim, IMPORTS)
    neovim.until(READY)
    return neovim


def test_what_is_mechanical_is_dim_and_said_in_words(checked: Neovim) -> None:
    marks = checked.lua(
        """local ns = vim.api.nvim_create_namespace('editahead.apply_preview')
        return vim.tbl_map(function(mark)
          return mark[4].virt_lines and mark[4].virt_lines[1] or {}
        end, vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true }))"""
    )
    shown: dict[str, list[Any]] = {line[0][0]: line for line in marks if line}
    assert shown["import sys"] == [
        ["import sys", "EditaheadContext"],
        ["  Changes imports.", "EditaheadContext"],
    ]
    changed = shown["    d = undefined * 2"]
    assert changed[0][1] == "EditaheadInsert"
    assert "Changes what the code does" in changed[1][0]


def test_new_problems_stand_beside_their_hunk(checked: Neovim) -> None:
    checked.until(shows("line 13: F821: Undefined name `undefined` (ruff)"))
    checked.until(f"{HEARD}:find('a.py:13: F821: Undefined name `undefined` (ruff)', 1, true)")
    checked.keys("<Tab>")
    checked.until(f"{HEARD}:find('Applied the sketch in 2 places', 1, true)")
    texts = [item["text"] for item in checked.lua("return vim.fn.getqflist()")]
    assert texts[-1] == "F821: Undefined name `undefined` (ruff)"


def test_escape_discards_and_typing_does(checked: Neovim) -> None:
    checked.keys("<Esc>")
    checked.until(f"{HEARD}:find('Editahead: Nothing was changed.', 1, true)")
    checked.until(NOTHING_DRAWN)
    begin(checked, IMPORTS)
    checked.until(READY)
    checked.keys("Gox<Esc>")
    checked.until(f"{HEARD}:find('the text has changed since the preview', 1, true)")
    checked.until(NOTHING_DRAWN)


def test_a_file_that_is_not_open_is_previewed_too(start: Start) -> None:
    neovim = start({"a.py": TEXT, "b.py": "x = 1\n"}, before="set cmdheight=9")
    begin(neovim, "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n")
    neovim.until(READY)
    neovim.keys("<Tab>")
    neovim.until(f"{HEARD}:find('Applied the sketch in 1 place', 1, true)")
    neovim.keys(":buffer b.py<CR>")
    neovim.until_text("x = 2\n")
    assert Path(neovim.lua("return vim.api.nvim_buf_get_name(0)")).read_text() == "x = 1\n"
