"""The edit history: which keystrokes become one edit."""

from __future__ import annotations

import pytest

from editahead_prompts.history.edit_history import LONG_PAUSE_S, MAX_CHARS, MAX_EDITS, EditHistory
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot
from history_typist import Typist

CODE = "".join(f"line {k}\n" for k in range(40))


def test_keystrokes_on_a_line_are_one_edit() -> None:
    person = Typist("user = 1\nb\n")
    person.at = 5.0
    person.type("name", after="user")
    [edit] = person.past
    assert (edit.line, edit.old, edit.new) == (0, ("user = 1\n",), ("username = 1\n",))
    assert (edit.at, edit.origin, edit.open, edit.uri) == (5.0, "typed", True, "file:///a.py")


def test_a_new_line_typed_below_is_an_insertion() -> None:
    person = Typist("a\nb\n")
    person.type("\n  c", after="a")
    assert person.brief() == [(1, (), ("  c\n",))]


def test_neighbouring_lines_are_one_edit_and_others_are_not() -> None:
    person = Typist(CODE)
    person.replace("line 5", "row 5")
    person.replace("line 6", "row 6")
    assert person.brief() == [(5, ("line 5\n", "line 6\n"), ("row 5\n", "row 6\n"))]
    person.replace("line 8", "row 8")
    assert [(line, len(old)) for line, old, _ in person.brief()] == [(5, 2), (8, 1)]
    assert [edit.open for edit in person.past] == [False, True]


def test_a_hunk_deleted_and_then_typed_is_one_edit() -> None:
    person = Typist("a\nfirst(x)\nsecond(x)\nb\n")
    old, new = "first(x)\nsecond(x)\n", "def f():\n    third(y)\n    return 1\n"
    person.type_hunk(2, old, new)
    assert person.brief() == [(1, tuple(old.splitlines(True)), tuple(new.splitlines(True)))]


def test_what_is_typed_and_deleted_again_is_no_edit() -> None:
    person = Typist("a\nb\n")
    person.type("xyz", after="a")
    person.erase(3, before="\nb")
    assert person.past == ()
    person.type("q", after="a")
    assert person.brief() == [(0, ("a\n",), ("aq\n",))]


def test_the_net_change_counts() -> None:
    person = Typist("a\nb\nc\n")
    person.replace("a\nb\nc\n", "a\nX\nc\n")
    person.replace("X", "b2")
    assert person.brief() == [(1, ("b\n",), ("b2\n",))]


def test_a_long_pause_ends_an_edit_and_a_short_one_does_not() -> None:
    person = Typist("a d\nb\n")
    person.type("x", after="a")
    person.at = LONG_PAUSE_S
    person.type("y", after="ax")
    assert len(person.past) == 1
    person.at = 3 * LONG_PAUSE_S
    person.type("z", after="d")
    assert person.brief() == [(0, ("a d\n",), ("axy d\n",)), (0, ("axy d\n",), ("axy dz\n",))]


def test_a_word_typed_on_after_a_long_pause_stays_one_edit() -> None:
    """So that what the half word taught is not repeated."""
    person = Typist("def ends():\n    return ends\n")
    person.replace("ends()", "leave()")
    person.at = 3 * LONG_PAUSE_S
    person.type("s", after="leave")
    assert person.brief() == [(0, ("def ends():\n",), ("def leaves():\n",))]


def test_later_edits_move_earlier_ones_along() -> None:
    person = Typist(CODE)
    person.replace("line 20", "row 20")
    person.replace("line 5\n", "")
    person.replace("line 10\n", "one\ntwo\nthree\n")
    assert [line for line, _, _ in person.brief()] == [21, 5, 9]
    for edit in person.past:
        assert person.snapshot.lines[edit.line : edit.line + len(edit.new)] == edit.new


def test_a_closed_edit_stays_as_it_was_learned() -> None:
    person = Typist(CODE)
    person.replace("line 5", "row 5")
    person.replace("line 20", "row 20")
    person.replace("row 5", "entry 5")
    assert [(old, new) for _, old, new in person.brief()] == [
        (("line 5\n",), ("row 5\n",)),
        (("line 20\n",), ("row 20\n",)),
        (("row 5\n",), ("entry 5\n",)),
    ]
    person.replace("line 4\nentry 5\nline 6\n", "")
    assert person.brief()[0] == (4, ("line 5\n",), ("row 5\n",))


