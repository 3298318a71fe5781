"""Real tokenizers: our vocabulary round-trips every text, and separates its markers from text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="real tokenizers need an extra that brings models")

from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition import hf_tokenizer
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer, load
from editahead_prompts.composition.parts import Group, Text, TokenBoundary
from editahead_prompts.composition.render import render
from editahead_prompts.errors import TokenizerUnavailableError
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.next_edit.editahead_2611 import SPECIAL
from history_typist import PROPERTY

FRAGMENTS = [
    "def f(x):",
    "\n",
    "    ",
    "\t",
    "\r\n",
    "  ",
    "x_y",
    "1234567",
    "é",
    "\u2060",
    "🙂",
    "<|",
    "|>",
    *SPECIAL,
]
CODE = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4)).map("".join)
IDS = {special: bundled_tokenizer().encode(special) for special in SPECIAL}


@pytest.mark.slow
@given(CODE)
@PROPERTY
def test_every_text_comes_back(text: str) -> None:
    ids = bundled_tokenizer().encode(text)
    assert bundled_tokenizer().decode(ids) == text
    assert bundled_tokenizer().count(text) == len(ids)


def test_half_a_surrogate_pair_does_no_harm() -> None:
    assert bundled_tokenizer().decode(bundled_tokenizer().encode("a\ud800b")) == "a?b"


@pytest.mark.slow
@given(CODE, CODE)
@PROPERTY
def test_a_marker_is_one_token_and_nothing_reaches_across(before: str, after: str) -> None:
    assert all(len(ids) == 1 for ids in IDS.values())
    escaped = escape(before, SPECIAL), escape(after, SPECIAL)
    left, right = map(bundled_tokenizer().encode, escaped)
    markers = {ids[0] for ids in IDS.values()}
    assert not markers.intersection(left, right)
    assert bundled_tokenizer().encode(f"{escaped[0]}<|region|>{escaped[1]}") == (
        *left,
        *IDS["<|region|>"],
        *right,
    )


@pytest.mark.slow
@given(CODE, CODE)
@PROPERTY
def test_a_forced_break_holds(before: str, after: str) -> None:
    prompt = render(Group((Text(before), TokenBoundary(), Text(after))), 1_000_000, bundled_tokenizer())
    assert prompt.ids == (*bundled_tokenizer().encode(before), *bundled_tokenizer().encode(after))
    assert prompt.tokens == len(prompt.ids)


def test_white_space_and_common_words_are_single_tokens() -> None:
    for text in ("    ", "\n    ", "\n        ", "\n\n", "\n\t\t", " return", "self", " =", "):"):
        assert bundled_tokenizer().count(text) == 1, text


def test_what_the_file_tells_of_its_data() -> None:
    data = json.loads(hf_tokenizer.VOCABULARY_FILE.read_text("utf-8"))
    made = ["".join(merge.split(" ")) for merge in data["merges"]]
    assert data["special"] == list(SPECIAL)
    assert max(map(len, made)) <= data["provenance"]["longest token"] == 16
    assert bundled_tokenizer().encoder.get_vocab_size() == data["provenance"]["tokens"] <= 8192
    assert hf_tokenizer.VOCABULARY_FILE.stat().st_size < 100_000


def test_a_models_tokenizer_is_loaded_from_its_folder(tmp_path: Path) -> None:
    bundled_tokenizer().encoder.save(str(tmp_path / "tokenizer.json"))
    text = "def f():\n    return 1\n<|cursor|>"
    for place in (tmp_path, tmp_path / "tokenizer.json"):
        assert load(place).encode(text) == bundled_tokenizer().encode(text)


def test_no_tokenizer_is_a_reason_and_nothing_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(TokenizerUnavailableError, match="No such file"):
        load(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(TokenizerUnavailableError, match="not a tokenizer"):
        load(tmp_path)


def test_a_file_is_read_again_once_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    bundled_tokenizer().encoder.save(str(file))
    first, second = load(tmp_path), load(file)
    assert first.encoder is second.encoder and first is not second
    told = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(told | {"added_tokens": []}), "utf-8")
    assert load(tmp_path).encoder is not first.encoder
    file.unlink()
    with pytest.raises(TokenizerUnavailableError, match="No such file"):
        load(tmp_path)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_tokenizer, "COUNT_CACHE_SIZE", 3)
    fresh = HfTokenizer(bundled_tokenizer().encoder)
    for n in range(9):
        assert fresh.count(f"line {n}\n") == bundled_tokenizer().count(f"line {n}\n")
        fresh.encode(f"{n}" * (hf_tokenizer.MAX_CACHED_CHARS + 1))
    assert len(fresh._counts) == 3
    assert len(fresh._wholes) == hf_tokenizer.IDS_CACHE_SIZE
