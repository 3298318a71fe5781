"""A language server as a child process: requests over its pipes, each within what is left of one time limit."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .child_process import ChildProcess
from .errors import ChildError, ChildTimeoutError

_MAX_BYTES = 32 << 20
"""Bytes of a message. A longer one ends the conversation."""
_MAX_HEADER = 1 << 12
_END_S = 2.0


class LanguageServer:
    """A language server that answers one request after another. Close it to end its process.

    Args:
        command: The program, as an absolute path, and its arguments.
        cwd: The folder that it starts in.
        env: Its environment; None = this process's.
        timeout_s: Seconds for the whole conversation.

    Raises:
        OSError: The program does not start.
    """

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, timeout_s: float
    ) -> None:
        self._deadline = time.monotonic() + timeout_s
        self._process: ChildProcess[bytes] = ChildProcess(
            command, cwd=cwd, env=env, has_input=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._messages: queue.Queue[Any] = queue.Queue()
        self._last = 0
        self._reader = threading.Thread(target=self._read, name="editahead-language-server", daemon=True)
        self._reader.start()

    def request(self, method: str, params: Any) -> Any:
        """Send a request, and return its result; None for an answer that is an error.

        Raises:
            ChildTimeoutError: There is no answer in time.
            ChildError: The server has ended.
        """
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            try:
                message = self._messages.get(timeout=max(self._deadline - time.monotonic(), 0.0))
            except queue.Empty:
                raise ChildTimeoutError from None
            if not isinstance(message, dict):
                raise ChildError("the language server has ended")
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == self._last:
                return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
        self._reader.join(_END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _answer(self, message: Mapping[str, Any]) -> None:
        """Answer what the server asks of its client: it has no configuration, and takes note of the rest."""
        params = message.get("params")
        items = params.get("items") if isinstance(params, dict) else None
        is_list = message["method"] == "workspace/configuration" and isinstance(items, list)
        self._send({"id": message["id"], "result": [None] * len(items or ()) if is_list else None})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self._process.stdin.flush()
        except OSError as error:
            raise ChildError("the language server has ended") from error

    def _read(self) -> None:
        """Put each message in the queue, and None at the end."""
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):
            while (message := _read_message(self._process.stdout)) is not None:
                self._messages.put(message)
        self._messages.put(None)


def _read_message(pipe: IO[bytes]) -> Any:
    """Return the next message; None at the end."""
    length = 0
    while (line := pipe.readline(_MAX_HEADER)).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if not line or not 0 < length <= _MAX_BYTES:
        return None
    return json.loads(pipe.read(length))
