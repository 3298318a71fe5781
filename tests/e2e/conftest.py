"""A real server process and pytest-lsp's client for it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pytest_lsp import LanguageClient

from server_process import REAL, SCRIPT, SCRIPTED, connected, listening, spawned


@pytest.fixture
def server_environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a server, with folders of its own: the machine's settings have no effect."""
    known = {k: v for k, v in os.environ.items() if not k.startswith("EDITAHEAD_")}
    return {**known, "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture(params=["stdio", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    """Run each test over both transports."""
    return str(request.param)


@pytest_asyncio.fixture
async def client(transport: str, server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """Yield a client of a server that predicts `user` -> `account`."""
    if transport == "stdio":
        async with spawned([*SCRIPTED, SCRIPT], server_environment) as client:
            yield client
    else:
        async with (
            listening([*SCRIPTED, SCRIPT, "0"], server_environment) as port,
            connected(port) as client,
        ):
            yield client


@pytest_asyncio.fixture
async def real(transport: str, server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """Yield a client of a server with the real predictors."""
    if transport == "stdio":
        async with spawned(REAL, server_environment) as client:
            yield client
    else:
        async with (
            listening([*REAL, "--tcp", "127.0.0.1:0"], server_environment) as port,
            connected(port) as client,
        ):
            yield client
