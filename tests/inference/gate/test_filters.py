"""The hard rules, one by one, and the promise that they keep for any document and any person."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import Hunk, ReplayMoment
from editahead_evals.metrics.judge import judge
from editahead_inference.gate.filters import breaks_syntax, is_noop, redoes_undone, reverts
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from state_builder import HERE, Person, predict, shown_texts


def snapshot(text: str, language: str = "python") -> Snapshot:
    return Snapshot.from_text(text, uri=HERE, language=language)


def edit(text: str, old: str, new: str) -> Edit:
    at = text.index(old)
    return Edit.replace(at, at + len(old), new)


def past(line: int, old: str, new: str) -> PastEdit:
    return PastEdit(HERE, line, tuple(old.splitlines(True)), tuple(new.splitlines(True)))


@pytest.mark.parametrize(
    ("text", "old", "new", "nothing"),
    [
        ("a = 1\n", "a = 1", "a = 1", True),
        ("a = 1\n", "a = 1", "a  =  1", True),
        ("a = 1\nb\n", "\nb", "b", True),
        ("a = 1\n", "a = 1", "    a = 1", True),
        ("a\n\n\nb\n", "\n\n\n", "\n", True),
        ("a = 1\n", "1", "2", False),
        ("a = 1\n", "a = 1\n", "", False),
        ("", "", "a", False),
        ('say("can not do")', "can not", "cannot", False),
        ("a = nota + 1", "nota", "not a", False),
        ("a=b", "a=b", "a = b", True),
    ],
)
def test_only_white_space(text: str, old: str, new: str, nothing: bool) -> None:
    assert is_noop(snapshot(text), edit(text, old, new)) is nothing


@pytest.mark.parametrize(
    ("text", "made", "old", "new"),
    [
        # changed back
        ("a = 2\n", past(0, "a = 1\n", "a = 2\n"), "a = 2", "a = 1"),
        ("f(account)\n", past(0, "f(user)\n", "f(account)\n"), "account", "user"),
        # in part
        ("f(account, size)\n", past(0, "f(user, len)\n", "f(account, size)\n"), "account", "user"),
        # an inserted line goes
        ("a\nlog(x)\nb\n", past(1, "", "log(x)\n"), "log(x)\n", ""),
        # a deleted line comes back: before, and after, where it was
        ("a\nb\n", past(1, "log(x)\n", ""), "b\n", "log(x)\nb\n"),
        ("a\nb\n", past(1, "log(x)\n", ""), "a\n", "a\nlog(x)\n"),
        # several lines, one of them
        ("one()\ntwo()\n", past(0, "uno()\ndos()\n", "one()\ntwo()\n"), "two", "dos"),
        # one of two names that were swapped
        ("a = x = y\n", past(0, "a = y = x\n", "a = x = y\n"), "= y", "= x"),
    ],
)
def test_taking_back_what_a_person_did(text: str, made: PastEdit, old: str, new: str) -> None:
    assert reverts(snapshot(text), edit(text, old, new), [made])


@pytest.mark.parametrize(
    ("text", "made", "old", "new"),
    [
        # the same rename further on
        ("f(account)\ng(user)\n", past(0, "f(user)\n", "f(account)\n"), "g(user)", "g(account)"),
        # another change of the line that was changed
        ("f(account, 1)\n", past(0, "f(user, 1)\n", "f(account, 1)\n"), "1", "2"),
        # the deleted line's text elsewhere
        ("a\nb\nc\nd\n", past(0, "log(x)\n", ""), "d\n", "log(x)\nd\n"),
        # the inserted line again, beside it
        ("log(x)\nb\n", past(0, "", "log(x)\n"), "b\n", "b\nlog(y)\n"),
        # in another document
        ("f(account)\n", PastEdit("file:///b.py", 0, ("f(user)\n",), ("f(account)\n",)), "account", "user"),
    ],
)
def test_going_on_is_not_taking_back(text: str, made: PastEdit, old: str, new: str) -> None:
    assert not reverts(snapshot(text), edit(text, old, new), [made])


@pytest.mark.parametrize(
    ("text", "undone", "old", "new", "again"),
    [
        ("f(user)\n", past(0, "f(user)\n", "f(account)\n"), "user", "account", True),
        ("a\nb\n", past(1, "", "log(x)\n"), "b\n", "log(x)\nb\n", True),
        ("a\nlog(x)\nb\n", past(1, "log(x)\n", ""), "log(x)\n", "", True),
        ("f(user)\na\nb\ng(user)\n", past(0, "f(user)\n", "f(account)\n"), "g(user)", "g(account)", False),
        ("f(user)\n", past(0, "f(user)\n", "f(account)\n"), "user", "member", False),
    ],
)
def test_what_was_undone_is_not_made_again(
    text: str, undone: PastEdit, old: str, new: str, again: bool
) -> None:
    assert redoes_undone(snapshot(text), edit(text, old, new), [undone]) is again


@pytest.mark.parametrize(
    ("text", "old", "new", "language", "breaks"),
    [
        ("a = 1\n", "1", "(1", "python", True),
        ("a = (1\n", "(1", "1", "python", False),
        ("a = (1\n", "1", "2", "python", False),  # broken before, and no worse
        ("let a = 1;\n", "1;", "{;", "typescript", True),
        ("a = 1\n", "1", "(1", "plaintext", False),
        ("é = '🧳'\na = 1\n", "1", "1)", "python", True),
    ],
)
def test_syntax(text: str, old: str, new: str, language: str, breaks: bool) -> None:
    assert breaks_syntax(snapshot(text, language), edit(text, old, new), SyntaxTrees()) is breaks


LINES = st.sampled_from(
    [
        "user = load(path)",
        "    total = user.total + 1",
        "    return user",
        "def area(user, width):",
        "def size(width):",
        "    log(user)",
        "    log(width)",
        "import user",
        "self.width = width",
        "self.user = user",
        "",
        "    f(width, [1, 2], 'a, b')",
        "f(user)",
        "@cached",
        "class UserList:",
    ]
)
NAMES = ["user", "width", "log", "total", "area", "1", "return", "f", "("]
DOCUMENT = st.lists(LINES, min_size=1, max_size=14)


@st.composite
def persons(draw: st.DrawFn) -> Person:
    """Somebody who has renamed, inserted, deleted and retyped here and there."""
    eol = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    person = Person(eol.join(draw(DOCUMENT)) + draw(st.sampled_from(["", eol])))
    for _ in range(draw(st.integers(1, 5))):
        lines, starts = person.snapshot.lines, person.snapshot.starts
        line = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(["rename", "rename", "insert", "delete", "line"]))
        if what == "rename":
            name = draw(st.sampled_from(NAMES))
            at = person.text.find(name, starts[line])
            if at >= 0:
                new = draw(st.sampled_from(["account", "member", "2", "breadth, depth", ""]))
                person.make(Edit.replace(at, at + len(name), new))
        elif what == "insert":
            person.make(Edit.replace(starts[line], starts[line], draw(LINES) + eol))
        elif what == "delete":
            person.make(Edit.replace(starts[line], starts[line + 1], ""))
        else:
            body = lines[line].rstrip("\r\n")
            person.make(Edit.replace(starts[line], starts[line] + len(body), draw(LINES)))
    return person


def takes_back(state: EditorState, uri: str, after: str) -> bool:
    """By the evaluation's own definition, which knows nothing of the gate's."""
    document = state.snapshot(uri)
    assert document is not None

    def bodies(lines: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line.rstrip("\r\n") for line in lines)

    done = tuple(
        Hunk(p.line, p.line + len(p.new), bodies(p.old), bodies(p.new)) for p in state.history if p.uri == uri
    )
    moment = ReplayMoment(bodies(document.lines), 0, (0, 0), done, ())
    return judge(moment, after.replace("\r\n", "\n")).reversal


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(persons())
def test_what_is_shown_never_takes_back_never_idles_and_never_breaks(person: Person) -> None:
    """Even when every candidate is found likely. Only the completion of a line that is being typed may break its syntax."""
    state = person.state()
    prediction = predict(state)
    before = state.document
    trees = SyntaxTrees()
    for text, decision in zip(shown_texts(prediction), prediction.shown, strict=True):
        assert text != before.text
        assert "".join(text.split()) != "".join(before.text.split())
        assert text not in person.texts
        assert not takes_back(state, before.uri, text)
        if decision.candidate.is_next_tokens:
            continue
        old, new = trees.tree(before), SyntaxTrees().tree(snapshot(text))
        assert old is not None and new is not None
        assert count_errors(new.root_node) <= count_errors(old.root_node)
    if not prediction.shown:
        assert prediction.silence is not None


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(persons())
def test_what_was_taken_back_is_not_proposed_again(person: Person) -> None:
    """Undone at once: the text that the person did not want is not what is shown."""
    unwanted = person.text
    assume(person.texts and person.texts[-1] != unwanted)
    person.make(Edit.replace(0, len(unwanted), person.texts[-1]))
    assert unwanted not in shown_texts(predict(person.state()))
