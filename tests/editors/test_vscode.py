"""A real VS Code with our extension, as a desktop's user has it: without proposed API."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import chromium
from planned import REAL, planned
from samples import HALF, NAMES, RENAME, STAY
from vscode import BUILT, CODE_SERVER, VSCode

pytestmark = [
    pytest.mark.editors,
    pytest.mark.skipif(not CODE_SERVER.exists(), reason=f"no code-server at {CODE_SERVER}"),
    pytest.mark.skipif(not chromium.PROGRAM, reason="no chromium on PATH"),
    pytest.mark.skipif(not BUILT.exists(), reason=f"no {BUILT}: npm run build"),
]

Start = Callable[..., VSCode]


@pytest.fixture
def start(
    tmp_path: Path,
    homes: dict[str, str],
    house: Callable[..., list[Path]],
    request: pytest.FixtureRequest,
) -> Iterator[Start]:
    """VS Code on the first of some files: `start({"a.py": "text"}, plan={...})`. More keywords are settings, without the
    `editahead.` before them. Every test leaves a picture of how it
    ended in the folder that EDITAHEAD_PICTURES names."""
    opened: list[VSCode] = []

    def begin(files: str | dict[str, str], plan: dict[str, Any] | None = None, **settings: Any) -> VSCode:
        paths = house({"a.py": files} if isinstance(files, str) else files)
        settings.setdefault("server.command", REAL if plan is None else planned(plan))
        settings.setdefault("debounce_ms", 0)
        named = {f"editahead.{name}": value for name, value in settings.items()}
        editor = VSCode(paths[0].parent, tmp_path / "vscode", homes | {"HOME": str(tmp_path)}, named)
        opened.append(editor)
        editor.open(paths[0].name)
        return editor

    yield begin
    for editor in opened:
        editor.keep_picture(request.node.name)
        editor.close()


def test_typed_shown_tab_tab_saved(start: Start) -> None:
    editor = start(STAY)
    editor.until_ready()
    editor.go_to(4, 14)
    editor.press("Control+Shift+ArrowRight")
    editor.type("leaves")
    editor.until_seen("leaves")
    editor.keep_picture("next-edit", (0, 30, 640, 260))
    for line, before, after in ((7, 22, 28), (10, 42, 48)):
        editor.until_seen("leaves")
        editor.press("Tab")
        editor.until_cursor(line, before)
        editor.until_seen("leaves")
        editor.press("Tab")
        editor.until_cursor(line, after)
    assert editor.saved("a.py") == STAY.replace("self.ends", "self.leaves")


def test_escape_refuses_what_is_shown(start: Start) -> None:
    editor = start(NAMES, RENAME)
    editor.until_seen("visitor")
    editor.press("Escape")
    editor.until_not_seen("visitor")
    editor.press("Tab")
    editor.command("Editahead: Show Status")
    editor.until_note("refused: 1")
    assert editor.saved("a.py") == f"    {NAMES}"


def test_ghost_text_word_by_word_then_tab(start: Start) -> None:
    editor = start("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.press("Control+ArrowRight")
    editor.until_cursor(1, 10)
    editor.until_ghost("n):")
    editor.press("Tab")
    editor.until_cursor(2, 17)
    editor.command("Editahead: Show Status")
    editor.until_note("accepted: 1")
    assert editor.saved("a.py") == f"{HALF}\n"


def test_ghost_text_is_used_up_by_typing_it(start: Start) -> None:
    editor = start("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.type("(n")
    editor.until_ghost("):")
    editor.press("Tab")
    editor.until_cursor(2, 17)
    assert editor.saved("a.py") == f"{HALF}\n"


def test_escape_refuses_ghost_text(start: Start) -> None:
    editor = start("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.press("Escape")
    editor.until_no_ghost()
    editor.command("Editahead: Show Status")
    editor.until_note("refused: 1")
    assert editor.saved("a.py") == "def half\n"


def test_a_word_of_a_replacement_then_the_rest(start: Start) -> None:
    editor = start("x = 1\nguest = 2\n", {"replace": {"guest": "visitor.name"}})
    editor.until_seen("visitor.name")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(2, 1)
    editor.until_seen("visitor.name")
    editor.press("Control+ArrowRight")
    editor.until_cursor(2, 8)
    assert editor.saved("a.py") == "x = 1\nvisitor = 2\n"
    editor.until_ghost(".name")
    editor.press("Tab")
    editor.until_cursor(2, 13)
    assert editor.saved("a.py") == "x = 1\nvisitor.name = 2\n"


def test_a_place_out_of_sight_is_hinted_at(start: Start) -> None:
    lines = [f"x{number} = {number}" for number in range(99)]
    editor = start("\n".join([*lines, "guest = 2", ""]), RENAME)
    editor.until_seen("99 lines down")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(100, 1)
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(100, 8)
    assert editor.saved("a.py") == "\n".join([*lines, "visitor = 2", ""])


def test_tab_leads_to_another_file(start: Start) -> None:
    editor = start({"a.py": "guest = 1\n", "b.py": "x = 1\n"}, RENAME)
    editor.until_seen("visitor")
    editor.open_beside("b.py")
    editor.until_seen("a.py:1")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_active("a.py")
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(1, 8)
    assert editor.saved("a.py") == "visitor = 1\n"


def test_tab_indents_a_blank_line(start: Start) -> None:
    editor = start(f"\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(1, 5)
    assert editor.saved("a.py") == f"    \n{NAMES}"


def test_tab_belongs_to_an_active_snippet(start: Start) -> None:
    editor = start({"a.js": f"\n{NAMES}"}, RENAME)
    editor.until_seen("visitor")
    editor.command("Snippets: Insert Snippet")
    editor.until("document.querySelector('.quick-input-widget input')?.placeholder === 'Select a snippet'")
    editor.type("foreach")
    editor.until(
        "document.querySelector('.quick-input-list .monaco-list-row.focused[aria-label*=\"foreach\"]')"
    )
    editor.press("Enter")
    editor.until_cursor(1, 6)
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(1, 22)
    assert editor.saved("a.js").endswith(f"\n{NAMES}")


def test_tab_belongs_to_the_suggestions(start: Start) -> None:
    editor = start(f"gue\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("End", "Control+ ")
    editor.until("document.querySelector('.suggest-widget.visible .monaco-list-row')")
    editor.press("Tab")
    editor.until("!document.querySelector('.suggest-widget.visible')")
    assert editor.saved("a.py") == f"guest\n{NAMES}"


SKETCH = """\
`a.py`:

