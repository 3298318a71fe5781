"""The classification of changes: made by the user or by a tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.history.change_classifier import changed_hunks, classify_change
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

CODE = "".join(f"    value_{k} = load( 'part {k}' )\n" for k in range(60))


def kind(edit: Edit, *near: int, text: str = CODE) -> str:
    before, after = Snapshot.from_text(text), Snapshot.from_text(edit.apply(text))
    return classify_change(before, edit, changed_hunks(before, after.lines, edit), near)


def whole(new: str, old: str = CODE) -> Edit:
    return Edit.replace(0, len(old), new)


def everywhere(old: str, new: str, *, every: int = 1) -> Edit:
    """Replace each `old`, or each n-th one, in one change."""
    found = [k for k in range(len(CODE)) if CODE.startswith(old, k)][::every]
    return Edit(tuple(Replacement(k, k + len(old), new) for k in found))


def at_line(line: int) -> int:
    return Snapshot.from_text(CODE).starts[line]


@pytest.mark.parametrize("near", [(), (0,), (30,)], ids=["nowhere known", "far", "near"])
@pytest.mark.parametrize(
    "edit",
    [
        Edit.replace(at_line(30), at_line(30), "x"),
        Edit.replace(at_line(30) + 4, at_line(30) + 12, "total"),
        Edit.replace(at_line(30), at_line(30), "\n" * 40),
        Edit.replace(at_line(30), at_line(31), ""),
        Edit.replace(at_line(30), at_line(55), ""),
        Edit.replace(at_line(30), at_line(30), "def f():\n    pass\n" * 20),
        Edit.replace(at_line(30), at_line(33), "one\ntwo\nthree\nfour\n"),
    ],
    ids=["key", "word", "lines", "line gone", "lines gone", "paste", "paste over"],
)
def test_one_place_is_a_person(edit: Edit, near: tuple[int, ...]) -> None:
    assert kind(edit, *near) == "typed"


@pytest.mark.parametrize(
    "edit",
    [
        everywhere("load", "x"),
        everywhere("value", ""),
        everywhere("value", "value", every=9),
        Edit(tuple(Replacement(at_line(k), at_line(k), "# ") for k in range(20, 40))),
        Edit(tuple(Replacement(at_line(k), at_line(k), "q") for k in (2, 28, 50))),
        Edit(tuple(Replacement(at_line(k) - 1, at_line(k) - 1, "\n" + " " * k) for k in (2, 28, 50))),
        Edit(tuple(Replacement(at_line(k) + 5, at_line(k) + 6, "") for k in (2, 28, 50))),
    ],
    ids=["typed over words", "words deleted", "nothing", "comment", "key", "enter", "backspace"],
)
def test_several_cursors_are_a_person(edit: Edit) -> None:
    assert kind(edit, 28) == "typed"
    assert kind(edit) == "typed"


@pytest.mark.parametrize("near", [(), (1,), (28,)], ids=["nowhere known", "near one", "near another"])
@pytest.mark.parametrize(
    "edit",
    [
        everywhere("load", "fetch_part"),
        everywhere("load", "fetch_part", every=25),
        everywhere("'", '"'),
        Edit.from_replacements([*everywhere("( ", "(").replacements, *everywhere(" )", ")").replacements]),
        whole(CODE.replace("( ", "(").replace(" )", ")")),
        whole("".join(f"other {k}\n" for k in range(70))),
        whole(CODE.replace("part 1", "p 1").replace("part 40", "p 40")),
        whole(CODE.replace("\n", "\r\n")),
    ],
    ids=[
        "rename",
        "rename of three",
        "quotes",
        "formatter",
        "whole formatter",
        "branch",
        "reload",
        "line ends",
    ],
)
def test_many_places_are_a_tool(edit: Edit, near: tuple[int, ...]) -> None:
    assert kind(edit, *near) == "external"


def test_white_space_at_line_ends_goes_when_saving() -> None:
    text = CODE.replace(" )\n", " ) \n")
    ends = [k for k in range(len(text)) if text.startswith(" \n", k)]
    strip = Edit(tuple(Replacement(k, k + 1, "") for k in ends))
    assert kind(strip, 5, text=text) == "external"


def test_a_client_that_sends_whole_texts_is_a_person_near_the_last_place() -> None:
    key = whole(CODE.replace("value_30", "value_30x"))
    assert kind(key, 30) == kind(key, 31) == kind(key) == "typed"
    assert kind(key, 2) == "typed", "a keystroke, wherever it is"
    paste = whole(CODE.replace("    value_30", "pasted\n" * 9 + "    value_30"))
    assert kind(paste, 30) == "typed"
    assert kind(paste, 2) == "external", "a reload"
    assert kind(whole(""), 2) == "typed"
    assert kind(Edit.replace(0, 3, "b"), 0, text="a=1") == "typed"


def test_a_block_rewritten_in_two_places_is_a_persons_if_the_person_is_there() -> None:
    low, high = at_line(10), at_line(20)
    block = CODE[low:high].replace("value_10", "a").replace("value_19", "b")
    paste = Edit.replace(low, high, block)
    assert kind(paste, 15) == "typed"
    assert kind(paste, 50) == kind(paste) == "external", "an editor that reloads replaces one stretch too"


def test_a_completion_may_bring_its_import() -> None:
    edit = Edit.from_replacements(
        [Replacement(0, 0, "from a import load\n"), Replacement(at_line(30) + 15, at_line(30) + 19, "loads")]
    )
    assert kind(edit, 30) == "typed"
    assert kind(edit, 50) == "external"


def test_a_replaced_text_is_a_tools_even_where_the_person_is() -> None:
    low, high = at_line(2), at_line(58)
    assert kind(Edit.replace(low, high, "other\n" * 50), 30) == "external"


TEXTS = st.text(st.sampled_from("ab\r\n"), max_size=12)


@pytest.mark.slow
@PROPERTY
@given(TEXTS, st.data())
def test_hunks_hold_all_that_changed(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    edit = Edit(tuple(Replacement(a, b, data.draw(TEXTS)) for a, b in pairs))
    before, after = Snapshot.from_text(text), Snapshot.from_text(edit.apply(text))
    i = j = 0
    for hunk in changed_hunks(before, after.lines, edit):
        assert before.lines[i : hunk.i1] == after.lines[j : hunk.j1]
        assert before.lines[hunk.i1 : hunk.i2] != after.lines[hunk.j1 : hunk.j2]
        i, j = hunk.i2, hunk.j2
    assert before.lines[i:] == after.lines[j:]
