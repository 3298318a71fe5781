"""A progress bar on the terminal that appears when something takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY_S = 1.0
"""Seconds without a bar."""


class DelayedProgress:
    """A progress bar on stderr, from the second second on. Without a terminal there is none. A context manager.

    Args:
        is_quiet: Whether there is never a bar.
        clock: Returns monotonic seconds.
    """

    def __init__(self, *, is_quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._is_quiet = is_quiet or not sys.stderr.isatty()
        self._clock, self._began = clock, clock()
        self._progress: Progress | None = None
        self._bar: TaskID | None = None

    def show(self, what: str, done: int, total: int) -> None:
        """Show how far something is.

        Args:
            what: What is done.
            done: The number of parts that are done.
            total: The number of all; 0 = unknown.
        """
        if self._is_quiet or self._clock() - self._began < DELAY_S:
            return
        if self._progress is None:
            self._start()
        if self._progress is not None and self._bar is not None:
            self._progress.update(self._bar, description=what, completed=done, total=total or None)

    def _start(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from .rich_console import SafeConsole

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=SafeConsole(stderr=True), transient=True)
        self._progress.start()
        self._bar = self._progress.add_task("", total=None)

    def __enter__(self) -> DelayedProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
