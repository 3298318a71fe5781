"""A server that takes connections of PostgreSQL's clients, says what it was given, and never answers a statement."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

READY = b"R\0\0\0\x08\0\0\0\0" + b"Z\0\0\0\x05I"
"""What a server says that trusts everybody: authenticated, and ready."""


PASSWORD_IN_CLEAR, PASSWORD_AS_MD5 = b"R\0\0\0\x08\0\0\0\x03", b"R\0\0\0\x0c\0\0\0\x05salt"
"""How a server asks for a password."""


class SilentServer:
    """A server that takes connections, and sends as much as it was given.

    Args:
        answer: What is sent after the first message of a client. An empty part waits for the next message.
        folder: A folder for a socket; None for a port of this machine.
    """

    def __init__(self, answer: Iterable[bytes], folder: Path | None = None) -> None:
        if folder is None:
            self.socket = socket.create_server(("127.0.0.1", 0))
            place = f"127.0.0.1:{self.socket.getsockname()[1]}/team?sslmode=disable"
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(str(folder / ".s.PGSQL.5432"))
            self.socket.listen()
            place = f"/team?host={folder}"
        self.url = f"postgresql://ada@{place}"
        self.held: list[socket.socket] = []
        self.received, self.sent = b"", 0
        self._answer = answer
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection = self.socket.accept()[0]
                self.held.append(connection)
                self.received += connection.recv(1_000)
                with suppress(OSError):
                    self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        for part in self._answer:
            if part:
                connection.sendall(part)
                self.sent += len(part)
            else:
                self.received += connection.recv(10_000)
        while more := connection.recv(1_000):
            self.received += more

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.held:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self.thread.join()
