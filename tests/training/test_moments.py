"""Commits as moments in memory: every state is reachable, every remaining hunk is right, and little else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate
from editahead_prompts.edits import Edit, Replacement
from editahead_training.moments import PARTLY, Order, TrainingMoment, moments, moments_across
from typist import PROPERTY

LINES = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "f(a)\n", "g(b)\n", "\n", "é = 3\r\n"]), max_size=10)
ORDERS: tuple[Order, ...] = ("file order", "shuffled", "by line", "typing")
AFTER_HUNKS = st.sampled_from(ORDERS[:3])
A = "file:///a.py"


def record(before: str, after: str, path: str = "a.py") -> dict[str, str]:
    return {"id": "1", "path": path, "language": "python", "before": before, "after": after}


def worth(moment: TrainingMoment, *replacements: tuple[int, int, str], uri: str = A) -> float:
    edit = Edit(tuple(Replacement(*replacement) for replacement in replacements))
    place = edit.replacements[0].start if edit else 0
    return moment.worth(Candidate(uri, edit, place, place, "propagation", "", ""))


def offset(moment: TrainingMoment, line: int, uri: str = A) -> int:
    """Of a line as the evaluation splits them."""
    return sum(len(text) + 1 for text in moment.wanted[uri].lines[:line])


@PROPERTY
@given(LINES, LINES, AFTER_HUNKS)
def test_after_all_hunks_the_text_is_the_commit_s(before: list[str], after: list[str], order: Order) -> None:
    old, new = "".join(before), "".join(after)
    made = list(moments(record(old, new), order))
    assert bool(made) == (old != new)
    for moment in made:
        state, wanted = moment.state, moment.wanted[A]
        assert 0 <= state.cursor <= state.document.length
        assert "\n".join(wanted.lines) == state.document.text
        for past in state.history:
            assert state.document.lines[past.line : past.line + len(past.new)] == past.new
        lines = list(wanted.lines)
        for hunk in reversed(wanted.remaining):
            assert tuple(lines[hunk.start : hunk.end]) == hunk.old
            lines[hunk.start : hunk.end] = hunk.new
        assert "\n".join(lines) == new
    assert [moment.is_opportunity for moment in made] == [True] * (len(made) - 1) + [False] * bool(made)


@PROPERTY
@given(LINES, LINES)
def test_inside_of_a_hunk_the_rest_of_it_remains(before: list[str], after: list[str]) -> None:
    new = "".join(after)
    for moment in moments(record("".join(before), new), "typing"):
        lines = list(moment.wanted[A].lines)
        assert "\n".join(lines) == moment.state.document.text
        for hunk in reversed(moment.wanted[A].remaining):
            assert tuple(lines[hunk.start : hunk.end]) == hunk.old
            lines[hunk.start : hunk.end] = hunk.new
        assert "\n".join(lines) == new
        cursor = moment.state.cursor
        assert worth(moment, (cursor, cursor, moment.rest)) == 1
        assert worth(moment, (cursor, cursor, moment.rest[:1])) == 1


@PROPERTY
@given(LINES, LINES, st.sampled_from(ORDERS))
def test_each_remaining_hunk_is_right(before: list[str], after: list[str], order: Order) -> None:
    for moment in moments(record("".join(before), "".join(after)), order):
        lines = moment.wanted[A].lines
        for hunk in moment.wanted[A].remaining:
            if hunk.end < len(lines):
                start, end = offset(moment, hunk.start), offset(moment, hunk.end)
                assert worth(moment, (start, end, "".join(line + "\n" for line in hunk.new))) == 1


@PROPERTY
@given(LINES, LINES, st.integers(0, 60), st.text("xyz", min_size=1, max_size=3))
def test_what_the_commit_does_not_hold_is_not_right(
    before: list[str], after: list[str], at: int, name: str
) -> None:
    for moment in moments(record("".join(before), "".join(after))):
        place = min(at, moment.state.document.length)
        assert not worth(moment, (place, place, name))


@pytest.mark.parametrize("order", ["file order", "shuffled"])
def test_a_hunk_at_another_place_is_not_right(order: Order) -> None:
    filler = "".join(f"x{n} = {n}\n" for n in range(100))
    first, *_ = moments(
        record(f"f(a)\n{filler}f(a)\n{filler}f(a)\n", f"f(b)\n{filler}f(b)\n{filler}f(c)\n"), order
    )
    text = first.state.document.text
    places = [at for at in range(len(text)) if text.startswith("f(a)", at)]
    rights = [worth(first, (at + 2, at + 3, "b")) for at in places]
    assert any(rights) or order == "shuffled"
    assert not worth(first, (places[-1] - 10, places[-1] - 9, "b"))


def test_a_part_is_worth_a_part() -> None:
    commit = record("f(a)\n\nkeep\n\ng(a, a)\n", "f(b)\n\nkeep\n\ng(b, b)\nh(b)\n")
    first, *_ = moments(commit)
    at = first.state.document.text.index("g(a")
    assert worth(first, (at + 2, at + 3, "b")) == PARTLY
    assert worth(first, (at + 2, at + 3, "c")) == 0


def test_a_place_without_an_edit_is_worth_something_where_something_changes() -> None:
    first, *_ = moments(record("f(a)\n\nkeep\n\ng(a)\n", "f(b)\n\nkeep\n\ng(b)\n"))
    for line, right in ((2, 0), (4, 1)):
        place = first.state.document.starts[line]
        assert first.worth(Candidate(A, Edit(), place, place, "propagation", "", "")) == right


def test_the_same_record_is_shuffled_the_same_way() -> None:
    before = "".join(f"f{n}(a)\n\n" for n in range(9))
    commit = record(before, before.replace("a", "b"))
    one, two = ([m.state.history[-1].line for m in moments(commit, "shuffled")] for _ in range(2))
    assert one == two
    assert one != sorted(one)


def test_line_by_line_a_block_is_made_as_a_person_makes_it() -> None:
    commit = record("a = f(x)\nb = f(x)\nc = f(x)\nend\n", "a = f(y)\nb = f(y)\nc = f(y)\nend\n")
    first, second, third = moments(commit, "by line")
    assert [hunk.start for hunk in first.wanted[A].remaining] == [1, 2]
    assert worth(first, (15, 16, "y"), (24, 25, "y")) == worth(first, (15, 16, "y")) == 1
    (grown,) = second.state.history  # neighbouring lines grow into one edit
    assert grown.old == ("a = f(x)\n", "b = f(x)\n")
    assert not third.is_opportunity


def test_two_files_of_a_commit() -> None:
    one = record("f(a)\n\ng(a)\n", "f(b)\n\ng(b)\n")
    two = record("from a import f\n\nf(a)\n", "from a import f\n\nf(b)\n", "b.py")
    done, last = moments_across(one, two)
    assert (done.state.document.uri, last.state.document.uri) == (A, "file:///b.py")
    assert done.is_opportunity and not last.is_opportunity
    at = done.state.others[0].text.index("(a)") + 1
    assert worth(done, (at, at + 1, "b"), uri="file:///b.py") == 1
    assert worth(done, (0, 1, "x")) == 0
    assert [edit.uri for edit in last.state.history] == [A, A, "file:///b.py"]
