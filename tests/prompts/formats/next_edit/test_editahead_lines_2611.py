"""The format of changed lines: what an answer means, and what is no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, parse_answer
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.next_edit.editahead_lines_2611 import (
    DELETE,
    EDITAHEAD_LINES,
    END,
    HIST,
    INSERT,
    LABELS,
    LINE,
    RULE,
    SILENT,
    SPECIAL,
    draft_answers,
    enclosing_lines,
    write_answer,
)
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

TEXT = "one\ntwo\n\nfour\nfive\n"
DOCUMENT = Snapshot.from_text(TEXT, uri="file:///project/a.py")
REQUEST = EDITAHEAD_LINES.build(EditorState(DOCUMENT, 0), ESTIMATE)
LINES = st.lists(
    st.text(st.sampled_from("ab <|_>e\u2060"), max_size=6) | st.sampled_from(SPECIAL), max_size=16
)


def applied(answer: str) -> str:
    found = parse_answer(EDITAHEAD_LINES, REQUEST, answer)
    assert isinstance(found, ParsedEdit), found
    return found.edit.apply(TEXT)


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        (f"B{LINE}2\n", "one\n2\n\nfour\nfive\n"),
        (f"B{LINE}2\nand a half\n", "one\n2\nand a half\n\nfour\nfive\n"),
        (f"B{INSERT}new\n\nnewer\n", "one\ntwo\nnew\n\nnewer\n\nfour\nfive\n"),
        (f"A{LINE}1\nA{INSERT}new\nD{DELETE}D\n", "1\nnew\ntwo\n\nfive\n"),
        (f"A{DELETE}D\n", "five\n"),
        (f"A{DELETE}D", "five\n"),
        (f"B{LINE}\n", "one\n\n\nfour\nfive\n"),
        (f"A{DELETE}B\nD{LINE}4\n", "\n4\nfive\n"),
    ],
)
def test_changes_are_made_from_top_to_bottom(answer: str, after: str) -> None:
    assert applied(answer) == applied(answer + END) == after


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        (END, "empty"),
        (SILENT, "no-edits"),
        (SILENT + END, "no-edits"),
        (f"B{LINE}two\n", "unchanged"),
        ("two\n", "malformed"),
        (f"Here it is:\nB{LINE}2\n", "malformed"),
        (f"B{DELETE}B\nthree\n", "malformed"),
        (f"F{LINE}six\n", "malformed"),
        (f"B{LINE}2\nA{LINE}1\n", "malformed"),
        (f"B{LINE}2\nB{LINE}2\n", "malformed"),
        (f"B{INSERT}2\nB{LINE}2\n", "malformed"),
        (f"B{DELETE}A\n", "malformed"),
        (f"B{DELETE}P\n", "malformed"),
        (f"B{DELETE}\n", "malformed"),
        (f"B{DELETE}D\nC{LINE}3\n", "malformed"),
        (f"B{LINE}a{RULE}b\n", "leaked-marker"),
        (f"B{LINE}a\n{SILENT}\n", "leaked-marker"),
        (f"b{LINE}2\n", "malformed"),
    ],
)
def test_what_has_another_form_is_rejected_with_the_reason(answer: str, reason: str) -> None:
    found = parse_answer(EDITAHEAD_LINES, REQUEST, answer)
    assert isinstance(found, AnswerRejection)
    assert found.reason == reason


def test_an_answer_without_its_end_is_no_answer() -> None:
    found = parse_answer(EDITAHEAD_LINES, REQUEST, f"B{LINE}2\nC{LINE}3", "length")
    assert isinstance(found, AnswerRejection) and found.reason == "truncated"


@given(old=LINES.filter(bool), new=LINES)
def test_any_change_of_a_region_is_written_and_read(old: list[str], new: list[str]) -> None:
    """Even where all lines go, which the tests of all formats leave out."""
    document = Snapshot.from_text("".join(f"{line}\n" for line in old) + "end", uri="file:///a.py")
    request = EDITAHEAD_LINES.build(EditorState(document, 0), ESTIMATE, budget=4000)
    old = list(request.region.bodies(document))
    new = [*new, *old[-1:]]  # at the end of a file, a last line end is kept
    found = parse_answer(EDITAHEAD_LINES, request, write_answer(old, new) + END)
    if isinstance(found, AnswerRejection):
        assert found.reason == ("no-edits" if old == new else "repetition")
        return
    after = Snapshot.from_text(found.edit.apply(document.text), uri=document.uri)
    rest = document.lines[request.region.end :]
    assert [line_body(line) for line in after.lines[: len(after.lines) - len(rest)]] == new


def test_only_changed_lines_are_said() -> None:
    old = [f"line {n}" for n in range(16)]
    assert write_answer(old, [*old[:5], "new", *old[6:]]) == f"F{LINE}new\n"
    assert write_answer(old, old[:14]) == f"O{DELETE}P\n"
    assert write_answer(old, ["new", *old]) == f"A{LINE}new\nline 0\n"
    assert write_answer(old, old) == SILENT


def test_lines_are_settled_as_they_come() -> None:
    reader = EDITAHEAD_LINES.make_reader(REQUEST)
    assert reader.feed(f"C{LINE}") == ()
    assert reader.feed("3\n") == ("one", "two", "3")
    assert reader.feed(f"C{INSERT}3.5\n") == ("3.5",)
    assert reader.feed(END) == ()
    assert isinstance(reader.finish(), ParsedEdit)


def test_rules_and_drafts_have_the_form_of_answers() -> None:
    edit = Edit.replace(TEXT.index("two"), TEXT.index("two") + 3, "2")
    request = EDITAHEAD_LINES.build(EditorState(DOCUMENT, 0, proposed=(edit,)), ESTIMATE)
    assert f"{RULE}B{LINE}2\n" in request.prompt.text
    drafts = draft_answers(request, (edit,))
    assert drafts[0] == f"B{LINE}2\n"
    assert drafts[1].startswith(f"A{LINE}one\nB{LINE}two\n")
    assert applied(drafts[0]) == edit.apply(TEXT)


def test_enclosing_blocks_are_shown_outermost_first() -> None:
    body = "".join(f"        step({n})\n" for n in range(20))
    text = f"class A:\n    x = 1\n\n    def f(self):\n        if x:\n            y\n{body}"
    document = Snapshot.from_text(text, uri="file:///a.py")
    assert enclosing_lines(document, 14) == [3, 0]
    prompt = EDITAHEAD_LINES.build(EditorState(document, text.index("step(12)")), ESTIMATE).prompt.text
    assert "class A:\n    def f(self):\n<jupyter_start>\nA<jupyter_code>        step(" in prompt


def test_a_prompt_has_the_size_that_a_small_model_reads_quickly() -> None:
    text = "".join(f"    value_{n} = compute(argument_{n}, other_{n})\n" for n in range(400))
    document = Snapshot.from_text(text, uri="file:///a.py")
    past = tuple(
        PastEdit(document.uri, n, (f"{'old ' * 30}{n}\n",), (document.lines[n],)) for n in range(0, 60, 2)
    )
    state = EditorState(document, document.length // 2, past)
    request = EDITAHEAD_LINES.build(state, ESTIMATE)
    assert 250 <= request.prompt.tokens <= EDITAHEAD_LINES.context
    assert 0 < request.prompt.text.count(HIST) < len(past)
    assert request.region.end - request.region.first <= len(LABELS)
    assert f"{LABELS[0]}{LINE}" in request.prompt.text
    other = replace(state, cursor=state.cursor + 1)
    assert EDITAHEAD_LINES.build(other, ESTIMATE).region == request.region


@given(st.sampled_from(SPECIAL))
def test_a_marker_in_a_file_stays_text(marker: str) -> None:
    document = Snapshot.from_text(f"a\n{marker}\n", uri="file:///a.py")
    request = EDITAHEAD_LINES.build(EditorState(document, 0), ESTIMATE)
    assert f"B{LINE}{escape(marker, SPECIAL)}\n" in request.prompt.text
    found = parse_answer(EDITAHEAD_LINES, request, write_answer(["a", marker], [marker, marker]) + END)
    assert isinstance(found, ParsedEdit)
    assert found.edit.apply(document.text) == f"{marker}\n{marker}\n"
