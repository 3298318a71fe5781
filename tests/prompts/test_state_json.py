"""States as JSON."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given

from editahead_prompts.errors import InvalidStateError
from editahead_prompts.state import (
    Diagnostic,
    EditorState,
    MovedFile,
    PastEdit,
    RuleOutcomes,
    UserPreferences,
)
from editahead_prompts.state_json import state_from_json, state_to_json
from editahead_prompts.symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from state_strategies import STATES


@pytest.mark.slow
@given(STATES)
@PROPERTY
def test_a_state_comes_back_from_json(state: EditorState) -> None:
    back = state_from_json(json.loads(json.dumps(state_to_json(state))))
    assert back == state
    assert back.cache_key == state.cache_key


def test_nothing_of_a_state_is_forgotten() -> None:
    """Require a key in the stored form for every field of `EditorState`."""
    keys = {
        "other_documents": "others",
        "rejected": "refused",
        "closed_documents": "closed",
        "import_sources": "importSources",
        "index_version": "indexVersion",
        "moved_files": "moved",
        "related_code": "related",
    }
    stored = state_to_json(EditorState(Snapshot.from_text(""), 0))
    expected = {keys.get(field.name, field.name) for field in fields(EditorState)}
    assert set(stored) - {"stateVersion"} == expected


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of a value inside a JSON value."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*path, key))


FULL = state_to_json(
    EditorState(
        document=Snapshot.from_text("a\n", language="go"),
        cursor=1,
        history=(PastEdit("untitled:1", 0, ("b\n",), ("a\n",), 1.5),),
        other_documents=(Snapshot.from_text("c", uri="untitled:2"),),
        rejected={"untitled:1": (Edit.replace(0, 1, "d"),)},
        undone=(PastEdit("untitled:1", 0, ("b\n",), ("a\n",)),),
        outcomes={"rename": RuleOutcomes(1, 2)},
        taste=UserPreferences((("bias", 0.5),), 0.5, 1.0),
        diagnostics=(Diagnostic(0, 1, "no such name", "F821"),),
        proposed=(Edit.replace(0, 1, "e"),),
        closed_documents=(Snapshot.from_text("f", uri="untitled:3"),),
        import_sources=(Snapshot.from_text("g", uri="untitled:4"),),
        index_version=2,
        moved_files=(MovedFile("untitled:5", "untitled:6"),),
        evidence=(
            SymbolEvidence(
                *("h", "untitled:1", 0, 1),
                places=(NamedPlace("untitled:2", 0, "h: ", ","),),
                closed_places=(ClosedPlace("untitled:3", 0, 1, "h: ", ","),),
            ),
        ),
    )
)


@pytest.mark.parametrize("path", list(places(FULL)), ids=lambda path: "/".join(map(str, path)))
def test_a_wrong_type_anywhere_is_said(path: tuple[Any, ...]) -> None:
    *above, last = path
    for wrong in ([5], {"a": [5]}, "text", True, 3.5):
        value = inside = copy.deepcopy(FULL)
        for key in above:
            inside = inside[key]
        if type(inside[last]) in (type(wrong), float) and type(wrong) in (str, float, bool):
            continue
        inside[last] = wrong
        with pytest.raises(InvalidStateError, match=r"stored state|version"):
            state_from_json(value)


@pytest.mark.parametrize(
    "value", [None, [], {}, {"stateVersion": 1}, {"stateVersion": 2}, {"stateVersion": 1, "document": 3}]
)
def test_what_is_no_state(value: Any) -> None:
    with pytest.raises(InvalidStateError):
        state_from_json(value)
