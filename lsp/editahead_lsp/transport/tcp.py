"""Several clients over TCP: one server object for each connection, all on one event loop.

No client can delay another: the event loop never blocks on reading from a client, or on writing to one.
"""

from __future__ import annotations

import asyncio
import ctypes
import hmac
import ipaddress
import json
import logging
import sys
from collections import deque
from collections.abc import Callable

from lsprotocol import types

from editahead_lsp.errors import LspError, NotLoopbackError
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.server import Server

from .closing import close_connection, stop_listening
from .message_framing import MessageFramer

log = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10.0
"""Seconds in which a client has to send `initialize`, with the token; then the connection is closed."""
MAX_HANDSHAKE_BYTES = 1 << 20
"""Bytes that a client may send before `initialize` is complete; a limit on memory."""
MAX_CLIENTS = 100
"""Connections that are initialized; a limit on descriptors and memory. Further ones are closed."""
MAX_STRANGERS = 32
"""Connections that are not initialized yet. For one more, the oldest of them is closed: a client needs milliseconds."""
MAX_SEND_BUFFER_BYTES = 64 << 20
"""Bytes that wait for a client to read them; a client that leaves more unread is disconnected."""
BACKLOG = 16
"""Connections that the system accepts for us ahead, which are also as many as asyncio accepts in one turn of the loop."""
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
        token: The secret that a client has to send with `initialize`. Any account of this machine can connect, and what
            a client may do, such as reading files, the user may do.
    """

    def __init__(self, make_server: Callable[[], Server], token: str) -> None:
        if not token:
            raise ValueError("a token is needed")
        self._make_server, self._token = make_server, token
        self._connections: set[asyncio.Task[None]] = set()
        self._strangers: dict[_Connection, None] = {}
        """The connections that are not initialized yet, the oldest first."""
        descriptors = _max_descriptors()
        self._max_clients = min(MAX_CLIENTS, descriptors // 4)
        self._max_strangers = min(MAX_STRANGERS, descriptors // 8)
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
        listener = await asyncio.start_server(
            self._on_connect, host, port, start_serving=False, backlog=BACKLOG
        )
        names = [socket.getsockname() for socket in listener.sockets]
        if not remote and not all(_is_loopback(name[0]) for name in names):
            listener.close()
            raise NotLoopbackError(f"{host or 'every address'} can be reached from other machines")
        await listener.start_serving()
        self._listener = listener
        return [f"[{name[0]}]:{name[1]}" if ":" in name[0] else f"{name[0]}:{name[1]}" for name in names]

    async def stop(self) -> None:
        """Stop to listen, close all connections and wait until they are closed."""
        await stop_listening(self._listener, self._connections)

    def _on_connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._strangers) >= self._max_strangers:
            log.warning("connection closed: %d others came before its `initialize`", self._max_strangers)
            oldest = next(iter(self._strangers))
            self._strangers.pop(oldest)
            oldest.abort()
        connection = _Connection(reader, writer)
        connection.task = asyncio.ensure_future(self._serve(connection))
        self._strangers[connection] = None
        self._connections.add(connection.task)
        connection.task.add_done_callback(self._connections.discard)
        connection.task.add_done_callback(lambda _: self._strangers.pop(connection, None))

    async def _serve(self, connection: _Connection) -> None:
        """Serve a client. There is no server object before the client has shown that it may have one."""
        deadline = asyncio.get_running_loop().time() + HANDSHAKE_TIMEOUT_S
        had_server = False
        try:
            async with asyncio.timeout_at(deadline):
                first = await connection.read_message(MAX_HANDSHAKE_BYTES)
            if first is None:
                return
            if not self._has_token(first):
                raise _RejectedError("the token is missing or wrong")
            if self._count_clients() >= self._max_clients:
                raise _RejectedError(f"there are {self._max_clients} clients")
            had_server = True
            await self._serve_messages(connection, first, deadline)
        except _RejectedError as error:
            log.warning("connection closed: %s", error)
        except TimeoutError:
            log.warning("connection closed: no `initialize` within %g s", HANDSHAKE_TIMEOUT_S)
        except ConnectionError:
            log.info("connection lost")
        finally:
            await close_connection(connection.writer)
            if had_server:  # a flood of strangers costs nothing more
                await asyncio.to_thread(_return_memory)

    async def _serve_messages(self, connection: _Connection, first: bytes, deadline: float) -> None:
        """Serve a client from its first message on, until the stream ends.

        Args:
            connection: The connection.
            first: The body of the first message.
            deadline: The time of the loop until which the client has to be initialized.

        Raises:
            TimeoutError: The client was not initialized in time.
            _RejectedError: The client sends no messages.
            ConnectionError: The connection is lost.
        """
        server = self._make_server()
        # The process id may be of another machine; the end of the connection is enough.
        server.watch_client_process = False
        server.over_network = True
        connection.on_too_long = server.skip_message
        server.protocol.set_writer(_Writer(connection.writer.transport, server.request_exit))
        reading = asyncio.ensure_future(self._read(connection, server, first, deadline))
        reading.add_done_callback(lambda _: server.request_exit())
        try:
            await server.wait_closed()
        finally:
            server.protocol.cancel_all_requests()
            if not reading.cancel() and not reading.cancelled():
                reading.result()

    async def _read(self, connection: _Connection, server: Server, first: bytes, deadline: float) -> None:
        """Pass each message to the server, one turn of the loop for each, until the stream ends or is rejected."""
        body: bytes | None = first
        async with asyncio.timeout_at(deadline) as handshake_timeout:
            while body is not None:
                server.receive(body)
                if server.protocol.initialized and connection in self._strangers:
                    self._strangers.pop(connection)
                    handshake_timeout.reschedule(None)
                await asyncio.sleep(0)
                limit = MAX_HANDSHAKE_BYTES if connection in self._strangers else None
                body = await connection.read_message(limit)

    def _count_clients(self) -> int:
        """Return the number of connections that are initialized."""
        return len(self._connections) - len(self._strangers)

    def _has_token(self, body: bytes) -> bool:
        """Return whether the message is `initialize` with the right token."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return False
        token = get_nested(message, "params", "initializationOptions", "editahead", "token")
        if get_nested(message, "method") != types.INITIALIZE or not isinstance(token, str):
            return False
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("utf-8", "replace"))


