"""A second like edit by hand is evidence: the gate rates the next place higher than after one, without any history."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.gate.gate import Gate
from editahead_inference.gate.session_features import session_features
from editahead_prompts.state import EditorState, Origin, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

DOCUMENT = Snapshot.from_text("a = 1\nb = 1\nc = 1\n", uri="file:///a.py", language="python")
SERIES = {"streak": 2.0, "support": 2.0, "teachers": 2.0}


def state(*origins: Origin) -> EditorState:
    edits = (PastEdit(DOCUMENT.uri, n, ("x = 0\n",), ("x = 1\n",), origin=o) for n, o in enumerate(origins))
    return EditorState(DOCUMENT, 0, tuple(edits))


def candidate(kind: str, features: Mapping[str, float]) -> Candidate:
    made = {f"kind:{kind}": 1.0, **features}
    return Candidate(DOCUMENT.uri, Edit.replace(16, 17, "2"), 16, 17, "propagation", "c = 2", "rule", made)


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        ("insert-below-hole", "insert"),
        ("delete", "delete"),
        ("rename-bound", "rename"),
        ("block-loose", "block"),
        ("line", "line"),
        ("hole0", "hole"),
    ],
)
def test_a_series_by_hand_raises_the_probability(kind: str, family: str) -> None:
    made = candidate(kind, SERIES)
    assert session_features(state("typed", "typed"), made) == {f"again:{family}": 1.0}
    gate = Gate()
    assert gate.confidence(state("typed", "typed"), made) > gate.confidence(state("typed", "accepted"), made)


def test_lines_that_moved_twice_seldom_move_a_third_time() -> None:
    made = candidate("move", SERIES)
    gate = Gate()
    assert gate.confidence(state("typed", "typed"), made) < gate.confidence(state("accepted", "typed"), made)


@pytest.mark.parametrize(
    ("origins", "features"),
    [
        (("typed", "typed"), {"streak": 1.0, "support": 2.0}),
        (("typed", "typed"), {"streak": 2.0, "support": 1.0}),
        (("typed", "typed"), SERIES | {"age": 1.0}),  # the last edit was another one
        (("typed", "accepted"), SERIES),  # what was accepted is no evidence of its own
        (("typed", "typed"), {}),
    ],
)
def test_what_is_no_series_by_hand(origins: tuple[Origin, ...], features: dict[str, float]) -> None:
    assert session_features(state(*origins), candidate("insert-below-hole", features)) == {}


def test_a_kind_without_a_family_has_none() -> None:
    assert session_features(state("typed", "typed"), candidate("span0", SERIES)) == {}
