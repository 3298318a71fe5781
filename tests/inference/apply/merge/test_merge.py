"""The merge of sketches: each form of a sketch, and each refusal."""

from __future__ import annotations

import pytest

from merged_sketch import certain, merged

SERVICE = """\
import os
import sys


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def get(self, key):
        # Look it up in the cache.
        if key in self.items:
            return self.items[key]
        return None

    def put(self, key, value):
        self.items[key] = value
        self.save()

    def save(self):
        with open(self.path, "w") as file:
            file.write(repr(self.items))


def main():
    store = Store(sys.argv[1])
    store.put("home", os.environ["HOME"])
"""


class TestDeclarations:
    def test_decorators_not_shown_are_a_doubt(self) -> None:
        text = "@cache\ndef load():\n    return 1\n\n\ndef use():\n    return load()\n"
        result = merged("def load():\n    return 2\n", text)
        assert result.refusal is not None
        assert result.refusal.reason == "ambiguous"
        assert result.guess == text.replace("return 1", "return 2")


class TestHunks:
    DIFF = """\
--- a/store.py
+++ b/store.py
@@ -{line},3 +{line},4 @@
     def put(self, key, value):
         self.items[key] = value
+        self.count += 1
         self.save()
"""

    @pytest.mark.parametrize("line", [1, 15, 16, 900])
    def test_wrong_numbers_do_not_mislead(self, line: int) -> None:
        assert certain(self.DIFF.format(line=line), SERVICE) == SERVICE.replace(
            "= value\n", "= value\n        self.count += 1\n"
        )

    def test_two_places_and_no_hint(self) -> None:
        text = "a()\nb()\nc()\n\na()\nb()\nc()\n"
        result = merged("@@ -1,3 +1,3 @@\n a()\n-b()\n+d()\n c()\n", text)
        assert result.refusal is not None
        assert result.refusal.reason == "ambiguous"
        assert [(near.start, near.end) for near in result.refusal.near] == [(0, 3), (4, 7)]

    def test_lines_that_the_file_does_not_have(self) -> None:
        block = (
            "<<<<<<< SEARCH\n    def save(self, all):\n        self.write(all)\n=======\n"
            "    pass\n>>>>>>> REPLACE\n"
        )
        result = merged(block, SERVICE)
        assert result.refusal is not None
        assert result.refusal.reason == "unplaced"
        assert any(near.start <= 19 < near.end for near in result.refusal.near)


class TestWholeFiles:
    def test_the_end_of_a_file_that_was_cut_off_stays(self) -> None:
        text = "".join(f"x{number} = {number}\n" for number in range(60))
        sketch = text[: text.index("x50")].replace("x7 = 7", "x7 = 8")
        assert merged(sketch, text).guess == text.replace("x7 = 7", "x7 = 8")


class TestRefusals:
    def test_syntax_would_break(self) -> None:
        result = merged("<<<<<<< SEARCH\ndef main():\n=======\ndef main(:\n>>>>>>> REPLACE\n", SERVICE)
        assert result.refusal is not None
        assert result.refusal.reason == "would-break-syntax"
        assert "def main(:" in result.guess

    def test_too_large(self) -> None:
        result = merged("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "a\n" + "x = 1\n" * 200_000)
        assert result.refusal is not None
        assert result.refusal.reason == "too-large"
        assert not result.edit

    def test_only_the_selection_may_change(self) -> None:
        text = "def one():\n    a()\n    b()\n\n\ndef two():\n    a()\n    b()\n"
        block = "<<<<<<< SEARCH\n    a()\n=======\n    c()\n>>>>>>> REPLACE\n"
        assert merged(block, text).refusal is not None
        second = merged(block, text, span=(text.index("def two"), len(text)))
        assert second.refusal is None
        assert second.guess == text[: text.index("def two")] + "def two():\n    c()\n    b()\n"

    def test_cancelling_goes_through(self) -> None:
        class Cancelled(Exception):
            pass

        def check() -> None:
            raise Cancelled

        with pytest.raises(Cancelled):
            merged("# ...\n    def put(self, key, value):\n        pass\n# ...\n", SERVICE, check=check)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.save()\n", "         self.save()\n"),
        ("    def put(self, key, value):\n", "def put(self, key, value):\n"),
        ("    store = Store(sys.argv[1])\n", "        store = Store(sys.argv[1])\n"),
        ("            file.write(repr(self.items))\n", ""),
    ],
)
def test_indentation_that_python_refuses(old: str, new: str) -> None:
    """The tree-sitter parser accepts the indentation, and the rest of the file is correct."""
    text = "x = 1\n" * 50 + SERVICE + "\ny = 1\n" * 50
    result = merged(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n", text)
    assert result.refusal is not None
    assert result.refusal.reason == "would-break-syntax"


@pytest.mark.parametrize("text", ["", "\n", "  \n", "\r\n\r\n", "\t", "# only a comment\n"])
@pytest.mark.parametrize("indentation", ["", "  ", "    ", "\t"])
@pytest.mark.parametrize(
    "marks", ["{0}\n{1}", "# ...\n{0}\n{1}\n", "# ...\n{0}\n{1}\n# ...\n", "{0}\n# ...\n{1}"]
)
def test_a_file_without_code_is_no_failure(text: str, indentation: str, marks: str) -> None:
    lines = (f"{indentation}def f():", f"{indentation}    return 1")
    result = merged(marks.format(*lines), text)
    assert result.refusal is not None or "return 1" in result.guess
