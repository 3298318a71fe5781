"""What a prompt is made of: parts, as values, in the order in which they will stand.

A part says what it holds and how important it is; `render` decides what stays. Two ideas are others': priorities with
alternatives and budgets of their own are Priompt's (Anysphere, MIT, 2023), the cache breakpoint is prompt-tsx's (Microsoft,
MIT, 2025).

    Group((
        Group(related, name="related", budget=800),
        Breakpoint(),
        Text("### File\n", name="header"),
        Group(by_distance(lines, focus=12), name="file"),
        Reserve(200, name="answer"),
    ))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

REQUIRED = math.inf
"""The priority of what may not be left out."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stands whole or not at all. The higher its priority, the later it is left out."""

    text: str
    priority: float = REQUIRED
    name: str = ""


@dataclass(frozen=True, slots=True)
class FirstFitting:
    """The first of its alternatives that fits when its turn comes, best first; "" as the last one says "or nothing"."""

    alternatives: tuple[str, ...]
    priority: float = REQUIRED
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reserve:
    """So many tokens are kept free, for an answer that shares the model's window."""

    tokens: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """What is so far away that it cannot fit: left out without a look at it. tokens: as reckoned."""

    tokens: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class TokenBoundary:
    """No token reaches across this place: what stands before is tokenized alone, so later text cannot change it."""


@dataclass(frozen=True, slots=True)
class CacheBreakpoint:
    """Nothing before this place is left out for the sake of the whole prompt's budget: what grows later cannot move it,
    and it stays in the model's cache. (Groups before it still keep to their own budgets.)"""


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that belong together.

    Of its own texts (not of those in groups inside of it) it is kept from the most important one downwards, without gaps:
    after the first that does not fit, no less important one is taken. Groups do not hold up one another.

    budget: the most tokens that it may have, all inside included; None for no limit of its own.
    before, after: stand around it when anything of it stands, and count as its own.
    """

    parts: tuple[Part, ...]
    name: str = ""
    budget: int | None = None
    before: str = ""
    after: str = ""


Part: TypeAlias = Text | FirstFitting | Reserve | OutOfReach | TokenBoundary | CacheBreakpoint | Group


def by_distance(
    lines: Sequence[str],
    focus: int,
    *,
    top: float = 1.0,
    half: float = 40.0,
    first: int = 0,
    block: int = 1,
    from_end: bool = False,
) -> tuple[Text, ...]:
    """Parts whose priority is `top` for the line at index `focus` and halves with every `half` lines from there.

    first: the number of the first line, for the names ("line 1" is number 0). block: so many lines are one part, so that
    what is left out changes seldom; blocks begin at line numbers that are multiples of it, or, `from_end`, are counted from
    the last line: so they stay the same lines when lines are added before them.
    """
    offset = len(lines) % block if from_end else -first % block
    cuts = [0, *range(offset or block, len(lines), block), len(lines)] if lines else []
    return tuple(
        Text(
            "".join(lines[start:end]),
            top * 0.5 ** (_distance(start, end, focus) / half),
            f"line {first + start + 1}" if end - start == 1 else f"lines {first + start + 1}-{first + end}",
        )
        for start, end in pairwise(cuts)
    )


def _distance(start: int, end: int, focus: int) -> int:
    return max(start - focus, focus - (end - 1), 0)
