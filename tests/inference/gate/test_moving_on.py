"""What goes on with an edit is less likely once the person typed another one, unless the edits go downwards."""

from __future__ import annotations

from typing import Literal

import pytest

from editahead_inference.candidates import CLOSED, Candidate
from editahead_inference.gate.gate import Gate, Weights
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///a.py"
WEIGHTS = Weights({"features": [], "bias": 0.0, "trees": []})


def confidence(
    kind: str,
    age: int,
    *origins: Literal["typed", "accepted"],
    stated: float | None = None,
    in_order: bool = True,
    **more: float,
) -> float:
    snapshot = Snapshot.from_text("x = 1\n", uri=URI, language="python")
    history = tuple(PastEdit(URI, 0, ("x = 1\n",), ("x = 2\n",), origin=origin) for origin in origins)
    features = {f"kind:{kind}": 1.0, "age": float(age), "support": 2.0, **more}
    candidate = Candidate(URI, Edit.replace(0, 1, "y"), 0, 1, "propagation", kind, kind, features, stated)
    state = EditorState(snapshot, 0, history)
    return Gate(WEIGHTS).confidence_if_open(state, candidate, in_order=in_order)


@pytest.mark.parametrize(
    ("kind", "age", "origins", "fades"),
    [
        ("rename", 0, ("typed", "typed"), False),
        ("rename", 1, ("typed", "typed"), True),
        ("rename", 1, ("typed", "accepted"), False),
        ("rename", 2, ("typed", "typed", "accepted"), True),
        ("span0", 1, ("typed", "typed"), True),
        ("line", 1, ("typed", "typed"), False),
        ("block", 1, ("typed", "typed"), False),
    ],
)
def test_a_likeness(
    kind: str, age: int, origins: tuple[Literal["typed", "accepted"], ...], fades: bool
) -> None:
    found = confidence(kind, age, *origins)
    assert (found < 0.3) if fades else (found == pytest.approx(0.5))


@pytest.mark.parametrize(
    ("direction", "up", "fades"), [(1.0, 0.0, False), (1.0, 1.0, True), (0.5, 0.0, True), (-1.0, 0.0, True)]
)
def test_who_works_downwards_has_not_moved_on(direction: float, up: float, fades: bool) -> None:
    found = confidence("rename", 1, "typed", "typed", direction=direction, up=up)
    assert (found < 0.3) if fades else (found == pytest.approx(0.5))


def test_an_unused_import() -> None:
    assert confidence("import-unused", 0, "typed", stated=0.4) == pytest.approx(0.4)
    assert confidence("import-unused", 1, "typed", "typed", stated=0.4) < 0.2


def test_closed_files_have_terms_of_their_own() -> None:
    assert confidence("rename", 1, "typed", "typed", **{CLOSED: 1.0}) == pytest.approx(0.5)


def test_the_edits_of_a_whole_change_have_no_order() -> None:
    assert confidence("rename", 1, "typed", "typed", in_order=False) == pytest.approx(0.5)
