"""Properties of the edit history for any typing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.text.edits import Edit, invert
from history_typist import PROPERTY, Typist, hunks_of

pytestmark = pytest.mark.slow


ENDS = st.sampled_from(["\n", "\r\n"])
BODIES = st.sampled_from(["", "a", "b(x)", "  c = 1", "d\x0c", "}", "  c = 2"])
SNIPPETS = st.sampled_from(["x", "y(z)", "\n", "\r\n", "a\nb", " ", "\x0c", "}\n"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    end = draw(ENDS)
    return end.join(draw(st.lists(BODIES, max_size=12)))


@st.composite
def keystrokes(draw: st.DrawFn, length: int) -> Edit:
    """Draw an insertion or a deletion in a text of that length."""
    at = draw(st.integers(0, length))
    if draw(st.booleans()):
        return Edit.replace(at, at, draw(SNIPPETS))
    return Edit.replace(at, min(length, at + draw(st.integers(0, 6))), "")


def type_at_random(person: Typist, data: st.DataObject, max_edits: int) -> list[Edit]:
    """Type random keys, and return the edits that take them back, in the order of typing."""
    back = []
    for _ in range(data.draw(st.integers(0, max_edits))):
        edit = data.draw(keystrokes(len(person.text)))
        back.append(invert(edit, person.text))
        assert person.make(edit) == "typed"
    return back


@PROPERTY
@given(documents(), st.data())
def test_lines_are_valid_and_the_open_edit_is_there(text: str, data: st.DataObject) -> None:
    person = Typist(text)
    type_at_random(person, data, 12)
    lines = person.snapshot.lines
    past = person.past
    assert all(0 <= edit.line < len(lines) for edit in (*past, *person.history.undone))
    assert all(edit.old != edit.new for edit in past)
    for edit in past:
        assert not (edit.old and edit.new and edit.old[0] == edit.new[0])
        assert not (edit.old and edit.new and edit.old[-1] == edit.new[-1])
    if past:
        last = past[-1]
        assert lines[last.line : last.line + len(last.new)] == last.new
        assert [edit.open for edit in past] == [False] * (len(past) - 1) + [True]


@PROPERTY
@given(documents(), st.data())
def test_taking_everything_back_leaves_nothing(text: str, data: st.DataObject) -> None:
    person = Typist(text)
    for edit in reversed(type_at_random(person, data, 12)):
        person.make(edit)
    assert person.text == text
    assert person.past == ()


@PROPERTY
@given(documents(), st.data())
def test_redoing_what_was_taken_back_brings_the_edits_back(text: str, data: st.DataObject) -> None:
    person = Typist(text)
    back = type_at_random(person, data, 10)
    brief, undone = person.brief(), person.history.undone
    forth = []
    for edit in reversed(back[data.draw(st.integers(0, len(back))) :]):
        forth.append(invert(edit, person.text))
        person.make(edit)
    for edit in reversed(forth):
        person.make(edit)
    assert person.brief() == brief
    assert {u.new for u in person.history.undone} <= {u.new for u in undone} | {new for *_, new in brief}


@PROPERTY
@given(documents(), st.data())
def test_the_newest_edits_rewind_the_text(text: str, data: st.DataObject) -> None:
    """Taking the edits back, newest first, leads to the first text: nothing is missing."""
    person = Typist(text)
    type_at_random(person, data, 6)
    lines = person.snapshot.lines
    moves: list[tuple[int, int]] = []  # where lines were put back, and by how many the text grew
    for edit in reversed(person.past):
        line = edit.line
        for at, growth in moves:
            if line > at:
                line += growth
        found = [k for k in range(len(lines) + 1) if lines[k : k + len(edit.new)] == edit.new]
        assert found, edit
        line = min(found, key=lambda k: abs(k - line))
        lines = (*lines[:line], *edit.old, *lines[line + len(edit.new) :])
        moves.append((line, len(edit.old) - len(edit.new)))
    assert sorted("".join(lines)) == sorted(text)


@PROPERTY
@given(st.data(), ENDS)
def test_hunks_typed_as_in_the_evaluation_are_the_edits(data: st.DataObject, end: str) -> None:
    bodies = st.lists(BODIES.map(lambda body: body + end), max_size=12)
    old, new = data.draw(bodies), data.draw(bodies)
    hunks = hunks_of(old, new)
    person = Typist("".join(old))
    for i1, i2, j1, j2 in hunks:
        person.type_hunk(len("".join(new[:j1])), "".join(old[i1:i2]), "".join(new[j1:j2]))
    assert person.text == "".join(new)
    if all(below[0] - above[1] >= 2 for above, below in pairwise(hunks)):
        assert person.brief() == [(j1, tuple(old[i1:i2]), tuple(new[j1:j2])) for i1, i2, j1, j2 in hunks]


@PROPERTY
@given(st.lists(documents(), min_size=2, max_size=2), st.data())
def test_documents_do_not_disturb_each_other(texts: list[str], data: st.DataObject) -> None:
    together = EditHistory()
    shared = [Typist(text, together, uri=f"file:///{k}") for k, text in enumerate(texts)]
    alone = [Typist(text, uri=f"file:///{k}") for k, text in enumerate(texts)]
    for _ in range(data.draw(st.integers(0, 10))):
        k = data.draw(st.integers(0, 1))
        edit = data.draw(keystrokes(len(shared[k].text)))
        shared[k].make(edit)
        alone[k].make(edit)
    for k, person in enumerate(alone):
        mine = [(p.line, p.old, p.new) for p in together.edits if p.uri == f"file:///{k}"]
        assert mine == person.brief()


@PROPERTY
@given(documents(), st.data())
def test_a_whole_text_replaced_by_a_tool_leaves_valid_lines(text: str, data: st.DataObject) -> None:
    person = Typist(text)
    type_at_random(person, data, 6)
    past = person.past
    person.history.on_open(type(person.snapshot).from_text(data.draw(documents()), uri=person.snapshot.uri))
    lines = person.history.edits
    assert [(p.old, p.new) for p in lines] == [(p.old, p.new) for p in past]
