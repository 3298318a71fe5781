"""One server process for many sessions, one after another: a connection of its own for each, over TCP.

The server makes a server object for each connection, which knows nothing of the others, so that a session starts in
milliseconds and not in the half second that a process takes.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from editahead_evals.errors import ServerDiedError
from editahead_programs.child_process import ChildProcess

from .editor import Editor
from .lsp_client import TIMEOUT_S, JsonRpcConnection, isolated_environment, server_command, server_died

_LISTENING = "editahead: listening on "
"""What the server writes on stderr before its address."""
_LOADING_S = 0.05
"""Seconds between two questions whether the model is loaded."""
_ENDING_S = 1.0
"""Seconds that a process has to end by itself, and to write why, after its connection broke off."""


def _is_loading(backend: Mapping[str, str]) -> bool:
    """Return whether a server with a model has not loaded the model yet."""
    return backend["name"] == "embedded" or backend["state"] == "starting"


class SharedServer:
    """A server process that listens on a free port of this machine.

    Args:
        command: the command without the arguments for listening.
        env: variables that are added to this process's environment, which is made isolated.

    Raises:
        ServerDiedError: the process ended before it listened.
    """

    def __init__(self, command: Sequence[str] | None = None, *, env: Mapping[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="editahead-server-")
        folder = Path(self._folder.name).resolve()
        self._token = secrets.token_urlsafe()
        self._has_model = "EDITAHEAD_BACKEND" in (env or {})
        self._process: ChildProcess[bytes] = ChildProcess(
            [*(command or server_command()), "--tcp", "127.0.0.1:0"],
            cwd=folder,
            env={**isolated_environment(folder), **(env or {}), "EDITAHEAD_TOKEN": self._token},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self._process.stderr is not None
        self._errors: deque[str] = deque(maxlen=200)
        self._reader = threading.Thread(target=self._drain, args=(self._process.stderr,), daemon=True)
        try:
            self._address = self._listening(self._process.stderr)
        except BaseException:
            self.kill()
            raise
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def session(self, settings: Mapping[str, Any]) -> Editor:
        """Return an editor on a connection of its own, independent of earlier ones. Its model is loaded."""
        editor = Editor({**settings, "token": self._token}, client=self.connect())
        while self._has_model and _is_loading(editor.execute("editahead.status").result["backend"]):
            time.sleep(_LOADING_S)
        return editor

    def connect(self) -> JsonRpcConnection:
        try:
            return _Connection(socket.create_connection(self._address, timeout=TIMEOUT_S), self)
        except OSError as error:
            raise self.exit_error() from error

    def exit_error(self) -> ServerDiedError:
        """Return the error for an ended process, with the end of its stderr. A process that still runs is killed."""
        try:
            code = self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join()
        return server_died(code, self._errors)

    def kill(self) -> None:
        """Kill the process, which has no state to save. Calling it again has no effect."""
        self._process.kill()
        self._process.wait()
        if self._reader.is_alive():
            self._reader.join()
        assert self._process.stderr is not None
        self._process.stderr.close()
        self._folder.cleanup()

    def _listening(self, stream: IO[bytes]) -> tuple[str, int]:
        """Return the address from the server's stderr."""
        for line in stream:
            said = line.decode(errors="replace").rstrip()
            if said.startswith(_LISTENING):
                host, _, port = said.removeprefix(_LISTENING).rpartition(":")
                return host, int(port)
            self._errors.append(said)
        raise server_died(self._process.wait(), self._errors)

    def _drain(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._errors.append(line.decode(errors="replace").rstrip())


class _Connection(JsonRpcConnection):
    """A connection over TCP. Any failure of it means that the server ended."""

    def __init__(self, connection: socket.socket, server: SharedServer) -> None:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._server = connection, server
        self._stream = connection.makefile("rb")
        super().__init__(self._stream, connection.makefile("wb"))

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        with contextlib.suppress(OSError):
            self._out.close()
        self._stream.close()
        self._connection.close()

    def _check_end(self) -> None:
        """Accept any end: the server closed the connection, so all messages have arrived."""

    def _death(self) -> ServerDiedError:
        return self._server.exit_error()
