"""The comparison of a document with its file when it is opened: what was typed before the editor had connected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from editahead_lsp.file_reader import FileReader
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace import uris

from .session import Session
from .text_before import find_text_before

MAX_LOOK_S, MAX_LOOK_WAIT_S = 10.0, 5.0
"""Seconds for which a file is awaited that may show an edit made before its document was opened, and for which requests wait
for it. A busy machine that still loads the predictors takes seconds; else it is a few milliseconds."""
LOOK_INTERVAL_S = 0.05
"""Seconds until it is asked again whether a document is excluded, while that is not known."""


class OpeningComparison:
    """The comparisons in progress. Call its methods on the event loop.

    Args:
        session: The session, which learns the edit.
        files: Reads the files.
        on_done: Called after each comparison.
    """

    def __init__(self, session: Session, files: FileReader, on_done: Callable[[], None]) -> None:
        self._session, self._files, self._on_done = session, files, on_done
        self._pending: dict[str, asyncio.Future[None]] = {}

    def pending(self, key: str) -> asyncio.Future[None] | None:
        """Return the end of the comparison of the document with a key; None if there is none in progress."""
        return self._pending.get(key)

    def start(self, path: Path, folders: Sequence[Path], opened: Snapshot) -> None:
        """Compare a document with its file, off the event loop, and learn what was edited before it was opened.

        Args:
            path: The file.
            folders: The workspace folders.
            opened: The document as it was opened.
        """
        loop = asyncio.get_running_loop()
        self._pending[uris.canonical_key(opened.uri)] = loop.create_future()
        self._files.read(
            lambda: find_text_before(path, folders, opened), lambda earlier: self._learn(opened, earlier)
        )
        loop.call_later(MAX_LOOK_WAIT_S, self._end, opened.uri)
        loop.call_later(MAX_LOOK_S, self._learn, opened, None)

    def _learn(self, opened: Snapshot, earlier: Snapshot | None) -> None:
        if earlier is not None and self._may_be_excluded(opened.uri):
            asyncio.get_running_loop().call_later(LOOK_INTERVAL_S, self._learn, opened, earlier)
            return
        self._session.learn_text_before(opened, earlier)
        self._end(opened.uri)
        self._on_done()

    def _may_be_excluded(self, uri: str) -> bool:
        """Return whether it is not known yet if a document is excluded, whose edit before the opening is awaited."""
        session = self._session
        document = session.documents.get(uri)
        return (
            document is not None
            and session.history.is_waiting(uri)
            and session.disabled_reason(document) is not None
            and session.exclusion.is_late(uri)
        )

    def _end(self, uri: str) -> None:
        done = self._pending.pop(uris.canonical_key(uri), None)
        if done is not None and not done.done():
            done.set_result(None)
