from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import ReplayMoment, replay
from editahead_evals.metrics.judge import EditJudgement, hunks_made, judge

WORDS = ["", "}", "a = 1", "b = a", "call(b)", "return b"]
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=10)


def moments(before: list[str], after: list[str]) -> list[ReplayMoment]:
    return [step.moment for step in replay("\n".join(before), "\n".join(after))]


def first(before: str, after: str) -> ReplayMoment:
    return next(replay(before, after)).moment


def make(moment: ReplayMoment, indices: set[int]) -> list[str]:
    lines = list(moment.lines)
    for index in sorted(indices, reverse=True):
        hunk = moment.remaining[index]
        lines[hunk.start : hunk.end] = hunk.new
    return lines


@pytest.mark.slow
@given(LINES, LINES, st.data())
def test_any_choice_of_remaining_hunks_is_correct(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    for moment in moments(before, after):
        if moment.remaining:
            indices = st.sets(st.integers(0, len(moment.remaining) - 1), min_size=1)
            shown = make(moment, data.draw(indices))
            judgement = judge(moment, "\n".join(shown))
            assert judgement.correct
            assert judgement.location
            assert judgement.jump
            assert not judgement.reversal


@pytest.mark.slow
@given(LINES, LINES, st.data())
def test_a_choice_and_one_foreign_line_is_not(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    for moment in moments(before, after):
        indices = st.sets(st.integers(0, len(moment.remaining) - 1)) if moment.remaining else st.just(set())
        shown = make(moment, data.draw(indices))
        shown.insert(data.draw(st.integers(0, len(shown))), "nobody wrote this")
        assert not judge(moment, "\n".join(shown)).correct


@pytest.mark.slow
@given(LINES, LINES)
def test_going_back_to_where_the_person_began_is_a_reversal(before: list[str], after: list[str]) -> None:
    for moment in moments(before, after):
        back = "\n".join(before)
        assume(not hunks_made(moment.lines, moment.remaining, tuple(before)))
        assert judge(moment, back).reversal


@pytest.mark.slow
@given(LINES, LINES)
def test_showing_no_change_is_nothing(before: list[str], after: list[str]) -> None:
    for moment in moments(before, after):
        assert judge(moment, moment.text) == EditJudgement(
            correct=False, location=False, jump=False, reversal=False
        )


def test_lines_of_an_even_replacement_may_be_made_one_by_one() -> None:
    moment = first("k\na\nb\nc\nz\n", "K\na\nB\nC\nz\n")
    assert [len(hunk.old) for hunk in moment.remaining] == [2]
    assert judge(moment, "K\na\nB\nc\nz\n").correct
    assert judge(moment, "K\na\nb\nC\nz\n").correct
    assert not judge(moment, "K\na\nB\nx\nz\n").correct
    assert not judge(moment, "K\na\nC\nB\nz\n").correct


def test_lines_of_an_uneven_replacement_may_not() -> None:
    moment = first("k\na\nb\nc\nz\n", "K\na\nB\nC\nD\nz\n")
    assert judge(moment, "K\na\nB\nC\nD\nz\n").correct
    assert not judge(moment, "K\na\nB\nc\nz\n").correct
    assert not judge(moment, "K\na\nB\nC\nz\n").correct


def test_an_insertion_is_whole_and_at_its_place() -> None:
    moment = first("k\na\nb\nc\n", "K\na\nnew 1\nnew 2\nb\nc\n")
    assert judge(moment, "K\na\nnew 1\nnew 2\nb\nc\n").correct
    assert not judge(moment, "K\na\nnew 1\nb\nc\n").correct
    misplaced = judge(moment, "K\na\nb\nnew 1\nnew 2\nc\n")
    assert (misplaced.correct, misplaced.location) == (False, True)
    assert not judge(moment, "K\na\nnew 1\nnew 2\nnew 1\nnew 2\nb\nc\n").correct


def test_the_same_text_is_the_same_edit_wherever_the_block_was_placed() -> None:
    moment = first("k\nj\nx\n}\nend\n", "K\nj\nx\n}\nx\n}\nend\n")
    (hunk,) = moment.remaining
    ways = ["K\nj\n" + "x\n}\n" + "x\n}\nend\n", "K\nj\nx\n" + "}\nx\n" + "}\nend\n"]
    assert hunk.kind == "insert"
    assert all(judge(moment, way).correct for way in ways)


def test_location_needs_every_line_near() -> None:
    before = "k\n" + "".join(f"line {n}\n" for n in range(20))
    moment = first(before, before.replace("k", "K").replace("line 10", "LINE 10"))
    near = moment.text.replace("line 12", "other")
    far = near.replace("line 3\n", "other\n")
    assert judge(moment, near).location
    assert not judge(moment, far).location
    assert not judge(moment, moment.text.replace("line 13", "other")).location
    assert judge(moment, moment.text.replace("line 12", "other").replace("line 19", "other")).jump
    assert not judge(moment, far).jump


def test_the_last_hunk_leaves_nothing_to_get_right() -> None:
    moment = first("a\n", "b\n")
    assert not judge(moment, "c\n").correct
    assert not judge(moment, "c\n").location


@pytest.mark.parametrize(
    ("before", "after", "shown", "undoes"),
    [
        pytest.param("f(a, b)\nx\n", "g(c, b)\nx\n", "f(a, b)\nx\n", True, id="line restored"),
        pytest.param("f(a, b)\nx\n", "g(c, b)\nx\n", "g(a, b)\nx\n", True, id="one word of it restored"),
        pytest.param("f(a, b)\nx\n", "g(c, b)\nx\n", "h(c, b)\nx\n", False, id="changed on"),
        pytest.param(
            "f(a, b)\nx\n", "g(c, b)\nx\n", "g(c, b)\nf(a, b)\n", True, id="removed line comes back below"
        ),
        pytest.param("a\nz\n", "a\nnew\nmore\nz\n", "a\nz\n", True, id="insertion removed"),
        pytest.param("a\nz\n", "a\nnew\nmore\nz\n", "a\nnew\nz\n", True, id="part of an insertion removed"),
        pytest.param(
            "a\nz\n", "a\nnew\nmore\nz\n", "a\nnew\nother\nz\n", False, id="inserted line changed on"
        ),
        pytest.param("a\nold\nz\n", "a\nz\n", "a\nold\nz\n", True, id="deletion restored"),
        pytest.param(
            "a\nold\nz\n", "a\nz\n", "a\nfresh\nz\n", False, id="something else instead of the deleted"
        ),
        pytest.param(
            "a\nold\nz\nq\nq2\n", "a\nz\nq\nq2\n", "a\nz\nq\nold\nq2\n", False, id="moved elsewhere"
        ),
        pytest.param("f(a)\nx\ny\n", "g(a)\nx\ny\n", "f(a)\nx\nY\n", True, id="restored and something else"),
        pytest.param("f(a)\nx\ny\n", "g(a)\nx\ny\n", "g(a)\nX\ny\n", False, id="the neighbour changed"),
    ],
)
def test_reversal(before: str, after: str, shown: str, undoes: bool) -> None:
    assert judge(first(before, after), shown).reversal is undoes
