"""Where a key leads that goes to each prediction, and makes the edit there; and what a pause in typing finishes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from editahead_inference.candidates import Prediction
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState
from server_harness import ScriptedPipeline, ServerHarness

A = "file:///tmp/a.go"
TEXT = "x = user\n\n\n\n\ny = user\n\n\nz = user\n"


class Restless(ScriptedPipeline):
    """A pipeline that always prefers another line than the cursor's, by chance."""

    def __init__(self, seed: int) -> None:
        super().__init__({"user": "account"})
        self._random = Random(seed)

    def predict(self, state: EditorState, **arguments: Any) -> Prediction:
        found = super().predict(state, **arguments)
        line = state.document.line_at(state.cursor)
        shown = list(found.shown)
        self._random.shuffle(shown)
        shown.sort(key=lambda one: state.document.line_at(one.candidate.target_offset) == line)
        return replace(found, shown=tuple(shown))


class Walker:
    """A client whose key goes to the first prediction, and makes the edit there."""

    def __init__(self, harness: ServerHarness) -> None:
        self.harness, self.version, self.line, self.column = harness, 1, 0, 0
        self.log: list[str] = []

    async def press(self) -> bool:
        found = await self.harness.predictions(A, self.version, self.line, self.column, trigger="cursor")
        if not found:
            return False
        (edit,) = found[0]["edits"]
        start, end = edit["range"]["start"], edit["range"]["end"]
        if start["line"] == self.line:
            self.version += 1
            span = (start["line"], start["character"], end["line"], end["character"], edit["newText"])
            self.harness.change(A, self.version, span)
            self.log.append("edit")
        else:
            self.log.append("jump")
        self.line, self.column = start["line"], start["character"]
        return True


@pytest.mark.parametrize("seed", range(10))
async def test_each_jump_is_followed_by_its_edit(seed: int, tmp_path: Path) -> None:
    harness = ServerHarness(Restless(seed), user_folder=tmp_path)
    await harness.initialize()
    harness.open(A, TEXT, language="go")
    walker = Walker(harness)
    walker.line = 2
    while await walker.press():
        assert walker.log[-2:] != ["jump", "jump"], walker.log
    assert walker.log == ["jump", "edit"] * 3
    harness.finish()


BEFORE = """package lists

func allowed(origins []string) []string {
\treturn normalize(origins)
}

func normalize(values []string) []string {
\treturn values
}
"""


async def predict(harness: ServerHarness, version: int, character: int, trigger: str) -> Any:
    return await harness.next_edit(A, version, 6, character, trigger=trigger)


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[ServerHarness]:
    harness = ServerHarness(Pipeline(), user_folder=tmp_path)
    yield harness
    harness.finish()


async def test_a_pause_finishes_the_name_that_is_typed(typist: ServerHarness) -> None:
    """In the middle of the word nothing is shown. The same place after a pause is what a moved cursor was before."""
    await typist.initialize()
    typist.open(A, BEFORE, language="go")
    typist.change(A, 2, (6, 14, 6, 14, "V"))
    assert (await predict(typist, 2, 15, "typed"))["predictions"] == []
    paused = (await predict(typist, 2, 15, "paused"))["predictions"]
    moved = (await predict(typist, 2, 3, "cursor"))["predictions"]
    assert [one["label"] for one in paused] == ["rename normalize -> normalizeV"]
    assert [one["edits"] for one in paused] == [one["edits"] for one in moved]


async def test_typing_after_a_pause_is_typing_again(typist: ServerHarness) -> None:
    await typist.initialize()
    typist.open(A, BEFORE, language="go")
    typist.change(A, 2, (6, 14, 6, 14, "V"))
    await predict(typist, 2, 15, "paused")
    typist.change(A, 3, (6, 15, 6, 15, "a"))
    assert (await predict(typist, 3, 16, "typed"))["predictions"] == []
    typist.change(A, 4, (6, 16, 6, 16, "lues"))
    (one,) = (await predict(typist, 4, 20, "paused"))["predictions"]
    assert one["label"] == "rename normalize -> normalizeValues"
