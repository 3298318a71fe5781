"""Two real servers of one workspace: both find closed files, and when one is killed the other keeps the index."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from committed_folder import fill_folder
from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment
from editahead_evals.errors import ServerDiedError
from fault_session import SERVER
from samples import ORDERS, PRICES

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed with SIGKILL"),
    pytest.mark.slow,
]

MAX_WAIT_S = 180
"""Seconds in which the processes, which have a low priority, must have done their work."""


def start(root: Path, environment: dict[str, str]) -> Editor:
    client = LanguageClient(SERVER, env=environment, cwd=root)
    return Editor({"debounce_ms": 0, "eagerness": 1}, root=root, client=client)


def index_of(editor: Editor) -> dict[str, Any]:
    status = editor.execute("editahead.status").result
    found: dict[str, Any] = status["index"][0] if status["index"] else {"state": "none"}
    return found


def until(editor: Editor, *states: str) -> None:
    end = time.monotonic() + MAX_WAIT_S
    while (state := index_of(editor)["state"]) not in states:
        assert time.monotonic() < end, f"{state}, never {states}"


def rename(editor: Editor, new: str) -> list[str]:
    """Rename the definition in the open file, and return the names of the files in which edits are shown."""
    uri = editor.uri("prices.py")
    old = editor.documents[uri].text.split("(")[0].removeprefix("def ")
    editor.replace(uri, 4, 4 + len(old), new)
    shown = editor.next_edit(uri, (4, 0), "manual").result["predictions"]
    return [Path(one["textDocument"]["uri"]).name for one in shown]


def test_one_of_two_servers_is_killed(tmp_path: Path) -> None:
    root, environment = tmp_path / "work", isolated_environment(tmp_path)
    fill_folder(root, {"prices.py": PRICES, "orders.py": ORDERS})
    first = start(root, environment)
    until(first, "ready")
    with start(root, environment) as second:
        until(second, "waiting", "ready")
        for editor in (first, second):
            editor.open(editor.uri("prices.py"), "python", PRICES)
            assert "orders.py" in rename(editor, "compute_total")
        first.__exit__(ServerDiedError, None, None)  # kills it
        until(second, "ready")
        (root / "bills.py").write_text("from prices import net_total\n")
        second.client.notify(
            "workspace/didChangeWatchedFiles", {"changes": [{"uri": second.uri("bills.py"), "type": 1}]}
        )
        end = time.monotonic() + MAX_WAIT_S
        while "bills.py" not in rename(second, f"add_up_{time.monotonic_ns()}"):
            assert time.monotonic() < end, "the new file is never found"
