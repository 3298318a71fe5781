"""Steps of Python code, counted and never timed: the lines that run, so that a test can say how the work grows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_steps(work: Callable[[], object]) -> int:
    """Return the number of lines that run, in all functions that are called on this thread."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def grows_linearly(work: Callable[[int], object], size: int, *, factor: int = 4, slack: float = 1.5) -> bool:
    """Return whether an input that is `factor` times as large takes hardly more than `factor` times as many steps.

    Args:
        work: Called with a size. What it has to prepare counts, too.
        size: The smaller size: large enough that what does not depend on it is little.
        factor: How much larger the other one is.
        slack: How many times the linear growth there may be.
    """
    work(size)  # what is loaded once is loaded now
    return count_steps(lambda: work(size * factor)) <= slack * factor * count_steps(lambda: work(size))
