"""Commits as moments: every state is reachable, and each remaining hunk is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lab.training.data.replay_moments import moments
from history_typist import PROPERTY

LINES = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "f(a)\n", "g(b)\n", "\n", "é = 3\r\n"]), max_size=10)


def record(before: str, after: str) -> dict[str, str]:
    return {"id": "1", "path": "a.py", "language": "python", "before": before, "after": after}


@PROPERTY
@given(LINES, LINES, st.booleans())
def test_after_all_hunks_the_text_is_the_commit_s(
    before: list[str], after: list[str], shuffled: bool
) -> None:
    old, new = "".join(before), "".join(after)
    made = list(moments(record(old, new), shuffled=shuffled))
    assert bool(made) == (old != new)
    for number, moment in enumerate(made, 1):
        state = moment.state
        assert 0 <= state.cursor <= state.document.length
        assert len(state.history) == number
        assert [p.open for p in state.history] == [False] * (number - 1) + [True]
        for past in state.history:
            assert state.document.lines[past.line : past.line + len(past.new)] == past.new
        assert len(moment.remaining) == len(made) - number
        lines = list(state.document.lines)
        for hunk in reversed(moment.remaining):
            assert tuple(lines[hunk.start : hunk.end]) == hunk.old
            lines[hunk.start : hunk.end] = hunk.new
        assert "".join(lines) == new


@PROPERTY
@given(LINES, LINES, st.booleans())
def test_each_remaining_hunk_is_right(before: list[str], after: list[str], shuffled: bool) -> None:
    for moment in moments(record("".join(before), "".join(after)), shuffled=shuffled):
        for hunk in moment.remaining:
            assert moment.worth(hunk.start, hunk.end, hunk.new) == 1


@PROPERTY
@given(LINES, LINES, st.integers(0, 10), st.integers(0, 2), st.text("xyz", min_size=1, max_size=3))
def test_what_the_commit_does_not_hold_is_not_right(
    before: list[str], after: list[str], start: int, count: int, name: str
) -> None:
    for moment in moments(record("".join(before), "".join(after))):
        at = min(start, len(moment.state.document.lines) - 1)
        assert not moment.worth(at, min(at + count, len(moment.state.document.lines)), (f"{name}\n",))


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_hunk_at_another_place_is_not_right(shuffled: bool) -> None:
    filler = "".join(f"x{n} = {n}\n" for n in range(100))
    before = f"f(a)\n{filler}f(a)\n{filler}f(a)\n"
    after = f"f(b)\n{filler}f(b)\n{filler}f(c)\n"
    first, *_ = moments(record(before, after), shuffled=shuffled)
    lines = first.state.document.lines
    places = [line for line, text in enumerate(lines) if text == "f(a)\n"]
    rights = {line: first.worth(line, line + 1, ("f(b)\n",)) for line in places}
    assert any(rights.values()) or shuffled
    assert not first.worth(places[-1] - 3, places[-1] - 2, ("f(b)\n",))


def test_the_same_record_is_shuffled_the_same_way() -> None:
    before = "".join(f"f{n}(a)\n\n" for n in range(9))
    commit = record(before, before.replace("a", "b"))
    one, two = ([m.state.history[-1].line for m in moments(commit, shuffled=True)] for _ in range(2))
    assert one == two
    assert one != sorted(one)


def test_line_by_line_a_block_is_made_as_a_person_makes_it() -> None:
    commit = record("a = f(x)\nb = f(x)\nc = f(x)\nend\n", "a = f(y)\nb = f(y)\nc = f(y)\nend\n")
    first, second, third = moments(commit, by_line=True)
    assert [hunk.start for hunk in first.remaining] == [1, 2]
    assert first.worth(1, 3, ("b = f(y)\n", "c = f(y)\n")) == 1
    assert first.worth(1, 2, ("b = f(y)\n",)) == 1
    (grown,) = second.state.history  # neighbouring lines grow into one edit
    assert grown.old == ("a = f(x)\n", "b = f(x)\n")
    assert not third.remaining
