"""The alignment of a sketch with its file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.alignment.align import Alignment, align
from editahead_inference.apply.alignment.weights import fitted_weights
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Code, Elision, Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

FILE = """\
import os


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def load(self):
        for name in os.listdir(self.path):
            self.items[name] = read(name)
        return self.items

    def save(self):
        write(self.path, self.items)
"""


class Cancelled(Exception):
    """What a cancelled request raises."""


def target_of(text: str) -> Target:
    original = Snapshot.from_text(text, uri="file:///store.py", language="python")
    return Target(original, SyntaxTrees(), 0, len(original.lines), lambda: None)


def snippet_of(sketch: str) -> Snippet:
    """Return a sketch in which lines that begin with `...` are markers."""
    parts: list[Code | Elision] = []
    for at, line in enumerate(sketch.splitlines()):
        if line.strip().startswith("..."):
            parts.append(Elision(line, at))
        elif parts and isinstance(parts[-1], Code):
            parts[-1] = Code((*parts[-1].lines, line), parts[-1].at)
        else:
            parts.append(Code((line,), at))
    return Snippet(tuple(parts))


def texts(sketch: str, file: str = FILE, limit: int = 4) -> list[str]:
    """Return the texts that the best alignments make."""
    target = target_of(file)
    found = align(snippet_of(sketch), target, limit)
    return ["\n".join(target.lines_after(each.splices)) + "\n" for each in found]


@pytest.mark.parametrize(
    ("sketch", "old", "new"),
    [
        pytest.param(
            "...\n    def load(self):\n        for name in sorted(os.listdir(self.path)):\n...\n",
            "in os.listdir(self.path):",
            "in sorted(os.listdir(self.path)):",
            id="a changed line",
        ),
        pytest.param(
            "...\n        self.path = path\n        self.count = 0\n        self.items = {}\n...\n",
            "        self.items = {}\n",
            "        self.count = 0\n        self.items = {}\n",
            id="an added line",
        ),
        pytest.param(
            "...\n    def save(self):\n        self.check()\n        write(self.path, self.items)\n",
            "    def save(self):\n",
            "    def save(self):\n        self.check()\n",
            id="the end of the file",
        ),
        pytest.param(
            "def save(self):\n    write(self.path, self.items, sync=True)\n",
            "self.items)\n",
            "self.items, sync=True)\n",
            id="less indentation",
        ),
        pytest.param(
            "class Store:\n    ...\n    def save(self):\n        ...\n        log(self.path)\n",
            "        write(self.path, self.items)\n",
            "        write(self.path, self.items)\n        log(self.path)\n",
            id="a marker in a function",
        ),
    ],
)
def test_the_best_alignment_is_meant(sketch: str, old: str, new: str) -> None:
    assert texts(sketch)[0] == FILE.replace(old, new)


def test_the_others_are_other_texts_and_less_likely() -> None:
    target = target_of(FILE)
    found = align(snippet_of("...\n        self.path = path\n        self.count = 0\n...\n"), target, 4)
    after = ["\n".join(target.lines_after(each.splices)) for each in found]
    assert len(set(after)) == len(after) > 1
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert any("self.items = {}" not in text for text in after), "the new line may be a version of the next"


def test_code_with_no_line_of_the_file_is_not_anchored() -> None:
    target = target_of(FILE)
    assert not any(found.is_anchored for found in align(snippet_of("total = 1\n"), target, 4))
    assert align(snippet_of("...\n    def save(self):\n        pass\n"), target, 4)[0].is_anchored


def test_a_sketch_without_code_has_no_alignment() -> None:
    assert texts("...\n") == texts("\n\n") == []


def test_an_empty_file_gets_all_lines() -> None:
    assert texts("a = 1\nb = 2\n", "") == ["a = 1\nb = 2\n"]


def test_a_long_alignment_can_be_cancelled() -> None:
    def cancel() -> None:
        raise Cancelled

    target = target_of(FILE)
    target.check = cancel
    with pytest.raises(Cancelled):
        align(snippet_of("...\n    def save(self):\n...\n"), target, 4)


@pytest.mark.parametrize(
    ("sketch", "file"),
    [
        pytest.param("a = 1\n" * 251, "a = 1\n", id="lines of the sketch"),
        pytest.param("...\na = 1\n" * 300, "a = 1\n" * 1000, id="lines that markers hide"),
    ],
)
def test_what_is_too_large_is_not_aligned(sketch: str, file: str) -> None:
    assert texts(sketch, file) == []


LINES = st.lists(
    st.sampled_from(["def f():", "    a = 1", "    b = a", "    return b", "}", "", "class C:", "    c()"]),
    max_size=12,
)


@given(
    LINES,
    st.lists(st.sampled_from(["...", "    ...", "    a = 1", "    b = 2", "def f():", "}", ""]), max_size=8),
)
def test_laws_of_all_alignments(file: list[str], sketch: list[str]) -> None:
    target = target_of("".join(f"{line}\n" for line in file))
    snippet = snippet_of("\n".join(sketch))
    shown = [line.split() for part in snippet.parts if isinstance(part, Code) for line in part.lines]
    shown = [line for line in shown if line]
    for found in align(snippet, target, 6):
        _check_splices(found, target)
        assert found.score == pytest.approx(fitted_weights().score(found.features), abs=1e-6)
        after = iter([line.split() for line in target.lines_after(found.splices)])
        assert all(any(line == other for other in after) for line in shown), (
            "each line is in the text, in order"
        )


def _check_splices(found: Alignment, target: Target) -> None:
    at = 0
    for splice in found.splices:
        assert at <= splice.start <= splice.end <= len(target.lines)
        assert splice.is_change
        at = splice.end


@pytest.mark.parametrize(
    ("file", "sketch", "wanted"),
    [
        pytest.param(
            "class A:\n\tdef f(self):\n\t\tb = a\n\t\treturn b\n",
            "class A:\n    def f(self):\n        with lock:\n            b = a\n            return b\n",
            "class A:\n\tdef f(self):\n\t\twith lock:\n\t\t\tb = a\n\t\t\treturn b\n",
            id="spaces for tabs, and lines that go deeper",
        ),
        pytest.param(
            FILE,
            "def save(self, path):\n    write(path, self.items)\n",
            FILE.replace("save(self)", "save(self, path)").replace("write(self.path,", "write(path,"),
            id="a method without the indentation of its class",
        ),
        pytest.param(
            FILE,
            "class Store:\n  ...\n\n  def clear(self):\n    self.items = {}\n",
            f"{FILE}\n    def clear(self):\n        self.items = {{}}\n",
            id="a new method in another unit",
        ),
    ],
)
def test_lines_have_the_indentation_of_the_file(file: str, sketch: str, wanted: str) -> None:
    assert texts(sketch, file)[0] == wanted


def test_declarations_that_a_sketch_without_markers_does_not_show_stay() -> None:
    sketch = (
        "class Store:\n    def __init__(self, path):\n        self.path = path\n        self.items = {}\n\n"
    )
    sketch += "    def save(self):\n        write(self.path, list(self.items))\n"
    wanted = FILE.replace("self.path, self.items", "self.path, list(self.items)")
    assert wanted in texts(sketch)
