"""A minimal language server for tests of clients. It predicts that every `old_name` becomes `new_name`, line by line.

Positions are code points (tests stay in the BMP), and `exit` ends the server. In a line with `elsewhere` the prediction is
a jump without an edit. After `reject` the server stays silent.
"""

from __future__ import annotations

import json
import sys
from typing import Any

DOCUMENTS: dict[str, str] = {}
VERSIONS: dict[str, int] = {}
REFUSED: list[str] = []
ACCEPTED: list[str] = []


def read() -> Any:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if line else None


def write(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0"} | message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def change(uri: str, version: int, changes: list[Any]) -> None:
    for part in changes:
        lines = DOCUMENTS[uri].splitlines(keepends=True)
        start, end = (
            sum(map(len, lines[: part["range"][side]["line"]])) + part["range"][side]["character"]
            for side in ("start", "end")
        )
        DOCUMENTS[uri] = DOCUMENTS[uri][:start] + part["text"] + DOCUMENTS[uri][end:]
    VERSIONS[uri] = version


def edit(uri: str) -> dict[str, Any] | None:
    for number, line in enumerate(DOCUMENTS[uri].splitlines()):
        at = line.find("old_name")
        if at >= 0 and not REFUSED:
            start = {"line": number, "character": at}
            return {"range": {"start": start, "end": start | {"character": at + 8}}, "newText": "new_name"}
    return None


def next_edit(uri: str) -> dict[str, Any]:
    found = edit(uri)
    if found is None:
        reason = "refused-before" if REFUSED else "no-candidate"
        return {"predictions": [], "silence": {"reason": reason, "detail": "Nothing."}}
    start = found["range"]["start"]
    elsewhere = "elsewhere" in DOCUMENTS[uri].splitlines()[start["line"]]
    prediction = {
        "id": "p-1",
        "textDocument": {"uri": uri, "version": VERSIONS[uri]},
        "edits": [] if elsewhere else [found],
        "jump": start if elsewhere else None,
        "cursorAfter": start | {"character": start["character"] + 8},
        "confidence": 0.5,
        "source": "propagation",
        "label": "rename",
    }
    return {"predictions": [prediction], "silence": None}


def execute(command: str, arguments: list[Any]) -> Any:
    if command == "editahead.accept":
        ACCEPTED.append(arguments[0])
    if command == "editahead.reject":
        REFUSED.append(arguments[0])
    return {"accepted": ACCEPTED, "refused": REFUSED} if command == "editahead.why" else None


def answer(method: str, params: Any) -> Any:
    uri = (params or {}).get("textDocument", {}).get("uri", "")
    match method:
        case "initialize":
            return {"capabilities": {}}
        case "textDocument/copilotInlineEdit":
            found = edit(uri)
            accept = {"title": "Accept", "command": "editahead.accept", "arguments": ["p-1"]}
            more = {"textDocument": {"uri": uri, "version": VERSIONS[uri]}, "command": accept}
            return {"edits": [{"range": found["range"], "text": found["newText"]} | more] if found else []}
        case "textDocument/inlineCompletion":
            return {"items": []}
        case "editahead/nextEdit":
            return next_edit(uri)
        case "workspace/executeCommand":
            return execute(params["command"], params["arguments"])
        case "textDocument/didOpen":
            DOCUMENTS[uri], VERSIONS[uri] = params["textDocument"]["text"], 1
        case "textDocument/didChange":
            change(uri, params["textDocument"]["version"], params["contentChanges"])
    return None


def main() -> None:
    while (message := read()) and message.get("method") != "exit":
        result = answer(message.get("method", ""), message.get("params"))
        if "id" in message:
            write(id=message["id"], result=result)


if __name__ == "__main__":
    main()