def test_the_last_edits_within_bounds() -> None:
    person = Typist("".join(f"line {k}\n\n\n" for k in range(100)))
    for k in range(60):
        person.replace(f"line {k}\n", f"row {k}\n")
    assert [edit.new for edit in person.past] == [(f"row {k}\n",) for k in range(60 - MAX_EDITS, 60)]
    person.replace("line 90\n", "x" * MAX_CHARS)
    assert person.past == ()
    person.replace("line 99\n", "row 99\n")
    assert [edit.new for edit in person.past] == [("row 99\n",)]


def test_documents_share_a_time_line() -> None:
    history = EditHistory()
    a, b = Typist("a\n\n\nc\n", history), Typist("b\n", history, uri="file:///b.py")
    a.type("1", after="a")
    b.type("2", after="b")
    assert [(e.uri[-4], e.new) for e in history.edits] == [("a", ("a1\n",)), ("b", ("b2\n",))]
    a.type("3", after="a1")
    assert [(e.uri[-4], e.new) for e in history.edits] == [("b", ("b2\n",)), ("a", ("a13\n",))]
    assert [e.open for e in history.edits] == [False, True]


# undo and redo


def test_undo_takes_edits_off_and_redo_brings_them_back() -> None:
    person = Typist(CODE)
    person.replace("line 5", "row 5")
    person.replace("line 20", "row 20")
    person.replace("row 20", "line 20")
    assert [edit.line for edit in person.past] == [5]
    assert [(u.line, u.old, u.new) for u in person.history.undone] == [(20, ("line 20\n",), ("row 20\n",))]
    person.replace("row 5", "line 5")
    assert person.past == ()
    assert [u.line for u in person.history.undone] == [20, 5]
    person.replace("line 5", "row 5")
    person.replace("line 20", "row 20")
    assert [edit.line for edit in person.past] == [5, 20]
    assert person.history.undone == ()


def test_undo_of_the_tail_shrinks_the_edit() -> None:
    person = Typist("a\nb\n")
    for word in ("one ", "two ", "three "):
        person.type(word, after="a" if word == "one " else "one " if word == "two " else "two ")
    person.replace("three ", "")
    assert person.brief() == [(0, ("a\n",), ("aone two \n",))]
    assert [(u.old, u.new) for u in person.history.undone] == [(("aone two \n",), ("aone two three \n",))]
    person.replace("two ", "")
    assert [(u.old, u.new) for u in person.history.undone] == [
        (("aone two \n",), ("aone two three \n",)),
        (("aone \n",), ("aone two \n",)),
    ]
    person.replace("one ", "one two three ")
    assert person.history.undone == ()
    assert person.brief() == [(0, ("a\n",), ("aone two three \n",))]


def test_what_was_taken_back_is_known_after_other_typing() -> None:
    person = Typist("a\nb\n\n\nc\n")
    person.type("one", after="a")
    person.replace("aone", "a")
    person.type("\ntop", after="b")
    person.type("x", after="a")
    assert person.brief()[-1][2][0] == "ax\n"
    assert ("aone\n",) in [u.new for u in person.history.undone]


def test_undo_of_several_lines_at_once() -> None:
    person = Typist("a\nb\nc\nd\ne\n")
    person.type_hunk(2, "b\nc\nd\n", "x\nc\ny\nz\n")
    person.set_text("a\nb\nc\nd\ne\n")
    assert person.past == ()
    person.set_text("a\nx\nc\ny\nz\ne\n")
    assert person.brief() == [(1, ("b\n", "c\n", "d\n"), ("x\n", "c\n", "y\n", "z\n"))]


def test_undo_is_recognised_after_a_tool_changed_other_lines() -> None:
    person = Typist(CODE)
    person.replace("line 20", "row 20")
    assert (
        person.set_text(person.text.replace("line 3\n", "line 3 \n\n").replace("line 30", "line  30"))
        == "external"
    )
    assert [edit.line for edit in person.past] == [21]
    person.replace("row 20", "line 20")
    assert person.past == ()
    assert [(u.line, u.new) for u in person.history.undone] == [(21, ("row 20\n",))]
    person.replace("line 20", "row 20")
    assert person.brief() == [(21, ("line 20\n",), ("row 20\n",))]
    assert person.history.undone == ()


