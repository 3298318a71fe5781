"""The evidence about readings, and their likelihoods."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.alignment.align import align
from editahead_inference.apply.merge.evidence import Provenance, ReadingEvidence, likelihoods, softmax
from editahead_inference.apply.merge.reading_features import NAMES, ReadingFeatures
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

FILE = "def load(path):\n    check(path)\n    data = read(path)\n    return data\n"
SKETCH = "# ... existing code ...\n    check(path)\n    log(path)\n    data = read(path)\n# ... existing code ...\n"
AS_IT_IS = Provenance(ways=("lines",))


def sketch_and_target() -> tuple[Snippet, Target]:
    original = Snapshot.from_text(FILE, uri="file:///a.py", language="python")
    content = parse_sketch(SKETCH, language="python").files[0].content
    assert isinstance(content, Snippet)
    return content, Target(original, SyntaxTrees(), 0, 4, lambda: None)


def splice(start: int, end: int, *lines: str) -> tuple[Splice, ...]:
    return (Splice(start, end, lines, 1, 4),)


def test_features_of_an_addition_between_two_shown_lines() -> None:
    features = ReadingFeatures(*sketch_and_target()).count(splice(2, 2, "    log(path)"))
    assert tuple(features) == NAMES
    assert {name: count for name, count in features.items() if count} == {"changes": 1, "firm sides": 1}


@pytest.mark.parametrize(
    "other",
    [
        splice(2, 3, "    log(path)"),
        splice(0, 2, "    log(path)"),
        splice(3, 3, "    log(path)"),
        splice(2, 2, "    check(path)", "    log(path)"),
    ],
    ids=["replaces the next line", "removes a declaration", "at another place", "repeats a line"],
)
def test_a_reading_that_shows_the_lines_as_they_are_is_likelier(other: tuple[Splice, ...]) -> None:
    snippet, target = sketch_and_target()
    evidence = ReadingEvidence(snippet, target, align(snippet, target, 8))
    right, wrong = likelihoods(
        evidence.rows(each, AS_IT_IS) for each in (splice(2, 2, "    log(path)"), other)
    )
    assert right > wrong


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6))
def test_likelihoods_leave_room_for_none(scores: list[float]) -> None:
    found = softmax(scores, -0.85)
    assert all(0 <= each <= 1 for each in found)
    assert sum(found) <= 1 + 1e-9
    order = sorted(range(len(scores)), key=scores.__getitem__)
    assert [found[number] for number in order] == sorted(found)
    assert softmax([-0.85], -0.85) == [0.5]
