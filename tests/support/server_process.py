"""Server processes, and pytest-lsp's client connected to them. A connection must end with every message read."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

SCRIPTED = [sys.executable, str(Path(__file__).with_name("server_harness.py"))]
REAL = [sys.executable, "-m", "editahead_cli", "lsp"]
ENGINE = [sys.executable, "-m", "editahead_cli", "engine"]
SCRIPT = json.dumps({"user": "account", "total = 1": "total = 1 + tax"})
TOKEN = "s3cret"
"""The token of servers over TCP, which clients of `connected` send."""
LISTENING = "editahead: listening on 127.0.0.1:"


def free_port() -> int:
    """Return a TCP port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@asynccontextmanager
async def listening(command: list[str], environment: dict[str, str]) -> AsyncIterator[int]:
    """Start a server on a TCP port and yield the port, which the server prints. SIGTERM ends the server."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment | {"EDITAHEAD_TOKEN": TOKEN},
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
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
    client = _client()
    _send_token(client)
    await client.start_tcp("127.0.0.1", port)
    writer = client.protocol.writer
    try:
        yield client
        _nothing_unread(client)
        await client.shutdown_session()
    finally:
        writer.close()
        await client.stop()


def _send_token(client: LanguageClient) -> None:
    """Add the token to the client's options in `initialize`."""
    initialize_async = client.initialize_async

    async def initialize(params: types.InitializeParams) -> types.InitializeResult:
        options = {**(params.initialization_options or {})}
        options["editahead"] = {**options.get("editahead", {}), "token": TOKEN}
        params.initialization_options = options
        return await initialize_async(params)

    client.initialize_async = initialize


@asynccontextmanager
async def spawned(command: list[str], environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    client = _client()
    await client.start_io(*command, env=environment)
    yield client
    _nothing_unread(client)
    await client.shutdown_session()
    assert client._server is not None
    assert await client._server.wait() == 0
    await client.stop()


def change_document(client: LanguageClient, uri: str, version: int, range: types.Range, text: str) -> None:
    """Tell the server that a text replaces a range of a document."""
    document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
    change = types.TextDocumentContentChangePartial(range=range, text=text)
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


def plain(value: Any) -> Any:
    """Return a result of pytest-lsp's client as JSON values."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _client() -> LanguageClient:
    client = make_test_lsp_client()
    read = client.protocol._converter
    # lsprotocol takes every code action that has a command for a mere command.
    read.register_structure_hook(
        types.Command | types.CodeAction, lambda value, _: read.structure(value, types.CodeAction)
    )
    return client


def _nothing_unread(client: LanguageClient) -> None:
    assert client.messages == []
    assert client.log_messages == []
    assert client.shown_documents == []
    assert not any(client.diagnostics.values())
