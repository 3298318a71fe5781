"""Sketches with the result that a person expects, as text files in `cases/`; the README there says what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_evals.scenarios.merge_cases import MERGES, MergeCase
from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot


class OneFile:
    def __init__(self, path: str, text: str, language: str | None = None) -> None:
        self.snapshot = Snapshot.from_text(
            text, uri=f"file:///{path}", language=language or language_of(path)
        )

    def resolve(self, path: str | None) -> Snapshot:
        return self.snapshot

    def create(self, path: str) -> Snapshot:
        raise ApplyRefusedError(Refusal("outside-workspace", "There is one file."))


def changed(case: MergeCase) -> str:
    """Return the text after the sketch of a case.

    Raises:
        ApplyRefusedError: The merge refuses it.
    """
    files = OneFile(case.path, case.before, case.language)
    sketch = parse_sketch(case.sketch, language=files.snapshot.language, path=case.path)
    changes = plan_changes(sketch, files, merge)
    return changes[0].new_text if changes else case.before


CASES = MERGES.load_folder(Path(__file__).with_name("cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_sketch_gives_what_a_person_expects(case: MergeCase) -> None:
    try:
        got = changed(case)
    except ApplyRefusedError as error:
        assert case.wanted != "exact", error.refusal
        assert case.reason in (None, error.refusal.reason)
        assert case.detail in error.refusal.detail
        found = {choice.title: choice.changes[0].new_text for choice in error.refusal.choices}
        for title, text in case.choices.items():
            assert text in ([*found.values()] if title.isdigit() else [found.get(title)]), found
        return
    assert case.wanted in ("exact", "exact-or-refused"), got
    assert not [text for text in case.absent if text in got]
    if case.after is not None or not case.absent:
        assert got == (case.before if case.after is None else case.after)


def test_titles_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def test_choices_have_titles_of_their_own_and_likelihoods() -> None:
    (case,) = (
        case for case in CASES if case.name == "choices: lines that may replace others are two choices"
    )
    with pytest.raises(ApplyRefusedError) as caught:
        changed(case)
    first, *others = caught.value.refusal.choices
    assert first.changes[0].new_text in case.choices.values()
    assert len({first.title, *(choice.title for choice in others)}) == 1 + len(others) > 1
    assert sum(choice.likelihood for choice in caught.value.refusal.choices) <= 1
