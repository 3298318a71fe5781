"""What is still being typed, and what it keeps from being repeated."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.unfinished_edits import Typing, find_typing, finished_edits
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from state_builder import Person, predict, shown_texts

SHOP = "def total(price):\n    return price\n\n\nprint(total(price=3))\nprint(total(price=4))\n"


def typing_of(person: Person, **more: int) -> Typing | None:
    state = person.state(**more)
    return find_typing(state, DocumentIndex(state.document), SyntaxTrees())


def test_the_edit_at_the_cursor() -> None:
    person = Person(SHOP).replace("def total(price)", "def total(cents)")
    at = person.text.index("cents") + len("cents")
    typing = typing_of(person, cursor=at)
    assert typing is not None
    assert (typing.word, typing.is_known, typing.rest) == ("cents", False, 2)
    assert not typing.is_unfinished
    assert typing_of(person, cursor=len(person.text)) is None  # the user has left the line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return price", "    return pri"),  # begins a known name
        ("    return price", "    return price +"),  # a syntax error
        ("    return price", "    return tot(price"),
    ],
)
def test_unfinished_for_certain(old: str, new: str) -> None:
    person = Person(SHOP).replace(old, new)
    typing = typing_of(person, cursor=person.text.index(new) + len(new))
    assert typing is not None
    assert typing.is_unfinished
    assert finished_edits([typing.edit], typing) == [None]


def test_a_known_word_is_whole() -> None:
    person = Person(SHOP).replace("    return price", "    return total")
    typing = typing_of(person, cursor=person.text.index("return total") + len("return total"))
    assert typing is not None
    assert typing.is_known
    assert not typing.is_unfinished


def test_a_half_typed_name_is_not_repeated_and_the_whole_one_is() -> None:
    text = "store.fetch(a)\nstore.fetch(b)\nstore.fetch(c)\nfetch_all = store.fetch\n"
    half = Person(text).replace("store.fetch(a)", "store.fetc(a)")
    cursor = half.text.index("fetc(") + 4
    assert shown_texts(predict(half.state(cursor=cursor))) == []
    whole = Person(text).replace("store.fetch(a)", "store.load(a)")
    cursor = whole.text.index("load(") + 4
    assert any("store.load(b)" in shown for shown in shown_texts(predict(whole.state(cursor=cursor))))


def test_the_finished_line_above_the_half_typed_one_teaches() -> None:
    text = "a.open(1)\na.open(2)\na.open(3)\nopening = a\n"
    person = Person(text).replace("a.open(1)", "a.start(1)").replace("a.open(2)", "a.openi(2)")
    typing = typing_of(person, cursor=person.text.index("openi") + 5)
    assert typing is not None
    (edit,) = finished_edits([typing.edit], typing)
    assert edit is not None
    assert edit.new == ("a.start(1)\n", "a.open(2)\n")


def test_another_document_makes_a_word_known() -> None:
    person = Person("ledger = 1\n", uri="file:///other.py").open(SHOP, uri="file:///a.py")
    person.replace("    return price", "    return ledger")
    typing = typing_of(person, cursor=person.text.index("return ledger") + len("return ledger"))
    assert typing is not None
    assert typing.is_known


@pytest.mark.parametrize(
    ("old", "typed", "is_begun"),
    [
        ("price)", "c)", True),  # one letter for a longer word
        ("price)", "id)", False),
        ("price)", "cents)", False),
        ("(price", "(taxprice", True),  # a new word in front of another one
        ("(price", "(tax_price", False),
    ],
)
def test_the_beginning_of_a_word(old: str, typed: str, is_begun: bool) -> None:
    person = Person(SHOP).replace(
        f"total{old}" if old[0] == "(" else old, f"total{typed}" if old[0] == "(" else typed
    )
    at = person.text.index(typed) + len(typed.removesuffix(")").removesuffix("price"))
    typing = typing_of(person, cursor=at)
    assert typing is not None
    assert typing.is_begun == is_begun


@pytest.mark.parametrize(
    ("typed", "is_begun"), [("1", True), ("1.", True), ("1.5", False), ("1.5.", True), ("1.5.0", False)]
)
def test_half_a_version(typed: str, is_begun: bool) -> None:
    person = Person("image: web:1.4.2\nimage: cron:1.4.2\n", language="yaml").replace(
        "web:1.4.2", f"web:{typed}"
    )
    typing = typing_of(person, cursor=person.text.index(f"web:{typed}") + len(f"web:{typed}"))
    assert typing is not None
    assert typing.is_begun == is_begun
