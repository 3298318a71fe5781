"""Benchmark of the CPU time of Apply: ordinary sketches by the size of the file, and sketches that would take long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from figures import ROUNDS, p50_p99, python_text, show

pytestmark = pytest.mark.benchmark

MARK = "# ... existing code ..."
MEGABYTE = 1_000_000


class OneFile:
    """A workspace with one file, whatever the sketch calls it."""

    def __init__(self, text: str, language: str) -> None:
        self.file = Snapshot.from_text(text, uri=f"file:///a.{language}", language=language)

    def resolve(self, path: str | None) -> Snapshot | None:
        return self.file

    def create(self, path: str) -> Snapshot:
        raise AssertionError(path)


def _apply(sketch: str, files: OneFile, trees: SyntaxTrees) -> tuple[float, str]:
    """Return the CPU milliseconds from a sketch to a reviewed plan, and the outcome."""
    started = time.process_time()
    try:
        parsed = parse_sketch(sketch, language=files.file.language, path="a")
        plan_changes(parsed, files, merge, syntax=trees)
        outcome = "applied"
    except ApplyRefusedError as error:
        outcome = error.refusal.reason
    except SketchError:
        outcome = "no sketch"
    return (time.process_time() - started) * 1000, outcome


def _ordinary(text: str) -> list[str]:
    """Return sketches of single methods: changed, and with a line added at the end."""
    out = []
    for part in text.split("    def ")[1:]:
        body = "    def " + part.partition("\n\n")[0]
        if "item.owner ==" in body:
            changed = body.replace("item.owner ==", "item.holder ==")
            added = body.replace("        return", "        count = max(count, 1)\n        return")
            out += [f"```python\n    {MARK}\n\n{body}\n\n    {MARK}\n```\n" for body in (changed, added)]
    return out


@pytest.mark.parametrize("lines", [1_000, 5_000, 20_000])
def test_ordinary_sketches(lines: int) -> None:
    text = python_text(lines)
    files, trees = OneFile(text, "python"), SyntaxTrees(reproducible=True)
    sketches = _ordinary(text)
    rounds = max(ROUNDS // 8, 3)
    results = [
        _apply(sketch, files, trees) for sketch in sketches[:: max(1, len(sketches) // rounds)][:rounds]
    ]
    applied = sum(outcome == "applied" for _, outcome in results)
    row = [f"{lines:,} lines", *p50_p99([took for took, _ in results]), f"{applied} of {len(results)}"]
    show("sketches of one method, CPU ms", ["", "p50", "p99", "applied"], [row])
    assert applied


@pytest.mark.parametrize("lines", [1_000, 5_000, 20_000])
def test_sketches_with_choices(lines: int) -> None:
    text = python_text(lines)
    files, trees = OneFile(text, "python"), SyntaxTrees(reproducible=True)
    sketch = f"    {MARK}\n\n    def newest(self):\n        return self.all()[-1]\n\n    {MARK}\n"
    results = [_apply(sketch, files, trees) for _ in range(max(ROUNDS // 8, 3))]
    row = [f"{lines:,} lines", *p50_p99([took for took, _ in results])]
    show("a new method between marks: all its places, CPU ms", ["", "p50", "p99"], [row])
    assert all(outcome != "applied" for _, outcome in results)


def _like_functions(lines: int, changed: int) -> tuple[str, str]:
    """Return a file of functions that differ only in their names, and a sketch of some of these."""

    def function(number: int, more: str = "") -> str:
        return f"def f{number}(x):\n    y = load(x{more})\n    return y\n\n\n"

    count = lines // 5
    shown = [function(number, ", 2") for number in range(0, count, count // changed)]
    return "".join(map(function, range(count))), f"{MARK}\n" + f"{MARK}\n".join(shown) + f"{MARK}\n"


def test_forty_functions() -> None:
    text, sketch = _like_functions(5_000, 40)
    took, outcome = _apply(sketch, OneFile(text, "python"), SyntaxTrees(reproducible=True))
    show("40 functions of a file of 5,000 lines, CPU ms", ["", "ms"], [[outcome, f"{took:.0f}"]])
    assert outcome == "applied"


def _repeated(part: str) -> str:
    return part * (MEGABYTE // len(part))


def _of_files(count: int) -> str:
    """Return a sketch of many files with marks."""
    size = MEGABYTE // count // 60
    code = "".join(
        f"    value_{n} = compute_something(value_{n - 1}, {n})  # step {n}\n" for n in range(size)
    )
    parts = (
        f"src/m{n}.py\n```python\n{MARK}\ndef f{n}(x):\n{code}    return x\n{MARK}\n```\n"
        for n in range(count)
    )
    return "\n".join(parts)


def _random_bytes() -> str:
    return random.Random(1).randbytes(MEGABYTE).decode("latin-1")


def _random_words() -> str:
    rng = random.Random(2)
    words = [f"w{number}" for number in range(2_000)]
    line = "x = {}({}, {})\n"
    return "".join(line.format(*rng.choices(words, k=3)) for _ in range(MEGABYTE // 18))


LARGE: dict[str, Callable[[], str]] = {
    "190 files with marks": lambda: _of_files(190),
    "deep braces": lambda: "{" * (MEGABYTE // 2) + "}" * (MEGABYTE // 2),
    "deep braces, a line each": lambda: "{\n" * (MEGABYTE // 4) + "}\n" * (MEGABYTE // 4),
    "one long line of JavaScript": lambda: _repeated("var a=f(1,2);if(a){b.c(a)}"),
    "random bytes": _random_bytes,
    "random lines": _random_words,
    "marks": lambda: _repeated(f"{MARK}\ndef g(y):\n"),
    "hunks": lambda: "--- a\n+++ a\n" + _repeated("@@ -1 +1 @@\n-    return x\n+    return y\n"),
    "search and replace": lambda: _repeated(
        "<<<<<<< SEARCH\n    return x\n=======\n    return y\n>>>>>>> REPLACE\n"
    ),
    "fences": lambda: _repeated("```py\nx = 1\n```\n"),
    "the file": lambda: python_text(23_000)[:MEGABYTE],
    "blank lines": lambda: "\n" * MEGABYTE,
    "spaces": lambda: " " * MEGABYTE,
    "brackets of JSON": lambda: "[" * MEGABYTE,
    "quotes": lambda: "\"'" * (MEGABYTE // 2),
    "backslashes": lambda: "\\" * MEGABYTE,
}
"""Sketches of one megabyte."""

LANGUAGES = {
    "deep braces": "javascript",
    "one long line of JavaScript": "javascript",
    "brackets of JSON": "json",
}


def _rows(names: Sequence[str]) -> list[list[str]]:
    rows = []
    for name in names:
        files = OneFile(python_text(1_000), LANGUAGES.get(name, "python"))
        took, outcome = _apply(LARGE[name](), files, SyntaxTrees(reproducible=True))
        rows.append([name, f"{took:.0f}", outcome])
    return rows


def test_sketches_of_a_megabyte() -> None:
    rows = _rows(list(LARGE))
    show("sketches of one megabyte, CPU ms", ["", "ms", "outcome"], rows)
    assert len(rows) == len(LARGE)


LARGE_FILES: dict[str, Callable[[], str]] = {
    "one long line of JavaScript": lambda: _repeated("var a=f(1,2);if(a){b.c(a)}"),
    "deep braces, a line each": LARGE["deep braces, a line each"],
    "random bytes": lambda: _random_bytes()[: MEGABYTE - 100],
    "random lines": _random_words,
}
"""Files of nearly one megabyte."""


def test_files_of_a_megabyte() -> None:
    rows = []
    for name, make in LARGE_FILES.items():
        files = OneFile(f"var z = 1;\n{make()}"[: MEGABYTE - 50], "javascript")
        sketch = "// ... existing code ...\nvar z = 2;\n// ... existing code ...\n"
        took, outcome = _apply(sketch, files, SyntaxTrees(reproducible=True))
        rows.append([name, f"{took:.0f}", outcome])
    show("a small sketch for a file of one megabyte, CPU ms", ["", "ms", "outcome"], rows)
    assert len(rows) == len(LARGE_FILES)


class ManyFiles:
    """A workspace that has every file that a sketch names."""

    def __init__(self, rows: int) -> None:
        self._rows, self._files = rows, dict[str, Snapshot]()

    def resolve(self, path: str | None) -> Snapshot | None:
        number = (path or "m0.py").rpartition("/m")[2].removesuffix(".py")
        text = f"import os\n\n\n{_long_function(number, self._rows)}\n\ndef other():\n    return 1\n"
        return self._files.setdefault(
            number, Snapshot.from_text(text, uri=f"file:///m{number}.py", language="python")
        )

    def create(self, path: str) -> Snapshot:
        raise AssertionError(path)


def _long_function(name: object, rows: int) -> str:
    code = "".join(
        f"    value_{n} = compute_something(value_{n - 1}, {n})  # step {n}\n" for n in range(rows)
    )
    return f"def f{name}(x):\n{code}    return x\n"


def test_many_files() -> None:
    rows, count = 80, 90
    shown = (_long_function(n, rows).replace("step 7\n", "step seven\n") for n in range(count))
    sketch = "\n".join(f"src/m{n}.py\n```python\n{MARK}\n{code}{MARK}\n```\n" for n, code in enumerate(shown))
    started = time.process_time()
    changes = plan_changes(parse_sketch(sketch), ManyFiles(rows), merge)
    took = (time.process_time() - started) * 1000
    show(
        f"{count} files with marks, a sketch of {len(sketch):,} characters, CPU ms",
        ["", "ms"],
        [[f"{len(changes)} changed", f"{took:.0f}"]],
    )
    assert len(changes) == count
