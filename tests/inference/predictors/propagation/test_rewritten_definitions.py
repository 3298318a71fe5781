"""Uses of a definition whose line was rewritten are places to go to; those of one that got another name are renamed."""

from __future__ import annotations

import pytest

from editahead_inference.candidates import Candidate
from follow_ups import follow_ups
from state_builder import Person

TEXT = """\
class Palette:
    _sources: set[str] = set()

    def add(self, source):
        self._sources.add(source)
"""


def uses_after(new: str) -> list[Candidate]:
    person = Person(TEXT).replace("_sources: set[str] = set()", new)
    return follow_ups(person, "rewritten", "rename-defined", cursor=person.snapshot.length)


def test_a_new_name_is_followed() -> None:
    (found,) = uses_after("_providers: set[str] = set()")
    assert found.edit
    assert found.kind == "rename-defined"


@pytest.mark.parametrize("new", ['_ID: str = "--palette"', "_providers: list[Provider] = [None]"])
def test_go_to_another_definition(new: str) -> None:
    (found,) = uses_after(new)
    assert not found.edit
    assert found.kind == "rewritten"
    assert found.target_offset >= TEXT.index("self._sources") - len("_sources: set[str] = set()")
