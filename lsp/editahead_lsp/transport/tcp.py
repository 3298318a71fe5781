"""Several editors at once over TCP: one server object for each connection, all on one event loop.

What one client does cannot hold up another: nothing here waits for a client, neither for its words nor for it to
listen.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import logging
from collections.abc import Callable

from lsprotocol import types

from editahead_lsp.errors import NotLoopbackError
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.server import Server

from .message_framing import MessageFramer

log = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10.0
"""A client that must show a token has so long for it."""
MAX_HANDSHAKE_BYTES = 1 << 20
"""As much may come before the token is seen."""
MAX_SEND_BUFFER_BYTES = 64 << 20
"""A client that leaves more than this unread is dropped."""
CLOSE_S = 1.0
"""A client that is being left has so long to read what it was told."""
_CHUNK = 1 << 16
_HEADER = b"content-"
"""How the stream begins, in any case of letters. A web page can make a browser speak to a port of this machine, and
such a request has a Content-Length too; but it never comes first."""


class TcpServer:
    """make: a server object for one more client. token: what a client must show in its first message, if anything."""

    def __init__(self, make: Callable[[], Server], token: str | None = None) -> None:
        self._make, self._token = make, token
        self._clients: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Server | None = None

    async def start(self, host: str, port: int, *, remote: bool) -> list[str]:
        """Listen; the addresses. remote: whether other machines may connect. Raises NotLoopback, OSError."""
        listening = await asyncio.start_server(self._welcome, host, port, start_serving=False)
        names = [socket.getsockname() for socket in listening.sockets]
        if not remote and not all(_is_loopback(name[0]) for name in names):
            listening.close()
            raise NotLoopbackError(f"{host or 'every address'} can be reached from other machines")
        await listening.start_serving()
        self._listening = listening
        return [f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}" for name in names]

    async def stop(self) -> None:
        """Close the connections and wait for their ends."""
        if self._listening is not None:
            self._listening.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.ensure_future(self._serve(reader, writer))
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = self._make()
        server.watches_process = False  # its number may be another machine's; the connection says enough
        server.protocol.set_writer(_Writer(writer.transport, server.request_exit))
        reading = asyncio.ensure_future(self._read(reader, server))
        reading.add_done_callback(lambda _: server.request_exit())
        try:
            await server.wait_closed()
        finally:
            reading.cancel()
            server.protocol.cancel_all_requests()
            await _close(writer)

    async def _read(self, reader: asyncio.StreamReader, server: Server) -> None:
        """Hand over each message, one turn of the loop for each, until the stream ends or is none of ours."""
        frames, head, trusted = MessageFramer(), b"", self._token is None
        try:
            async with asyncio.timeout(None if trusted else HANDSHAKE_TIMEOUT_S) as patience:
                while chunk := await reader.read(_CHUNK):
                    head = (head + chunk)[: len(_HEADER)]
                    if not _HEADER.startswith(head.lower()):
                        log.warning("a connection that does not speak LSP was closed")
                        return
                    for body in frames.feed(chunk):
                        if not trusted and not self._knows_token(body):
                            log.warning("a connection without the right token was closed")
                            return
                        if not trusted:
                            trusted = True
                            patience.reschedule(None)
                        server.receive(body)
                        await asyncio.sleep(0)
                    if not trusted and frames.buffered_bytes > MAX_HANDSHAKE_BYTES:
                        return
        except TimeoutError:
            log.warning("a connection that showed no token was closed")
        except ConnectionError:
            log.info("a connection was broken off")

    def _knows_token(self, body: bytes) -> bool:
        assert self._token is not None
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return False
        shown = get_nested(message, "params", "initializationOptions", "editahead", "token")
        if get_nested(message, "method") != types.INITIALIZE or not isinstance(shown, str):
            return False
        return hmac.compare_digest(shown.encode("utf-8", "replace"), self._token.encode("utf-8", "replace"))


class _Writer:
    """Never waits: what the client does not read yet is kept for it, within bounds."""

    def __init__(self, transport: asyncio.WriteTransport, gone: Callable[[], None]) -> None:
        self._transport, self._gone = transport, gone

    def write(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > MAX_SEND_BUFFER_BYTES:
            log.warning("a client that does not read was dropped")
            self._transport.abort()
            self._gone()

    def close(self) -> None:
        pass


async def _close(writer: asyncio.StreamWriter) -> None:
    """Let the client have what it was told, if it reads it soon."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_S):
            await writer.wait_closed()
    except (TimeoutError, OSError):
        writer.transport.abort()


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
