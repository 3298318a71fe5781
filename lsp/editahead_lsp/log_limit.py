"""A limit on repeated entries of the log, so that no client can fill the disk with them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

MAX_ENTRIES = 20
"""Entries of one kind in a window. A kind is a logger, a level and a message without its arguments."""
WINDOW_S = 60.0
"""Seconds of a window."""
MAX_KINDS = 1_000
"""Kinds that are counted at a time."""


class LogLimit(logging.Filter):
    """A filter that passes a few entries of each kind in each minute, and counts the others.

    The first entry of a later minute says how many like it were left out.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[tuple[str, int, str], tuple[float, int]] = {}
        """By kind, when the window began, and the entries in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write an entry."""
        kind = record.name, record.levelno, str(record.msg)
        now = self._clock()
        began, count = self._windows.get(kind, (now, 0))
        if now - began >= WINDOW_S:
            left_out = count - MAX_ENTRIES
            if left_out > 0:
                record.msg = f"{record.msg} [{left_out} entries like this were left out before]"
            began, count = now, 0
        if len(self._windows) >= MAX_KINDS and kind not in self._windows:
            self._windows.clear()
        self._windows[kind] = began, count + 1
        return count < MAX_ENTRIES
