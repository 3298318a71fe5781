"""A merge that is never certain, and whose readings a test plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from editahead_inference.apply.planner import MergeFunction
from editahead_inference.apply.results import MergeResult, Reading, Refusal
from editahead_prompts.sketches.sketch import FileSketch, Sketch
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

PlannedReading: TypeAlias = tuple[str, str, str, float]
"""A title; the text that the reading replaces, where it occurs first; the new text; the likelihood."""

TEXT = "def load(a):\n    return a\n\n\ndef save(a):\n    return a\n"
SKETCH = "def load(a):\n    return a + 1\n"
READINGS = (
    ("replace `load()`", "    return a\n", "    return a + 1\n", 0.6),
    ("add after `load()`", "def save", "def more():\n    pass\n\n\ndef save", 0.3),
)
FIRST = TEXT.replace("return a\n", "return a + 1\n", 1)
SECOND = TEXT.replace("def save", "def more():\n    pass\n\n\ndef save")
"""The text after each of the readings."""

DETAIL = "These lines fit several places."


def merge_with_readings(planned: Sequence[PlannedReading]) -> MergeFunction:
    """Return a merge with those of the readings whose text occurs in the file."""

    def merge(sketch: Sketch, part: FileSketch, original: Snapshot, **more: Any) -> MergeResult:
        readings = tuple(
            Reading(title, Edit.replace(start, start + len(old), new), likelihood)
            for title, old, new, likelihood in planned
            if (start := original.text.find(old)) >= 0
        )
        refusal = Refusal("ambiguous", DETAIL)
        return MergeResult(original, original.text, Edit(), refusal, readings=readings)

    return merge
