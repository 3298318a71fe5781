"""Processes that share the work on many records."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def process_pool(
    jobs: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """Return a pool of new processes. Forks of a process with threads may wait for ever for a lock that a thread held."""
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer, initargs)
