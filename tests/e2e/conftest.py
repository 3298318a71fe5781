"""A real server process, spoken to by pytest-lsp's client. When a test is over, nothing it said may be unread."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from pytest_lsp import LanguageClient, make_test_lsp_client

SCRIPTED = [sys.executable, str(Path(__file__).parents[1] / "support" / "scripted.py")]
REAL = [sys.executable, "-m", "editahead_lsp", "lsp"]
SCRIPT = json.dumps({"user": "account"})
LISTENING = "editahead: listening on 127.0.0.1:"


@pytest.fixture
def server_environment(tmp_path: Path) -> dict[str, str]:
    """With folders of its own, so that no settings of the machine count."""
    known = {k: v for k, v in os.environ.items() if not k.startswith("EDITAHEAD_")}
    return {**known, "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture(params=["stdio", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    """Whatever is tested with this runs over both."""
    return str(request.param)


@asynccontextmanager
async def listening(command: list[str], environment: dict[str, str]) -> AsyncIterator[int]:
    """A server on a TCP port, which it tells. SIGTERM ends it well."""
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    said = (await process.stderr.readline()).decode()
    assert said.startswith(LISTENING)
    try:
        yield int(said.removeprefix(LISTENING))
    finally:
        process.send_signal(signal.SIGTERM)
        rest = await process.stderr.read()
        assert await process.wait() == 0
        assert b"Traceback" not in rest


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[LanguageClient]:
    client = make_test_lsp_client()
    await client.start_tcp("127.0.0.1", port)
    writer = client.protocol.writer
    try:
        yield client
        _nothing_unread(client)
        await client.shutdown_session()
    finally:
        writer.close()
        await client.stop()


@asynccontextmanager
async def spawned(command: list[str], environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    client = make_test_lsp_client()
    await client.start_io(*command, env=environment)
    yield client
    _nothing_unread(client)
    await client.shutdown_session()
    assert client._server is not None
    assert await client._server.wait() == 0
    await client.stop()


def _nothing_unread(client: LanguageClient) -> None:
    assert client.messages == []
    assert client.log_messages == []
    assert client.shown_documents == []
    assert not any(client.diagnostics.values())


@pytest_asyncio.fixture
async def scripted(transport: str, server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """Predicts `user` -> `account`."""
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
    """With the real predictors."""
    if transport == "stdio":
        async with spawned(REAL, server_environment) as client:
            yield client
    else:
        async with (
            listening([*REAL, "--tcp", "127.0.0.1:0"], server_environment) as port,
            connected(port) as client,
        ):
            yield client
