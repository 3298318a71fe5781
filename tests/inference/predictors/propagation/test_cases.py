"""Edits with all that follows of them in the document, as text files in `cases/`; the README there says what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.case_file import Case, CaseKind
from editahead_prompts.state import MovedFile
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit
from follow_ups import followed
from state_builder import Person


@dataclass(frozen=True)
class PropagationCase:
    """The text before, after each edit of the person, and after all edits of some kinds that follow."""

    name: str
    path: str
    kinds: list[str]
    moves: tuple[MovedFile, ...]
    texts: list[str]
    after: str


def _read(case: Case) -> PropagationCase:
    texts = [
        case.text("before"),
        *(case.text(title) for title in case.sections if title.startswith("edited")),
    ]
    moved = case.headers.get("moved")
    if not moved and len(texts) == 1:
        raise ScenarioError("no section 'edited' and no header 'moved'")
    return PropagationCase(
        case.name,
        case.headers["file"],
        case.headers["kinds"].split(),
        (MovedFile(*(f"file:///{path}" for path in moved.split())),) if moved else (),
        texts,
        case.text("after") if "after" in case.sections else texts[-1],
    )


PROPAGATIONS = CaseKind(
    what="propagations",
    required=frozenset({"file", "kinds", "before"}),
    headers=frozenset({"file", "kinds", "moved", "note"}),
    sections=frozenset({"before", "edited", "after"}),
    read=_read,
)
CASES = PROPAGATIONS.load_folder(Path(__file__).with_name("cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_follows_of_an_edit(case: PropagationCase) -> None:
    text, *edited = case.texts
    person = Person(text, uri=f"file:///{case.path}", language=language_of(case.path))
    for new in edited:
        head, tail = common_affixes(person.text, new)
        person.make(Edit.replace(head, len(person.text) - tail, new[head : len(new) - tail]))
    assert followed(person, *case.kinds, moved_files=case.moves) == case.after


def test_titles_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