```diff
@@ -1,2 +1,2 @@
-x = 1
+x = 10
 y = 2
@@ -8,2 +8,2 @@
 z = 8
-w = 9
+w = 90
```

`b.py`:

```diff
@@ -1 +1 @@
-v = 1
+v = 11
```
"""
FILES = {"a.py": "x = 1\ny = 2\n\n\n\n\n\nz = 8\nw = 9\n", "b.py": "v = 1\n"}


def test_a_copied_sketch_is_looked_through_and_made_in_part(start: Start) -> None:
    editor = start(FILES)
    editor.until_ready()
    editor.copy(SKETCH)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.tick("x = 110")
    editor.tick("v = 111")
    editor.click_button("Apply")
    editor.until("document.querySelector('.tab.active.dirty')")
    assert editor.saved("a.py") == FILES["a.py"].replace("x = 1\n", "x = 10\n")
    editor.open_beside("b.py")
    assert editor.saved("b.py") == "v = 11\n"


def test_a_selected_sketch_is_applied_to_the_rest(start: Start) -> None:
    sketch = "```diff\n-z = 8\n+z = 80\n```\n"
    editor = start(FILES["a.py"] + sketch)
    editor.until_ready()
    editor.go_to(10, 1)
    editor.press("Control+Shift+End")
    editor.command("Editahead: Apply Sketch from Selection")
    editor.tick("a.py")
    editor.click_button("Apply")
    editor.until("!document.querySelector('.bulk-edit-panel .edit-checkbox')")
    assert editor.saved("a.py") == FILES["a.py"].replace("z = 8", "z = 80")


def test_a_refusal_says_why_and_changes_nothing(start: Start) -> None:
    editor = start(FILES)
    editor.until_ready()
    editor.copy("```diff\n@@ -1,2 +1,2 @@\n-nothing = like_this\n+p = 2\n q = 7\n```\n")
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_note("Nothing was changed")
    assert (editor.folder / "a.py").read_text() == FILES["a.py"]


def test_a_killed_server_comes_back(start: Start) -> None:
    editor = start(NAMES, RENAME)
    editor.until_seen("visitor")
    (first,) = editor.servers()
    os.kill(first, signal.SIGKILL)
    editor.until_not_seen("visitor")
    editor.until_seen("visitor")
    assert editor.servers() not in ([], [first])


def test_a_missing_server_is_told_and_another_is_taken(start: Start) -> None:
    editor = start(NAMES, **{"server.command": ["/nowhere/editahead", "lsp"]})
    editor.until_note("/nowhere/editahead")
    assert "/nowhere/editahead" in editor.status
    editor.set("editahead.server.command", planned(RENAME))
    editor.until_seen("visitor")


def test_a_bad_setting_is_told_and_the_rest_holds(start: Start) -> None:
    editor = start(NAMES, RENAME, eagerness=7)
    editor.until_note("`eagerness` cannot be 7; allowed: a number from 0 to 1")
    editor.until_seen("visitor")


def test_what_another_extension_complains_of_is_answered(start: Start) -> None:
    shop = "def total(prices):\n    return sum(prices)\n\n\nprint(totl([1, 2]))\n"
    editor = start(shop)
    editor.until_seen("total")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(5, 7)
    editor.press("Tab")
    editor.until_not_seen("total")
    assert editor.saved("a.py") == shop.replace("totl", "total")


def test_why_and_restart(start: Start) -> None:
    editor = start("x = 1\n")
    editor.until_status("Silent now (no-history)")  # until it was asked, there is no why
    editor.command("Editahead: Why No Prediction?")
    editor.until_note("Editahead shows nothing (no-history)")
    (first,) = editor.servers()
    editor.command("Editahead: Restart Server")
    editor.until_gone(first)
    editor.until_ready()
    assert editor.servers() not in ([], [first])
