"""States as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.edits import Edit, Replacement
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import Diagnostic, PastEdit, RuleOutcomes, State, Taste
from editahead_prompts.stored import NotAState, as_json, state_of
from typist import PROPERTY

TEXTS = st.text(st.characters() | st.sampled_from("\n\r\ud800é"), max_size=20)
NUMBERS = st.integers(0, 99)
FLOATS = st.floats(allow_nan=False)
URIS = st.sampled_from(["file:///a.py", "untitled:1"])
DOCUMENTS = st.builds(Snapshot.of, TEXTS, uri=URIS, language=st.just("go"), version=NUMBERS)
LINES = st.lists(TEXTS, max_size=3).map(tuple)
PAST = st.builds(
    PastEdit,
    *(URIS, NUMBERS, LINES, LINES, FLOATS),
    origin=st.sampled_from(["typed", "accepted"]),
    open=st.booleans(),
)
EDITS = st.lists(st.builds(Replacement, NUMBERS, NUMBERS, TEXTS), max_size=2).map(lambda r: Edit(tuple(r)))
STATES = st.builds(
    State,
    DOCUMENTS,
    NUMBERS,
    history=st.lists(PAST, max_size=3).map(tuple),
    others=st.lists(DOCUMENTS, max_size=2).map(tuple),
    refused=st.dictionaries(URIS, st.lists(EDITS, max_size=2).map(tuple)),
    undone=st.lists(PAST, max_size=2).map(tuple),
    outcomes=st.dictionaries(TEXTS, st.builds(RuleOutcomes, NUMBERS, NUMBERS)),
    taste=st.none()
    | st.builds(
        Taste,
        st.dictionaries(st.sampled_from("abc"), FLOATS).map(lambda d: tuple(sorted(d.items()))),
        FLOATS,
        FLOATS,
    ),
    diagnostics=st.lists(st.builds(Diagnostic, NUMBERS, NUMBERS, TEXTS, TEXTS), max_size=2).map(tuple),
)


@given(STATES)
@PROPERTY
def test_a_state_comes_back_from_json(state: State) -> None:
    back = state_of(json.loads(json.dumps(as_json(state))))
    assert back == state
    assert back.key == state.key


def test_nothing_of_a_state_is_forgotten() -> None:
    """A field that is added to `State` needs its place in the stored form."""
    stored = as_json(State(Snapshot.of(""), 0))
    assert set(stored) - {"stateVersion"} == {field.name for field in fields(State)}


@pytest.mark.parametrize(
    "value", [None, [], {}, {"stateVersion": 1}, {"stateVersion": 2}, {"stateVersion": 1, "document": 3}]
)
def test_what_is_no_state(value: Any) -> None:
    with pytest.raises(NotAState):
        state_of(value)
