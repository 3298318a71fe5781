"""A real VS Code with our extension, as a desktop's user has it: without proposed API. What is shown, and making it."""

from __future__ import annotations

from collections.abc import Callable

from samples import HALF, NAMES, RENAME, STAY
from vscode import HERE, VSCode

pytestmark = HERE

Start = Callable[..., VSCode]


def test_typed_shown_tab_tab_saved(vscode: Start) -> None:
    editor = vscode(STAY)
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


def test_escape_refuses_what_is_shown(vscode: Start) -> None:
    editor = vscode(NAMES, RENAME)
    editor.until_seen("visitor")
    editor.press("Escape")
    editor.until_not_seen("visitor")
    editor.press("Tab")
    editor.command("Editahead: Show Status")
    editor.until_note("rejected: 1")
    assert editor.saved("a.py") == f"    {NAMES}"


def test_ghost_text_word_by_word_then_tab(vscode: Start) -> None:
    editor = vscode("\n", {"complete": [HALF]})
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


def test_ghost_text_is_used_up_by_typing_it(vscode: Start) -> None:
    editor = vscode("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.type("(n")
    editor.until_ghost("):")
    editor.press("Tab")
    editor.until_cursor(2, 17)
    assert editor.saved("a.py") == f"{HALF}\n"


def test_escape_refuses_ghost_text(vscode: Start) -> None:
    editor = vscode("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.press("Escape")
    editor.until_no_ghost()
    editor.command("Editahead: Show Status")
    editor.until_note("rejected: 1")
    assert editor.saved("a.py") == "def half\n"


def test_a_word_of_a_replacement_then_the_rest(vscode: Start) -> None:
    editor = vscode("x = 1\nguest = 2\n", {"replace": {"guest": "visitor.name"}})
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


def test_a_place_out_of_sight_is_hinted_at(vscode: Start) -> None:
    lines = [f"x{number} = {number}" for number in range(99)]
    editor = vscode("\n".join([*lines, "guest = 2", ""]), RENAME)
    editor.until_seen("99 lines down")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(100, 1)
    editor.until_seen("visitor")
    editor.press("Tab")
    editor.until_cursor(100, 8)
    assert editor.saved("a.py") == "\n".join([*lines, "visitor = 2", ""])


def test_tab_leads_to_another_file(vscode: Start) -> None:
    editor = vscode({"a.py": "guest = 1\n", "b.py": "x = 1\n"}, RENAME)
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


def test_what_another_extension_complains_of_is_answered(vscode: Start) -> None:
    shop = "def total(prices):\n    return sum(prices)\n\n\nprint(totl([1, 2]))\n"
    editor = vscode(shop)
    editor.until_seen("total")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(5, 7)
    editor.press("Tab")
    editor.until_not_seen("total")
    assert editor.saved("a.py") == shop.replace("totl", "total")


def test_hovering_says_what_and_why(vscode: Start) -> None:
    editor = vscode(f"x = 1\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.go_to(2, 12)
    editor.until_seen("visitor")
    editor.press("Control+k", "Control+i")
    hover = ".monaco-hover:not(.hidden)"
    editor.until_text(hover, "guest -> visitor. Confidence 90 %: the edit repeats your recent changes.")
    editor.until_text(hover, "+ def greet(visitor, bell):")
    assert editor.page.evaluate(f"document.querySelector('{hover}').innerText").count("Accept") == 1
    editor.keep_picture("hover")
    editor.click_text(f"{hover} a", "Accept")
    editor.until_text(".view-line", "def greet(visitor, bell):")


def test_ghost_text_line_by_line(vscode: Start) -> None:
    editor = vscode("\n", {"complete": [HALF]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("(n):")
    editor.press("Control+Alt+ArrowRight")
    editor.until_cursor(2, 1)
    editor.until_ghost("return n / 2")
    editor.press("Control+Alt+ArrowRight")
    editor.until_cursor(2, 17)
    assert editor.saved("a.py") == f"{HALF}\n"


def test_a_line_of_a_replacement_then_the_rest(vscode: Start) -> None:
    editor = vscode("x = 1\nguest\n", {"replace": {"guest": "visitor()\nhost()"}})
    editor.until_seen("visitor()")
    editor.press("End")
    editor.until_seen("Tab")
    editor.press("Tab")
    editor.until_cursor(2, 1)
    editor.until_seen("visitor()")
    editor.press("Control+Alt+ArrowRight")
    editor.until_cursor(2, 10)
    assert editor.saved("a.py") == "x = 1\nvisitor()\n"
    editor.until_ghost("host()")
    editor.press("Tab")
    editor.until_cursor(3, 7)
    assert editor.saved("a.py") == "x = 1\nvisitor()\nhost()\n"


def test_another_in_its_place(vscode: Start) -> None:
    editor = vscode(f"x = 1\n{NAMES}", RENAME)
    editor.until_seen("visitor")
    editor.press("Alt+]", "Alt+]")
    editor.until_seen("3/4")
    editor.press("Alt+[")
    editor.until_seen("2/4")
    editor.press("End")
    editor.until_seen("Tab  2/4")
    editor.press("Tab")
    editor.until_cursor(3, 15)
    editor.press("Tab")
    editor.until_text(".view-line", "bell.ring(visitor)")
    assert editor.saved("a.py") == f"x = 1\n{NAMES.replace('ring(guest)', 'ring(visitor)')}"


def test_another_ghost_text_in_its_place(vscode: Start) -> None:
    third = HALF.replace("2", "3")
    editor = vscode("\n", {"complete": [HALF, third]})
    editor.until_ready()
    editor.type("def half")
    editor.until_ghost("n / 2")
    editor.press("Alt+]")
    editor.until_ghost("n / 3")
    editor.press("Tab")
    editor.until_cursor(2, 17)
    assert editor.saved("a.py") == f"{third}\n"


def test_undone_in_one_step(vscode: Start) -> None:
    editor = vscode(STAY)
    editor.until_ready()
    editor.go_to(4, 14)
    editor.press("Control+Shift+ArrowRight")
    editor.type("leaves")
    editor.until_seen("leaves")
    editor.press("Tab")
    editor.until_cursor(7, 22)
    editor.until_seen("leaves")
    editor.press("Tab")
    editor.until_cursor(7, 28)
    editor.press("Control+z")
    editor.until_text(".view-line", "return (self.ends - self.begins).days")
    assert editor.saved("a.py") == STAY.replace("self.ends", "self.leaves", 1)
