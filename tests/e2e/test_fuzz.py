"""Random edits, requests, cancels and malformed messages: the server neither ends nor loses text.

The mirror is compared in two ways: in this process, with the server's own documents after every message; over stdio, by
predictions for a frequent word, whose ranges must hold that word in the client's text.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.workspace.documents import Document
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

SECONDS = float(os.environ.get("EDITAHEAD_FUZZ_SECONDS", "3"))
SEED = int(os.environ.get("EDITAHEAD_FUZZ_SEED", "7"))
URIS = ["file:///tmp/a.py", "file:///c%3A/b%20c.py", "untitled:Untitled-1"]
PIECES = [
    "user",
    "x = user\n",
    "\n",
    "\r\n",
    "\r",
    "\f",
    "\u2028",
    "é",
    "😀",
    "",
    "    ",
    "account",
    "def f(user):\n",
]
SURFACES = ["editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion"]
COMMANDS = ["accept", "reject", "restore", "why", "status", "resetLearning", "apply"]
METHODS = [
    *SURFACES,
    "textDocument/didClose",
    "editahead/outcome",
    "workspace/executeCommand",
    "$/cancelRequest",
    "x/y",
]
RUBBISH: list[Any] = [
    None,
    [],
    {},
    1,
    "x",
    {"textDocument": None},
    {"textDocument": {"uri": 3}},
    {"id": {}},
    [[[]]],
]

pytestmark = pytest.mark.fuzz


class Editor:
    """A client's documents and its next message. Its texts are kept by the slow way: as lists of UTF-16 units."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.texts: dict[str, bytes] = {}
        self.versions: dict[str, int] = {}
        self.last_id = 0
        self.waiting: set[int] = set()

    def text(self, uri: str) -> str:
        return self.texts[uri].decode("utf-16-le")

    def messages(self, seconds: float) -> Iterator[dict[str, Any] | bytes]:
        """Yield random messages and malformed bodies for a number of seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield self.message()

    def message(self) -> dict[str, Any] | bytes:
        choose = self.random.random()
        uri = self.random.choice(URIS)
        if uri not in self.texts or choose < 0.02:
            return self._open(uri)
        if choose < 0.5:
            return self._change(uri)
        if choose < 0.75:
            version = self.versions[uri] + self.random.choice([0, 0, 0, -1, 1])
            line, character = self.random.randrange(12), self.random.randrange(12)
            return self._request(self.random.choice(SURFACES), position_params(uri, version, line, character))
        if choose < 0.8 and self.waiting:
            return {"method": "$/cancelRequest", "params": {"id": self.random.choice(sorted(self.waiting))}}
        if choose < 0.88:
            arguments = [f"p-{self.random.randrange(50)}"]
            name = f"editahead.{self.random.choice(COMMANDS)}"
            return self._request("workspace/executeCommand", {"command": name, "arguments": arguments})
        if choose < 0.9:
            del self.texts[uri]
            return {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}
        if choose < 0.95:
            method, params = self.random.choice(METHODS), self.random.choice(RUBBISH)
            if method == "textDocument/didClose":
                params = None
            return self._request(method, params) if choose < 0.925 else {"method": method, "params": params}
        return self.random.choice([b"{", b"[]", b"nul", b"\xff", b'{"id": [], "method": 1}', b"{}"])

    def _request(self, method: str, params: Any) -> dict[str, Any]:
        self.last_id += 1
        self.waiting.add(self.last_id)
        return {"id": self.last_id, "method": method, "params": params}

    def _open(self, uri: str) -> dict[str, Any]:
        text = "".join(self.random.choices(PIECES, k=8))
        self.texts[uri], self.versions[uri] = text.encode("utf-16-le"), 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        return {"method": "textDocument/didOpen", "params": {"textDocument": item}}

    def _change(self, uri: str) -> dict[str, Any]:
        events = []
        for _ in range(self.random.choice([0, 1, 1, 1, 2, 3])):
            new = "".join(self.random.choices(PIECES, k=self.random.randrange(3)))
            if self.random.random() < 0.1 or len(self.texts[uri]) > 4000:
                self.texts[uri] = new.encode("utf-16-le")
                events.append({"text": new})
                continue
            start, end = sorted((self._place(uri), self._place(uri)))
            at = self._unit(uri, start), self._unit(uri, end)
            self.texts[uri] = self.texts[uri][: at[0]] + new.encode("utf-16-le") + self.texts[uri][at[1] :]
            events.append({"text": new, "range": lsp_range(*start, *end)})
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        return {
            "method": "textDocument/didChange",
            "params": {"textDocument": document, "contentChanges": events},
        }

    def _place(self, uri: str) -> tuple[int, int]:
        """Return a random position in the text, or slightly outside of it."""
        lines = self._lines(uri)
        line = self.random.randrange(len(lines) + 1)
        return line, self.random.randrange(len(lines[line]) // 2 + 2) if line < len(lines) else 3

    def _lines(self, uri: str) -> list[bytes]:
        """Return the lines in UTF-16, without their ends."""
        text = self.text(uri).replace("\r\n", "\n").replace("\r", "\n")
        return [line.encode("utf-16-le") for line in text.split("\n")]

    def _unit(self, uri: str, place: tuple[int, int]) -> int:
        """Return the byte offset of a position, never inside a character."""
        line, character = place
        if line >= len(self._lines(uri)):
            return len(self.texts[uri])
        text, at = self.text(uri), 0
        for _ in range(line):
            at = min(i for i in (text.find("\r", at), text.find("\n", at)) if i >= 0)
            at += 2 if text.startswith("\r\n", at) else 1
        before = self._lines(uri)[line][: character * 2].decode("utf-16-le", "ignore")
        return len((text[:at] + before).encode("utf-16-le"))


async def test_in_this_process_the_mirror_is_exact_after_every_message(tmp_path: Path) -> None:
    editor, pipeline = Editor(SEED), ScriptedPipeline({"user": "account"})
    harness = ServerHarness(pipeline, user_folder=tmp_path)
    await harness.initialize()
    for message in editor.messages(SECONDS):
        if isinstance(message, bytes):
            harness.server.receive(message)
            await harness.take(lambda m: m.get("id") is None and "error" in m)
            continue
        if "id" in message:
            message["id"] += 1000  # those of `harness` itself are below
        harness.server.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
        documents = {d.uri: d.snapshot.text for d in harness.server.session.documents}
        assert documents == {uri: editor.text(uri) for uri in editor.texts}, f"seed {SEED}"
        if editor.random.random() < 0.3:
            await asyncio.sleep(0)
    for id in editor.waiting:
        reply = await harness.reply(id + 1000)
        assert ("result" in reply) != ("error" in reply)
    harness.finish()


SERVERS = {
    "real": ["-m", "editahead_cli", "lsp"],
    "scripted": [str(Path(__file__).parents[1] / "support" / "server_harness.py"), '{"user": "account"}'],
}


@pytest.mark.parametrize("server", SERVERS)
async def test_over_stdio_the_server_lives_and_has_every_text(
    server: str, server_environment: dict[str, str]
) -> None:
    editor = Editor(SEED + 1)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *SERVERS[server],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=server_environment,
    )
    assert process.stdin is not None and process.stdout is not None
    replies: dict[Any, dict[str, Any]] = {}
    arrived = asyncio.Event()

    async def listen() -> None:
        assert process.stdout is not None
        while header := await process.stdout.readline():
            length = int(header.split(b":")[1])
            while (await process.stdout.readline()).strip():
                pass
            message = json.loads(await process.stdout.readexactly(length))
            assert message.get("id") is None or message["id"] not in replies, "answered twice"
            replies[message.get("id")] = message
            arrived.set()

    def send(message: dict[str, Any] | bytes) -> None:
        assert process.stdin is not None
        body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def reply(id: int) -> dict[str, Any]:
        async with asyncio.timeout(30):
            while id not in replies:
                arrived.clear()
                await arrived.wait()
        return replies[id]

    listener = asyncio.create_task(listen())
    send(editor._request("initialize", {"processId": None, "capabilities": {}}))
    await reply(editor.last_id)
    send({"method": "initialized", "params": {}})
    for message in editor.messages(SECONDS):
        send(message)
        await process.stdin.drain()
        if isinstance(message, dict) and message.get("id", 0) % 50 == 49:
            await reply(message["id"])  # do not run ahead of the server without end
    for id in list(editor.waiting):
        answer = await reply(id)
        assert ("result" in answer) != ("error" in answer)
    send(
        editor._request("workspace/executeCommand", {"command": "editahead.resetLearning"})
    )  # forget refusals
    for uri in editor.texts:
        request = editor._request("editahead/nextEdit", position_params(uri, editor.versions[uri], 0, 0))
        send(request)
        predictions = (await reply(request["id"]))["result"]["predictions"]
        here = [made for made in predictions if made["textDocument"]["uri"] == uri]
        assert all(made["textDocument"]["version"] == editor.versions[uri] for made in here)
        if server == "scripted":
            found = [_replaced(editor.text(uri), edit) for made in here for edit in made["edits"]]
            assert found == ["user"] * min(editor.text(uri).count("user"), 5), f"seed {SEED + 1}"
    send(editor._request("shutdown", None))
    assert (await reply(editor.last_id))["result"] is None
    send({"method": "exit"})
    async with asyncio.timeout(30):
        assert await process.wait() == 0
        await listener
    process.stdin.close()


def _replaced(text: str, edit: dict[str, Any]) -> str:
    """Return the client's text at the range of the edit."""
    document = Document("untitled:1", "python", 1, text)
    start, end = (
        Position(edit["range"][side]["line"], edit["range"][side]["character"]) for side in ("start", "end")
    )
    made = document.change(2, [TextDocumentContentChange("", Range(start, end))])
    return text[made.edit.changed_span[0] : made.edit.changed_span[1]]
