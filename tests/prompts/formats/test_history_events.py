"""The history in prompts: earlier texts by undoing edits, and hunks that `patch` accepts."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.history_events import (
    HistoryEvent,
    before_and_after,
    history_events,
    to_unified_diff,
)
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from history_typist import PROPERTY, Typist

TEXT = "".join(f"line {n}\n" for n in range(30))


@st.composite
def sessions(draw: st.DrawFn) -> EditorState:
    typist = Typist(TEXT)
    for _ in range(draw(st.integers(1, 6))):
        length = len(typist.text)
        start = draw(st.integers(0, length))
        end = min(start + draw(st.sampled_from([0, 0, 3, 20])), length)
        typist.cursor = start
        typist.make(Edit.replace(start, end, draw(st.sampled_from(["x", "new\n", "", "a\nb\n", "\n"]))))
    return EditorState(typist.snapshot, 0, typist.past)


def after(event: HistoryEvent) -> tuple[str, ...]:
    assert event.before is not None
    end = event.line + len(event.edit.old)
    assert event.before[event.line : end] == event.edit.old
    return (*event.before[: event.line], *event.edit.new, *event.before[end:])


@pytest.mark.slow
@given(sessions())
@PROPERTY
def test_the_events_lead_from_the_first_text_to_the_present_one(state: EditorState) -> None:
    placed = [event for event in history_events(state) if event.before is not None]
    for event, then in pairwise(placed):
        assert after(event) == then.before
    if placed:
        assert after(placed[-1]) == state.document.lines


@pytest.mark.slow
@given(sessions())
@PROPERTY
def test_a_hunk_patches(state: EditorState) -> None:
    for event in history_events(state):
        if event.before is None:
            continue
        header, *body = to_unified_diff(event).removesuffix("\n").split("\n")
        numbers = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", header)
        assert numbers is not None
        at, was, there, now = map(int, numbers.groups())
        old = [line[1:] for line in body if line[0] in " -"]
        new = [line[1:] for line in body if line[0] in " +"]
        assert (len(old), len(new)) == (was, now)
        for lines, first, side in ((event.before, at, old), (after(event), there, new)):
            bodies = [line.rstrip("\n") for line in lines]
            first -= bool(side)
            assert bodies[first : first + len(side)] == side


def test_edits_of_a_session_usually_have_their_place() -> None:
    typist = Typist(TEXT)
    for n in (20, 10, 25, 3):
        typist.replace(f"line {n}\n", f"LINE {n}\nmore\n")
    assert [event.line for event in history_events(EditorState(typist.snapshot, 0, typist.past))] == [
        20,
        10,
        27,
        3,
    ]


def test_an_edit_of_a_closed_document_has_no_lines_around() -> None:
    past = PastEdit("file:///gone.py", 7, ("a\n",), ("b\n",))
    (event,) = history_events(EditorState(Snapshot.from_text("x"), 0, (past,)))
    assert event.before is None
    assert to_unified_diff(event) == "@@ -8,1 +8,1 @@\n-a\n+b\n"
    assert before_and_after(event, 3) == ("a", "b")


def test_an_edit_that_the_document_no_longer_holds() -> None:
    lines = Snapshot.from_text(TEXT)
    stale = PastEdit(lines.uri, 3, ("a\n",), ("not there\n",))
    fresh = PastEdit(lines.uri, 5, (), split_lines("line 5\n")[:1])
    first, second = history_events(EditorState(lines, 0, (stale, fresh)))
    assert first.before is None
    assert second.before == (*lines.lines[:5], *lines.lines[6:])
