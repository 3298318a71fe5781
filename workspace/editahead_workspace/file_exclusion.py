"""The exclusion of documents, by the rules for files. A slow file system does not keep the event loop waiting.

Ignore files are read once, when the first document below them is checked, and again after `clear_cache`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import distinct_folders
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.secret_names import is_secret_uri

from . import uris

log = logging.getLogger(__name__)

MAX_WAIT_S = 1.0
"""Seconds that the event loop waits for the answer of the thread."""
MAX_THREADS = 4
"""Checks at a time that are late. A file system that does not answer keeps their threads."""
_SECRET = "The document's name is one of a file with secrets."
_LATE = "The ignore files are not checked yet, so the file is left alone."


class FileExclusion:
    """The rules for files whose text is never read for a prediction.

    On a thread, a check takes what it takes, and the caller waits for a short time only. A file counts as excluded until the
    answer is there.

    Args:
        folders: The workspace folders.
        exclude: Globs as in an ignore file, relative to the workspace folder that contains the file.
        on_thread: Whether to read and match on a thread, and not on the caller's, such as the event loop.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        folders: Sequence[Path] = (),
        exclude: Iterable[str] = (),
        *,
        on_thread: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folders, self._exclude = tuple(folders), IgnorePatterns(tuple(exclude))
        self._on_thread, self._clock = on_thread, clock
        self._rules = self._make_rules()
        self._reasons: dict[str, str | None] = {}
        self._pending: dict[str, _Decision] = {}

    def exclusion_reason(self, uri: str) -> str | None:
        """Return one sentence that says why the document is excluded; None if it is not."""
        uri = uris.file_of(uri)
        if uri in self._reasons:
            return self._reasons[uri]
        path = uris.uri_to_path(uri)
        if is_secret_uri(uri):
            reason = _SECRET
        elif path is None:
            reason = None
        elif not self._on_thread:
            reason = self._rules.reason(path)
        else:
            decision = self._pending.pop(uri, None)
            late = sum(not other.done.is_set() for other in self._pending.values())
            is_new = decision is None
            if decision is None:
                if late >= MAX_THREADS:
                    return _LATE
                decision = _Decision(self._rules, path)
                threading.Thread(target=decision.run, name="editahead-files", daemon=True).start()
            # One answer that is late says enough about the next ones: the loop waits only where none is.
            if not decision.done.wait(MAX_WAIT_S if is_new and not late else 0.0):
                self._pending[uri] = decision
                return _LATE
            reason = decision.reason
        self._reasons[uri] = reason
        return reason

    def is_late(self, uri: str) -> bool:
        """Return whether the last answer about a document only said that there is none yet."""
        return uris.file_of(uri) in self._pending

    def clear_cache(self) -> None:
        """Forget all results, so that the ignore files are read again."""
        self._reasons.clear()
        self._pending.clear()
        self._rules = self._make_rules()  # a thread may still use those before

    def _make_rules(self) -> ExclusionRules:
        return ExclusionRules(self._folders, self._exclude, self._clock)


class _Decision:
    """A decision that a thread makes."""

    def __init__(self, rules: ExclusionRules, path: Path) -> None:
        self._rules, self._path = rules, path
        self.done = threading.Event()
        self.reason: str | None = _LATE

    def run(self) -> None:
        try:
            self.reason = self._rules.reason(self._path)
        except Exception as error:  # whatever it is, the thread goes on, and the file stays excluded
            log.warning("an exclusion could not be decided: %s", type(error).__name__)
        finally:
            self.done.set()


def workspace_paths(uris_: Iterable[str]) -> tuple[Path, ...]:
    """Return the paths of the workspace folders with a `file:` URI. A folder that has two of them is there once."""
    paths = (uris.uri_to_path(uri) for uri in uris_)
    return distinct_folders([Path(os.path.normpath(path)) for path in paths if path is not None])
