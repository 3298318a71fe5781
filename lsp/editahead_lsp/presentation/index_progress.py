"""The progress of the indexes, as `$/progress` shows it in editors that can."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from editahead_retrieval.process.messages import IndexReport

MIN_FILES = 200
"""Changed files from which progress is shown. Fewer are done before anyone could read it."""


class IndexProgress:
    """The progress of all indexes, with one token for each build.

    Args:
        notify: Sends a notification: its method and its params.
        request: Sends a request whose answer does not matter.
    """

    def __init__(self, notify: Callable[[str, Any], None], request: Callable[[str, Any], None]) -> None:
        self._notify, self._request = notify, request
        self._tokens: dict[Path, str] = {}
        self._count = 0

    def on_report(self, root: Path, report: IndexReport) -> None:
        """Show what the process of a workspace folder does."""
        if report.state == "building" and report.total >= MIN_FILES:
            if root not in self._tokens:
                self._begin(root)
            percentage = 100 * report.done // report.total
            message = f"{report.done} of {report.total} files"
            self._send(root, {"kind": "report", "message": message, "percentage": percentage})
        elif root in self._tokens and report.state != "building":
            self._send(root, {"kind": "end"})
            del self._tokens[root]

    def _begin(self, root: Path) -> None:
        self._count += 1
        token = self._tokens[root] = f"editahead-index-{self._count}"
        self._request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, {"token": token})
        title = f"Indexing {root.name}"
        self._send(root, {"kind": "begin", "title": title, "cancellable": False, "percentage": 0})

    def _send(self, root: Path, value: Any) -> None:
        self._notify(types.PROGRESS, {"token": self._tokens[root], "value": value})
