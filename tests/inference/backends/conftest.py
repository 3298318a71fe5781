"""A server on a real socket, and the backend that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from editahead_inference.backends.openai.backend import OpenAIBackend
from fake_model_server import ModelServer
from manual_clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
async def backend(server: ModelServer, clock: Clock) -> AsyncIterator[OpenAIBackend]:
    backend = OpenAIBackend(server.url, clock=clock)
    yield backend
    await backend.close()
