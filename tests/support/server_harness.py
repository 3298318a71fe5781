"""A scripted pipeline, and the real server around it, for tests of everything but prediction.

In a script, `old` -> `new` pairs are replaced one occurrence at a time: the best prediction is the next occurrence from
the start of the cursor's line on, then the others. Where both are equal, each occurrence is a place without an edit.
As a program it serves on stdio or TCP: `python server_harness.py '{"old": "new"}' [PORT]`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from editahead_cli.commands.lsp import serve_tcp
from editahead_inference.candidates import Candidate, GateDecision, Prediction, Silence
from editahead_lsp.features import create_server
from editahead_lsp.prediction.coordinator import ReuseOptions
from editahead_lsp.server import Server
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, Replacement
from editahead_workspace.uris import path_to_uri

NOT_AHEAD = ReuseOptions(prefetch=False)
"""Options without prefetching: the pipeline receives only the states that the test requests."""


class ScriptedPipeline:
    """A pipeline whose predictions follow a script.

    Attributes:
        open: While cleared, predictions wait, and call `check` meanwhile.
        once: Clears `open` again after one prediction.
        calls: The predicted states.
        completions: The texts of the script that are completed at the cursor, rather than edited.
        codebase: The index of the workspace, which the script does not use.
        repositories: The mined rules, which the script does not use either.
    """

    def __init__(self, script: Mapping[str, str]) -> None:
        self.script = dict(script)
        self.completions: set[str] = set()
        self.open = threading.Event()
        self.open.set()
        self.once = False
        self.started = threading.Event()
        self.calls: list[EditorState] = []
        self.fails = False
        self.codebase: Any = None
        self.repositories: Any = ()

    def symbol_at(self, document: Any, cursor: int) -> None:
        return None

    def set_repository_rules(self, repositories: Any) -> None:
        self.repositories = repositories

    def set_codebase(self, codebase: Any) -> None:
        self.codebase = codebase

    def rest_of_rule(
        self, state: EditorState, shown: Candidate, check: Callable[[], None]
    ) -> tuple[EditorState, dict[str, Edit]]:
        made: dict[str, list[Replacement]] = {}
        for candidate in self._candidates(state):
            if candidate.rule == shown.rule:
                made.setdefault(candidate.uri, []).extend(candidate.edit.replacements)
        return state, {uri: Edit.from_replacements(found) for uri, found in made.items()}

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = lambda: None
    ) -> Prediction:
        self.calls.append(state)
        self.started.set()
        while not self.open.wait(0.001):
            check()
        if self.once:
            self.once = False
            self.started.clear()
            self.open.clear()
        check()
        if self.fails or "BOOM" in state.document.text:
            raise RuntimeError("as scripted")
        refused = {r for edits in state.rejected.values() for edit in edits for r in edit.replacements}
        decisions = [
            GateDecision(candidate, 0.9 - k / 100, None)
            for k, candidate in enumerate(self._candidates(state))
            if not (candidate.edit and refused.issuperset(candidate.edit.replacements))
        ][:5]
        silence = None if decisions else Silence("no-candidate", "The script has nothing.")
        return Prediction(state, tuple(decisions), silence, tuple(decisions))

    def _candidates(self, state: EditorState) -> Iterator[Candidate]:
        for snapshot in (state.document, *state.other_documents):
            for old, new in self.script.items():
                found = [m.start() for m in re.finditer(re.escape(old), snapshot.text)]
                if snapshot is state.document:
                    start = snapshot.starts[snapshot.line_at(state.cursor)]
                    found.sort(key=lambda at: (at < start, at))
                for at in found:
                    edit = Edit.replace(at, at + len(old), new) if old != new else Edit()
                    label = f"{old} -> {new}"
                    made = partial(Candidate, snapshot.uri, edit, at, at + len(new))
                    if old in self.completions:
                        yield made("completion", label, label, {"kind:next-tokens": 1.0})
                    else:
                        yield made("propagation", label, label)


class ServerHarness:
    """The real server in this process, behind JSON-RPC messages. A test must read every message of the server."""

    longest_s: float = 10
    """Seconds until a wait for a message fails."""

    def __init__(self, pipeline: Any, **arguments: Any) -> None:
        arguments.setdefault("reuse", NOT_AHEAD)
        arguments.setdefault("environment", {"EDITAHEAD_TELEMETRY": "off"})
        self.pipeline = pipeline
        self.server = create_server(lambda: pipeline, **arguments)
        self.server.protocol.set_writer(self)
        self._messages: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()
        self._last = 0

    def write(self, data: bytes) -> None:
        self._messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))
        self._arrived.set()

    def close(self) -> None:
        pass

    def notify(self, method: str, params: Any = None) -> None:
        self.server.receive(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def send(self, method: str, params: Any = None) -> int:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.server.receive(json.dumps(message).encode())
        return self._last

    def answered(self, id: int) -> bool:
        return any(m.get("id") == id and "method" not in m for m in self._messages)

    async def take(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for the first message that `wanted` accepts, mark it as read, and return it."""
        async with asyncio.timeout(self.longest_s):
            while True:
                for message in self._messages:
                    if wanted(message):
                        self._messages.remove(message)
                        return message
                self._arrived.clear()
                await self._arrived.wait()

    async def reply(self, id: int) -> dict[str, Any]:
        return await self.take(lambda m: m.get("id") == id and "method" not in m)

    async def request(self, method: str, params: Any = None) -> Any:
        """Send a request and return the result. An error response raises an AssertionError."""
        reply = await self.reply(self.send(method, params))
        assert "error" not in reply, reply["error"]
        return reply["result"]

    async def next_edit(self, *position: Any, **context: Any) -> dict[str, Any]:
        """Return the answer to `editahead/nextEdit` at a position, whose values are those of `position_params`."""
        result: dict[str, Any] = await self.request(
            "editahead/nextEdit", position_params(*position, **context)
        )
        return result

    async def predictions(self, *position: Any, **context: Any) -> list[dict[str, Any]]:
        """Return the predictions of `editahead/nextEdit`."""
        found: list[dict[str, Any]] = (await self.next_edit(*position, **context))["predictions"]
        return found

    async def inline_edits(self, *position: Any, **context: Any) -> list[dict[str, Any]]:
        """Return what `textDocument/copilotInlineEdit` shows."""
        method = "textDocument/copilotInlineEdit"
        found: list[dict[str, Any]] = (await self.request(method, position_params(*position, **context)))[
            "edits"
        ]
        return found

    async def inline_completions(self, *position: Any, **context: Any) -> list[dict[str, Any]]:
        """Return what `textDocument/inlineCompletion` shows."""
        method = "textDocument/inlineCompletion"
        found: list[dict[str, Any]] = (await self.request(method, position_params(*position, **context)))[
            "items"
        ]
        return found

    async def hold_request(self, method: str, params: Any) -> int:
        """Send a request whose prediction has begun, and waits until the test sets `pipeline.open`."""
        self.pipeline.open.clear()
        id = self.send(method, params)
        await asyncio.to_thread(self.pipeline.started.wait, self.longest_s)
        return id

    async def command(self, name: str, *arguments: Any) -> Any:
        """Return the result of the command `editahead.NAME`."""
        return await self.request(
            "workspace/executeCommand", {"command": f"editahead.{name}", "arguments": arguments}
        )

    async def serves(self, method: str, result: Any) -> dict[str, Any]:
        """Wait for a request of the server, answer it, and return its params."""
        message = await self.take(lambda m: m.get("method") == method)
        self.answer(message["id"], result)
        return message["params"]

    def answer(self, id: int, result: Any) -> None:
        """Answer a request of the server."""
        self.server.receive(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode())

    async def initialize(self, options: Any = None, *, root: Path | None = None, **capabilities: Any) -> Any:
        """Initialize the server, with a folder as its workspace where one is given."""
        params = {
            "processId": None,
            "rootUri": root and path_to_uri(root),
            "capabilities": capabilities,
            "initializationOptions": {"editahead": options or {}},
        }
        result = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Any) -> None:
        """Send a change; each item is the whole text, or (line, character, line, character, text)."""
        events = [
            {"text": c} if isinstance(c, str) else {"range": lsp_range(*c[:4]), "text": c[4]} for c in changes
        ]
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": events})

    def close_document(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def configure(self, **settings: Any) -> None:
        """Change settings, as an editor does."""
        self.notify("workspace/didChangeConfiguration", {"settings": {"editahead": settings}})

    def finish(self) -> None:
        """End the server, and check that no message is unread."""
        self.server.predictions.stop()
        self.server.session.close_all()
        assert self._messages == []


def lsp_range(line: int, character: int, end_line: int, end_character: int) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": character},
        "end": {"line": end_line, "character": end_character},
    }


def position_params(
    uri: str, version: int | None, line: int, character: int, **context: Any
) -> dict[str, Any]:
    """Return the params of a request for a surface."""
    document = {"uri": uri} if version is None else {"uri": uri, "version": version}
    return {
        "textDocument": document,
        "position": {"line": line, "character": character},
        **({"context": context} if context else {}),
    }


async def _serve(script: Mapping[str, str], port: str | None = None) -> int:
    def make() -> Server:
        return create_server(lambda: ScriptedPipeline(script))

    if port is not None:
        return await serve_tcp(make, "127.0.0.1", int(port), os.environ["EDITAHEAD_TOKEN"])
    return await make().serve(partial(os.read, 0), os.fdopen(os.dup(1), "wb"))


if __name__ == "__main__":
    sys.exit(asyncio.run(_serve(json.loads(sys.argv[1]), *sys.argv[2:])))
