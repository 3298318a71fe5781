"""Whether somebody types within a line, told from the last edit and the cursor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EDITAHEAD_CODER
from editahead_prompts.formats.next_edit.typed_middle import types_line_middle
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///p/cart.py"
LINES = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), max_size=12)


def typed(old: str, new: str, **more: bool) -> EditorState:
    """Return the state after an edit of the second of three lines. "|" marks the cursor in the new one."""
    column = new.index("|")
    lines = ("first\n", f"{new.replace('|', '', 1)}\n", "last\n")
    document = Snapshot.from_text("".join(lines), uri=URI, language="python")
    edit = PastEdit(URI, 1, (f"{old}\n",), (lines[1],), **{"open": True, **more})
    return EditorState(document, len(lines[0]) + column, (edit,))


@pytest.mark.parametrize(
    ("old", "new", "is_typing"),
    [
        ("total(items)", "total(pri|, items)", False),  # the comma is behind the cursor
        ("total(items)", "total(price, |items)", True),
        ("total(items)", "total(item|items)", True),
        ("a = old(b)", "a = ne|(b)", True),
        ("a = old(b)", "a = new(b)|", False),  # gone to the end
        ("a = old(b)", "a| = new(b)", False),
        ("a = old(b)", "a = n|ew(b)", False),
        ("x == y", "x =|= y", False),
        ("", "|", False),
    ],
)
def test_the_cursor_is_behind_what_is_typed(old: str, new: str, is_typing: bool) -> None:
    assert types_line_middle(typed(old, new)) == is_typing
    assert not types_line_middle(typed(old, new, open=False))
    assert not types_line_middle(typed(old, new, erases=True))


@given(LINES, LINES.filter(bool), LINES)
def test_what_is_inserted_anywhere_counts(before: str, inserted: str, behind: str) -> None:
    assert types_line_middle(
        typed(before + behind, f"{before}{inserted}\0{behind}".replace("|", "/").replace("\0", "|"))
    )


def test_lines_that_were_added_have_no_middle() -> None:
    state = typed("a", "b|c")
    edit = state.history[0]
    added = PastEdit(URI, 1, (), edit.new, open=True)
    assert not types_line_middle(EditorState(state.document, state.cursor, (added,)))


def test_the_model_goes_on_there() -> None:
    request = EDITAHEAD_CODER.build(typed("total(items)", "total(price, |items)"), ESTIMATE)
    assert request.continues and request.prompt.text.endswith("total(price, ")
