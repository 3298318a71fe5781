"""A language server as a child process: requests over its pipes, each within what is left of one time limit."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from .child_process import ChildProcess
from .errors import ChildError, ChildTimeoutError

_MAX_BYTES = 32 << 20
"""Bytes of a message. A longer one ends the conversation."""
_MAX_HEADER = 1 << 12
_END_S = 2.0
_POLL_S = 0.05
"""Seconds between two looks at whether the answer is still wanted."""


class LanguageServer:
    """A language server that answers one request after another. Close it to end its process.

    Args:
        command: The program, as an absolute path, and its arguments.
        cwd: The folder that it starts in.
        env: Its environment; None = this process's.
        timeout_s: Seconds for the whole conversation. Then the server is killed: one that does not read its input would
            otherwise keep a message that is being sent forever.
        check: Raises to cancel; called several times a second while an answer is awaited.

    Raises:
        OSError: The program does not start.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        timeout_s: float,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._deadline, self._check = time.monotonic() + timeout_s, check
        self._process: ChildProcess[bytes] = ChildProcess(
            command, cwd=cwd, env=env, has_input=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._messages: queue.Queue[Any] = queue.Queue()
        self._last = 0
        self._end = threading.Timer(timeout_s, self._kill)
        self._end.daemon = True
        self._end.start()
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
            message = self._next_message()
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._last:
                return message.get("result")

    def _next_message(self) -> Mapping[str, Any]:
        while True:
            self._check()
            left = self._deadline - time.monotonic()
            try:
                message = self._messages.get(timeout=min(max(left, 0.0), _POLL_S))
            except queue.Empty:
                if left <= 0:
                    raise ChildTimeoutError from None
                continue
            if not isinstance(message, dict):
                raise self._ended()
            return message

    def _ended(self) -> ChildError:
        """Return the error for a server that has ended, by itself or because its time is over."""
        if time.monotonic() >= self._deadline:
            return ChildTimeoutError()
        return ChildError("the language server has ended")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def close(self) -> None:
        """End the server."""
        self._end.cancel()
        self._process.kill()
        self._process.wait()
        self._reader.join(_END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _kill(self) -> None:
        """Kill the server, and what it has left behind: that may hold the pipe."""
        self._process.kill()
        self._process.poll()

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
            raise self._ended() from error

    def _read(self) -> None:
        """Put each answer and request in the queue, and None at the end. Notifications are dropped: there may be many."""
        assert self._process.stdout is not None
        with suppress(ValueError, OSError, RecursionError):
            while (message := _read_message(self._process.stdout)) is not None:
                if not isinstance(message, dict) or "id" in message:
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
