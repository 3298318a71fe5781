r"""The parts of a prompt, as values, in the order of the prompt.

A part has a content and a priority; `render` decides which parts stay. Two ideas come from other projects: priorities with
alternatives and group budgets from Priompt (Anysphere, MIT, 2023), the cache breakpoint from prompt-tsx (Microsoft, MIT,
2025).

    Group((
        Group(related, name="related", budget=800),
        CacheBreakpoint(),
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
"""Priority of a part that must not be omitted."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is included whole or omitted. Parts with a higher priority are omitted later."""

    text: str
    priority: float = REQUIRED
    name: str = ""


@dataclass(frozen=True, slots=True)
class FirstFitting:
    """A part of which the first alternative that fits is included. A last alternative "" makes the part optional."""

    alternatives: tuple[str, ...]
    priority: float = REQUIRED
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reserve:
    """A number of tokens to keep free, for an answer that shares the model's context window."""

    tokens: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A part that is too far away to fit, omitted without reading its text.

    Attributes:
        tokens: The estimated number of tokens.
    """

    tokens: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class TokenBoundary:
    """A place that no token crosses: the text before is tokenized alone, so later text cannot change its tokens."""


@dataclass(frozen=True, slots=True)
class CacheBreakpoint:
    """A place before which no part is omitted to meet the budget of the whole prompt.

    Growth after the place cannot change the text before, which stays in the model's cache. Groups before the place still
    keep to their own budgets.
    """


@dataclass(frozen=True, slots=True)
class Group:
    """A group of parts.

    The direct texts of a group are included by priority without gaps: after the first text that does not fit, no text of
    lower priority is included. Nested groups are independent of each other.

    Attributes:
        budget: The most tokens that the group may have, nested groups included; None for no limit of its own.
        before: Text before the group, included with any text of the group and counted as part of the group.
        after: Text after the group, included and counted in the same way.
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
    """Make parts of lines, with a priority that halves with the distance from a line.

    Args:
        lines: The lines, each with its line end.
        focus: The index of the line with the greatest priority.
        top: The priority of that line.
        half: The distance at which the priority halves, in lines.
        first: The 0-based number of the first line, for the names of the parts.
        block: Lines of one part, so that the set of omitted lines changes seldom. Blocks begin at multiples of it.
        from_end: Count blocks from the last line, so that lines added before a block do not change its lines.
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
