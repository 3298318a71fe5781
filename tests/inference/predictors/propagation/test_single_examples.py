"""What one example of a change says too little of."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation import Propagation
from state_builder import HERE, Person


def results(person: Person) -> set[str]:
    """The texts after each of the edits."""
    found = Propagation().propose(person.state(), lambda: None)
    return {c.edit.apply(person.text) for c in found if c.uri == HERE and c.edit}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ('a("no file here")\nb("a file there")\n', "no file", "no document"),  # a word of a sentence
        ("static int one(int a);\nint two(int b);\n", "static int", "static inline int"),
        ("limit(a, 3)\nlimit(b, 3)\n", "a, 3", "a, 4"),
    ],
)
def test_one_says_nothing(text: str, old: str, new: str) -> None:
    assert results(Person(text).replace(old, new)) == set()


def test_a_string_that_is_a_name_is_repeated() -> None:
    text = 'get(a["mail"])\nget(b["mail"])\n'
    assert 'get(a["email"])\nget(b["email"])\n' in results(Person(text).replace('a["mail', 'a["email'))


def test_a_local_goes_only_where_it_is_bound() -> None:
    text = "def f(paid):\n    if x.ok:\n        run(x)\n\n\ndef g(y):\n    if x.ok:\n        run(y)\n"
    assert not any(
        "ok and paid" in made.partition("def g")[2]
        for made in results(Person(text).replace("x.ok", "x.ok and paid"))
    )
    both = text.replace("def g(y)", "def g(y, paid)")
    assert any(
        "ok and paid" in made.partition("def g")[2]
        for made in results(Person(both).replace("x.ok", "x.ok and paid"))
    )


def test_another_member_of_one_receiver_is_not_put_for_those_of_others() -> None:
    text = "a(person.name, company.name)\nb(person.name, company.name)\n"
    found = results(Person(text).replace("company.name", "company.title"))
    assert not any("person.title" in made for made in found)
