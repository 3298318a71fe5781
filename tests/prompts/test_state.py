"""The equality of states for predictors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_prompts.state import Diagnostic, EditorState, PastEdit, RuleOutcomes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///a.py"
DOCUMENT = Snapshot.from_text("one\ntwo\nthree\n", uri=URI, language="python", version=3)
PAST = PastEdit(URI, 1, ("2\n",), ("two\n",), at=5.0, open=True)
STATE = EditorState(DOCUMENT, cursor=9, history=(PAST,))


def test_versions_and_times_make_no_difference() -> None:
    other = replace(
        STATE, document=replace(DOCUMENT, version=9), history=(replace(PAST, at=77.0),), rejected={URI: ()}
    )
    assert other.cache_key == STATE.cache_key
    assert hash(other.cache_key) == hash(STATE.cache_key)


@pytest.mark.parametrize(
    "other",
    [
        replace(STATE, document=Snapshot.from_text("one\ntwo\nThree\n", uri=URI, language="python")),
        replace(STATE, document=replace(DOCUMENT, uri="file:///b.py")),
        replace(STATE, document=replace(DOCUMENT, language="go")),
        replace(STATE, history=(replace(PAST, origin="accepted"),)),
        replace(STATE, history=(replace(PAST, old=("II\n",)),)),
        replace(STATE, history=()),
        replace(STATE, other_documents=(Snapshot.from_text("x", uri="file:///b.py"),)),
        replace(STATE, undone=(PAST,)),
        replace(STATE, rejected={URI: (Edit.replace(0, 1, "x"),)}),
        replace(STATE, outcomes={"rule": RuleOutcomes(1, 0)}),
        replace(STATE, diagnostics=(Diagnostic(0, 3, "undefined"),)),
    ],
)
def test_everything_else_does(other: EditorState) -> None:
    assert other.cache_key != STATE.cache_key


@pytest.mark.parametrize(
    ("cursors", "same"),
    [
        ((8, 13), True),  # on one line
        ((0, 3), True),
        ((0, 8), False),  # on two
        ((4, 5), False),  # where typing may go on, every place counts
        ((7, 8), False),
    ],
)
def test_of_the_cursor_only_its_context_counts(cursors: tuple[int, int], same: bool) -> None:
    one, other = (replace(STATE, cursor=cursor).cache_key for cursor in cursors)
    assert (one == other) is same


def test_in_another_document_no_edit_is_open() -> None:
    state = EditorState(DOCUMENT, 4, (replace(PAST, uri="file:///b.py"),))
    assert state.cache_key == replace(state, cursor=5).cache_key


def test_lone_surrogates_have_a_fingerprint() -> None:
    assert Snapshot.from_text("\ud800").fingerprint != Snapshot.from_text("?").fingerprint
