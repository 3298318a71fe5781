"""Sketches with the result that a person expects, as text files in `cases/`; the README there says what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pytest

from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.case_file import Case, CaseKind
from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot

Wanted = Literal["exact", "exact-or-refused", "refused", "choice"]


@dataclass(frozen=True)
class MergeCase:
    """A sketch for a file.

    Attributes:
        after: The text that is right; None where the file stays as it is, or only `lacks` counts.
        choices: The texts that must be among the choices of a refusal, by title; a title of digits stands for any.
        lacks: What the text may not hold, if it is not refused.
        reason: The refusal's reason, if it matters.
        detail: A part of the refusal's sentence, if it matters.
    """

    name: str
    path: str
    language: str | None
    wanted: Wanted
    before: str
    sketch: str
    after: str | None
    choices: dict[str, str]
    lacks: list[str]
    reason: str | None = None
    detail: str = ""

    def changed(self) -> str:
        """Return the text after the sketch.

        Raises:
            ApplyRefusedError: The merge refuses it.
        """
        files = OneFile(self.path, self.before, self.language)
        sketch = parse_sketch(self.sketch, language=files.snapshot.language, path=self.path)
        changes = plan_changes(sketch, files, merge)
        return changes[0].new_text if changes else self.before


class OneFile:
    def __init__(self, path: str, text: str, language: str | None = None) -> None:
        self.snapshot = Snapshot.from_text(
            text, uri=f"file:///{path}", language=language or language_of(path)
        )

    def resolve(self, path: str | None) -> Snapshot:
        return self.snapshot

    def create(self, path: str) -> Snapshot:
        raise ApplyRefusedError(Refusal("outside-workspace", "There is one file."))


def _read(case: Case) -> MergeCase:
    wanted = case.headers.get("wanted", "exact")
    if wanted not in get_args(Wanted):
        raise ScenarioError(f"wanted: {wanted} is none of {', '.join(get_args(Wanted))}")
    return MergeCase(
        case.name,
        case.headers["file"],
        case.headers.get("language"),
        wanted,
        case.text("before"),
        case.sections["sketch"],
        case.text("after") if "after" in case.sections else None,
        case.texts("choice"),
        case.lines("lacks"),
        case.headers.get("reason"),
        case.headers.get("detail", ""),
    )


MERGES = CaseKind(
    what="merges",
    required=frozenset({"file", "before", "sketch"}),
    headers=frozenset({"file", "language", "wanted", "reason", "detail", "note"}),
    sections=frozenset({"before", "sketch", "after", "choice", "lacks"}),
    read=_read,
)
CASES = MERGES.load_folder(Path(__file__).with_name("cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_sketch_gives_what_a_person_expects(case: MergeCase) -> None:
    try:
        got = case.changed()
    except ApplyRefusedError as error:
        assert case.wanted != "exact", error.refusal
        assert case.reason in (None, error.refusal.reason)
        assert case.detail in error.refusal.detail
        found = {choice.title: choice.changes[0].new_text for choice in error.refusal.choices}
        for title, text in case.choices.items():
            assert text in ([*found.values()] if title.isdigit() else [found.get(title)]), found
        return
    assert case.wanted in ("exact", "exact-or-refused"), got
    assert not [text for text in case.lacks if text in got]
    if case.after is not None or not case.lacks:
        assert got == (case.before if case.after is None else case.after)


def test_titles_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def test_choices_have_titles_of_their_own_and_likelihoods() -> None:
    (case,) = (
        case for case in CASES if case.name == "partial_types: a class in TypeScript with some of its members"
    )
    with pytest.raises(ApplyRefusedError) as caught:
        case.changed()
    first, *others = caught.value.refusal.choices
    assert first.changes[0].new_text == case.after
    assert any("set(" not in choice.changes[0].new_text for choice in others)
    assert len({first.title, *(choice.title for choice in others)}) == 1 + len(others) > 1
    assert sum(choice.likelihood for choice in caught.value.refusal.choices) <= 1
