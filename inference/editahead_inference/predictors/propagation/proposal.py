"""A proposal of a rule, and runs of proposals: rewrites of neighbouring lines as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_MAX_RUN = 25
"""Neighbouring lines that one proposal may rewrite together."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A replacement of the lines [start, end) by new lines with line ends; start == end inserts before `start`."""

    start: int
    end: int
    lines: tuple[str, ...]


def join_neighbours(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Join rewrites of neighbouring lines; the result is in document order."""
    runs: list[Proposal] = []
    for proposal in sorted(set(proposals), key=lambda p: (p.start, p.end)):
        last = runs[-1] if runs else None
        if (
            last is not None
            and last.end == proposal.start
            and proposal.end > proposal.start
            and last.end > last.start
            and proposal.end - last.start <= _MAX_RUN
        ):
            runs[-1] = Proposal(last.start, proposal.end, last.lines + proposal.lines)
        else:
            runs.append(proposal)
    return runs
