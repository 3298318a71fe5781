"""The fixtures of tests that talk to a server in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from server_harness import ScriptedPipeline, ServerHarness


@pytest.fixture
def pipeline() -> ScriptedPipeline:
    return ScriptedPipeline({"user": "account"})


@pytest_asyncio.fixture
async def connect(pipeline: ScriptedPipeline, tmp_path: Path) -> AsyncIterator[Callable[..., ServerHarness]]:
    """Return a function that makes servers. At the end, every message of these servers must be read."""
    made: list[ServerHarness] = []

    def connect(**arguments: Any) -> ServerHarness:
        arguments.setdefault("user_folder", tmp_path / "config")
        made.append(ServerHarness(pipeline, **arguments))
        return made[-1]

    yield connect
    pipeline.open.set()
    for harness in made:
        harness.finish()


@pytest.fixture
def harness(connect: Callable[..., ServerHarness]) -> ServerHarness:
    return connect()


@pytest_asyncio.fixture
async def client(harness: ServerHarness) -> ServerHarness:
    """Return a client whose server is initialized and does not wait for pauses in typing."""
    await harness.initialize({"debounce_ms": 0})
    return harness