# tools


def test_a_formatter_is_kept_out_and_moves_the_edits() -> None:
    person = Typist("import a\n" + "".join(f"v{k} = f( {k} )\n" for k in range(30)))
    person.replace("v20 = f( 20 )", "v20 = g( 20 )")
    formatted = person.text.replace("( ", "(").replace(" )", ")").replace("import a\n", "import a\n\n\n")
    assert person.set_text(formatted) == "external"
    [edit] = person.past
    assert edit.new == ("v20 = g( 20 )\n",)
    assert person.snapshot.lines[edit.line] == "v20 = g(20)\n"
    person.replace("v20 = g(20)", "v20 = g(21)")
    assert person.brief()[-1] == (23, ("v20 = g(20)\n",), ("v20 = g(21)\n",))


def test_a_branch_switch_is_kept_out() -> None:
    person = Typist(CODE)
    person.replace("line 5", "row 5")
    assert person.set_text("".join(f"other {k}\n" for k in range(60))) == "external"
    assert len(person.past) == 1
    assert 0 <= person.past[0].line < 60


def test_another_servers_rename_is_kept_out() -> None:
    person = Typist("".join(f"load({k})\n" for k in range(40)))
    person.cursor = 0
    places = [k for k in range(len(person.text)) if person.text.startswith("load", k)]
    assert person.make(Edit(tuple(Replacement(k, k + 4, "fetch") for k in places))) == "external"
    assert person.past == ()


def test_several_cursors_make_several_edits() -> None:
    person = Typist(CODE)
    for key in "new ":
        places = [person.text.index(f"line {k}\n") for k in (5, 15, 25)]
        person.make(Edit(tuple(Replacement(at, at, key) for at in places)))
    assert [new for _, _, new in person.brief()] == [
        ("new line 5\n",),
        ("new line 15\n",),
        ("new line 25\n",),
    ]
    assert [edit.open for edit in person.past] == [True, True, True]


def test_a_paste_is_one_edit() -> None:
    person = Typist(CODE)
    paste = "def f():\n    pass\n" * 20
    at = person.text.index("line 5")
    person.make(Edit.replace(at, at, paste))
    assert person.brief() == [(5, (), tuple(paste.splitlines(True)))]


def test_a_client_that_sends_whole_texts_is_followed() -> None:
    person = Typist(CODE)
    for k in range(1, 5):
        assert person.set_text(CODE.replace("line 30", "line 30" + "user"[:k])) == "typed"
    assert person.brief() == [(30, ("line 30\n",), ("line 30user\n",))]


# accepted predictions


@pytest.mark.parametrize("announced", ["before", "after"])
@pytest.mark.parametrize("pieces", [1, 3])
def test_what_an_accepted_prediction_made_is_marked(announced: str, pieces: int) -> None:
    person = Typist(CODE)
    person.replace("line 1\n", "row 1\n")
    before = person.snapshot
    places = [person.text.index(f"line {k}\n") for k in (12, 22, 32)]
    edit = Edit(tuple(Replacement(at, at + 4, "row") for at in places))
    if announced == "before":
        person.history.mark_accepted(before, edit)
    if pieces == 1:
        person.make(edit)
    else:
        for r in reversed(edit.replacements):
            person.make(Edit((r,)))
    if announced == "after":
        person.history.mark_accepted(before, edit)
    assert [(e.line, e.origin) for e in person.past] == [
        (1, "typed"),
        (12, "accepted"),
        (22, "accepted"),
        (32, "accepted"),
    ]


def test_an_accepted_line_below_the_typed_one_is_an_edit_of_its_own() -> None:
    person = Typist(CODE)
    person.replace("line 5", "row 5")
    at = person.text.index("line 6")
    edit = Edit.replace(at, at + 4, "row")
    person.history.mark_accepted(person.snapshot, edit)
    assert person.make(edit) == "typed"
    assert [(e.old, e.origin) for e in person.past] == [(("line 5\n",), "typed"), (("line 6\n",), "accepted")]


