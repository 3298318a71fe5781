"""A model of an editor that sends random and malformed messages, and knows what the server's mirror must hold."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

from server_harness import lsp_range, position_params

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


class FuzzEditor:
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
