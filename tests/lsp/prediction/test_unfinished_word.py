"""A name that is still being typed: what follows from it waits for a pause, or until the cursor leaves the word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from editahead_inference.candidates import Candidate, GateDecision, Prediction
from editahead_inference.pipeline import Pipeline
from editahead_lsp.prediction.unfinished_word import PAUSE_S, only_at_cursor
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from server_harness import ServerHarness, position_params

URI = "file:///w/a"
NEXT, INLINE = "editahead/nextEdit", "textDocument/copilotInlineEdit"


class Pauses:
    """Sleeps that end when the test says so."""

    def __init__(self) -> None:
        self.lengths: list[float] = []
        self._end = asyncio.Event()
        self._begun = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.lengths.append(seconds)
        if seconds == PAUSE_S:
            self._begun.set()
            await self._end.wait()

    async def begun(self) -> None:
        """Wait for the next pause to begin."""
        await self._begun.wait()
        self._begun.clear()

    def end(self) -> None:
        self._end.set()


class Typist:
    """Somebody who types in one document."""

    def __init__(self, harness: ServerHarness, pauses: Pauses) -> None:
        self.harness, self.pauses = harness, pauses
        self._version, self._line, self.column = 1, 0, 0
        self._waiting: list[asyncio.Future[list[str]]] = []

    async def opens(self, text: str, language: str, **settings: Any) -> None:
        await self.harness.initialize(settings)
        self.harness.open(URI, text, language=language)

    def replaces(self, line: int, column: int, old: str, new: str) -> None:
        """Type over a word, key by key."""
        self._line, self.column = line, column
        self._change(column, column + len(old), "")
        self.types(new)

    def types(self, text: str) -> None:
        for key in text:
            self._change(self.column, self.column, key)
            self.column += 1

    def _change(self, start: int, end: int, text: str) -> None:
        self._version += 1
        self.harness.change(URI, self._version, (self._line, start, self._line, end, text))

    def asks(self, method: str = NEXT, line: int | None = None, **context: Any) -> int:
        at = self._line if line is None else line
        return self.harness.send(method, position_params(URI, self._version, at, self.column, **context))

    def asks_after(self, key: str, method: str, **context: Any) -> int:
        self.types(key)
        return self.asks(method, **context)

    async def sees_at_once(self, id: int) -> list[str] | None:
        """Return the new texts of an answer that waits for no pause; None where it does."""
        answer, pause = asyncio.ensure_future(self.sees(id)), asyncio.ensure_future(self.pauses.begun())
        done, _ = await asyncio.wait({answer, pause}, return_when=asyncio.FIRST_COMPLETED)
        if answer in done:
            pause.cancel()
            return answer.result()
        self._waiting.append(answer)
        return None

    async def reads_the_rest(self) -> None:
        """Read the answers that waited for a pause."""
        for answer in self._waiting:
            await answer

    async def sees(self, id: int) -> list[str]:
        """Return the new texts of an answer."""
        result = (await self.harness.reply(id))["result"]
        edits = (
            result["edits"] if "edits" in result else [e for p in result["predictions"] for e in p["edits"]]
        )
        return [edit.get("newText", edit.get("text")) for edit in edits]


@pytest_asyncio.fixture
async def typist() -> AsyncIterator[Typist]:
    pauses = Pauses()
    harness = ServerHarness(Pipeline(), sleep=pauses.sleep, clock=lambda: 0.0)
    yield Typist(harness, pauses)
    harness.finish()


RENAMES = {
    "python": ("def load(algorithm):\n    check(algorithm)\n    return algorithm\n", 0, 9, "algorithm", "quuzle"),
    "go": ("package a\n\nfunc size(value int) int {\n\treturn value + 1\n}\n", 2, 10, "value", "quuzle"),
    "javascript": ("function run(item) {\n  start(item);\n}\n", 0, 13, "item", "quuzle"),
    "rust": ("fn area(side: u32) -> u32 {\n    side * side\n}\n", 0, 8, "side", "quuzle"),
    "java": ("class A {\n    int twice(int value) {\n        return value + value;\n    }\n}\n", 1, 18, "value", "quuzle"),
    "c": ("int twice(int value)\n{\n    return value + value;\n}\n", 0, 14, "value", "quuzle"),
}  # fmt: skip  # a table


@pytest.mark.parametrize("language", RENAMES)
@pytest.mark.parametrize(("method", "context"), [(NEXT, {"trigger": "typed"}), (INLINE, {})])
async def test_a_half_typed_name_is_not_previewed(
    typist: Typist, language: str, method: str, context: dict[str, Any]
) -> None:
    text, line, column, old, new = RENAMES[language]
    await typist.opens(text, language)
    typist.replaces(line, column, old, "")
    seen = [await typist.sees_at_once(typist.asks_after(key, method, **context)) for key in new]
    assert seen[-1] is None  # it waits
    assert not any(seen)
    last = typist.asks(method, **context)
    typist.pauses.end()
    assert await typist.sees(last) != []
    await typist.reads_the_rest()


@pytest.mark.parametrize("language", RENAMES)
async def test_a_cursor_that_left_the_word_waits_for_nothing(typist: Typist, language: str) -> None:
    text, line, column, old, new = RENAMES[language]
    await typist.opens(text, language)
    typist.replaces(line, column, old, new)
    assert await typist.sees(typist.asks(trigger="cursor", line=line + 1)) != []
    assert PAUSE_S not in typist.pauses.lengths


@pytest.mark.parametrize("trigger", ["paused", "cursor", "manual"])
async def test_who_paused_or_asks_by_a_key_waits_for_nothing(typist: Typist, trigger: str) -> None:
    text, line, column, old, new = RENAMES["python"]
    await typist.opens(text, "python")
    typist.replaces(line, column, old, new)
    assert await typist.sees(typist.asks(trigger=trigger)) != []
    assert PAUSE_S not in typist.pauses.lengths


async def test_a_fixed_debounce_is_the_pause(typist: Typist) -> None:
    text, line, column, old, new = RENAMES["python"]
    await typist.opens(text, "python", debounce_ms=0)
    typist.replaces(line, column, old, new)
    assert await typist.sees(typist.asks(trigger="typed")) != []
    assert PAUSE_S not in typist.pauses.lengths


async def test_the_reason_says_what_is_waited_for(typist: Typist) -> None:
    text, line, column, old, new = RENAMES["python"]
    await typist.opens(text, "python")
    typist.replaces(line, column, old, new)
    first = typist.asks(trigger="typed")
    await typist.pauses.begun()
    second = typist.asks(trigger="paused")
    assert (await typist.harness.reply(first))["result"]["silence"]["reason"] == "cancelled"
    assert await typist.sees(second) != []


# The function

LINES = "a = 1\nold = 2\nprint(old)\n"


def prediction(
    body: str, column: int, *, open: bool = True, old: str = "old = 2\n", **other: str
) -> Prediction:
    text = LINES.replace("old = 2", body)
    document = Snapshot.from_text(text, uri=URI, language="python")
    edit = PastEdit(other.get("uri", URI), 1, (old,), (f"{body}\n",), open=open)
    state = EditorState(document, document.starts[1] + column, (edit,))
    start = document.starts[2] + len("print(")
    made: Callable[..., Candidate] = lambda at, end, uri=URI: Candidate(  # noqa: E731  # shorter
        uri, Edit.replace(at, end, "x"), at, at + 1, "propagation", "x", "x"
    )
    here = made(state.cursor, state.cursor)
    shown = tuple(
        GateDecision(one, 0.9, None) for one in (made(start, start + 3), here, made(0, 1, "file:///w/b"))
    )
    return Prediction(state, shown, None, shown)


def test_only_what_is_at_the_cursor_is_left() -> None:
    found = prediction("new = 2", 3)
    left = only_at_cursor(found)
    assert [decision.candidate.target_offset for decision in left.shown] == [found.state.cursor]
    assert left.decisions == found.decisions


def test_the_new_beginning_of_an_old_word_is_unfinished() -> None:
    found = prediction("very_old = 2", 5)
    assert [decision.candidate.target_offset for decision in only_at_cursor(found).shown] == [
        found.state.cursor
    ]


@pytest.mark.parametrize(
    "found",
    [
        prediction("new = 2", 3, open=False),
        prediction("new = 2", 2),  # within the word
        prediction("new = 2", 4),  # behind it
        prediction("new = 2", 3, uri="file:///w/b"),
        prediction("old = 3", 3),  # not a new word
        prediction("old = 345", 9),  # a number
    ],
)
def test_a_finished_word_holds_nothing_back(found: Prediction) -> None:
    assert only_at_cursor(found) is found
