"""Renames of names in any script: followed to each use, and never to a part of another name."""

from __future__ import annotations

import unicodedata

import pytest

from editahead_inference.candidates import Silence
from editahead_inference.pipeline import Pipeline
from editahead_prompts.text.edits import Edit
from state_builder import Person

TEXTS = {
    "python": "def compute({0}, rate):\n    if {0} > 10:\n        return {0} * rate\n    return {0} + 1\n",
    "javascript": (
        "function compute(rate) {{\n  const {0} = load(rate);\n  if ({0} > 10) {{\n    return {0} * rate;\n  }}\n"
        "  return {0} + 1;\n}}\n"
    ),
    "go": "package a\n\nfunc {0}(n int) int {{\n\treturn n\n}}\n\nfunc b() int {{\n\treturn {0}(1) + {0}(2)\n}}\n",
    "rust": (
        "fn compute(rate: u32) -> u32 {{\n    let {0} = load(rate);\n"
        "    if {0} > 10 {{\n        return {0} * rate;\n    }}\n    {0} + 1\n}}\n"
    ),
}
RENAMES = [
    ("größe", "länge"),
    ("数量", "总计"),
    ("数", "量"),
    ("संख्या", "मात्रा"),
    ("จำนวน", "ยอดรวม"),
    ("количество", "сумма"),
    ("عَدَد", "مَجموع"),
    ("מספר", "סכום"),
    ("ποσότητα", "σύνολο"),
    ("수량", "합계"),
    ("かず", "ごうけい"),
    ("số_lượng", "tổng_cộng"),
    ("εδ\u0301ω", "που"),
    ("می\u200cرود", "رفت"),
]


def follow(person: Person) -> Silence | None:
    """Accept what is shown until nothing is."""
    pipeline = Pipeline()
    for _ in range(10):
        prediction = pipeline.predict(person.state())
        if not prediction.shown:
            return prediction.silence
        person.make(prediction.shown[0].candidate.edit)
    return None


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [(language, *names) for language in TEXTS for names in RENAMES[:: 1 if language == "python" else 4]],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_rename_is_followed_to_its_uses(language: str, old: str, new: str, form: str) -> None:
    old, new = (unicodedata.normalize(form, name) for name in (old, new))
    person = Person(TEXTS[language].format(old), language=language)
    assert follow(person.replace(old, new)) is not None
    assert person.text == TEXTS[language].format(new)


@pytest.mark.parametrize(
    ("old", "new", "longer"),
    [
        ("संख", "मात", "संख्या"),
        ("จำนว", "ยอด", "จำนวน\u0e48"),
        ("cafe", "tea", "cafe\u0301"),
        ("عدد", "مجموع", "عدد\u064e"),
        ("کار", "یار", "کار\u200cخانه"),
        ("stra", "gas", "stra\u0308nge"),
    ],
)
def test_a_name_that_only_begins_with_it_stays(old: str, new: str, longer: str) -> None:
    text = f"def compute({{0}}, {longer}):\n    return {{0}} * {longer} + {{0}}\n"
    person = Person(text.format(old))
    follow(person.replace(f"({old}", f"({new}"))
    assert person.text == text.format(new)


@pytest.mark.parametrize("name", ["größe", "संख्या", "수량", "số_lượng"])
def test_a_use_in_the_other_spelling_is_the_same_name(name: str) -> None:
    composed, apart = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    if composed == apart:
        pytest.skip("this name has one spelling")
    text = f"def compute({composed}, rate):\n    if {composed} > 1:\n        return {apart} * rate\n    return {apart}\n"
    person = Person(text)
    follow(person.make(Edit.replace(text.index(composed), text.index(composed) + len(composed), "total")))
    assert person.text == text.replace(composed, "total").replace(apart, "total")
