"""A hostile document costs its own answers at most: those for any other document come before, in the order of events."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from growing_inputs import GROWING
from server_harness import position_params

pytestmark = pytest.mark.slow

ORDINARY = "def show(user):\n    return user\n\n\nprint(show(user))\n"
HOSTILE = [
    "different functions",
    "nested calls",
    "hash comments",
    "equal functions",
    "brackets over lines",
    "members",
    "renamed calls",
    "XML depth",
]
SIZE = 900_000


class Editor:
    """A client of a server on stdin and stdout, which notes the order of the answers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._writer, self._reader = process.stdin, process.stdout
        self.answers: dict[int, dict[str, Any]] = {}
        self._last, self._version = 0, 1

    def notify(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def request(self, method: str, params: Any) -> int:
        self._last += 1
        self.notify(method, params, id=self._last)
        return self._last

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def rename_in_first_line(self, uri: str, start: int, end: int, new: str) -> int:
        """Replace a name in the first line, and return the request for the next edit."""
        place = {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}
        changes = [{"range": place, "text": new}]
        self._version += 1
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": self._version}, "contentChanges": changes},
        )
        return self.request("editahead/nextEdit", position_params(uri, self._version, 0, start + len(new)))

    async def wait_for(self, *numbers: int) -> None:
        while not set(numbers) <= self.answers.keys():
            length = 0
            while line := (await self._reader.readline()).strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            message = json.loads(await self._reader.readexactly(length))
            if "method" not in message:
                self.answers[message["id"]] = message


@asynccontextmanager
async def opened(environment: dict[str, str]) -> AsyncIterator[Editor]:
    command = [sys.executable, "-m", "editahead_cli", "lsp"]
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=none, env=environment, limit=1 << 24
    )
    editor = Editor(process)
    capabilities = {"capabilities": {}, "processId": None}
    await editor.wait_for(editor.request("initialize", capabilities))
    editor.notify("initialized", {})
    yield editor
    await editor.wait_for(editor.request("shutdown", None))
    editor.notify("exit", None)
    assert await process.wait() == 0


async def test_the_answer_for_another_document_comes_first(server_environment: dict[str, str]) -> None:
    """The hostile document has related ones of a megabyte each; the prediction for it is asked for first."""
    async with opened(server_environment) as editor:
        editor.open("file:///ordinary.py", ORDINARY)
        for number, kind in enumerate(HOSTILE):
            editor.open(f"file:///{number}.py", f"old_name = 1\nold_name\n{GROWING[kind](SIZE)}\nold_name\n")
        first = editor.rename_in_first_line("file:///ordinary.py", 0, 0, "")
        await editor.wait_for(first)  # the predictors are loaded
        hostile = editor.rename_in_first_line("file:///0.py", 0, 8, "new_name")
        ordinary = editor.rename_in_first_line("file:///ordinary.py", 9, 13, "account")
        await editor.wait_for(hostile, ordinary)
    assert [number for number in editor.answers if number in (hostile, ordinary)] == [ordinary, hostile]
    assert "result" in editor.answers[hostile]
    assert editor.answers[ordinary]["result"]["predictions"], editor.answers
