"""Each example of docs/sketch-formats.md makes the change that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editahead_prompts.sketches.parse import parse_sketch
from files_in_memory import apply_in_memory

_PAGE = (Path(__file__).parents[3] / "docs" / "sketch-formats.md").read_text("utf-8")
_BLOCK = re.compile(
    r"^(?P<ticks>`{3,})\w+ (?P<what>before|after|sketch)\n(?P<text>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
_BLOCKS = [(found["what"], found["text"]) for found in _BLOCK.finditer(_PAGE)]
(_BEFORE,) = (text for what, text in _BLOCKS if what == "before")
(_AFTER,) = (text for what, text in _BLOCKS if what == "after")
_SKETCHES = [text for what, text in _BLOCKS if what == "sketch"]


@pytest.mark.parametrize(
    "text", _SKETCHES, ids=[f"{n}-{' '.join(t.split())[:30]}" for n, t in enumerate(_SKETCHES)]
)
def test_example(text: str) -> None:
    assert apply_in_memory({"src/stay.py": _BEFORE}, text) == {"src/stay.py": _AFTER}


def test_page_has_an_example_of_each_kind() -> None:
    kinds = {parse_sketch(text).files[0].kind for text in _SKETCHES}
    assert kinds >= {"markers", "unified-diff", "search-replace", "begin-patch", "whole-file", "declaration"}
