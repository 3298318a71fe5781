"""A language client: one JSON-RPC connection, and the kind that runs the server as a child process on stdio.

Synchronous on purpose: what a test or a replay does reads top to bottom. One thread reads the server's
output, so that neither side ever waits for the other to empty a pipe; it only stamps and queues messages.
Everything else, answers to the server's own requests included, happens on the caller's thread while it waits
for a response.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from editahead_evals.errors import ClientError, ResponseError, ServerDiedError
from editahead_programs.child_process import ChildProcess
from editahead_programs.child_python import OWN_FOLDER, make_module_command

TIMEOUT_S = 60.0
"""How long a response may take before the server counts as hanging."""

METHOD_NOT_FOUND = -32601

RequestHandler = Callable[[Any], Any]
NotificationHandler = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Response:
    """A response and its latency in milliseconds."""

    result: Any
    ms: float


def server_command() -> list[str]:
    return make_module_command("editahead_cli", "lsp")


def isolated_environment(folder: Path) -> dict[str, str]:
    """Return this process's environment without the user's settings and state for the server.

    Outcomes are not logged: replays are not the user's choices.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        environment[name] = str(folder / name.lower())
    environment["EDITAHEAD_TELEMETRY"] = "off"
    return environment


class JsonRpcConnection(ABC):
    """A JSON-RPC connection to one server, for use from one thread.

    `requests` and `notifications` hold the handlers for the server's messages, by method. Handlers may be
    added at any time. Messages without a handler go to `unread` (such a request is answered with "method not
    found"), as do responses without a request; `close` raises when there are any.
    """

    def __init__(self, stream: IO[bytes], out: IO[bytes]) -> None:
        self.requests: dict[str, RequestHandler] = {}
        self.notifications: dict[str, NotificationHandler] = {}
        self.unread: list[dict[str, Any]] = []
        self._last_id = 0
        self._sent: dict[int, tuple[str, float]] = {}
        self._answers: dict[int, tuple[dict[str, Any], float]] = {}
        self._incoming: queue.SimpleQueue[tuple[float, bytes | None]] = queue.SimpleQueue()
        self._out = out
        self._reader = threading.Thread(target=_read_messages, args=(stream, self._incoming), daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.kill()

    @abstractmethod
    def kill(self) -> None:
        """End the connection at once. Calling it again has no effect."""

    @abstractmethod
    def _check_end(self) -> None:
        """Check that the server ended as requested.

        Raises:
            ServerDiedError: the server ended with an error.
        """

    @abstractmethod
    def _death(self) -> ServerDiedError:
        """Return the error for an unexpected end."""

    def notify(self, method: str, params: Any = None) -> None:
        self._send({"method": method} if params is None else {"method": method, "params": params})

    def send(self, method: str, params: Any = None) -> int:
        """Send a request without waiting, and return its id for `wait`."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method}
        self._sent[self._last_id] = (method, time.perf_counter())
        self._send(message if params is None else message | {"params": params})
        return self._last_id

    def wait(self, request: int) -> Response:
        """Return the response to a request that was sent.

        Raises:
            ResponseError: the response is an error.
        """
        while request not in self._answers:
            self._take(*self._next())
        answer, arrived = self._answers.pop(request)
        method, sent = self._sent.pop(request)
        if "error" in answer:
            raise ResponseError(method, answer["error"])
        return Response(answer.get("result"), (arrived - sent) * 1000)

    def request(self, method: str, params: Any = None) -> Any:
        return self.wait(self.send(method, params)).result

    def cancel(self, request: int) -> None:
        self.notify("$/cancelRequest", {"id": request})

    def close(self) -> None:
        """Shut the server down as the protocol specifies, and check that no message is left unread.

        Raises:
            ClientError: messages are unread, or requests are open.
        """
        try:
            self.request("shutdown")
            self.notify("exit")
            self._out.close()
            while (message := self._next_or_end()) is not None:
                self._take(*message)
            self._check_end()
            if self.unread or self._sent:
                raise ClientError(f"messages left unread: {self.unread}; requests left open: {self._sent}")
        finally:
            self.kill()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0"} | message, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            self._out.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._out.flush()
        except (BrokenPipeError, ValueError) as error:
            raise self._death() from error

    def _next(self) -> tuple[float, bytes]:
        message = self._next_or_end()
        if message is None:
            raise self._death()
        return message

    def _next_or_end(self) -> tuple[float, bytes] | None:
        try:
            arrived, body = self._incoming.get(timeout=TIMEOUT_S)
        except queue.Empty:
            waiting = [method for method, _ in self._sent.values()]
            raise ClientError(f"no answer within {TIMEOUT_S:.0f} s, waiting for {waiting}") from None
        return None if body is None else (arrived, body)

    def _take(self, arrived: float, body: bytes) -> None:
        message = json.loads(body)
        method, request = message.get("method"), message.get("id")
        if method is None:
            if request in self._sent:
                self._answers[request] = (message, arrived)
            else:
                self.unread.append(message)
        elif request is None:
            if method in self.notifications:
                self.notifications[method](message.get("params"))
            elif not method.startswith("$/"):  # these may be ignored, says the protocol
                self.unread.append(message)
        elif method in self.requests:
            self._reply({"id": request, "result": self.requests[method](message.get("params"))})
        else:
            self.unread.append(message)
            self._reply({"id": request, "error": {"code": METHOD_NOT_FOUND, "message": f"no {method} here"}})

    def _reply(self, message: dict[str, Any]) -> None:
        if not self._out.closed:  # after `exit` the server does not read
            self._send(message)


class LanguageClient(JsonRpcConnection):
    """A connection on stdio to a server that it starts as a child process."""

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `kill`)
        self._process: ChildProcess[bytes] = ChildProcess(
            list(command or server_command()),
            cwd=cwd or OWN_FOLDER,
            env=env,
            has_input=True,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        assert self._process.stdin and self._process.stdout
        super().__init__(self._process.stdout, self._process.stdin)

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        with contextlib.suppress(BrokenPipeError):
            self._out.close()
        assert self._process.stdout
        self._process.stdout.close()
        self._errors.close()

    def _check_end(self) -> None:
        if self._process.wait(TIMEOUT_S):
            raise self._death()

    def _death(self) -> ServerDiedError:
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        return server_died(code, self._errors.read().decode(errors="replace").splitlines())


def server_died(code: int, errors: Sequence[str]) -> ServerDiedError:
    """Return the error for a server that ended with `code` and wrote the lines `errors` to stderr."""
    tail = [line for line in errors if line.strip()][-20:]
    return ServerDiedError("\n".join([f"the server ended (exit code {code}); the end of its stderr:", *tail]))


def _read_messages(stream: IO[bytes], incoming: queue.SimpleQueue[tuple[float, bytes | None]]) -> None:
    """Queue each message's body with its time of arrival, and None at the end of the stream."""
    body: bytes | None = b""
    while body is not None:
        try:
            body = _read_message(stream)
        except OSError:  # a connection that was broken off
            body = None
        incoming.put((time.perf_counter(), body))


def _read_message(stream: IO[bytes]) -> bytes | None:
    length = 0
    while (line := stream.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return (stream.read(length) if line else b"") or None
