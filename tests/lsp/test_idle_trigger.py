"""The idle trigger: an action runs once its input has changed and then stays the same."""

from __future__ import annotations

import asyncio

import pytest

from editahead_lsp.idle_trigger import IdleTrigger
from server_with_model import Time

PAUSE_S = 0.2


class Watched:
    def __init__(self) -> None:
        self.time, self.ran = Time(), list[object]()
        self.input: object = None
        self.trigger = IdleTrigger(lambda: self.input, self.run, PAUSE_S, self.time.sleep)

    async def run(self) -> None:
        self.ran.append(self.input)

    async def message(self, value: object, passes: float) -> None:
        self.input = value
        self.trigger.on_message()
        await asyncio.sleep(0)
        self.time.passes(passes)
        for _ in range(5):
            await asyncio.sleep(0)


@pytest.fixture
def watched() -> Watched:
    return Watched()


async def test_it_runs_once_for_each_input(watched: Watched) -> None:
    await watched.message("a", PAUSE_S)
    await watched.message("a", PAUSE_S)
    await watched.message("b", PAUSE_S)
    assert watched.ran == ["a", "b"]
    assert watched.trigger.is_current()


async def test_what_changes_meanwhile_is_waited_for_anew(watched: Watched) -> None:
    await watched.message("a", PAUSE_S / 2)
    await watched.message("b", PAUSE_S / 2)
    assert not watched.ran
    await watched.message("b", PAUSE_S)
    assert watched.ran == ["b"]


async def test_without_an_input_nothing_runs(watched: Watched) -> None:
    await watched.message(None, PAUSE_S)
    await watched.message("a", PAUSE_S / 2)
    await watched.message(None, PAUSE_S)
    assert not watched.ran and not watched.trigger.is_current()


async def test_stopped_it_does_not_run(watched: Watched) -> None:
    await watched.message("a", 0.0)
    watched.trigger.stop()
    watched.time.passes(PAUSE_S)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not watched.ran
