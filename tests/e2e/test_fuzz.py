"""Random edits, requests, cancels and malformed messages: the server neither ends nor loses text.

The mirror is compared in two ways: in this process, with the server's own documents after every message; over stdio, by
predictions for a frequent word, whose ranges must hold that word in the client's text.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.documents import Document
from fuzz_editor import FuzzEditor
from server_harness import ScriptedPipeline, ServerHarness, position_params

SECONDS = float(os.environ.get("EDITAHEAD_FUZZ_SECONDS", "3"))
SEED = int(os.environ.get("EDITAHEAD_FUZZ_SEED", "7"))
pytestmark = pytest.mark.fuzz


async def test_in_this_process_the_mirror_is_exact_after_every_message(tmp_path: Path) -> None:
    editor, pipeline = FuzzEditor(SEED), ScriptedPipeline({"user": "account"})
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
    editor = FuzzEditor(SEED + 1)
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
