"""References that a person has left as they are, after renaming their definition."""

from __future__ import annotations

from follow_ups import follow_ups
from state_builder import Person

TEXT = """\
def load(path):
    return path


alpha = 1
beta = 2
gamma = 3
delta = 4


print(load("a"))


print(load("b"))
"""


def confidence(person: Person) -> float:
    """Return how sure the first reference by the old name is to be renamed; 0 when it is not proposed."""
    found = follow_ups(person, "rename-defined", cursor=person.snapshot.length)
    return max((c.confidence or 0.0 for c in found), default=0.0)


def renamed() -> Person:
    return Person(TEXT).replace("load", "read")


def test_the_next_edit_is_sure() -> None:
    assert confidence(renamed()) > 0.6


def test_a_detour_is_not_the_end() -> None:
    person = renamed().replace("alpha = 1", "alpha = 10").replace("gamma = 3", "gamma = 30")
    assert confidence(person) > 0.6


def test_three_other_edits_leave_the_references_as_they_are() -> None:
    person = renamed()
    for old, new in (("alpha = 1", "alpha = 10"), ("gamma = 3", "gamma = 30"), ('"b"', '"bb"')):
        person = person.replace(old, new)
    assert 0 < confidence(person) < 0.3


def test_going_on_with_it_makes_it_sure_again() -> None:
    person = renamed()
    for old, new in (("alpha = 1", "alpha = 10"), ("gamma = 3", "gamma = 30"), ('load("a")', 'read("a")')):
        person = person.replace(old, new)
    assert confidence(person) > 0.6
