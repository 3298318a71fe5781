"""The server of a real VS Code: killed, missing, told what it cannot take; and what it says of itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from editahead_lsp import __version__
from samples import NAMES, RENAME
from server_with_planned_edits import planned
from vscode import HERE, VSCode

pytestmark = HERE

Start = Callable[..., VSCode]


def test_a_killed_server_comes_back(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    (first,) = editor.servers()
    os.kill(first, signal.SIGKILL)
    editor.until_not_seen("visitor")
    editor.until_seen("visitor")
    assert editor.servers() not in ([], [first])


def test_a_missing_server_is_told_and_another_is_taken(vscode: Start) -> None:
    editor = vscode(NAMES, **{"server.command": ["/nowhere/editahead", "lsp"]})
    editor.until_note("/nowhere/editahead")
    assert "/nowhere/editahead" in editor.status
    editor.set("editahead.server.command", planned(RENAME))
    editor.until_seen("visitor")


def test_a_bad_setting_is_told_and_the_rest_holds(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME, eagerness=7)
    editor.until_note("`eagerness` cannot be 7; allowed: a number from 0 to 1")
    editor.until_seen("visitor")


def test_why_there_is_no_prediction(vscode: Start) -> None:
    editor = vscode("x = 1\n")
    editor.until_status("No prediction here (no-history)")  # until it was asked, there is no why
    editor.command("Editahead: Why No Prediction?")
    editor.until_note("Editahead shows nothing (no-history)")


def test_why_there_is_one(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    editor.command("Editahead: Why No Prediction?")
    editor.until_note("Editahead shows “guest -> visitor”: the edit repeats your recent changes.")
    editor.answer("More")
    editor.until_text(".output .view-line, .panel .view-line", "90 %  guest -> visitor (propagation): shown")


def test_restarted_it_is_another_process(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    (first,) = editor.servers()
    editor.command("Editahead: Restart Server")
    editor.until_gone(first)
    editor.until_seen("visitor")
    assert editor.servers() not in ([], [first])


def test_status(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    editor.until_status("Tab goes to your next edit: line 1, guest -> visitor.")
    editor.command("Editahead: Show Status")
    editor.until_note(f"Editahead {__version__}, ")
    editor.until_note("accepted: 0, rejected: 0")


def test_off_and_on(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    editor.command("Editahead: Turn On or Off in This Window")
    editor.until_not_seen("visitor")
    editor.until_status("Editahead is off")
    editor.press("End", "Tab")  # Tab is Tab
    editor.until_text(".view-line", "def greet(guest, bell): ")
    editor.press("Control+z")
    editor.command("Editahead: Turn On or Off in This Window")
    editor.until_seen("visitor")


def test_the_walkthrough_leads_to_a_first_edit(vscode: Start) -> None:
    """With the real server: each step's button does what it says, in a document that was never saved."""
    editor = vscode("x = 1\n")
    editor.until_ready()
    walkthrough(editor)
    editor.click_text(".step-title", "When nothing is shown")
    editor.click_text(".button-container .monaco-button", "Why No Prediction?")
    editor.until_note("Editahead ")
    editor.click_text(".step-title", "Apply a sketch")
    editor.copy("   ")
    editor.click_text(".button-container .monaco-button", "Apply Sketch from Clipboard")
    editor.until_note("No file is open")
    editor.click_text(".step-title", "Go there and accept with Tab")
    editor.click_text(".button-container .monaco-button", "Predict the Next Edit")
    editor.until_note("Open a file")
    editor.click_text(".step-title", "Change one place")
    editor.keep_picture("walkthrough")
    editor.click_text(".button-container .monaco-button", "Open an Example")
    editor.until_cursor_line(5)
    editor.type("leaves")
    for line, made in (
        (8, "return (self.leaves - self.begins).days"),
        (11, "return self.begins <= day < self.leaves"),
    ):
        editor.until_seen("leaves")
        editor.press("Tab")
        editor.until_cursor_line(line)
        editor.until_seen("leaves")
        editor.press("Tab")
        editor.until_text(".view-line", made)


def walkthrough(editor: VSCode) -> None:
    editor.command("Welcome: Open Walkthrough...")
    editor.until("document.activeElement.matches('.quick-input-widget input')")
    editor.type("Predict the Next Edit")
    editor.until(
        "document.querySelector('.quick-input-list .monaco-list-row.focused[aria-label*=\"Predict\"]')"
    )
    editor.press("Enter")
    editor.until_text(".step-title", "Change one place")
