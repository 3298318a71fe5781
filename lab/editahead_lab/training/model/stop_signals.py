"""Signals that end a training run after its step."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Return a function that says whether SIGINT or SIGTERM arrived; neither ends the process meanwhile."""
    asked = []
    before = {
        name: signal.signal(name, lambda *_: asked.append(True)) for name in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: bool(asked)
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
