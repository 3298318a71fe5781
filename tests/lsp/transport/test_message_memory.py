"""What a message may take in memory: bytes, values, and what waits for the server."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.errors import MessageTooLargeError
from editahead_lsp.transport import message_framing, stdio
from editahead_lsp.transport.message_framing import parse_body
from editahead_lsp.transport.stdio import StdinReaderThread
from server_harness import ServerHarness

PIECES = [
    b"[],",
    b"{},",
    b'{"a":1},',
    b"[[]],",
    b"1,",
    b'"",',
    b'"\\"",',
    b'[{"a":[]}],',
    b"null ,\n",
    b'"\\\\",',
]
FILL = 2_000_000
"""Bytes of the messages of many values."""


@pytest.mark.parametrize("piece", PIECES)
def test_values_have_a_limit_before_they_take_memory(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_framing, "MAX_VALUES", 10_000)
    body = b'{"params":[' + piece * (FILL // len(piece)) + b"0]}"
    tracemalloc.start()
    with pytest.raises(MessageTooLargeError):
        parse_body(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize(
    "text", [",[{" * 300_000, '\\",[{"' * 300_000, "\U0001f600,[" * 300_000, '"' * 900_000]
)
def test_what_is_in_a_text_is_no_value(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_framing, "MAX_VALUES", 100)
    for body in (json.dumps({"text": text}), json.dumps({"text": text}, ensure_ascii=False)):
        assert parse_body(body.encode()) == {"text": text}


@pytest.mark.parametrize(
    "body", [b'"' + b'\\"' * 500_000, b'"\\' * 500_000, b'[,{"' * 300_000, b"\\" * 900_000]
)
def test_no_json_costs_no_more(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_framing, "MAX_VALUES", 100)
    with pytest.raises((ValueError, MessageTooLargeError)):
        parse_body(body)


JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda some: st.lists(some) | st.dictionaries(st.text(), some),
    max_leaves=30,
)


@given(JSON, st.integers(0, 40))
def test_the_count_is_that_of_the_values(value: Any, max_values: int) -> None:
    """Each value of a list or an object counts, and each list and object that is not empty once more at most."""
    body = json.dumps(value).encode()
    before = message_framing.MAX_VALUES
    message_framing.MAX_VALUES = max_values
    try:
        is_refused = message_framing.has_too_many_values(body)
    finally:
        message_framing.MAX_VALUES = before
    assert is_refused == (signs(value) > max_values)


def signs(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(len(value) - 1, 0) + sum(map(signs, value)) if isinstance(value, list) else 0


async def test_no_document_is_trusted_after_a_message_with_too_many_values(
    harness: ServerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    harness.notify("initialized", {})
    harness.open("file:///a.py", "user\n", 1)
    monkeypatch.setattr(message_framing, "MAX_VALUES", 50)
    harness.server.receive(b'{"jsonrpc":"2.0","method":"x","params":[' + b"0," * 60 + b"0]}")
    error = await harness.take(lambda message: "error" in message)
    assert "a message with more than 50 values was not read" in error["error"]["message"]
    told = await harness.take(lambda message: message.get("method") == "window/showMessage")
    assert "until they are opened again" in told["params"]["message"]
    assert len(harness.server.session.documents) == 0


async def test_few_bytes_wait_for_a_busy_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "_MAX_QUEUED_BYTES", 2_500)
    taken: list[int] = []
    is_ahead = asyncio.Event()
    loop = asyncio.get_running_loop()

    def messages() -> Iterator[bytes]:
        for number in range(20):
            taken.append(number)
            loop.call_soon_threadsafe(is_ahead.set)
            yield b"Content-Length: 1000\r\n\r\n" + b"x" * 1_000
        yield b""

    pieces = messages()
    seen: list[bytes] = []
    max_values: list[int] = []
    ended = asyncio.Event()

    def deliver(body: bytes) -> None:
        max_values.append(len(taken) - len(seen))
        seen.append(body)

    StdinReaderThread(lambda size: next(pieces), loop, deliver, lambda length: None, ended.set).start()
    await ended.wait()
    assert len(seen) == 20
    assert max(max_values) <= 4  # two wait, one is delivered, and one waits for room
