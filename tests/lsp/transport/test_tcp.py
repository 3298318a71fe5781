"""Clients on one TCP port: access, and isolation from each other."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_lsp.errors import NotLoopbackError
from editahead_lsp.features import create_server
from editahead_lsp.server import Server
from editahead_lsp.transport import json_rpc, tcp
from editahead_lsp.transport.message_framing import MAX_MESSAGE_BYTES, MessageFramer
from editahead_lsp.transport.tcp import TcpServer
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.settings import Settings
from server_harness import ScriptedPipeline, position_params

A = "file:///tmp/a.py"
TOKEN = "s3cret"


def framed(method: str, params: Any = None, **more: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client:
    """The other end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._frames = MessageFramer()
        self._arrived: list[Any] = []
        self._last = 0

    def send(self, method: str, params: Any = None, **more: Any) -> None:
        self.writer.write(framed(method, params, **more))

    async def request(self, method: str, params: Any = None) -> Any:
        self._last += 1
        self.send(method, params, id=self._last)
        async with asyncio.timeout(10):
            while not self._arrived:
                chunk = await self.reader.read(1 << 16)
                assert chunk, "the connection was closed"
                messages = map(json.loads, self._frames.feed(chunk))
                self._arrived += [message for message in messages if "id" in message]
        message = self._arrived.pop(0)
        assert message["id"] == self._last
        return message["result"]

    async def initialize(self, token: str = TOKEN, **options: Any) -> Any:
        options["token"] = token
        result = await self.request(
            "initialize",
            {"processId": 2**30, "capabilities": {}, "initializationOptions": {"editahead": options}},
        )
        self.send("initialized", {})
        return result

    async def edits(self, text: str) -> list[Any]:
        item = {"uri": A, "languageId": "python", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})
        found: list[Any] = (
            await self.request("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
        )["edits"]
        return found

    async def closed(self) -> None:
        """Returns once the server has closed the connection; until then it must have said nothing."""
        async with asyncio.timeout(10):
            assert await self.reader.read() == b""

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


Connect = Callable[[], Any]


class House:
    """A listener, and the clients that a test lets connect."""

    def __init__(self, stack: AsyncExitStack, folder: Path) -> None:
        self.pipelines: list[ScriptedPipeline] = []
        self.servers: list[Server] = []
        self._stack, self._folder = stack, folder

    def _make(self) -> Server:
        self.pipelines.append(ScriptedPipeline({"user": "account"}))
        pipeline = self.pipelines[-1]
        environment = {"EDITAHEAD_TELEMETRY": "off"}
        server = create_server(lambda: pipeline, environment=environment, user_folder=self._folder)
        self.servers.append(server)
        return server

    async def listen(self) -> None:
        self.listener = TcpServer(self._make, TOKEN)
        self._stack.push_async_callback(self.listener.stop)
        (address,) = await self.listener.start("127.0.0.1", 0, remote=False)
        self.port = int(address.removeprefix("127.0.0.1:"))

    async def client(self) -> Client:
        client = Client(*await asyncio.open_connection("127.0.0.1", self.port))
        self._stack.push_async_callback(client.close)
        return client


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        yield House(stack, tmp_path)


async def test_each_client_has_a_server_of_its_own(house: House) -> None:
    await house.listen()
    one, other = await house.client(), await house.client()
    await one.initialize()
    await other.initialize()
    assert len(await one.edits("user\n")) == 1
    assert await other.edits("nothing\n") == []
    status = await other.request("workspace/executeCommand", {"command": "editahead.status"})
    assert (status["documents"], status["outcomes"]["shown"]) == (1, 0)


@pytest.mark.parametrize("rest", [b"", b"Content-Length: 100\r\n\r\n{", b"Content-Le"])
async def test_one_dies_and_the_other_goes_on(house: House, rest: bytes) -> None:
    await house.listen()
    one, other = await house.client(), await house.client()
    await one.initialize()
    await other.initialize()
    house.pipelines[0].open.clear()
    one.send("textDocument/didOpen", {"textDocument": {"uri": A, "text": "user\n"}})
    one.send("editahead/nextEdit", position_params(A, 0, 0, 0), id=77)
    await asyncio.to_thread(house.pipelines[0].started.wait, 10)
    one.writer.write(rest)
    one.writer.transport.abort()
    assert len(await other.edits("user\n")) == 1
    third = await house.client()
    await third.initialize()
    assert len(await third.edits("user\n")) == 1


async def test_exit_ends_only_that_connection(house: House) -> None:
    await house.listen()
    one, other = await house.client(), await house.client()
    await one.initialize()
    await other.initialize()
    assert await one.request("shutdown") is None
    one.send("exit")
    await one.closed()
    assert len(await other.edits("user\n")) == 1


@pytest.mark.slow
async def test_the_texts_of_a_closed_client_wait_for_no_collector(house: House) -> None:
    """With fifty clients, the objects of each refer to each other, and a collection of all may be hours away."""
    await house.listen()
    client = await house.client()
    await client.initialize()
    gc.collect()
    gc.disable()
    try:
        assert len(await client.edits("user # of who has gone\n")) == 1
        assert await client.request("editahead/nextEdit", position_params(A, 1, 0, 0))
        assert texts_in_memory()
        await client.close()
        await asyncio.wait(set(house.listener._connections), timeout=10)
        house.pipelines[0].calls.clear()
        assert not texts_in_memory()
    finally:
        gc.enable()


def texts_in_memory() -> list[str]:
    """Return the texts of that client's document that any object of this process still holds."""
    snapshots = (held for held in gc.get_objects() if isinstance(held, Snapshot))
    return [held.text for held in snapshots if held.text.endswith("# of who has gone\n")]


async def test_with_the_token(house: House) -> None:
    await house.listen()
    client = await house.client()
    assert (await client.initialize())["serverInfo"]["name"] == "editahead"
    assert len(await client.edits("user\n")) == 1


def with_token(token: Any) -> dict[str, Any]:
    return {"capabilities": {}, "initializationOptions": {"editahead": {"token": token}}}


STRANGERS = {
    **{
        f"token {token!r}": framed("initialize", with_token(token), id=1)
        for token in ("", "s3cre", "s3crets", "S3CRET", 3, None)
    },
    "another message with the token": framed("textDocument/didFocus", with_token(TOKEN)),
    "no JSON": b"Content-Length: 9\r\n\r\nrubbish!!",
    "no message": b"Content-Length: 2\r\n\r\n[]",
    "too long": b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE_BYTES + 1),
    "a web page, which can reach any port of its machine": b"POST / HTTP/1.1\r\nHost: x\r\n"
    + framed("initialize", {}, id=1),
}


