"""Uses of a definition whose line was rewritten are places to go to; those of one that got another name are renamed."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.predictors.propagation import Propagation
from state_builder import Person

TEXT = """\
class Palette:
    _sources: set[str] = set()

    def add(self, source):
        self._sources.add(source)
"""


def follow_ups(new: str) -> list[Candidate]:
    person = Person(TEXT).replace("_sources: set[str] = set()", new)
    found = Propagation().propose(person.state(cursor=person.snapshot.length), lambda: None)
    return [c for c in found if c.kind in ("rewritten", "rename-defined")]


def test_a_new_name_is_followed() -> None:
    (found,) = follow_ups("_providers: set[str] = set()")
    assert found.edit
    assert found.kind == "rename-defined"


@pytest.mark.parametrize("new", ['_ID: str = "--palette"', "_providers: list[Provider] = [None]"])
def test_go_to_another_definition(new: str) -> None:
    (found,) = follow_ups(new)
    assert not found.edit
    assert found.kind == "rewritten"
    assert found.target_offset >= TEXT.index("self._sources") - len("_sources: set[str] = set()")
