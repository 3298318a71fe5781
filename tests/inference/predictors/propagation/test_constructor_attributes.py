"""An attribute that a constructor sets is a definition: whatever still reads it by its old name is broken."""

from __future__ import annotations

import pytest

from follow_ups import followed
from state_builder import Person

PYTHON = """\
class Queue:
    def __init__(self, limit):
        self._waiting: list[str] = []
        self._limit = limit

    def add(self, name):
        self._waiting.append(name)

    def clear(self):
        self._waiting = []


class Other:
    def __init__(self):
        self.names = []

    def show(self):
        return self._waiting
"""
TYPESCRIPT = """\
class Queue {
  constructor(limit) {
    this.waiting = [];
    this.limit = limit;
  }

  add(name) {
    this.waiting.push(name);
  }
}
"""


def renamed(text: str, old: str, new: str, language: str = "python") -> str:
    """Replace the first `old`, and make all that follows from the rename."""
    person = Person(text, language=language).replace(old, new)
    return followed(person, "rename-defined", cursor=person.snapshot.length)


def test_all_uses_in_the_class_follow() -> None:
    own, other = PYTHON.split("\n\n\n")
    assert renamed(PYTHON, "_waiting", "_names") == "\n\n\n".join((own.replace("_waiting", "_names"), other))
    assert renamed(TYPESCRIPT, "waiting", "names", "typescript") == TYPESCRIPT.replace("waiting", "names")


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        ("        self._waiting = None\n", "the constructor sets the old name once more"),
        ("        self._names = None\n", "the new name is another attribute"),
        ("\n    def _waiting(self):\n        return 1\n", "a method has the old name"),
        ("\n    def _names(self):\n        return 1\n", "a method has the new name"),
    ],
)
def test_nothing_follows_where_the_attribute_may_be_another_one(kept: str, why: str) -> None:
    text = PYTHON.replace("        self._limit = limit\n", f"        self._limit = limit\n{kept}")
    assert renamed(text, "_waiting: list", "_names: list").count("_names") == 1 + kept.count("_names"), why


@pytest.mark.parametrize(
    "text",
    [
        PYTHON.replace("def __init__", "def reset"),
        PYTHON.replace("self._waiting: list[str] = []", "other._waiting = []"),
        PYTHON.replace("self._waiting: list[str] = []", "def later():\n            self._waiting = []"),
    ],
)
def test_only_a_constructor_defines(text: str) -> None:
    assert renamed(text, "_waiting", "_names").count("_names") == 1
