"""Benchmark of `editahead.apply` in a file of a thousand lines: the whole way through the server, and its parts."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.review.review import FileEdit, review
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from figures import ROUNDS, p50_p99, python_text, show, timed
from server_harness import ScriptedPipeline, ServerHarness

pytestmark = pytest.mark.benchmark

LINES = 1_000
URI = "untitled:service.py"


def sketches(text: str) -> list[str]:
    """Return a sketch of each of the file's methods in turn, as a model would write it."""
    heads = [line for line in text.splitlines() if line.startswith("    def method_")]
    out = []
    for head in heads:
        start = text.index(head + "\n")
        body = text[start : text.find("\n\n", start)].replace("if item.owner ==", "if item.holder ==")
        marker = "    # ... existing code ..."
        out.append(f"```python\n{marker}\n\n{body}\n\n{marker}\n```\n")
    return out


def test_apply_through_the_server() -> None:
    text = python_text(LINES)
    rounds = sketches(text)[: max(ROUNDS // 4, 5)]
    took, refused = asyncio.run(_through_the_server(text, rounds))
    show(
        f"editahead.apply in {LINES} lines of Python, ms",
        ["", "p50", "p99", "number"],
        [["through the server, dry run", *p50_p99(took), f"{len(took)}"], *_parts(text, rounds)],
    )
    assert len(took) > refused


async def _through_the_server(text: str, rounds: list[str]) -> tuple[list[float], int]:
    harness = ServerHarness(ScriptedPipeline({}))
    await harness.initialize()
    harness.open(URI, text)
    took, refused = [], 0
    for sketch in rounds:
        argument: dict[str, Any] = {"uri": URI, "sketch": sketch, "dryRun": True}
        started = time.perf_counter()
        reply = await harness.reply(
            harness.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})
        )
        took.append((time.perf_counter() - started) * 1000)
        refused += "error" in reply
    harness.finish()
    return took, refused


SIZES = (2_500, 10_000)
"""Lines of a file, for the ratio of the CPU times."""

MAX_RATIO = 10
"""Four times the lines take four times as long; a square would be 16."""


@pytest.mark.parametrize("kind", ["one", "many", "very many", "twins", "like lines", "equal blocks"])
def test_time_grows_like_the_file(kind: str) -> None:
    took = [min(_cpu_seconds(kind, size) for _ in range(3)) for size in SIZES]
    show(
        f"merging and reviewing a sketch of {kind}, CPU ms",
        ["lines", "ms"],
        [[f"{size:,}", f"{1000 * seconds:.0f}"] for size, seconds in zip(SIZES, took, strict=True)],
    )
    assert took[1] <= MAX_RATIO * took[0]


def _cpu_seconds(kind: str, lines: int) -> float:
    """Return the CPU time of a sketch of this kind, merged and reviewed, in a file with this many lines."""
    text, shown = _EXAMPLES[kind](lines)
    mark = "# ... existing code ...\n"
    sketch = mark + mark.join(shown) + mark
    known = parse_sketch(sketch, language="python")
    original = Snapshot.from_text(text, uri=URI, language="python")
    started = time.process_time()
    merged = merge(known, known.files[0], original)
    review([FileEdit(original, merged.edit)])
    return time.process_time() - started


def _function(number: int, more: int = 0) -> str:
    end = f"{number} + {more}" if more else f"{number}"
    return f"def f{number}(x):\n    y = x + {number}\n    if y > {number}:\n        return y\n    return {end}\n\n\n"


def _like(number: int, mode: str = "") -> str:
    return f"def f{number}(x):\n    y = load(x{mode})\n    return y\n\n\n"


def _functions(lines: int, changed: int) -> tuple[str, list[str]]:
    """Return a file of functions that differ in most lines, and the new version of some."""
    count = lines // 7
    return "".join(map(_function, range(count))), [
        _function(number, 1) for number in range(0, count - 1, count // changed)
    ]


def _twins(lines: int) -> tuple[str, list[str]]:
    """Return a file that has one function many times, and a new version of it."""
    return _function(0) * (lines // 7), [_function(0, 1)]


def _like_lines(lines: int) -> tuple[str, list[str]]:
    """Return a file of functions that differ only in their first lines, and the new version of 40."""
    count = lines // 5
    return "".join(map(_like, range(count))), [
        _like(number, ", 2") for number in range(0, count, count // 40)
    ]


def _equal_blocks(lines: int) -> tuple[str, list[str]]:
    """Return a function that has one block many times between other lines, and a change of two lines and such a block."""
    block = "    if ready:\n        step()\n    log()\n"
    values = [f"    v{n} = {n}\n    w{n} = v{n}\n    u{n} = w{n}\n" for n in range(lines // 3)]
    body = "".join(block if number % 16 == 0 else value for number, value in enumerate(values))
    changed = values[lines // 6 + 1].splitlines(keepends=True)[:2]
    return "def a():\n" + body, [
        "".join(changed).replace("= v", "= 2 * v"),
        block.replace("step()", "step(1)"),
    ]


_EXAMPLES = {
    "one": partial(_functions, changed=2),
    "many": partial(_functions, changed=40),
    "very many": partial(_functions, changed=300),
    "twins": _twins,
    "like lines": _like_lines,
    "equal blocks": _equal_blocks,
}
"""By kind: the text of a file with a number of lines, and the changed parts that a sketch shows between marks."""


def _parts(text: str, rounds: list[str]) -> list[list[str]]:
    original, trees = Snapshot.from_text(text, uri=URI, language="python"), SyntaxTrees()
    read, merged, reviewed = [], [], []
    for sketch in rounds:
        read.append(timed(partial(parse_sketch, sketch, language="python")))
        known = parse_sketch(sketch, language="python")
        work = partial(merge, known, known.files[0], original, syntax=trees)
        merged.append(timed(work))
        change = FileEdit(original, work().edit)
        reviewed.append(timed(partial(review, [change], (), trees)))
    return [
        [name, *p50_p99(values), f"{len(values)}"]
        for name, values in (("reading the sketch", read), ("merging", merged), ("reviewing", reviewed))
    ]
