"""The placement of hunks: position, indentation, and ambiguities."""

from __future__ import annotations

import pytest

from editahead_inference.apply.placement import equal_runs, placement
from editahead_inference.apply.placement.line_matching import line_weight
from merged_sketch import merged

SPACES = """\
import os
import sys


def names():
    return sorted(os.environ)


if names():
    sys.exit()
"""


def test_a_mark_among_added_lines_is_not_lost() -> None:
    diff = """\
--- a/a.py
+++ b/a.py
@@ -5,2 +5,4 @@
 def names():
+    first = 1
+    # ... existing code ...
+    last = 2
     return sorted(os.environ)
"""
    made = merged(diff, SPACES, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "unparsed"
    assert "    # ... existing code ...\n" in made.guess


def test_lines_that_end_blank_before_a_blank_line_are_a_doubt() -> None:
    come = "import sys\nimport re\n\n"
    made = merged("@@ -2,2 +2,4 @@\n import sys\n+import re\n+\n", SPACES, "python")
    assert made.guess == SPACES.replace("import sys\n", come)
    assert made.refusal is not None
    assert made.refusal.reason == "ambiguous"


EQUAL = "    a = 1"


def diff_at(line: int | None, *, context: int = 2, new: str = "new = 1") -> str:
    """Return a hunk that adds a line among equal lines."""
    numbers = "" if line is None else f" -{line},{2 * context} +{line},{2 * context + 1} "
    shown = f" {EQUAL}\n" * context
    return f"@@{numbers}@@\n{shown}+{new}\n{shown}"


@pytest.mark.slow
def test_one_of_many_equal_lines_is_not_meant_for_sure() -> None:
    """The same holds for numbers of hunks or places whose placements are not all compared."""
    for count in (6, 20, 100):
        for hunks in (1, 2, 9):
            for first in (None, 1, 7, 400):
                if 4 * hunks == count:
                    continue
                lines = [None if first is None else first + 3 * n for n in range(hunks)]
                diff = "--- a/a.py\n+++ b/a.py\n" + "".join(map(diff_at, lines))
                made = merged(diff, f"{EQUAL}\n" * count, "python")
                assert made.refusal is not None, (count, hunks, first)


@pytest.mark.slow
def test_equal_lines_are_found_without_comparing_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest number of hunks and of equal lines: no hunk is compared line by line."""
    steps = 0

    def counted(key: str) -> float:
        nonlocal steps
        steps += 1
        return line_weight(key)

    def counted_run(first: int, last: int, start: int, end: int, weight: float) -> equal_runs.Run:
        nonlocal steps
        steps += 1
        return run(first, last, start, end, weight)

    run = equal_runs.Run
    monkeypatch.setattr(equal_runs, "Run", counted_run)
    for module in (equal_runs, placement):
        monkeypatch.setattr(module, "line_weight", counted)
    diff = "--- a/a.py\n+++ b/a.py\n" + "".join(diff_at(10 * n) for n in range(1, 100))
    made = merged(diff, f"{EQUAL}\n" * 20_000 + "b = 1\n", "python")
    assert made.refusal is not None and made.refusal.reason == "ambiguous"
    assert steps < 50_000
