"""The readings of a sketch that no rule decides between, for a person to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from editahead_inference.apply.placement.outline import has_substance, identity
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, drop_noops
from editahead_inference.apply.results import MAX_CHOICES, Reading
from editahead_prompts.text.edits import Edit

_LIKELIHOODS = (0.5, 0.25, 0.15, 0.1)
"""The likelihoods of the readings in their order, as far as the order tells."""

_MAX_TITLE = 48
"""Characters of a line in a title."""


@dataclass(frozen=True, slots=True)
class PlausibleReading:
    """A reading before it has a title.

    Attributes:
        guess: The text after the edit.
        rank: The likeliest readings have the lowest.
    """

    splices: tuple[Splice, ...]
    edit: Edit
    guess: str
    rank: int


def to_readings(found: Iterable[PlausibleReading], target: Target) -> tuple[Reading, ...]:
    """Return the different readings, likeliest first; none if there is only one, or if one changes nothing."""
    distinct: dict[str, PlausibleReading] = {}
    for reading in sorted(found, key=lambda reading: reading.rank):
        if reading.edit:
            distinct.setdefault(reading.guess, reading)
    chosen = list(distinct.values())[:MAX_CHOICES]
    if len(chosen) < 2:
        return ()
    titles = [_title(reading, target) for reading in chosen]
    titles = [
        title if titles.count(title) == 1 else _longer_title(title, reading, chosen, target)
        for title, reading in zip(titles, chosen, strict=True)
    ]
    return tuple(
        Reading(title, reading.edit, likelihood)
        for title, reading, likelihood in zip(titles, chosen, _LIKELIHOODS, strict=False)
    )


def _longer_title(
    title: str, reading: PlausibleReading, readings: Sequence[PlausibleReading], target: Target
) -> str:
    """Return a title with the scope that only this reading changes, with what only it removes, or with its line."""
    scope = _scope(reading, target)
    if scope and scope not in (_scope(other, target) for other in readings if other is not reading):
        return f"{title} in `{scope}`"
    others = {line for other in readings if other is not reading for line in _removed(other.splices, target)}
    only = next((line for line in _removed(reading.splices, target) if line not in others), None)
    if only is not None:
        return f"{title}, and remove {_quoted(target.lines.keys[only])}"
    return f"{title}, line {target.original.line_at(reading.edit.changed_span[0]) + 1}"


def _scope(reading: PlausibleReading, target: Target) -> str:
    """Return the names of the blocks around the first change, such as `Store.get`; "" at the outermost level."""
    line, names = target.original.line_at(reading.edit.changed_span[0]), []
    items = target.items
    while item := next((item for item in items if item.start < line < item.end), None):
        name = identity(target.lines.keys[item.start]) or ""
        if name.startswith("named "):
            names.append(name.removeprefix("named "))
        items = item.items
    return ".".join(names)


def _title(reading: PlausibleReading, target: Target) -> str:
    """Return what a reading does first, in plain words."""
    keys = target.lines.keys
    splices = drop_noops(reading.splices, target.lines.bodies)
    gone = next(_removed(splices, target), None)
    come = any(line.strip() for splice in splices for line in splice.lines)
    if gone is not None:
        return f"{'replace' if come else 'remove'} {_quoted(keys[gone])}"
    first = splices[0].start if splices else 0
    above = next((n for n in range(first - 1, -1, -1) if has_substance(keys[n])), None)
    return "add at the beginning" if above is None else f"add after {_quoted(keys[above])}"


def _removed(splices: Sequence[Splice], target: Target) -> Iterator[int]:
    """Yield the lines of substance that go."""
    for splice in splices:
        for line in range(splice.start, splice.end):
            if has_substance(target.lines.keys[line]):
                yield line


def _quoted(key: str) -> str:
    name = identity(key) or ""
    if name.startswith("named "):
        return f"`{name.removeprefix('named ')}`"
    text = key.rstrip(" {:,;")
    return f"`{text if len(text) <= _MAX_TITLE else text[: _MAX_TITLE - 3] + '...'}`"
