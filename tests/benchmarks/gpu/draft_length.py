"""How long drafts should be, from how long a step takes that verifies so many rows."""

from __future__ import annotations

from collections.abc import Mapping

MAX_DRAFT = 127
"""Drafted tokens that vLLM verifies in a step: with the one that comes in any case 128 rows."""


def milliseconds(steps: Mapping[int, float], rows: int) -> float:
    """Return the milliseconds of a step that verifies a number of rows, interpolated between the two nearest measurements.

    Args:
        steps: The measured milliseconds by rows, with 1 and at least `rows` among them.
    """
    known = sorted(steps)
    above = next(n for n in known if n >= rows)
    below = max((n for n in known if n <= rows), default=above)
    if above == below:
        return steps[above]
    return steps[below] + (steps[above] - steps[below]) * (rows - below) / (above - below)


def tokens(acceptance: float, drafts: int) -> float:
    """Return the mean tokens of a step: the accepted ones and the one after them.

    Each drafted token is right with the given probability if all before it are.
    """
    return sum(acceptance**n for n in range(drafts + 1))


def best(steps: Mapping[int, float], acceptance: float) -> tuple[int, float]:
    """Return the draft length with the most tokens per time, and the speed-up over no drafts."""
    speed = {
        drafts: tokens(acceptance, drafts) / milliseconds(steps, drafts + 1)
        for drafts in range(min(MAX_DRAFT, max(steps) - 1) + 1)
    }
    chosen = max(speed, key=lambda drafts: (speed[drafts], -drafts))
    return chosen, speed[chosen] / speed[0]
