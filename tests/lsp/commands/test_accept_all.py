"""`editahead.acceptAll`: all places that are left of the rule of a prediction, as one edit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from editahead_inference.candidates import Candidate
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState
from memory_codebase import MemoryCodebase
from server_harness import ServerHarness

HERE, OTHER, CLOSED = (f"file:///tmp/shop/{name}.py" for name in ("prices", "bills", "orders"))
PRICES = """\
def net_total(lines):
    return sum(lines)


def show(x):
    return net_total(x)


spare = net_total([1])
"""
BILLS = "from shop.prices import net_total\n\nprint(net_total([2]))\n"
ORDERS = "from shop.prices import net_total\n\n\ndef show(order):\n    return net_total(order.lines)\n"
SHOWS = {"showDocument": {"support": True}}
EDITS = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}


@pytest.fixture
def harness() -> Iterator[ServerHarness]:
    harness = ServerHarness(Pipeline(codebase=MemoryCodebase({CLOSED: ORDERS})))
    harness.server.session.index_version = 1
    yield harness
    harness.finish()


async def rename(harness: ServerHarness, **workspace: Any) -> str:
    """Rename the definition, and return the id of the next edit."""
    await harness.initialize({"debounce_ms": 0}, window=SHOWS, workspace=EDITS | workspace)
    harness.open(OTHER, BILLS, version=7)
    harness.open(HERE, PRICES)
    harness.change(HERE, 2, (0, 4, 0, 13, "compute_total"))
    first, *_ = await harness.predictions(HERE, 2, 0, 17, trigger="manual")
    id: str = first["id"]
    return id


def made(result: dict[str, Any], uri: str) -> list[tuple[int, str]]:
    """Return the lines and new texts of a document's edits."""
    (change,) = (one for one in result["edit"]["documentChanges"] if one["textDocument"]["uri"] == uri)
    return [(edit["range"]["start"]["line"], edit["newText"]) for edit in change["edits"]]


async def test_all_places_in_all_files_are_one_edit(harness: ServerHarness) -> None:
    id = await rename(harness)
    result = await harness.command("acceptAll", {"id": id, "dryRun": True})
    assert (result["message"], result["places"], result["files"]) == ("6 edits in 3 files", 6, 3)
    assert result["label"] == "rename net_total -> compute_total"
    assert result["applied"] is None
    versions = {
        c["textDocument"]["uri"]: c["textDocument"]["version"] for c in result["edit"]["documentChanges"]
    }
    assert versions == {HERE: 2, OTHER: 7, CLOSED: None}
    assert [line for line, _ in made(result, HERE)] == [5, 8]
    assert [line for line, _ in made(result, OTHER)] == [0, 2]
    assert [line for line, _ in made(result, CLOSED)] == [0, 4]
    assert "-spare = net_total([1])\n+spare = compute_total([1])\n" in result["diff"]


async def test_the_client_applies_it_and_it_counts_as_accepted(harness: ServerHarness) -> None:
    id = await rename(harness)
    asked = harness.send(
        "workspace/executeCommand", {"command": "editahead.acceptAll", "arguments": [{"id": id}]}
    )
    sent = await harness.serves("workspace/applyEdit", {"applied": True})
    result = (await harness.reply(asked))["result"]
    assert sent["label"] == "rename net_total -> compute_total"
    assert sent["edit"] == result["edit"]
    assert result["applied"] is True
    assert (await harness.command("status"))["outcomes"]["accepted"] == 1


async def test_a_client_that_can_asks_first(harness: ServerHarness) -> None:
    annotates = {"documentChanges": True, "changeAnnotationSupport": {}}
    await rename(harness, workspaceEdit=annotates)
    result = await harness.command("acceptAll", {"dryRun": True})
    assert result["edit"]["changeAnnotations"] == {
        "1": {"label": "rename net_total -> compute_total", "needsConfirmation": True}
    }


async def test_what_the_person_rejected_is_left_out(harness: ServerHarness) -> None:
    await harness.command("reject", await rename(harness))
    (first, *_) = await harness.predictions(HERE, 2, 0, 17, trigger="manual")
    result = await harness.command("acceptAll", {"id": first["id"], "dryRun": True})
    assert [line for line, _ in made(result, HERE)] == [8]


class SlowPipeline(Pipeline):
    """A pipeline whose search for all places goes on until it is cancelled."""

    def __init__(self) -> None:
        super().__init__(codebase=MemoryCodebase({}))
        self.is_searching = threading.Event()

    def rest_of_rule(
        self, state: EditorState, shown: Candidate, check: Callable[[], None] = lambda: None
    ) -> NoReturn:
        self.is_searching.set()
        while True:
            check()


@pytest.mark.parametrize(("is_changed", "reason"), [(True, "has changed"), (False, "took too long")])
async def test_a_search_ends_with_the_next_keystroke_and_in_time(is_changed: bool, reason: str) -> None:
    pipeline, now = SlowPipeline(), [0.0]
    harness = ServerHarness(pipeline, clock=lambda: now[0])
    id = await rename(harness)
    params = {"command": "editahead.acceptAll", "arguments": [{"id": id}]}
    request = harness.send("workspace/executeCommand", params)
    assert await asyncio.to_thread(pipeline.is_searching.wait, 10)
    if is_changed:
        harness.change(HERE, 3, (9, 0, 9, 0, "x"))
    else:
        now[0] += 60
    error = (await harness.reply(request))["error"]
    assert error["code"] == -32803 and reason in error["message"]
    harness.finish()


async def test_without_a_prediction_it_is_refused(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0})
    reply = await harness.reply(harness.send("workspace/executeCommand", {"command": "editahead.acceptAll"}))
    assert reply["error"]["code"] == -32803
    assert reply["error"]["message"] == "No next edit is shown whose rule could be followed."


async def test_a_client_that_applies_nothing_gets_the_edit(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0})
    harness.open(HERE, PRICES)
    harness.change(HERE, 2, (0, 4, 0, 13, "compute_total"))
    first, *_ = await harness.predictions(HERE, 2, 0, 17, trigger="manual")
    result = await harness.command("acceptAll", {"id": first["id"]})
    assert result["applied"] is False
    assert result["edit"]["changes"].keys() == {HERE, CLOSED}
