from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from server_harness import Scripted, Wired


@pytest.fixture
def pipeline() -> Scripted:
    return Scripted({"user": "account"})


@pytest_asyncio.fixture
async def connect(pipeline: Scripted, tmp_path: Path) -> AsyncIterator[Callable[..., Wired]]:
    """Makes servers; when the test is over, nothing that they said may be unread."""
    made: list[Wired] = []

    def connect(**arguments: Any) -> Wired:
        arguments.setdefault("user_folder", tmp_path / "config")
        made.append(Wired(pipeline, **arguments))
        return made[-1]

    yield connect
    pipeline.open.set()
    for wired in made:
        wired.finish()


@pytest.fixture
def wired(connect: Callable[..., Wired]) -> Wired:
    return connect()
