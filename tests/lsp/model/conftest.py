"""A server with a model beside the rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from server_with_model import NEW, Model, ServerWithModel


@pytest.fixture
def model() -> Model:
    return Model({"def total": NEW})


@pytest_asyncio.fixture
async def connect(model: Model, tmp_path: Path) -> AsyncIterator[Callable[..., ServerWithModel]]:
    made: list[ServerWithModel] = []

    def connect(**arguments: Any) -> ServerWithModel:
        arguments.setdefault("user_folder", tmp_path / "config")
        made.append(ServerWithModel(model, **arguments))
        return made[-1]

    yield connect
    for harness in made:
        await harness.end()


@pytest.fixture
def harness(connect: Callable[..., ServerWithModel]) -> ServerWithModel:
    return connect()
