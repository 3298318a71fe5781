"""Each example of docs/sketch-formats.md makes the change that the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

_PAGE = (Path(__file__).parents[3] / "docs" / "sketch-formats.md").read_text("utf-8")
_BLOCK = re.compile(
    r"^(?P<ticks>`{3,})\w+ (?P<what>before|after|sketch)\n(?P<text>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)
_BLOCKS = [(found["what"], found["text"]) for found in _BLOCK.finditer(_PAGE)]
(_BEFORE,) = (text for what, text in _BLOCKS if what == "before")
(_AFTER,) = (text for what, text in _BLOCKS if what == "after")
_SKETCHES = [text for what, text in _BLOCKS if what == "sketch"]


class _Folder:
    """A folder with the one file of the page."""

    def resolve(self, path: str | None) -> Snapshot | None:
        if path != "src/stay.py":
            return None
        return Snapshot.from_text(_BEFORE, uri="file:///src/stay.py", language="python")

    def create(self, path: str) -> Snapshot:
        raise AssertionError(path)


@pytest.mark.parametrize(
    "text", _SKETCHES, ids=[f"{n}-{' '.join(t.split())[:30]}" for n, t in enumerate(_SKETCHES)]
)
def test_example(text: str) -> None:
    (change,) = plan_changes(parse_sketch(text), _Folder(), merge)
    assert change.new_text == _AFTER


def test_page_has_an_example_of_each_kind() -> None:
    kinds = {parse_sketch(text).files[0].kind for text in _SKETCHES}
    assert kinds >= {"markers", "unified-diff", "search-replace", "begin-patch", "whole-file", "declaration"}
