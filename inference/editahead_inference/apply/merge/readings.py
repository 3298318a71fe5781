"""The readings of a sketch that no rule decides between, for a person to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_inference.apply.results import MAX_CHOICES, Reading
from editahead_prompts.text.edits import Edit

from .evidence import Provenance, softmax

_NO_READING = -0.85
"""The score of none of the readings being meant, where the first one has the score 0."""

_MAX_TITLE = 48
"""Characters of a line in a title."""


@dataclass(frozen=True, slots=True)
class PlausibleReading:
    """A reading before it has a title.

    Attributes:
        guess: The text after the edit.
        source: Where the reading comes from.
    """

    splices: tuple[Splice, ...]
    edit: Edit
    guess: str
    source: Provenance


@dataclass(frozen=True, slots=True)
class RankedReading:
    """A reading among all others of a sketch.

    Attributes:
        likelihood: From 0 to 1. All likelihoods have a sum of less than 1, as none of the readings may be meant.
    """

    reading: PlausibleReading
    likelihood: float


def distinct_readings(found: Iterable[PlausibleReading], target: Target) -> list[PlausibleReading]:
    """Return the first reading for each text, of those that change something, with a splice for each change.

    Alignments that differ from an earlier reading in blank lines only are left out: placements know better where these go.
    """
    distinct: dict[str, PlausibleReading] = {}
    filled: set[str] = set()
    for reading in found:
        key = "\n".join(line for line in reading.guess.splitlines() if line.strip())
        if not reading.edit or reading.guess in distinct or (reading.source.is_aligned and key in filled):
            continue
        filled.add(key)
        parts = tuple(split_at_kept_lines(reading.splices, target.lines.bodies))
        distinct[reading.guess] = replace(reading, splices=parts)
    return list(distinct.values())


def in_order(readings: Sequence[PlausibleReading]) -> list[RankedReading]:
    """Return readings of which nothing but the order is known, with their likelihoods."""
    return list(map(RankedReading, readings, ordered_likelihoods(len(readings))))


def ordered_likelihoods(count: int) -> list[float]:
    """Return probabilities of readings of which nothing but the order is known, likeliest first."""
    return softmax([-float(number) for number in range(count)], _NO_READING)


def to_readings(ranked: Sequence[RankedReading], target: Target) -> tuple[Reading, ...]:
    """Return the likeliest readings with titles; none if there is only one."""
    if len(ranked) < 2:
        return ()
    chosen = [each.reading for each in ranked[:MAX_CHOICES]]
    titles = [_title(reading.splices, target) for reading in chosen]
    titles = [
        title
        if titles.count(title) == 1
        else _longer_title(
            title,
            reading,
            [other for alike, other in zip(titles, chosen, strict=True) if alike == title],
            target,
        )
        for title, reading in zip(titles, chosen, strict=True)
    ]
    titles = [
        title if titles.count(title) == 1 else f"{title} ({titles[: at + 1].count(title)})"
        for at, title in enumerate(titles)
    ]
    return tuple(
        Reading(title, each.reading.edit, each.likelihood)
        for title, each in zip(titles, ranked, strict=False)
    )


def _longer_title(
    title: str, reading: PlausibleReading, readings: Sequence[PlausibleReading], target: Target
) -> str:
    """Return a title with the scope that only this reading changes, or with what only it removes, adds or leaves out.

    Else with its first line. `readings` are those with this title.
    """
    others = [other for other in readings if other is not reading]
    scope = _scope(reading, target)
    if scope and scope not in (_scope(other, target) for other in others):
        return f"{title} in `{scope}`"
    deleted = {line for other in others for line in _removed(other.splices, target)}
    only = next((line for line in _removed(reading.splices, target) if line not in deleted), None)
    if only is not None:
        return f"{title}, and remove {_quoted(target.lines.keys[only])}"
    mine, *inserted = (set(_added(each)) for each in (reading, *others))
    added = next((key for key in _added(reading) if not any(key in keys for keys in inserted)), None)
    if added is not None:
        return f"{title}, with {_quoted(added)}"
    shared = set.intersection(*inserted) - mine
    left = next((key for key in _added(others[0]) if key in shared), None)
    if left is not None:
        return f"{title}, without {_quoted(left)}"
    theirs = {(each.start, each.end, each.lines) for other in others for each in other.splices}
    own = [each for each in reading.splices if (each.start, each.end, each.lines) not in theirs]
    more = _title(own, target) if own else ""
    if more not in ("", title):
        return f"{title}, and {more}"
    return f"{title}, line {target.original.line_at(reading.edit.changed_span[0]) + 1}"


def _added(reading: PlausibleReading) -> Iterator[str]:
    """Yield the lines with words that come."""
    keys = (normalize_line(line) for splice in reading.splices for line in splice.lines)
    return (key for key in keys if any(map(str.isalnum, key)))


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


def _title(splices: Sequence[Splice], target: Target) -> str:
    """Return what splices do first, in plain words."""
    keys = target.lines.keys
    first = next((each for each in splices if _is_substantial(each, target)), splices[0])
    deleted = next((keys[line] for line in range(first.start, first.end) if has_substance(keys[line])), None)
    if deleted is not None:
        return f"{'replace' if any(map(str.strip, first.lines)) else 'remove'} {_quoted(deleted)}"
    if not any(keys[first.start :]):
        return "add at the end of the file"
    above = next((n for n in range(first.start - 1, -1, -1) if has_substance(keys[n])), None)
    return "add at the beginning" if above is None else f"add after {_quoted(keys[above])}"


def _is_substantial(splice: Splice, target: Target) -> bool:
    return any(has_substance(normalize_line(line)) for line in splice.lines) or any(
        has_substance(key) for key in target.lines.keys[splice.start : splice.end]
    )


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
