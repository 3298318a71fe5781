"""The judgement of a played text: which places followed, and how many lines changed that must not.

The played text is aligned with the text before Tab at the least number of wrong lines: lines that stay and expected
places cost nothing, any other changed, inserted or deleted line costs one. Among the cheapest alignments, the one with
the most places counts. So an answer is judged by the text that it leads to, not by the ranges of its edits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .task_file import Place


@dataclass(frozen=True, slots=True)
class TextJudgement:
    """The judgement of one document.

    Attributes:
        right: the places that followed, as indices.
        wrong: lines that are not as before and not as expected.
        lost: the lines before Tab that are not there any more, though no place covers them; counted from 0.
    """

    right: frozenset[int]
    wrong: int
    lost: frozenset[int]


class _Best(NamedTuple):
    """The best way from a point of the alignment to its end. Smaller is better."""

    wrong: int
    missed: int
    """Minus the number of places that followed."""
    step: _Step | None


class _Step(NamedTuple):
    """One step of the alignment: how far it goes in the items and in the lines, and what it means."""

    items: int
    lines: int
    wrong: int = 0
    place: int | None = None


_Item = str | None
"""A line of the text before; None is the slot in front of a line in which something is to be inserted."""


def judge_text(before: Sequence[str], places: Sequence[Place], after: Sequence[str]) -> TextJudgement:
    """Judge the text `after` against the one before and the places where it may differ; all as lines."""
    items, starts, numbers = _items(before, places)
    best: dict[tuple[int, int], _Best] = {(len(items), len(after)): _Best(0, 0, None)}
    for i in range(len(items), -1, -1):
        for j in range(len(after), -1, -1):
            ways = []
            for step in _steps(items, starts.get(i, ()), places, after, i, j):
                rest = best[i + step.items, j + step.lines]
                followed = 0 if step.place is None else 1
                ways.append(_Best(rest.wrong + step.wrong, rest.missed - followed, step))
            if ways:
                best[i, j] = min(ways, key=lambda way: way[:2])
    i = j = 0
    right, lost = set(), set()
    while (made := best[i, j].step) is not None:
        if made.place is not None:
            right.add(made.place)
        elif made.wrong and made.items:
            lost.add(numbers[i])
        i, j = i + made.items, j + made.lines
    return TextJudgement(frozenset(right), best[0, 0].wrong, frozenset(lost))


def _items(
    before: Sequence[str], places: Sequence[Place]
) -> tuple[list[_Item], dict[int, list[tuple[int, int]]], list[int]]:
    """Return the lines and slots in order; the places that begin at each, with their length; and the line of each."""
    items: list[_Item] = []
    numbers: list[int] = []
    starts: dict[int, list[tuple[int, int]]] = {}
    for number in range(len(before) + 1):
        for index, place in enumerate(places):
            if place.start == number and not place.old:
                starts[len(items)] = [(index, 1)]
                items.append(None)
                numbers.append(number)
        for index, place in enumerate(places):
            if place.start == number and place.old:
                starts.setdefault(len(items), []).append((index, len(place.old)))
        if number < len(before):
            items.append(before[number])
            numbers.append(number)
    return items, starts, numbers


def _steps(
    items: Sequence[_Item],
    starting: Sequence[tuple[int, int]],
    places: Sequence[Place],
    after: Sequence[str],
    i: int,
    j: int,
) -> Iterator[_Step]:
    """Yield the possible steps from item `i` and line `j`; the first of equally good ones is taken."""
    for index, length in starting:
        for option in places[index].options:
            if tuple(after[j : j + len(option)]) == option:
                yield _Step(length, len(option), place=index)
    if i < len(items) and items[i] is None:
        yield _Step(1, 0)
    elif i < len(items):
        if j < len(after):
            yield _Step(1, 1, wrong=int(items[i] != after[j]))
        yield _Step(1, 0, wrong=1)
    if j < len(after):
        yield _Step(0, 1, wrong=1)
