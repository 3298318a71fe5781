"""A real server process, spoken to by pytest-lsp's client. When a test is over, nothing it said may be unread."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pytest_lsp import LanguageClient, make_test_lsp_client

SCRIPTED = [sys.executable, str(Path(__file__).parents[1] / "support" / "scripted.py")]
REAL = [sys.executable, "-m", "editahead_lsp", "lsp"]


@pytest.fixture
def server_environment(tmp_path: Path) -> dict[str, str]:
    """With folders of its own, so that no settings of the machine count."""
    known = {k: v for k, v in os.environ.items() if not k.startswith("EDITAHEAD_")}
    return {**known, "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}


async def _session(command: list[str], environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    client = make_test_lsp_client()
    await client.start_io(*command, env=environment)
    yield client
    assert client.messages == []
    assert client.log_messages == []
    assert client.shown_documents == []
    assert not client.diagnostics
    await client.shutdown_session()
    assert client._server is not None
    assert await client._server.wait() == 0
    await client.stop()


@pytest_asyncio.fixture
async def scripted(server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """Predicts `user` -> `account`."""
    async for client in _session([*SCRIPTED, json.dumps({"user": "account"})], server_environment):
        yield client


@pytest_asyncio.fixture
async def real(server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """With the real predictors."""
    async for client in _session(REAL, server_environment):
        yield client
