"""Editable regions: their lines, and their division into blocks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.formats.next_edit.zeta21 import MAX_BLOCK, MIN_BLOCK, NUDGE, boundaries
from editahead_prompts.formats.windows import (
    PinnedWindow,
    grow_region,
    lines_around,
    pin_window,
    zed_tokens,
    zed_windows,
)
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY, Typist

FUNCTIONS = "".join(
    f"def f{n}(x):\n" + "".join(f"    value_{m} = x + {m}\n" for m in range(12)) + "\n\n" for n in range(8)
)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(0, 60), st.data())
@PROPERTY
def test_a_region_grows_as_far_as_it_may(costs: list[int], limit: int, data: st.DataObject) -> None:
    line = data.draw(st.integers(0, len(costs) - 1))
    region = grow_region(costs, EditableRegion(line, line + 1), limit)
    used = sum(costs[region.first : region.end])
    assert region.first <= line < region.end
    assert used <= max(limit, costs[line])
    for next_one in (region.first - 1, region.end):
        assert not 0 <= next_one < len(costs) or used + costs[next_one] > limit


@given(
    st.integers(0, len(FUNCTIONS)), st.sampled_from(["python", "plaintext"]), st.sampled_from([20, 100, 350])
)
@PROPERTY
def test_zeds_region_is_within_its_limit_and_holds_the_cursor(at: int, language: str, limit: int) -> None:
    document = Snapshot.from_text(FUNCTIONS, language=language)
    region, context = zed_windows(document, at, limit, 150)
    costs = [zed_tokens(line) for line in document.lines]
    assert region.first <= document.line_at(at) < region.end <= len(document.lines)
    assert sum(costs[region.first : region.end]) <= limit
    assert context.first <= region.first and region.end <= context.end
    assert sum(costs[context.first : context.end]) <= sum(costs[region.first : region.end]) + 150


def test_zeds_region_takes_whole_functions() -> None:
    at = FUNCTIONS.index("value_9", FUNCTIONS.index("def f3"))
    for language, whole in (("python", True), ("plaintext", False)):
        document = Snapshot.from_text(FUNCTIONS, language=language)
        region, _ = zed_windows(document, at, 90, 0)
        assert ("def f3(x):\n" in document.lines[region.first : region.end]) is whole


def test_the_line_behind_the_last_line_end() -> None:
    document = Snapshot.from_text("a\nb\n")
    assert lines_around(document, 0, 9, 9) == EditableRegion(0, 2)
    assert lines_around(document, 4, 9, 9) == EditableRegion(0, 3)
    assert lines_around(Snapshot.from_text(""), 0, 9, 9) == EditableRegion(0, 1)


@given(st.lists(st.sampled_from(["", "x = 1", "}", "    return", "def f():"]), max_size=90))
@PROPERTY
def test_blocks(bodies: list[str]) -> None:
    marks = boundaries(bodies)
    assert marks[0] == 0 and marks[-1] == len(bodies)
    inner = list(pairwise(marks[:-1]))
    assert all(MIN_BLOCK <= b - a <= MAX_BLOCK + NUDGE for a, b in inner)
    assert len(marks) == 2 or marks[-1] - marks[-2] >= MIN_BLOCK
    assert len(marks) == 2 or marks[-1] - marks[-2] <= MAX_BLOCK + MIN_BLOCK + NUDGE


def test_a_block_begins_at_a_paragraph_and_not_with_a_bracket() -> None:
    body = ["x"] * 6
    assert boundaries([*body, "", "}", "def f():", *body]) == (0, 8, 15)
    assert boundaries([*body, "", "def f():", *body]) == (0, 7, 14)
    assert boundaries(["x"] * 40) == (0, 16, 32, 40)
    assert boundaries([]) == (0, 0)


BODY = "".join(f"line {n}\n" for n in range(60))


def typed(lines: int, rest: str = "") -> EditorState:
    """Return a state with a number of new lines, and the beginning of another, typed behind line 20."""
    typist = Typist(BODY)
    text = "".join(f"    new {n}\n" for n in range(lines)) + rest
    at = BODY.index("line 21")
    for k in range(0, len(text), 3):
        typist.make(Edit.replace(at + k, at + k, text[k : k + 3]))
    return EditorState(typist.snapshot, at + len(text), typist.past)


def test_windows_stand_still_while_an_edit_grows() -> None:
    pins = [pin_window(typed(n, rest)) for n in range(1, 20) for rest in ("x", "xyz = 1", "xyz = call(1)")]
    assert len({pin.document.text for pin in pins}) == 3  # at 0, 8 and 16 lines
    for pin in pins:
        region = pin.now(lines_around(pin.document, pin.cursor, 10, 10))
        assert (region.end - region.first) == 21 + pin.added
        assert pin.added < 8


def test_a_pinned_region_holds_the_cursor_and_the_same_lines_around() -> None:
    for lines in range(1, 20):
        state = typed(lines, "x")
        pin = pin_window(state)
        region = pin.now(lines_around(pin.document, pin.cursor, 3, 3))
        shown = state.document.lines[region.first : region.end]
        assert region.first <= state.document.line_at(state.cursor) < region.end
        assert shown[-2:] == ("line 23\n", "line 24\n")


def test_nothing_is_pinned_where_no_edit_grows() -> None:
    state = typed(9, "x")
    elsewhere = EditorState(state.document, 0, state.history)
    assert pin_window(elsewhere) == PinnedWindow(state.document, 0)
    closed = tuple(replace(edit, open=False) for edit in state.history)
    assert pin_window(EditorState(state.document, state.cursor, closed)) == PinnedWindow(
        state.document, state.cursor
    )
