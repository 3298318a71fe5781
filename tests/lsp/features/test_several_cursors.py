"""Typing at several cursors: one edit that is made several times. While it is typed, it counts as once."""

from __future__ import annotations

import re
from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from server_harness import ServerHarness, lsp_range

A = "file:///tmp/a.py"
CALLS = "".join(f"total_{k} = load(user_{k}, fast)\nprint(total_{k})\n\n" for k in range(8))
EMPTY = "measured_temperature = 1\nprint(measured_temperature)\n\n\n\n\n\n\n"
Spans = list[tuple[int, int]]


class Cursors:
    """A document with several cursors. A change is sent as VS Code does: all of a key at once, the last place first."""

    def __init__(self, harness: ServerHarness, text: str, spans: Spans) -> None:
        self.harness, self.text, self.version = harness, text, 1
        self.spans = sorted(spans)
        harness.open(A, text)

    def position(self, cursor: int) -> tuple[int, int]:
        """Return the line and the character of a cursor by its number."""
        return self._place(self.spans[cursor][1])

    def _place(self, offset: int) -> tuple[int, int]:
        before = self.text[:offset]
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    def _replace(self, spans: Spans, new: str) -> None:
        events = []
        for start, end in reversed(spans):
            events.append({"range": lsp_range(*self._place(start), *self._place(end)), "text": new})
        for start, end in reversed(spans):
            self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        document = {"uri": A, "version": self.version}
        params = {"textDocument": document, "contentChanges": events}
        self.harness.notify("textDocument/didChange", params)
        shift, self.spans = 0, []
        for start, end in spans:
            self.spans.append((start + shift + len(new),) * 2)
            shift += len(new) - (end - start)

    def type(self, text: str) -> None:
        for character in text:
            self._replace(self.spans, character)

    def erase(self, count: int) -> None:
        for _ in range(count):
            self._replace([(start - 1, end) for start, end in self.spans], "")

    async def predictions(self, cursor: int, trigger: str = "typed") -> list[dict[str, Any]]:
        return await self.harness.predictions(A, self.version, *self.position(cursor), trigger=trigger)


@pytest.fixture
def harness() -> Any:
    harness = ServerHarness(Pipeline())
    yield harness
    harness.finish()


async def start(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0, "eagerness": 1})


def found(pattern: str, text: str, count: int) -> Spans:
    return [match.span() for match in re.finditer(pattern, text)][:count]


async def confidence(harness: ServerHarness, count: int, trigger: str) -> float:
    cursors = Cursors(harness, CALLS, found("load", CALLS, count))
    cursors.type("read")
    first, *_ = await cursors.predictions(0, trigger)
    assert first["edits"][0]["newText"] == "read"
    return float(first["confidence"])


@pytest.mark.parametrize("cursor", [0, 2, 4])
async def test_what_five_cursors_made_goes_on_in_the_other_three_places(
    harness: ServerHarness, cursor: int
) -> None:
    await start(harness)
    cursors = Cursors(harness, CALLS, found("load", CALLS, 5))
    cursors.type("read")
    predictions = await cursors.predictions(cursor, "paused")
    lines = [one["edits"][0]["range"]["start"]["line"] for one in predictions]
    assert lines == [15, 18, 21]
    assert {one["label"] for one in predictions} == {"rename load -> read (2 more)"}


async def test_five_cursors_are_no_five_examples_while_they_type(harness: ServerHarness) -> None:
    await start(harness)
    typed = await confidence(harness, 5, "typed")
    harness.close_document(A)
    assert typed + 0.2 < await confidence(harness, 5, "paused")


async def test_what_is_left_of_a_word_at_two_cursors_is_not_repeated(harness: ServerHarness) -> None:
    await start(harness)
    text = "def load(x):\n    return x\n\n\na = load(1)\n\n\nb = load(2)\n\n\nc = load(3)\n"
    cursors = Cursors(harness, text, found("load", text, 2))
    cursors.type("fetch")
    assert len(await cursors.predictions(0)) == 2
    cursors.erase(3)
    assert await cursors.predictions(0) == []


@pytest.mark.parametrize("cursor", [0, 1, 2])
async def test_ghost_text_at_each_of_three_cursors(harness: ServerHarness, cursor: int) -> None:
    await start(harness)
    end = len(EMPTY) - 1
    cursors = Cursors(harness, EMPTY, [(end - back, end - back) for back in (0, 2, 4)])
    cursors.type("print(measur")
    line, character = cursors.position(cursor)
    (item,) = await harness.inline_completions(A, None, line, character)
    assert item["insertText"] == "ed_temperature"
    assert item["range"] == lsp_range(line, character, line, character)


async def test_a_new_place_after_several_cursors_is_an_edit_of_its_own(harness: ServerHarness) -> None:
    await start(harness)
    cursors = Cursors(harness, CALLS, found("load", CALLS, 2))
    cursors.type("read")
    cursors.spans = [cursors.spans[0]]
    cursors.type("_all")
    opened = [edit for edit in harness.server.session.history.edits if edit.open]
    assert [edit.new for edit in opened] == [("total_0 = read_all(user_0, fast)\n",)]


async def test_two_cursors_in_one_line_are_one_edit(harness: ServerHarness) -> None:
    await start(harness)
    text = "print(load(1), load(2))\n\n\nprint(load(3), load(4))\n"
    cursors = Cursors(harness, text, found("load", text, 2))
    cursors.type("read")
    (edit,) = harness.server.session.history.edits
    assert edit.new == ("print(read(1), read(2))\n",)
    predictions = await cursors.predictions(0, "paused")
    assert {one["edits"][0]["range"]["start"]["line"] for one in predictions} == {3}


async def test_undo_at_several_cursors_takes_all_back(harness: ServerHarness) -> None:
    await start(harness)
    cursors = Cursors(harness, CALLS, found("load", CALLS, 3))
    cursors.type("x")
    cursors._replace([(start - 1, end) for start, end in cursors.spans], "load")
    assert cursors.text == CALLS
    assert harness.server.session.history.edits == ()
    assert await cursors.predictions(0) == []


@pytest.mark.parametrize(("pause", "count"), [(0.01, 3), (1.0, 12)])
async def test_keys_that_are_reported_cursor_by_cursor_are_joined_too(pause: float, count: int) -> None:
    now = 0.0
    harness = ServerHarness(Pipeline(), clock=lambda: now)
    await start(harness)
    cursors = Cursors(harness, CALLS, found("load", CALLS, 3))
    spans = list(cursors.spans)
    for character in "read":
        for number, (start_at, end_at) in enumerate(spans):
            now += pause
            cursors._replace([(start_at, end_at)], character)
            growth = 1 - (end_at - start_at)
            spans[number] = (start_at + 1,) * 2
            spans[number + 1 :] = [(a + growth, b + growth) for a, b in spans[number + 1 :]]
    edits = harness.server.session.history.edits
    assert len(edits) == count
    assert edits[-1].new == ("total_2 = read(user_2, fast)\n",)
    harness.finish()
