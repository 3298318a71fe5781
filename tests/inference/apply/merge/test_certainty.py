"""The certainty of the likeliest reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.merge.certainty import certainty, comparison
from editahead_inference.apply.merge.merge import has_all_code
from editahead_prompts.sketches.sketch import Code, Elision, Snippet
from merged_sketch import merged
from sketch_fixture import AMBIGUOUS, TEXT

ROWS = st.dictionaries(
    st.sampled_from(["alignment", "best alignment", "gone", "torn runs", "path: insert.weight", "unknown"]),
    st.floats(-20, 20),
    max_size=6,
)
SHARES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5)


@given(st.data(), SHARES)
def test_it_is_a_probability_whatever_the_evidence(data: st.DataObject, shares: list[float]) -> None:
    likelihoods = sorted((share / len(shares) for share in shares), reverse=True)
    rows = [data.draw(ROWS) for _ in likelihoods]
    assert 0 <= certainty(rows, likelihoods) <= 1


def test_the_next_reading_is_compared() -> None:
    found = dict(comparison([{"gone": 2.0}, {"gone": 0.5, "changes": 1.0}], [0.8, 0.1]))
    assert found["gone"] == 2.0
    assert found["above the next: gone"] == 1.5
    assert found["above the next: changes"] == -1.0
    assert found["readings"] == 2
    assert found["log odds"] > 1


def test_a_single_reading_leads_by_the_limit() -> None:
    found = dict(comparison([{"gone": 2.0}], [1.0]))
    assert found["lead"] == 20.0
    assert found["above the next: gone"] == 0.0
    assert found["likelihood of the next"] == 0.0


def test_an_unlikely_reading_is_never_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    merge = "editahead_inference.apply.merge.merge"
    monkeypatch.setattr(f"{merge}.certainty", lambda rows, likelihoods: 1.0)
    assert merged(AMBIGUOUS, TEXT).refusal is None
    monkeypatch.setattr(f"{merge}.likelihoods", lambda rows: [0.001 for _ in rows])
    assert merged(AMBIGUOUS, TEXT).refusal is not None


@pytest.mark.parametrize(
    ("text", "has_all"),
    [
        ("one()\nother()\ntwo()  # why\n", True),
        ("\tone()\n\n\ttwo()  # why\n", True),
        ("one()\n# changed\ntwo()  # why\n", True),
        ("one()\ntwo(2)  # why\n", False),
        ("two()  # why\n", False),
    ],
)
def test_code_that_the_sketch_shows_is_in_the_text(text: str, has_all: bool) -> None:
    shown = (Code(("one()\n", "# said\n"), 0), Elision("# ...", 2), Code(("\n", "two()  # why\n"), 3))
    assert has_all_code(Snippet(shown), text) == has_all


def test_code_that_the_sketch_shows_twice_is_there_twice() -> None:
    snippet = Snippet((Code(("one()\n", "one()\n"), 0),))
    assert not has_all_code(snippet, "one()\n") and has_all_code(snippet, "one()\ntwo()\none()\n")
