"""What another language server says of a symbol: new places, certain ones, and doubtful ones of the rules."""

from __future__ import annotations

from editahead_inference.candidates import UNWITNESSED, WITNESSED, Candidate
from editahead_inference.gate.gate import Gate
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.witnessed_places import weigh
from editahead_prompts.symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement
from follow_ups import follow_ups, followed
from state_builder import HERE, Person

TEXT = """\
def load(path):
    '''Like load of old.'''
    return path


def call(run):
    return load("a"), run("b")


print(load("b"))
load = wrap(load)
"""


def evidence(person: Person, name: str, *places: int, complete: bool = True) -> SymbolEvidence:
    """Return what a server says of the first such name, with places by their number among the others."""
    starts = [at for at in range(len(person.text)) if person.text.startswith(name, at)]
    named = tuple(NamedPlace(HERE, starts[number]) for number in places)
    return SymbolEvidence(name, HERE, starts[0], starts[0] + len(name), named, is_complete=complete)


def renamed(found: SymbolEvidence, person: Person, old: str, new: str) -> SymbolEvidence:
    """Replace the first `old`, and return the evidence after it."""
    at = person.text.index(old)
    person.replace(old, new)
    moved = found.rebase(HERE, Edit.replace(at, at + len(old), new))
    assert moved is not None
    return moved


def lines(candidates: list[Candidate], person: Person) -> list[int]:
    at = person.snapshot.line_at
    return sorted({at(one.start) for each in candidates for one in each.edit.replacements})


def test_its_places_follow_a_rename() -> None:
    person = Person("def load(x):\n    return x\n\n\nother.load(1)\nother.load(2)\n")
    after = renamed(evidence(person, "load", 1), person, "load", "read")
    assert "other.read(1)\nother.load(2)" in followed(
        person, "rename-witnessed", cursor=person.snapshot.length, evidence=(after,)
    )


def test_nothing_follows_while_the_name_is_the_same() -> None:
    person = Person(TEXT)
    found = evidence(person, "load", 2)
    assert not follow_ups(person.replace("return path", "return 1"), "rename-witnessed", evidence=(found,))


def test_a_place_that_it_does_not_name_is_doubtful() -> None:
    person = Person("def load(x):\n    return x\n\n\nload(1)\n# load\nload(2)\n")
    after = renamed(evidence(person, "load", 1), person, "load", "read")
    found = follow_ups(person, cursor=person.snapshot.length, evidence=(after,))
    doubtful = [each for each in found if UNWITNESSED in each.features]
    assert lines(doubtful, person) == [6]
    state = person.state(evidence=(after,))
    assert all(Gate().confidence(state, each) < 0.1 for each in doubtful)


def test_without_all_places_nothing_is_doubtful() -> None:
    person = Person("def load(x):\n    return x\n\n\nload(1)\nload(2)\n")
    after = renamed(evidence(person, "load", 1, complete=False), person, "load", "read")
    found = follow_ups(person, cursor=person.snapshot.length, evidence=(after,))
    assert not any(UNWITNESSED in each.features for each in found)


def test_an_edit_around_a_use_of_the_new_name_brings_none() -> None:
    text = "def load(x):\n    return x\n\n\nload(1)\nread(2)\nload(3)\nload(4)\n"
    person = Person(text)
    after = renamed(evidence(person, "load", 1), person, "load", "read")
    text, state = person.text, person.state(evidence=(after,))
    starts = [at for at in range(len(text)) if text.startswith("load", at)]
    for name, is_weighed in (("fetch", False), ("read", True)):
        edit = Edit(tuple(Replacement(at, at + 4, name) for at in starts[1:]))
        other = Edit(tuple(Replacement(at, at + 4, name) for at in starts[:2]))
        found = [
            Candidate(HERE, each, each.replacements[0].start, 0, "propagation", "", "")
            for each in (edit, other)
        ]
        index = DocumentIndex(person.snapshot)
        weighed = weigh(found, state, {HERE: index}.get, SyntaxTrees())
        assert [WITNESSED in one.features or UNWITNESSED in one.features for one in weighed] == [
            is_weighed
        ] * 2


def test_calls_of_a_changed_function_are_certain_or_doubtful() -> None:
    text = "def load(path, mode):\n    return path\n\n\nload(1, 2)\n\n\nload(3, 4)\n"
    person = Person(text)
    after = renamed(evidence(person, "load", 1), person, "path, mode", "path")
    found = follow_ups(person, "call-drop", evidence=(after,), cursor=person.snapshot.length)
    assert lines([each for each in found if WITNESSED in each.features], person) == [4]
    assert lines([each for each in found if UNWITNESSED in each.features], person) == [7]


def test_a_closed_place_is_the_nearest_name_of_its_line() -> None:
    person = Person(TEXT)
    person.open("x = load(load)\n", uri="file:///b.py").look(HERE)
    found = evidence(person, "load")
    closed = (ClosedPlace("file:///b.py", 0, 8, after="_now"), ClosedPlace("file:///b.py", 9, 0))
    after = renamed(found, person, "load", "read")
    after = SymbolEvidence("load", HERE, after.start, after.end, (), closed, is_touched=True)
    assert (
        followed(person, "rename-witnessed", uri="file:///b.py", evidence=(after,)) == "x = load(read_now)\n"
    )


def test_it_ends_with_the_declaration() -> None:
    found = SymbolEvidence("load", HERE, 4, 8)
    assert found.rebase(HERE, Edit.replace(0, 12, "")) is None
    assert found.rebase(HERE, Edit.replace(4, 8, "")) is not None
    assert found.rebase("file:///b.py", Edit.replace(0, 12, "")) == found


def test_the_declared_name_grows_by_what_is_typed_at_it() -> None:
    found: SymbolEvidence | None = SymbolEvidence("load", HERE, 4, 8)
    text = "def load(x):"
    for at, typed in ((8, "e"), (9, "r"), (4, "re"), (12, "x")):
        edit = Edit.replace(at, at, typed)
        text = edit.apply(text)
        assert found is not None
        found = found.rebase(HERE, edit)
    assert found is not None
    assert text[found.start : found.end] == "reloaderx"
