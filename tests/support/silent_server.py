"""A server that takes connections of PostgreSQL's clients, and never answers a statement."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

READY = b"R\0\0\0\x08\0\0\0\0" + b"Z\0\0\0\x05I"
"""What a server says that trusts everybody: authenticated, and ready."""


class SilentServer:
    """A server that takes connections, and sends as much as it was given."""

    def __init__(self, answer: bytes) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgresql://ada@127.0.0.1:{self.socket.getsockname()[1]}/team?sslmode=disable"
        self.answer, self.held = answer, []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection = self.socket.accept()[0]
                self.held.append(connection)
                connection.recv(1_000)
                connection.sendall(self.answer)

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.held:
            connection.close()
        self.thread.join()
