"""An editor without a screen: open documents, their texts and versions, and an editor's requests.

Works on a `JsonRpcConnection`, answers the server's own requests, and keeps the texts as the server must see
them. Positions are in UTF-16 units, the protocol's default.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from editahead_evals.data.commit_replay import Keystroke, Point, utf16_length
from editahead_evals.data.key_sessions import Replacement, apply_replacements
from editahead_prompts.text.snapshot import Snapshot

from .lsp_client import JsonRpcConnection, LanguageClient, Response, isolated_environment

Trigger = Literal["typed", "cursor", "accepted", "manual"]
TextEdit = Mapping[str, Any]

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"synchronization": {"didSave": True}, "inlineCompletion": {}},
    "window": {"showDocument": {"support": True}, "workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {},
        "workspaceEdit": {"documentChanges": True},
        "workspaceFolders": True,
    },
}


@dataclass(frozen=True)
class Document:
    """One version of an open document."""

    uri: str
    language: str
    version: int
    text: str

    def offset(self, position: Mapping[str, int]) -> int:
        """Return the code point offset of an LSP position; one beyond the line's end is the line's end."""
        snapshot = self._snapshot
        line = position["line"]
        if line >= len(snapshot.lines):
            return len(self.text)
        left, at = position["character"], snapshot.starts[line]
        for character in snapshot.lines[line].rstrip("\r\n"):
            if left <= 0:
                break
            left -= 1 if character <= "\uffff" else 2
            at += 1
        return at

    def point(self, offset: int) -> Point:
        line = self._snapshot.line_at(offset)
        return line, utf16_length(self.text[self._snapshot.starts[line] : offset])

    def edited(self, edits: Iterable[TextEdit]) -> str:
        """Return the text after LSP text edits, all of them in positions of this version."""
        text = self.text
        for edit in reversed(sorted_edits(edits)):
            start, end = (self.offset(edit["range"][side]) for side in ("start", "end"))
            text = text[:start] + edit["newText"] + text[end:]
        return text

    @cached_property
    def _snapshot(self) -> Snapshot:
        return Snapshot.from_text(self.text)


class Editor:
    """A language client with open documents, which initializes a server.

    Args:
        settings: the content of `initializationOptions.editahead`.
        root: the workspace folder. By default a new, empty one, which also holds the server's own files, so
            that the user's configuration has no effect.
        client: a connection to a server that has just started; None starts a server.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        root: Path | None = None,
        capabilities: Mapping[str, Any] = CAPABILITIES,
        client: JsonRpcConnection | None = None,
    ) -> None:
        self.settings = dict(settings or {})
        self.documents: dict[str, Document] = {}
        self.shown_document: tuple[str, Point] | None = None
        """The URI and the position of the server's last `window/showDocument`."""
        self.messages: list[str] = []
        """The server's `window/showMessage` texts."""
        self._folder = tempfile.TemporaryDirectory(prefix="editahead-evals-")
        folder = Path(self._folder.name).resolve()
        self.root = root or folder / "workspace"
        self.root.mkdir(exist_ok=True)
        self.client = client or LanguageClient(env=isolated_environment(folder), cwd=self.root)
        self._answer_the_server()
        try:
            self.server = self.client.request("initialize", self._initialize_params(capabilities))
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        self.client.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.client.__exit__(kind, error, trace)
        finally:
            self._folder.cleanup()

    def uri(self, path: str) -> str:
        """Return the URI of a path in the workspace."""
        return (self.root / path).as_uri()

    def open(self, uri: str, language: str, text: str) -> Document:
        document = self.documents[uri] = Document(uri, language, 1, text)
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        return document

    def close(self, uri: str) -> None:
        del self.documents[uri]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def focus(self, uri: str) -> None:
        self.client.notify("textDocument/didFocus", {"textDocument": {"uri": uri}})

    def report_time(self, seconds: float) -> None:
        """Set the session's time to that of a replay. It no longer moves by itself, and never backwards."""
        self.client.notify("editahead/sessionTime", {"seconds": seconds})

    def type(self, uri: str, key: Keystroke) -> None:
        """Apply one keystroke of a replay."""
        text = self.documents[uri].text
        change = {"range": _range(key.first, key.last), "text": key.text}
        self._change(uri, text[: key.start] + key.text + text[key.end :], [change])

    def replace(self, uri: str, start: int, end: int, text: str) -> None:
        """Replace the text between two offsets (code points) in one change."""
        document = self.documents[uri]
        self.type(uri, Keystroke(start, end, text, document.point(start), document.point(end)))

    def change(self, uri: str, replacements: Sequence[Replacement]) -> None:
        """Make replacements, in the text's order and its offsets, in one notification."""
        document = self.documents[uri]
        text = apply_replacements(document.text, replacements)
        changes = [
            {"range": _range(document.point(start), document.point(end)), "text": new}
            for start, end, new in reversed(replacements)
        ]
        self._change(uri, text, changes)

    def apply(self, uri: str, edits: Sequence[TextEdit]) -> None:
        """Apply text edits in one notification, last first, so that each position is valid when its edit applies."""
        changes = [
            {"range": edit["range"], "text": edit["newText"]} for edit in reversed(sorted_edits(edits))
        ]
        self._change(uri, self.documents[uri].edited(edits), changes)

    def next_edit(
        self,
        uri: str,
        at: Point,
        trigger: Trigger = "typed",
        diagnostics: Sequence[Mapping[str, Any]] | None = None,
    ) -> Response:
        """Request `editahead/nextEdit`.

        `diagnostics` holds all diagnostics shown in the document, as LSP writes them; None sends none.
        """
        extra = {} if diagnostics is None else {"diagnostics": list(diagnostics)}
        return self._ask("editahead/nextEdit", uri, at, context={"trigger": trigger, **extra})

    def inline_edit(self, uri: str, at: Point) -> Response:
        return self._ask("textDocument/copilotInlineEdit", uri, at)

    def inline_completion(self, uri: str, at: Point) -> Response:
        return self._ask("textDocument/inlineCompletion", uri, at, context={"triggerKind": 2})

    def execute(self, command: str, *arguments: Any) -> Response:
        params = {"command": command, "arguments": list(arguments)}
        return self.client.wait(self.client.send("workspace/executeCommand", params))

    def _initialize_params(self, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "editahead-evals"},
            "rootUri": self.root.as_uri(),
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
            "capabilities": capabilities,
            "initializationOptions": {"editahead": self.settings},
        }

    def _ask(self, method: str, uri: str, at: Point, **more: Any) -> Response:
        document = {"uri": uri, "version": self.documents[uri].version}
        return self.client.wait(
            self.client.send(method, {"textDocument": document, "position": position(at), **more})
        )

    def _change(self, uri: str, text: str, changes: Sequence[Mapping[str, Any]]) -> None:
        old = self.documents[uri]
        self.documents[uri] = Document(uri, old.language, old.version + 1, text)
        document = {"uri": uri, "version": old.version + 1}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _answer_the_server(self) -> None:
        self.client.requests |= {
            "workspace/configuration": lambda params: [self.settings for _ in params["items"]],
            "workspace/applyEdit": self._apply_workspace_edit,
            "workspace/workspaceFolders": lambda _: [{"uri": self.root.as_uri(), "name": self.root.name}],
            "window/showDocument": self._show_document,
            "window/workDoneProgress/create": lambda _: None,
            "client/registerCapability": lambda _: None,
            "client/unregisterCapability": lambda _: None,
        }
        self.client.notifications |= {
            "window/showMessage": lambda params: self.messages.append(params["message"]),
            "window/logMessage": lambda _: None,
            "textDocument/publishDiagnostics": lambda _: None,
        }

    def _apply_workspace_edit(self, params: Any) -> dict[str, Any]:
        """Apply the whole edit or nothing, and only to the versions for which it was made."""
        changes: list[tuple[str, Sequence[TextEdit]]] = list(params["edit"].get("changes", {}).items())
        for change in params["edit"].get("documentChanges", []):
            uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
            if uri in self.documents and version not in (None, self.documents[uri].version):
                return {"applied": False, "failureReason": f"{uri} is no longer at version {version}"}
            changes.append((uri, change["edits"]))
        if unknown := [uri for uri, _ in changes if uri not in self.documents]:
            return {"applied": False, "failureReason": f"not open: {unknown}"}
        for uri, edits in changes:
            self.apply(uri, edits)
        return {"applied": True}

    def _show_document(self, params: Any) -> dict[str, bool]:
        start = params.get("selection", _range((0, 0), (0, 0)))["start"]
        self.shown_document = params["uri"], (start["line"], start["character"])
        return {"success": True}


def position(point: Point) -> dict[str, int]:
    return {"line": point[0], "character": point[1]}


def sorted_edits(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits in the text's order; edits at one position keep their order."""
    return sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]))


def _range(first: Point, last: Point) -> dict[str, dict[str, int]]:
    return {"start": position(first), "end": position(last)}
