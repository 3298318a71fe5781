"""The end of the server process after the end of its client, whatever the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.slow


REAL = [sys.executable, "-m", "editahead_cli", "lsp"]
WAIT_S = 60


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def initialize(process_id: int | None) -> bytes:
    return frame({"id": 1, "method": "initialize", "params": {"processId": process_id, "capabilities": {}}})


def run(data: bytes, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(REAL, input=data, capture_output=True, timeout=WAIT_S, env=environment, check=False)


def test_by_protocol(server_environment: dict[str, str]) -> None:
    done = run(
        initialize(None) + frame({"id": 2, "method": "shutdown"}) + frame({"method": "exit"}),
        server_environment,
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_exit_without_shutdown_is_an_error(server_environment: dict[str, str]) -> None:
    assert run(initialize(None) + frame({"method": "exit"}), server_environment).returncode == 1


OPEN = {"uri": "file:///tmp/a.py", "languageId": "python", "version": 1, "text": "user = 1\n" * 5000}
ASKED = [
    frame({"method": "textDocument/didOpen", "params": {"textDocument": OPEN}}),
    frame(
        {
            "id": 2,
            "method": "editahead/nextEdit",
            "params": {"textDocument": {"uri": OPEN["uri"]}, "position": {"line": 0, "character": 0}},
        }
    ),
]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"rubbish",
        initialize(None),
        initialize(None)[:-3],
        initialize(None)[:10],
        initialize(None) + b"Content-Length: 20\r\n",
        initialize(None) + b"".join(ASKED),
        initialize(None) + b"".join(ASKED)[:-3],
    ],
    ids=["nothing", "rubbish", "started", "body", "header", "next header", "asked", "asking"],
)
def test_when_stdin_closes(data: bytes, server_environment: dict[str, str]) -> None:
    assert run(data, server_environment).returncode == 1


def test_when_the_clients_process_has_ended(server_environment: dict[str, str]) -> None:
    """The pipe stays open, as it does when another process has inherited it."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = subprocess.Popen(
        REAL, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=server_environment
    )
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    try:
        server.stdin.write(initialize(client.pid))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        client.communicate(b"\n", timeout=WAIT_S)
        assert server.wait(WAIT_S) == 1
    finally:
        server.kill()
        for pipe in (server.stdin, server.stdout, server.stderr):
            pipe.close()


def test_a_client_that_was_never_there(server_environment: dict[str, str]) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(WAIT_S)
    server = subprocess.Popen(REAL, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=server_environment)
    assert server.stdin is not None
    try:
        server.stdin.write(initialize(ended.pid))
        server.stdin.flush()
        assert server.wait(WAIT_S) == 1
    finally:
        server.kill()
        server.stdin.close()
