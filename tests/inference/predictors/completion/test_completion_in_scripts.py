"""The rest of a name in any script: offered whole, or not at all."""

from __future__ import annotations

import unicodedata

import pytest

from editahead_inference.pipeline import Pipeline
from state_builder import Person

NAMES = (
    *("größenangabe", "संख्या_योग", "จำนวนทั้งหมด", "количество_заказов", "עֵרֶךְ_כולל"),
    *("数量合计", "주문수량합계", "عَدَد_الكل", "số_lượng_tổng", "ΣύνολοΠοσότητα", "もじれつのながさ"),
)
TEXT = (
    "def f({0}, b):\n    x = {0} + 1\n    if {0} > b:\n        return {0}\n    return {0} * b\n\n\n"
    "def g({0}, b):\n    y = {0} + 2\n    z = y\n"
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_rest_of_a_name_is_offered_whole(name: str, form: str) -> None:
    name = unicodedata.normalize(form, name)
    shown = []
    for end in range(1, len(name)):
        person = Person(TEXT.format(name)).type(f" + {name[:end]}", after="z = y")
        for decision in Pipeline().predict(person.state()).shown:
            if decision.candidate.is_next_tokens:
                (put,) = decision.candidate.edit.replacements
                shown.append(end)
                assert put.text.partition(" ")[0].rstrip("\n") == name[end:]
    assert shown
