"""Several clients over TCP: one server object for each connection, all on one event loop.

No client can delay another: the event loop never blocks on reading from a client, or on writing to one.
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
"""Seconds in which a client has to send the token; then the connection is closed."""
MAX_HANDSHAKE_BYTES = 1 << 20
"""Bytes that a client may send before the message with the token is complete; a limit on memory."""
MAX_SEND_BUFFER_BYTES = 64 << 20
"""Bytes that wait for a client to read them; a client that leaves more unread is disconnected."""
CLOSE_TIMEOUT_S = 1.0
"""Seconds in which a client can read the last messages before its connection is closed."""
_CHUNK_BYTES = 1 << 16
_HEADER = b"content-"
"""The first bytes of the stream, in any case of letters.

A web page can make a browser connect to a port of this machine. The browser's request has a Content-Length too, but never
as its first header.
"""


class TcpServer:
    """A listener that serves each connection with a server object of its own.

    Args:
        make_server: Returns a new server object for one connection.
        token: The secret that a client has to send with `initialize`; None = no client needs one.
    """

    def __init__(self, make_server: Callable[[], Server], token: str | None = None) -> None:
        self._make_server, self._token = make_server, token
        self._connections: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None

    async def start(self, host: str, port: int, *, remote: bool) -> list[str]:
        """Listen for connections. Return the addresses, each as "host:port".

        Args:
            host: A name or an address; an empty one means all addresses of this machine.
            port: 0 = a free port.
            remote: Whether other machines may connect.

        Raises:
            NotLoopbackError: Other machines can reach the address, and `remote` is False.
            OSError: The address cannot be listened on.
        """
        listener = await asyncio.start_server(self._on_connect, host, port, start_serving=False)
        names = [socket.getsockname() for socket in listener.sockets]
        if not remote and not all(_is_loopback(name[0]) for name in names):
            listener.close()
            raise NotLoopbackError(f"{host or 'every address'} can be reached from other machines")
        await listener.start_serving()
        self._listener = listener
        return [f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}" for name in names]

    async def stop(self) -> None:
        """Stop to listen, close all connections and wait until they are closed."""
        if self._listener is not None:
            self._listener.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _on_connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = self._make_server()
        server.watch_client_process = (
            False  # the process id may be of another machine; the end of the connection is enough
        )
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
        """Pass each message to the server, one turn of the loop for each, until the stream ends or is rejected."""
        framer, head, trusted = MessageFramer(), b"", self._token is None
        try:
            async with asyncio.timeout(None if trusted else HANDSHAKE_TIMEOUT_S) as handshake_timeout:
                while chunk := await reader.read(_CHUNK_BYTES):
                    head = (head + chunk)[: len(_HEADER)]
                    if not _HEADER.startswith(head.lower()):
                        log.warning("connection closed: the client does not speak LSP")
                        return
                    for body in framer.feed(chunk):
                        if not trusted and not self._has_token(body):
                            log.warning("connection closed: the token is missing or wrong")
                            return
                        if not trusted:
                            trusted = True
                            handshake_timeout.reschedule(None)
                        server.receive(body)
                        await asyncio.sleep(0)
                    if not trusted and framer.buffered_bytes > MAX_HANDSHAKE_BYTES:
                        return
        except TimeoutError:
            log.warning("connection closed: no token within %g s", HANDSHAKE_TIMEOUT_S)
        except ConnectionError:
            log.info("connection lost")

    def _has_token(self, body: bytes) -> bool:
        """Return whether the message is `initialize` with the right token."""
        assert self._token is not None
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return False
        token = get_nested(message, "params", "initializationOptions", "editahead", "token")
        if get_nested(message, "method") != types.INITIALIZE or not isinstance(token, str):
            return False
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("utf-8", "replace"))


class _Writer:
    """A writer that never waits: it buffers up to MAX_SEND_BUFFER_BYTES, then disconnects the client."""

    def __init__(self, transport: asyncio.WriteTransport, on_disconnect: Callable[[], None]) -> None:
        self._transport, self._on_disconnect = transport, on_disconnect

    def write(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > MAX_SEND_BUFFER_BYTES:
            log.warning("connection closed: the client does not read")
            self._transport.abort()
            self._on_disconnect()

    def close(self) -> None:
        pass


async def _close(writer: asyncio.StreamWriter) -> None:
    """Close the connection after the client has read the last messages, or after CLOSE_TIMEOUT_S."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await writer.wait_closed()
    except (TimeoutError, OSError):
        writer.transport.abort()


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
