"""Scripts: case, width and accents of letters, and runs without spaces."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.identifiers import (
    STYLES,
    apply_case_style,
    case_style,
    case_variants,
    search_words,
    split_words,
)
from editahead_prompts.text.scripts import (
    compose,
    count_letters,
    fold,
    is_unspaced,
    letter_cases,
    pairs,
    spellings,
    unspaced_runs,
)
from history_typist import PROPERTY

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
CASED = "abzäößéñžстипωδէ"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("größe", ["größe"]),
        ("längeDerGröße", ["länge", "der", "größe"]),
        ("HTTPÜberServer", ["http", "über", "server"]),
        ("КоличествоЗаказов", ["количество", "заказов"]),
        ("ΣύνολοΠοσό", ["σύνολο", "ποσό"]),
        ("кол_во", ["кол", "во"]),
        ("get用户名", ["get", "用户名"]),
        ("用户2", ["用户2"]),
        ("データ・ベース", ["データ", "ベース"]),
        ("कुल_संख्या", ["कुल", "संख्या"]),
        ("عدد_الطلبات", ["عدد", "الطلبات"]),
        ("चरGet", ["चर", "get"]),
        ("ÑANDÚ_ROJO", ["ñandú", "rojo"]),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_words_of_a_name(name: str, words: list[str], form: str) -> None:
    split = split_words(unicodedata.normalize(form, name))
    assert split == tuple(unicodedata.normalize(form, word) for word in words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("ISPARTA", "ısparta"),
        ("ＡＢＣ", "abc"),
        ("ﬁn", "FIN"),
        ("ΟΔΟΣ", "οδοσ"),
        ("ｶﾞ", "ガ"),
        ("Größe", "gro\u0308ße"),
        ("각", "\u1100\u1161\u11a8"),
        ("ǅ", "ǆ"),
    ],
)
def test_spellings_of_one_word_for_search(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("résumé", "resume"), ("größe", "grosse"), ("й", "и"), ("が", "か")]
)
def test_accents_count(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@PROPERTY
@given(TEXT)
def test_what_is_folded_stays(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))
    assert {compose(one) for one in spellings(text)} == {compose(text)}


@PROPERTY
@given(TEXT)
def test_words_for_search_are_the_same_for_each_spelling(text: str) -> None:
    words = search_words(compose(text))
    assert {search_words(one) for one in spellings(text)} == {words}


@PROPERTY
@given(st.text(alphabet="abzABZ019_", max_size=20))
def test_names_in_ascii_are_split_as_ever(name: str) -> None:
    hump = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|\d+|[^\W_]+")
    assert split_words(name) == tuple(word.lower() for word in hump.findall(name))
    assert search_words(name) == split_words(name)


@PROPERTY
@given(
    st.lists(st.text(alphabet=CASED.replace("ß", ""), min_size=2, max_size=5), min_size=2, max_size=4),
    st.sampled_from([style for style in STYLES if style != "flat"]),
)
def test_what_is_joined_is_split_again(words: list[str], style: str) -> None:
    name = apply_case_style(words, style)
    assert case_style(name) == style
    assert split_words(name) == tuple(words)


@PROPERTY
@given(TEXT)
def test_the_words_of_a_name_are_in_it_in_order(name: str) -> None:
    at, cases = 0, letter_cases(name)
    assert len(cases) == len(name)
    for word in split_words(name):
        at = name.lower().index(word, at) if len(name.lower()) == len(name) else at
    assert len("".join(split_words(name))) >= sum(case in "Uldos" for case in cases)


@PROPERTY
@given(st.text(alphabet="ab_支付自ทีかカ한λ·", max_size=20))
def test_runs_joined_are_the_text(text: str) -> None:
    assert "".join(run for run, _ in unspaced_runs(text)) == text
    for run, is_run in unspaced_runs(text):
        assert is_unspaced(run) is is_run
        if is_run:
            assert pairs(run)[0][0] + "".join(pair[1:] for pair in pairs(run)) == run


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("数量", 6),
        ("get用户", 9),
        ("größe", 5),
        ("จำนวน", 5),
        ("수량", 6),
        ("かず", 6),
        ("संख्या", 6),
        ("数", 3),
    ],
)
def test_a_sign_tells_as_much_as_several_letters(name: str, letters: int) -> None:
    assert count_letters(name) == letters


def test_variants_of_a_rename_beyond_ascii() -> None:
    variants = case_variants("kunden_größe", "kunden_länge")
    assert variants["KundenGröße"] == "KundenLänge"
    assert variants["kundenGröße"] == "kundenLänge"
    assert case_variants("ИмяКлиента", "КодЗаказа")["имя_клиента"] == "код_заказа"
