"""Commit messages of what a change did throughout."""

from __future__ import annotations

import pytest

from editahead_inference.finish.commit_message import MAX_ITEMS, WIDTH, CommitMessage, compose_commit_message
from editahead_inference.finish.report import ChangedFile
from editahead_lab.training.data.replay_moments import ROOT
from finish_samples import changed, snapshot

PRICES = "def price(item):\n    return item.net\n"
BILLS = "from prices import price\n\nprint(price(1))\n"
RENAMED = [
    changed("prices.py", PRICES, PRICES.replace("price", "cost")),
    changed("bills.py", BILLS, BILLS.replace("import price", "import cost").replace("(price", "(cost")),
]


def compose(*change: ChangedFile) -> CommitMessage:
    message = compose_commit_message(change, lambda uri: uri.removeprefix(f"{ROOT}/"))
    assert message is not None
    return message


def test_a_rename_is_the_whole_message() -> None:
    assert compose(*RENAMED).text == "Rename price to cost in 2 files"


def test_a_new_file_and_what_has_no_name_are_in_the_body() -> None:
    new = ChangedFile(None, snapshot("taxes.py", "RATE = 0.2\n"))
    message = compose(*RENAMED, new, changed("notes.txt", "one two three\n", "four\n"))
    assert message.text.splitlines() == [
        "Rename price to cost in 2 files",
        "",
        "- Rename price to cost in 2 files",
        "- Add taxes.py",
        "- Other changes in notes.txt",
    ]


def test_a_name_that_is_defined_elsewhere_is_replaced() -> None:
    before = "from os import path, sep\n\nprint(path)\n\nrun(path)\n"
    after = before.replace("(path)", "(sep)")
    assert compose(changed("a.py", before, after)).subject == "Replace path with sep in a.py"


def test_an_argument_that_calls_got() -> None:
    before = "ask(1)\n\nrest\n\nask(2)\n"
    after = "ask(1, wait=True)\n\nrest\n\nask(2, wait=True)\n"
    assert compose(changed("a.py", before, after)).subject == "Add wait=True to ask() in a.py"


def test_a_deleted_definition() -> None:
    before = "def old():\n    pass\n\n\nclass Kept:\n    pass\n"
    assert compose(changed("a.py", before, "class Kept:\n    pass\n")).text == "Remove old in a.py"


def test_a_version() -> None:
    before, after = 'version = "1.2.0"\n', 'version = "1.3.0"\n'
    assert compose(changed("a.toml", before, after)).text == "Replace 1.2.0 with 1.3.0 in a.toml"


def test_moved_added_and_deleted_files() -> None:
    moved = ChangedFile(snapshot("a/store.py", "x = 1\n"), snapshot("b/store.py", "x = 1\n"))
    gone = ChangedFile(snapshot("old.py", "def f():\n    pass\n"), None)
    new = [ChangedFile(None, snapshot(f"new{number}.py", "")) for number in range(2)]
    assert compose(moved).text == "Move a/store.py to b/store.py"
    assert compose(gone).text == "Delete old.py"
    assert compose(*new).text == "Add 2 files: new0.py, new1.py"
    assert compose(moved, gone, *new).body == (
        "- Move a/store.py to b/store.py",
        "- Add 2 files: new0.py, new1.py",
        "- Delete old.py",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("limit = 100\n", "limit = 200\n"),
        ("import json\n\nread(json)\n", "import yaml\n\nload(yaml, 1)\n"),
        ("def f():\n    one = g()\n    return one\n", "def f():\n    return g()\n"),
    ],
)
def test_what_has_no_name_has_no_message(before: str, after: str) -> None:
    assert compose_commit_message([changed("a.py", before, after)], lambda uri: uri) is None


def test_no_line_is_too_long_and_no_list() -> None:
    names = [f"a_name_that_is_long_{'x' * 3 * number}{number}" for number in range(14)]
    before = "".join(f"def {name}():\n    pass\n\n\n" for name in names)
    after = "".join(f"def {name}_and_longer():\n    pass\n\n\n" for name in names)
    message = compose(changed("a.py", before, after))
    assert len(message.subject) <= WIDTH
    assert all(len(line) <= WIDTH or " " not in line.strip("- ") for line in message.body)
    assert message.body[-1] == f"- {len(names) - MAX_ITEMS} more of this kind"
    assert sum(line.startswith("- ") for line in message.body) == MAX_ITEMS + 1