def test_accepting_the_rest_of_the_line_being_typed_is_the_same_edit() -> None:
    person = Typist("a\nb\n")
    person.type("user", after="a")
    edit = Edit.replace(5, 5, "name")
    person.make(edit)
    person.history.mark_accepted(Snapshot.from_text("auser\nb\n", uri=person.snapshot.uri), edit)
    assert [(e.new, e.origin) for e in person.past] == [(("ausername\n",), "accepted")]
    person.type("!", after="ausername")
    assert [(e.new, e.origin) for e in person.past] == [(("ausername!\n",), "typed")]


def test_an_accept_that_never_arrives_marks_nothing() -> None:
    person = Typist(CODE)
    person.history.mark_accepted(person.snapshot, Edit.replace(0, 4, "row"))
    person.history.mark_accepted(person.snapshot, Edit())
    for k in range(20):
        person.replace(f"line {2 * k + 1}\n", f"row {2 * k + 1}\n")
    assert {edit.origin for edit in person.past} == {"typed"}


def test_undoing_an_accepted_prediction() -> None:
    person = Typist(CODE)
    edit = Edit.replace(0, 4, "row")
    person.history.mark_accepted(person.snapshot, edit)
    person.make(edit)
    person.replace("row 0", "line 0")
    assert person.past == ()
    assert [(u.new, u.origin) for u in person.history.undone] == [(("row 0\n",), "accepted")]


# closing, opening, renaming


def test_edits_outlive_their_document_and_follow_its_text() -> None:
    history = EditHistory()
    person = Typist(CODE, history)
    person.replace("line 20", "row 20")
    history.on_close(person.snapshot.uri)
    assert [edit.line for edit in history.edits] == [20]
    again = Typist(person.text.replace("line 3\n", ""), history)
    assert [edit.line for edit in history.edits] == [19]
    again.replace("row 20", "row 2000")
    assert person.brief() == [(19, ("line 20\n",), ("row 2000\n",))]


def test_a_renamed_document_keeps_its_edits() -> None:
    history = EditHistory()
    person = Typist(CODE, history)
    person.type("x", after="line 5")
    person.replace("line 5x", "line 5")
    person.type("y", after="line 8")
    history.on_rename(person.snapshot.uri, "file:///b.py")
    assert {edit.uri for edit in (*history.edits, *history.undone)} == {"file:///b.py"}


@pytest.mark.parametrize(
    ("text", "typed", "brief"),
    [
        ("", "a", [(0, ("",), ("a",))]),
        ("", "a\n", [(0, (), ("a\n",))]),
        ("a\r\nb\r\n", "x\r\n", [(0, (), ("x\r\n",))]),
        ("a\x0cb\nc", "x", [(0, ("a\x0cb\n",), ("xa\x0cb\n",))]),
    ],
)
def test_odd_texts(text: str, typed: str, brief: list[tuple[int, tuple[str, ...], tuple[str, ...]]]) -> None:
    person = Typist(text)
    person.make(Edit.replace(0, 0, typed))
    assert person.brief() == brief


@pytest.mark.parametrize("command_first", [True, False])
def test_what_was_foreseen_of_an_accept_is_what_comes(command_first: bool) -> None:
    typist = Typist("user = 1\nx\nuser\nuser\n")
    typist.type_hunk(0, "user", "account")
    at = typist.text.index("user")
    edit = Edit.replace(at, at + 4, "account")
    before, past = typist.snapshot, typist.past
    after = Snapshot.from_text(edit.apply(before.text), uri=before.uri)
    foreseen = typist.history.after_accept(before, after, edit, at=typist.at)
    assert typist.past == past, "the history itself has not moved"
    if command_first:
        typist.history.mark_accepted(before, edit)
    typist.make(edit)
    if not command_first:
        typist.history.mark_accepted(before, edit)
    assert typist.past == foreseen.edits
    assert typist.history.undone == foreseen.undone
    assert typist.history.latest_edit_id is not None


def test_an_edit_keeps_its_number_while_it_grows() -> None:
    typist = Typist("a\nb\nc\nd\ne\nf\n")
    assert typist.history.latest_edit_id is None
    typist.replace("a", "ax")
    number = typist.history.latest_edit_id
    typist.replace("ax", "axy")
    assert typist.history.latest_edit_id == number
    typist.replace("f", "g")
    assert typist.history.latest_edit_id != number
