"""What a surface shows, followed from request to request: suggestions counted once, and flicker."""

from __future__ import annotations

import pytest

from editahead_evals.metrics.key_metrics import surface_result
from editahead_evals.metrics.surface_observer import SurfaceAnswer, SurfaceObserver


class Surface:
    """A document with the cursor at its end, and a surface that answers after each key as the test says."""

    def __init__(self) -> None:
        self.observer, self.text, self.key = SurfaceObserver(), "", 0

    def type(self, text: str, *, shown: str | None = None, id: str = "p-1") -> None:
        """Type all of `text` at the end; after its last key, `shown` is offered there."""
        for character in text:
            self.key += 1
            at = len(self.text)
            self.text += character
            self.observer.on_change("a.py", [(at, at, character)], self.text, 0.0, self.key)
            answer = None
            if shown is not None and len(self.text) == at + 1 and character == text[-1]:
                answer = SurfaceAnswer(id, len(self.text), "", shown)
            self.observer.on_answer("a.py", self.text, answer, self.key, 0.0, 0.5)


def test_a_suggestion_that_is_typed_through_is_one_and_does_not_flicker() -> None:
    surface = Surface()
    surface.type("g", shown="et()")
    surface.type("e", shown="t()")
    surface.type("t", shown="()")
    surface.type("(", shown=")")
    surface.type(")")
    result = surface_result(surface.observer, surface.key, [])
    counts = result.counts
    assert (counts.keys, counts.shown, counts.true, counts.wrong) == (5, 1, 1, 0)
    assert (counts.flickers, counts.saved) == (0, 3)
    assert [(answer.confidence, answer.correct) for answer in result.answers] == [(0.5, True)]


@pytest.mark.parametrize(
    ("typed", "then", "flickers"),
    [
        ("e", "t()", 0),
        ("e", None, 1),  # vanished
        ("e", "ts()", 1),  # changed
        ("x", None, 0),  # the typing disagrees
        ("x", "yz", 0),
    ],
)
def test_flicker(typed: str, then: str | None, flickers: int) -> None:
    surface = Surface()
    surface.type("g", shown="et()")
    surface.type(typed, shown=then, id="p-2")
    assert surface.observer.flickers == flickers
    assert len(surface.observer.shown) == 1 + (then is not None)


def test_what_is_typed_to_its_end_may_go() -> None:
    surface = Surface()
    surface.type("g", shown="e")
    surface.type("e")
    assert surface.observer.flickers == 0


def test_only_typing_inside_of_a_suggestion_agrees_with_it() -> None:
    observer = SurfaceObserver()
    observer.on_answer("a.py", "old\n", SurfaceAnswer("p-1", 0, "old", "new"), 1, 0.0, None)
    observer.on_change("a.py", [(4, 4, "x")], "old\nx", 0.0, 2)
    observer.on_answer("a.py", "old\nx", None, 2, 0.0, None)
    assert observer.flickers == 0
