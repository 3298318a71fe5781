"""How long drafts should be, from how long a step takes that verifies so many rows."""

from __future__ import annotations

from collections.abc import Mapping

MOST = 127
"""Drafted tokens that vLLM verifies in a step: with the one that comes in any case 128 rows."""


def milliseconds(steps: Mapping[int, float], rows: int) -> float:
    """Of a step that verifies so many rows, on the straight line between the two measured beside it. steps: by rows, with 1
    and at least `rows` among them."""
    known = sorted(steps)
    above = next(n for n in known if n >= rows)
    below = max((n for n in known if n <= rows), default=above)
    if above == below:
        return steps[above]
    return steps[below] + (steps[above] - steps[below]) * (rows - below) / (above - below)


def tokens(acceptance: float, drafts: int) -> float:
    """Said by a step, on average, where each drafted token is right with this probability if those before it were: the right
    ones, and the one behind them."""
    return sum(acceptance**n for n in range(drafts + 1))


def best(steps: Mapping[int, float], acceptance: float) -> tuple[int, float]:
    """The length of drafts with which the most tokens are said in a time, and how many times as many as without."""
    speed = {
        drafts: tokens(acceptance, drafts) / milliseconds(steps, drafts + 1)
        for drafts in range(min(MOST, max(steps) - 1) + 1)
    }
    most = max(speed, key=lambda drafts: (speed[drafts], -drafts))
    return most, speed[most] / speed[0]