@pytest.mark.parametrize("sent", STRANGERS.values(), ids=STRANGERS)
async def test_whoever_has_no_token_is_disconnected_without_an_answer(house: House, sent: bytes) -> None:
    await house.listen()
    client = await house.client()
    client.writer.write(sent)
    await client.closed()
    assert house.pipelines == []


@pytest.mark.parametrize("sent", [b"", b"Content-Length: 100\r\n\r\n{", b"Con", framed("initialized", {})])
async def test_a_client_that_does_not_initialize_is_disconnected(
    house: House, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(tcp, "HANDSHAKE_TIMEOUT_S", 0.05)
    await house.listen()
    client = await house.client()
    client.writer.write(sent)
    await client.closed()
    assert house.pipelines == []


async def test_there_is_no_server_without_a_token(house: House) -> None:
    with pytest.raises(ValueError, match="token"):
        TcpServer(house._make, "")


@pytest.mark.parametrize("later", [False, True])
async def test_a_client_chooses_neither_model_server_nor_key_nor_log(house: House, later: bool) -> None:
    await house.listen()
    client = await house.client()
    chosen = {
        "backend": "openai",
        "url": "https://attacker.test",
        "model": "m",
        "api_key_env": "HOME",
        "record": "on",
        "telemetry": "local",
        "log_level": "debug",
        "eagerness": 1,
    }
    await client.initialize(**({} if later else chosen))
    if later:
        client.send("workspace/didChangeConfiguration", {"settings": {"editahead": chosen}})
    status = await client.request("workspace/executeCommand", {"command": "editahead.status"})
    (server,) = house.servers
    settings, defaults = server.session.settings, Settings()
    for name in chosen.keys() - {"eagerness", "telemetry"}:
        assert getattr(settings, name) == getattr(defaults, name), name
    assert settings.eagerness == 1 and settings.telemetry == "off"
    assert status["backend"]["name"] == "embedded"


async def test_a_stranger_cannot_fill_the_memory(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "MAX_HANDSHAKE_BYTES", 1000)
    await house.listen()
    client = await house.client()
    client.writer.write(b"Content-Length: 999999999\r\n\r\n" + b"x" * 2000)
    await client.closed()


async def test_the_time_ends_with_initialize(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.listen()
    client = await house.client()
    await client.initialize()
    monkeypatch.setattr(tcp, "HANDSHAKE_TIMEOUT_S", 0.05)
    await (await house.client()).closed()
    assert len(await client.edits("user\n")) == 1


async def test_the_oldest_stranger_makes_room(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "MAX_STRANGERS", 3)
    await house.listen()
    known = await house.client()
    await known.initialize()
    strangers = [await house.client() for _ in range(3)]
    client = await house.client()
    await client.initialize()
    await strangers[0].closed()
    await strangers[2].initialize()
    for other in (known, strangers[2]):
        assert len(await other.edits("user\n")) == 1


async def test_a_flood_of_strangers_keeps_few_connections(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "MAX_STRANGERS", 3)
    returned: list[None] = []
    monkeypatch.setattr(tcp, "_return_memory", lambda: returned.append(None))
    await house.listen()
    strangers = [await house.client() for _ in range(60)]
    client = await house.client()
    await client.initialize()
    for stranger in strangers[:-3]:
        await stranger.closed()
    async with asyncio.timeout(
        10
    ):  # a client sees the end of its connection before the listener has forgotten it
        while len(connections := set(house.listener._connections)) > 4:
            await asyncio.wait(connections, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)
    assert len(house.pipelines) == 1, "a stranger has no server"
    assert not returned, "a stranger had no memory to return"


async def test_clients_are_capped(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "MAX_CLIENTS", 2)
    await house.listen()
    first, second = await house.client(), await house.client()
    await first.initialize()
    await second.initialize()
    third = await house.client()
    third.send("initialize", with_token(TOKEN), id=1)
    await third.closed()
    await first.close()
    await asyncio.wait(set(house.listener._connections), timeout=10, return_when=asyncio.FIRST_COMPLETED)
    fourth = await house.client()
    await fourth.initialize()
    assert len(await fourth.edits("user\n")) == 1
    assert len(await second.edits("user\n")) == 1


async def test_few_descriptors_mean_fewer_connections(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "_max_descriptors", lambda: 16)
    await house.listen()
    strangers = [await house.client() for _ in range(3)]
    await strangers[0].closed()
    await strangers[2].initialize()


@pytest.mark.parametrize("host", ["0.0.0.0", ""])
async def test_other_machines_only_when_allowed(house: House, host: str) -> None:
    with pytest.raises(NotLoopbackError):
        await TcpServer(house._make, TOKEN).start(host, 0, remote=False)


async def test_stopping_does_not_wait_for_answers(house: House) -> None:
    await house.listen()
    client = await house.client()
    await client.initialize()
    house.pipelines[0].open.clear()
    client.send("textDocument/didOpen", {"textDocument": {"uri": A, "text": "user\n"}})
    client.send("editahead/nextEdit", position_params(A, 0, 0, 0), id=77)
    await asyncio.to_thread(house.pipelines[0].started.wait, 10)
    await house.listener.stop()
    async with asyncio.timeout(10):
        await client.reader.read()


async def test_a_message_that_is_too_long_is_said_and_no_text_is_trusted_after_it(house: House) -> None:
    await house.listen()
    client = await house.client()
    await client.initialize()
    assert len(await client.edits("user\n")) == 1
    length = MAX_MESSAGE_BYTES + 1
    client.writer.write(b"Content-Length: %d\r\n\r\n" % length)
    found: list[Any] = []
    async with asyncio.timeout(10):
        while len(found) < 2:
            found += map(json.loads, client._frames.feed(await client.reader.read(1 << 16)))
    error, message = found
    assert error["id"] is None and f"a message of {length} bytes was not read" in error["error"]["message"]
    assert "until they are opened again" in message["params"]["message"]
    (server,) = house.servers
    assert len(server.session.documents) == 0


async def test_requests_that_wait_are_limited(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_rpc, "MAX_WAITING_REQUESTS", 2)
    await house.listen()
    client = await house.client()
    await client.initialize()
    house.pipelines[0].open.clear()
    for number in range(3):
        item = {"uri": f"{A}{number}", "languageId": "python", "version": 1, "text": "user\n"}
        client.send("textDocument/didOpen", {"textDocument": item})
        client.send("editahead/nextEdit", position_params(f"{A}{number}", 1, 0, 0), id=70 + number)
    async with asyncio.timeout(10):
        found = [*map(json.loads, client._frames.feed(await client.reader.read(1 << 16)))]
    assert [(m["id"], m["error"]["message"]) for m in found] == [(72, "2 requests wait for answers")]
    house.pipelines[0].open.set()


class Transport(asyncio.WriteTransport):
    """A client that never reads."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = 0
        self.aborted = False

    def is_closing(self) -> bool:
        return self.aborted

    def write(self, data: Any) -> None:
        self.kept += len(data)

    def get_write_buffer_size(self) -> int:
        return self.kept

    def abort(self) -> None:
        self.aborted = True


def test_who_does_not_read_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "MAX_SEND_BUFFER_BYTES", 100)
    transport, gone = Transport(), []
    writer = tcp._Writer(transport, lambda: gone.append(True))
    for _ in range(5):
        writer.write(b"x" * 30)
    assert (transport.aborted, gone, transport.kept) == (True, [True], 120)
