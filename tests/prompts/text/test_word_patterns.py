"""Words of any script in patterns."""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editahead_prompts.text.diff import diff
from editahead_prompts.text.identifiers import TOKEN, WORD, tokenize, word_before
from editahead_prompts.text.word_patterns import WordPattern, goes_on, in_any_script
from history_typist import PROPERTY

ROOT = Path(__file__).parents[3]
PARTS = (
    *("inference/editahead_inference/" + part for part in ("predictors", "finish", "gate", "mined_rules")),
    *("lsp/editahead_lsp/" + part for part in ("prediction", "presentation")),
    *("retrieval/editahead_retrieval/" + part for part in ("search", "index")),
    *("prompts/editahead_prompts/" + part for part in ("text", "history")),
)
"""Where a pattern meets names that a person has written. Patterns of messages, paths and sketches are elsewhere."""
NAMES = (
    "संख्या",
    "จำนวน",
    "कुल_संख्या",
    "عَدَد",
    "מִסְפָּר",
    "số_lượng",
    "gro\u0308ße",
    "数量",
    "かず",
    "가격",
    "می\u200cخواهم",
    "col·lecció",
    "x1",
)
SCRIPTS = st.text(alphabet="aZ_9 .(é\u0301\u0308संख्या\u0e17\u0e35\u0e48数量한דּבَ\u200d\u200c²·٣", max_size=30)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_identifier_is_one_word(name: str, form: str) -> None:
    name = unicodedata.normalize(form, name)
    assert WORD.findall(f"f({name}, {name}.x) # {name}") == ["f", name, name, "x", name]
    assert tokenize(f"{name}={name}") == [name, "=", name]
    assert word_before(f"x = {name}", 4 + len(name)) == name
    assert WordPattern(rf"\b{name}\b").sub("n", f"({name}) {name}a a{name}") == f"(n) {name}a a{name}"


@pytest.mark.parametrize("name", [name for name in NAMES if len(name) > 3])
def test_a_part_of_an_identifier_is_none(name: str) -> None:
    for end in range(1, len(name)):
        part = WordPattern(rf"(?<!\w){re.escape(name[:end])}(?!\w)")
        assert part.search(f"x = {name}") is None


def test_all_that_python_allows_in_an_identifier_goes_on_a_word() -> None:
    allowed = [char for char in map(chr, range(sys.maxunicode + 1)) if f"a{char}".isidentifier()]
    assert [char for char in allowed if not goes_on(char)] == []


def test_white_space_and_common_signs_end_a_word() -> None:
    ends = [char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace()]
    assert [char for char in (*ends, *"।॥،؛؟。、，．「」（）：！？…—–-־׃‘’“”«»༄၊။។€₹") if goes_on(char)] == []


@PROPERTY
@given(st.text(max_size=30) | SCRIPTS)
@example("\u2118x")
@example("aﾞ")
def test_each_identifier_of_python_is_one_word(text: str) -> None:
    if text.isidentifier():
        assert WORD.fullmatch(f"_{text}") is not None
        assert TOKEN.findall(f"_{text}") == [f"_{text}"]


@PROPERTY
@given(SCRIPTS)
def test_without_marks_a_pattern_is_that_of_python(text: str) -> None:
    for pattern in (
        r"[^\W\d]\w*",
        r"\b\w",
        r"(?<![\w.])\w+(?!\w)",
        r"[^\w\s]",
        r"\W+",
        r"[\w\]\[-]+",
        r"[^]\w]",
    ):
        plain = "".join(char for char in text if not goes_on(char) or char.isalnum() or char == "_")
        assert WordPattern(pattern).findall(plain) == re.findall(pattern, plain)
        assert re.findall(in_any_script(pattern), plain) == re.findall(pattern, plain)


@PROPERTY
@given(SCRIPTS, st.data())
def test_a_word_is_the_same_wherever_the_text_is_cut_outside_of_it(text: str, data: st.DataObject) -> None:
    line = f"{text} {data.draw(SCRIPTS)}"
    assert WORD.findall(line) == WORD.findall(text) + WORD.findall(line[len(text) :])


@PROPERTY
@given(SCRIPTS, SCRIPTS)
def test_a_change_never_begins_or_ends_within_an_accented_letter(old: str, new: str) -> None:
    for each in diff(old, new).replacements:
        for at in (each.start, each.end):
            is_within = 0 < at < len(old) and unicodedata.combining(old[at]) and goes_on(old[at - 1])
            assert not is_within


def test_no_private_pattern_knows_words() -> None:
    """`\\w` of `re` cuts words of many scripts: whoever looks for names takes a `WordPattern`."""
    found = []
    for path in sorted(each for part in PARTS for each in (ROOT / part).rglob("*.py")):
        if path.name == "word_patterns.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                pattern = ast.unparse(node.args[0]).replace(r"[^\\W\\d_]", "")
                if re.search(r"\\[wW]", pattern):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []
