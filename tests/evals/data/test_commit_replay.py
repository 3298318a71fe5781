from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import KEYSTROKE_CHARS, Hunk, Point, diff, replay, utf16_length

LINES = st.lists(st.sampled_from(["", "a", "ab = 1", "é𝒳b", "    return", "}"]), max_size=8)
TEXTS = st.builds("\n".join, LINES)


def point(text: str, offset: int) -> Point:
    lines = text[:offset].split("\n")
    return len(lines) - 1, utf16_length(lines[-1])


@given(TEXTS, TEXTS)
def test_the_typing_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    text = before
    for step in replay(before, after):
        assert step.keystrokes
        for key in step.keystrokes:
            assert (key.first, key.last) == (point(text, key.start), point(text, key.end))
            assert len(key.text) <= KEYSTROKE_CHARS
            text = text[: key.start] + key.text + text[key.end :]
        last = step.keystrokes[-1]
        assert text == step.moment.text
        assert step.moment.cursor == last.start + len(last.text)
        assert step.moment.point == point(text, step.moment.cursor)
    assert text == after


@given(TEXTS, TEXTS)
def test_remaining_and_done_hunks_are_in_the_present_texts_coordinates(before: str, after: str) -> None:
    for step in replay(before, after):
        lines = step.moment.lines
        for hunk in step.moment.remaining:
            assert lines[hunk.start : hunk.end] == hunk.old
        for hunk in step.moment.done:
            assert lines[hunk.start : hunk.end] == hunk.new
        rest = list(lines)
        for hunk in reversed(step.moment.remaining):
            rest[hunk.start : hunk.end] = hunk.new
        assert "\n".join(rest) == after


def test_the_last_moment_is_no_opportunity() -> None:
    moments = [step.moment for step in replay("a\nb\nc\n", "x\nb\ny\n")]
    assert [moment.is_opportunity for moment in moments] == [True, False]
    assert moments[0].remaining == (Hunk(2, 3, ("c",), ("y",)),)


def test_equal_texts_have_no_steps() -> None:
    assert list(replay("a\n", "a\n")) == []


def test_only_what_differs_is_typed_in_pieces() -> None:
    (step,) = replay("total = count(items)\n", "total = quantity(items)\n")
    assert [(key.start, key.end, key.text) for key in step.keystrokes] == [
        (8, 13, ""),
        (8, 8, "quan"),
        (12, 12, "tity"),
    ]
    assert step.moment.point == (0, 16)


def test_inserted_and_deleted_lines_take_their_line_ends_along() -> None:
    (insertion,) = replay("a\nc\n", "a\nb\nc\n")
    assert [(key.start, key.end, key.text) for key in insertion.keystrokes] == [(2, 2, "b\n")]
    (deletion,) = replay("a\nb\nc", "a\nb")
    assert [(key.start, key.end, key.text) for key in deletion.keystrokes] == [(3, 5, "")]
    (appended,) = replay("a", "a\nb")
    assert [(key.start, key.end, key.text) for key in appended.keystrokes] == [(1, 1, "\nb")]


def test_kinds() -> None:
    kinds = [hunk.kind for hunk in diff(tuple("abcdefg"), tuple("axcegYZ"))]
    assert kinds == ["replace line", "delete", "delete", "insert"]
    assert Hunk(0, 2, ("a", "b"), ("c",)).kind == "replace block"


@given(TEXTS, TEXTS)
def test_a_hunk_that_is_being_typed_remains_to_be_made(before: str, after: str) -> None:
    for step in replay(before, after):
        for count in range(1, len(step.keystrokes)):
            moment = step.unfinished(count)
            assert moment.point == point(moment.text, moment.cursor)
            at = moment.cursor
            assert moment.text[:at] + step.to_type(count) + moment.text[at:] == step.moment.text
            rest, back = list(moment.lines), list(moment.lines)
            for hunk in reversed(moment.remaining):
                assert moment.lines[hunk.start : hunk.end] == hunk.old
                rest[hunk.start : hunk.end] = hunk.new
            assert "\n".join(rest) == after
            for hunk in reversed(moment.done):
                assert moment.lines[hunk.start : hunk.end] == hunk.new
                back[hunk.start : hunk.end] = hunk.old
            assert "\n".join(back) == before


def test_a_line_typed_before_another_holds_that_until_it_ends() -> None:
    (step,) = replay("a\nz\n", "a\nlonger\nz\n")
    moment = step.unfinished(1)
    assert moment.lines == ("a", "longz", "")
    assert moment.remaining == (Hunk(1, 2, ("longz",), ("longer", "z")),)
    assert step.to_type(1) == "er\n"