class _RejectedError(LspError):
    """A connection that is closed, with the reason for the log."""


class _Connection:
    """A connection, and the messages that arrive on it.

    Attributes:
        task: The task that serves it.
        on_too_long: Called with the length of a message that is skipped; None before there is a server.
    """

    task: asyncio.Task[None]

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self._reader, self._framer = reader, MessageFramer(self._skip)
        self.on_too_long: Callable[[int], None] | None = None
        self._head = b""
        self._bodies: deque[bytes] = deque()

    async def read_message(self, max_bytes: int | None) -> bytes | None:
        """Return the body of the next message, or None at the end of the stream.

        Args:
            max_bytes: The bytes to read for it, at most; None for no limit.

        Raises:
            _RejectedError: The client does not speak LSP, or the message is too long.
            ConnectionError: The connection is lost.
        """
        while not self._bodies:
            if max_bytes is not None and self._framer.buffered_bytes > max_bytes:
                raise _RejectedError("the first message is too long")
            chunk = await self._reader.read(_CHUNK_BYTES)
            if not chunk:
                return None
            self._head = (self._head + chunk)[: len(_HEADER)]
            if not _HEADER.startswith(self._head.lower()):
                raise _RejectedError("the client does not speak LSP")
            self._bodies.extend(self._framer.feed(chunk))
        return self._bodies.popleft()

    def _skip(self, length: int) -> None:
        if self.on_too_long is None:
            raise _RejectedError("the first message is too long")
        self.on_too_long(length)

    def abort(self) -> None:
        """Close the connection at once, which frees its descriptor."""
        self.writer.transport.abort()
        self.task.cancel()


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


def _return_memory() -> None:
    """Give memory that is free back to the system: glibc keeps it in an arena for each thread, and each client had one."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _max_descriptors() -> int:
    """Return how many files and connections this process may have open, at a time."""
    try:
        import resource
    except ImportError:  # on Windows
        return 512
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if limit == resource.RLIM_INFINITY else limit


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
