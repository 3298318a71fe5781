"""A session of a person on a server whose machine fails: what is done, and what must be whole after it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient

TEXT = "def load(user):\n    return user\n\n\nload(1)\nload(2)\nload(3)\n"
SERVER = [sys.executable, "-m", "editahead_cli", "lsp"]
SETTINGS = {"record": "on", "debounce_ms": 0}


def start_editor(folder: Path, environment: dict[str, str], command: list[str] = SERVER) -> Editor:
    """Start a server with the workspace `folder/workspace`."""
    root = folder / "workspace"
    root.mkdir(exist_ok=True)
    return Editor(SETTINGS, root=root, client=LanguageClient(command, env=environment, cwd=root))


def work(editor: Editor, stop: Callable[[], bool] = lambda: False) -> int:
    """Rename, accept what is shown, type and close, and return how many predictions there were."""
    uri, shown = editor.uri("a.py"), 0
    editor.open(uri, "python", TEXT)
    for new in ("fetch", "read", "find"):
        text = editor.documents[uri].text
        at = text.index("(user)")
        editor.replace(uri, 4, at, new)
        for _ in range(2):
            if stop():
                return shown
            predictions = editor.next_edit(uri, editor.documents[uri].point(4 + len(new)), "typed").result[
                "predictions"
            ]
            if predictions:
                shown += 1
                editor.apply(uri, predictions[0]["edits"])
                outcome = {"id": predictions[0]["id"], "event": "accepted"}
                editor.client.notify("editahead/outcome", outcome)
    editor.close(uri)
    return shown


def check_state(folder: Path) -> int:
    """Check that each log of outcomes and each recording below a folder is whole, and return how many there are."""
    assert not [*folder.rglob("*damaged*")]
    databases, recordings = [*folder.rglob("outcomes.db")], [*folder.rglob("*.recording.w.json")]
    for file in databases:
        with closing(sqlite3.connect(file)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for file in recordings:
        json.loads(file.read_bytes())
    return len(databases) + len(recordings)
