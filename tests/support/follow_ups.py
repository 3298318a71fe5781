"""What propagation proposes after a person's edits."""

from __future__ import annotations

from typing import Any

from editahead_inference.candidates import Candidate
from editahead_inference.predictors.propagation.predictor import Propagation
from editahead_prompts.text.edits import Edit
from state_builder import Person


def follow_ups(person: Person, *kinds: str, **more: Any) -> list[Candidate]:
    """Return what is proposed in all documents, only what is of some kinds if any are given; `more` is of the state."""
    found = Propagation().propose(person.state(**more), lambda: None)
    return [each for each in found if not kinds or any(f"kind:{kind}" in each.features for kind in kinds)]


def followed(person: Person, *kinds: str, uri: str = "", **more: Any) -> str:
    """Return the text of a document, the active one by default, after all proposed edits of some kinds."""
    uri = uri or person.uri
    found = [each.edit for each in follow_ups(person, *kinds, **more) if each.uri == uri]
    made = Edit.from_replacements({each for edit in found for each in edit.replacements})
    return made.apply(person.documents[uri].text)


def follow_up_texts(person: Person, *kinds: str) -> set[str]:
    """Return the text of the active document after each of the proposed edits."""
    found = [each.edit for each in follow_ups(person, *kinds) if each.uri == person.uri]
    return {edit.apply(person.text) for edit in found if edit}
