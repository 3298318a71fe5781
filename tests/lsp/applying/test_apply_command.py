"""`editahead.apply` over the wire: what is answered, what is sent, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schemas import validate
from scripted import Wired

TEXT = """\
import os


def first(a):
    if a is None:
        return 0
    return a + 1


def second(b):
    return b * 2


def third(c):
    return first(c)
"""
SKETCH = """\
```python
# ... existing code ...

def second(b):
    # twice
    return b * 3

# ... existing code ...
```
"""
VERSIONED = {"documentChanges": True}
ANNOTATED = VERSIONED | {"changeAnnotationSupport": {"groupsOnLabel": True}}
FILES = {"resourceOperations": ["create", "rename", "delete"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


async def start(wired: Wired, folder: Path | None = None, **workspace: Any) -> None:
    capabilities: Any = {"applyEdit": True, "workspaceEdit": workspace}
    folders = [] if folder is None else [{"uri": folder.as_uri(), "name": "work"}]
    await wired.request(
        "initialize",
        {"processId": None, "capabilities": {"workspace": capabilities}, "workspaceFolders": folders},
    )
    wired.notify("initialized", {})


def command(**argument: Any) -> dict[str, Any]:
    return {"command": "editahead.apply", "arguments": [argument]}


async def apply(wired: Wired, **argument: Any) -> Any:
    result = await wired.request("workspace/executeCommand", command(**argument))
    validate("command.editahead.apply", "arguments", [argument])
    validate("command.editahead.apply", "result", result)
    return result


async def refused(wired: Wired, **argument: Any) -> Any:
    """The error."""
    reply = await wired.reply(wired.send("workspace/executeCommand", command(**argument)))
    assert reply["error"]["code"] == -32803
    assert reply["error"]["message"]
    return reply["error"]["data"]


def applied(text: str, edits: Any) -> str:
    """ASCII text after text edits, all at once."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]

    def offset(position: Any) -> int:
        return starts[position["line"]] + position["character"]

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


WANTED = TEXT.replace("    return b * 2", "    # twice\n    return b * 3")


async def test_a_dry_run_gives_the_edit_and_sends_nothing(wired: Wired, folder: Path) -> None:
    await start(wired, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    wired.open(uri, TEXT, version=7)
    result = await apply(wired, uri=uri, sketch=SKETCH, dryRun=True)
    (change,) = result["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    assert applied(TEXT, change["edits"]) == applied(TEXT, result["hunks"]) == WANTED
    assert (result["method"], result["sketchKind"]) == ("merge", "markers")
    assert result["stats"].keys() == {"ms", "modelTokens", "draftTokens", "acceptedDraftTokens"}
    (hunk,) = result["hunks"]
    assert (hunk["uri"], hunk["class"], hunk["origin"]) == (uri, "semantic", "matched")
    assert hunk["flags"] == ["Changes the constant `2` to `3`."]
    assert "changeAnnotations" not in result["edit"]
