"""Whose Tab it is, in a real VS Code."""

from __future__ import annotations

from collections.abc import Callable

from samples import NAMES, RENAME
from vscode import HERE, VSCode

pytestmark = HERE

Start = Callable[..., VSCode]


def test_tab_indents_a_blank_line(vscode: Start) -> None:
    editor = vscode(f"\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(1, 5)
    assert editor.saved("a.py") == f"    \n{NAMES}"


def test_tab_belongs_to_an_active_snippet(vscode: Start) -> None:
    editor = vscode({"a.js": f"\n{NAMES}"}, RENAME)
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


def test_tab_belongs_to_the_suggestions(vscode: Start) -> None:
    editor = vscode(f"gue\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("End", "Control+ ")
    editor.until("document.querySelector('.suggest-widget.visible .monaco-list-row')")
    editor.press("Tab")
    editor.until("!document.querySelector('.suggest-widget.visible')")
    assert editor.saved("a.py") == f"guest\n{NAMES}"


def test_tab_indents_selected_lines(vscode: Start) -> None:
    editor = vscode(f"x = 1\ny = 2\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("Shift+ArrowDown", "Tab")
    editor.until_text(".view-line", "    x = 1")
    assert editor.saved("a.py") == f"    x = 1\ny = 2\n{NAMES}"


def test_escape_belongs_to_the_suggestions(vscode: Start) -> None:
    editor = vscode(f"gue\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("End", "Control+ ")
    editor.until("document.querySelector('.suggest-widget.visible .monaco-list-row')")
    editor.press("Escape")
    editor.until("!document.querySelector('.suggest-widget.visible')")
    editor.until_seen("visitor")
