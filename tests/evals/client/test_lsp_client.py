"""The client against a small scripted server: what it does when the other side misbehaves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from editahead_evals.client import lsp_client as client_module
from editahead_evals.client.lsp_client import LanguageClient
from editahead_evals.errors import ClientError, ResponseError, ServerDiedError

# Answers "shutdown", ends at "exit", and runs the script it is given on every other message `m`.
SERVER = """
import json, sys

def read():
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if line else None

def write(**message):
    body = json.dumps({{"jsonrpc": "2.0"}} | message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()

while (m := read()) and m.get("method") != "exit":
    if m.get("method") == "shutdown":
        write(id=m["id"], result=None)
    else:
        {script}
"""

ECHO = 'write(id=m["id"], result=m.get("params"))'

Start = Callable[[str], LanguageClient]


def start(script: str) -> LanguageClient:
    return LanguageClient([sys.executable, "-c", SERVER.format(script=script)])


def test_each_request_gets_its_own_answer() -> None:
    with start(ECHO) as client:
        first, second = client.send("echo", {"text": "é𝒳"}), client.send("echo", [2])
        assert client.wait(second).result == [2]
        answer = client.wait(first)
        assert answer.result == {"text": "é𝒳"}
        assert answer.ms > 0


def test_an_error_response_is_raised_with_its_data() -> None:
    with start(
        'write(id=m["id"], error={"code": -32803, "message": "no", "data": {"reason": "stale"}})'
    ) as client:
        with pytest.raises(ResponseError, match=r"ask: no \(-32803\)") as caught:
            client.request("ask")
        assert (caught.value.code, caught.value.data) == (-32803, {"reason": "stale"})


def test_the_servers_own_requests_are_answered_while_waiting() -> None:
    script = """
        if "method" in m:
            write(id=7, method="question", params=20)
        else:
            write(id=1, result=m["result"] + 1)
    """
    with start(script.strip()) as client:
        client.requests["question"] = lambda params: params * 2
        assert client.request("ask") == 41


def test_a_dead_server_is_named_with_its_last_words() -> None:
    with (
        pytest.raises(ServerDiedError, match=r"exit code 3(.|\n)*out of luck"),
        start('print("out of luck", file=sys.stderr); sys.exit(3)') as client,
    ):
        client.request("ask")


def test_sending_to_a_dead_server_says_so_too() -> None:
    with pytest.raises(ServerDiedError), start("sys.exit(3)") as client:
        while True:
            client.notify("hello")


def test_a_hanging_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "TIMEOUT_S", 0.05)
    with pytest.raises(ClientError, match=r"waiting for \['ask'\]"), start("pass") as client:
        client.request("ask")


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"id": 99, "result": 1}, id="an answer that nobody asked for"),
        pytest.param({"method": "surprise"}, id="an unknown notification"),
        pytest.param({"id": "x", "method": "surprise"}, id="an unknown request"),
    ],
)
def test_closing_complains_of_what_nobody_read(message: dict[str, Any]) -> None:
    script = f'"method" in m and write(**{message})'
    with pytest.raises(ClientError, match="left unread"), start(script) as client:
        client.notify("hello")


def test_closing_complains_of_requests_left_open() -> None:
    with pytest.raises(ClientError, match="left open"), start("pass") as client:
        client.send("ask")


def test_known_and_optional_notifications_are_accepted() -> None:
    seen: list[Any] = []
    with start('write(method="$/whatever"); write(method="news", params=m["params"])') as client:
        client.notifications["news"] = seen.append
        client.notify("hello", [1])
    assert seen == [[1]]
