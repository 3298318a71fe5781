"""A language server for tests, on stdio: `python scripted_language_server.py HOW`.

It answers references with the whole words at the position, in all files that were opened or lie in its folder. With `late`,
its first answer has the declaration alone; with `silent` it never answers, with `mute` only `initialize`; with `ends` it
ends at the first request. With `deaf` it reads nothing; with `nested` it sends what no parser reads; with `chatty` it sends
many notifications, and ends.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

HOW = sys.argv[1] if len(sys.argv) > 1 else ""


def read() -> Any:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        length = int(line.rpartition(b":")[2])
    return json.loads(sys.stdin.buffer.read(length)) if line else None


def write(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Type: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def references(texts: dict[str, str], folder: Path, params: dict[str, Any]) -> list[dict[str, Any]]:
    here, at = params["textDocument"]["uri"], params["position"]
    line = texts[here].split("\n")[at["line"]]
    name = re.compile(r"\w+").match(line, at["character"])
    assert name is not None
    files = {path.as_uri(): path.read_text() for path in sorted(folder.glob("*.py"))} | texts
    return [
        {
            "uri": uri,
            "range": {
                "start": {"line": number, "character": match.start()},
                "end": {"line": number, "character": match.end()},
            },
        }
        for uri, text in files.items()
        for number, each in enumerate(text.split("\n"))
        for match in re.finditer(rf"\b{name[0]}\b", each.partition("#")[0])
    ]


def main() -> None:
    while HOW == "deaf":
        time.sleep(60)
    if HOW == "nested":
        sys.stdout.buffer.write(b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000)
        sys.stdout.buffer.flush()
    if HOW == "chatty":
        for number in range(1000):
            write({"method": "window/logMessage", "params": {"type": 4, "message": f"{number}"}})
        return
    texts: dict[str, str] = {}
    folder, asked = Path(), 0
    while (message := read()) is not None:
        method, params = message.get("method"), message.get("params")
        if method == "textDocument/didOpen":
            texts[params["textDocument"]["uri"]] = params["textDocument"]["text"]
        if "id" not in message or method is None or HOW == "silent":
            continue
        if HOW == "mute" and method != "initialize":
            continue
        if HOW == "ends":
            return
        result: Any = {"capabilities": {"referencesProvider": True}}
        if method == "initialize":
            folder = Path(unquote(params["rootUri"].removeprefix("file://")))
            write({"id": 1, "method": "workspace/configuration", "params": {"items": [{"section": "x"}]}})
        if method == "textDocument/references":
            asked += 1
            found = references(texts, folder, params)
            result = found[:1] if HOW == "late" and asked == 1 else found
        write({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
