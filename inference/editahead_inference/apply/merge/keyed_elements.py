"""The check for elements of a list that may be new versions of others: they begin with the same key.

Rows of a table, entries of an array, columns of SQL and elements of markup have no name, but mostly begin with what tells
them apart, or are a series. An element that a sketch shows behind a mark may be added, or replace one that the mark hides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, Naming
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

from .series import MIN_SERIES, Series, holds_statements
from .shown_runs import code_lines

_LITERAL = re.compile(r"[{(\[]+\s*(?:[\w$\"']+\s*[:=]\s*)?(?:\"[^\"]+\"|'[^']+'|`[^`]+`)(?=\s*[,:}\])])")
"""The beginning of an entry on one line, up to its first string."""

_TABLE = re.compile(r"create\s+(?:\w+\s+)*?table\b", re.IGNORECASE)
_COLUMN = re.compile(
    r"(?!(?:primary|foreign|unique|constraint|check|key|index|exclude|like)\b)[\w\"`]+(?=\s+\w)",
    re.IGNORECASE,
)
"""The name of a column, in the definition of a table."""

_TAG = re.compile(r"<[\w:.-]+\s")


def versions_of_hidden_elements(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of elements that the sketch does not show, beside which one with the same key would be added."""
    parts = list(split_at_kept_lines(splices, target.lines.bodies))
    if not any(splice.lines for splice in parts):
        return
    low, high = _blocks_around(target, parts)
    bodies: list[str] = []
    origin: list[int | None] = []
    new: list[int] = []
    at = low
    for splice in parts:
        bodies += [*target.lines.bodies[at : splice.start], *splice.lines]
        origin += range(at, splice.start)
        new += range(len(origin), len(origin) + len(splice.lines))
        origin += [None] * len(splice.lines)
        at = splice.end
    bodies += target.lines.bodies[at:high]
    origin += range(at, high)
    after = target.outlined(bodies)
    naming = after.naming
    shown = {normalize_line(line).removesuffix(",") for line in code_lines(snippet)}
    shown_text = "\n".join(filter(None, map(normalize_line, code_lines(snippet))))
    waiting: list[tuple[Sequence[Item], str]] = [(after.items, "")]
    while waiting:
        items, header = waiting.pop()
        if bisect_left(new, items[0].start) == bisect_left(new, items[-1].end):
            continue  # Nothing of it is new.
        known: dict[str | tuple[str, str], list[int]] = {}
        series = _series(items, header, naming, origin)
        for item in items:
            waiting += (
                (section.items, naming.keys[section.line]) for section in item.sections if section.items
            )
            line = naming.naming_line(item)
            key = _key_of(naming.keys[line], header)
            if key is not None:
                known.setdefault(key, []).append(line)
            told = None if series is None else series.key_of(naming.text(item))
            if told is not None and (
                origin[item.start] is None or "\n".join(naming.text(item)) not in shown_text
            ):
                known.setdefault(told, []).append(item.start)
        for name, lines in known.items():
            old = [place for line in lines if (place := origin[line]) is not None]
            is_shown = (
                isinstance(name, str) and target.lines.keys[old[0]].removesuffix(",") in shown
                if old
                else True
            )
            if len(old) == 1 < len(lines) and not is_shown:
                yield old[0]


def _blocks_around(target: Target, splices: Sequence[Splice]) -> tuple[int, int]:
    """Return the lines of the outermost blocks that splices are in; all lines where one is in none."""
    starts = [item.start for item in target.items]
    around: list[Item] = []
    for splice in splices:
        at = bisect_left(starts, splice.start) - 1
        if at < 0 or target.items[at].end <= splice.end:
            return 0, len(target.lines)
        around.append(target.items[at])
    return around[0].start, around[-1].end


def _series(
    items: Sequence[Item], header: str, naming: Naming, origin: Sequence[int | None]
) -> Series | None:
    """Return the series that the file's elements of a level are; None for the statements of a function."""
    there = [item for item in items if origin[item.start] is not None]
    if holds_statements(header) or not MIN_SERIES <= len(there) < len(items):
        return None
    return Series(map(naming.text, there))


def _key_of(key: str, header: str) -> str | None:
    """Return what tells an element apart from the others, by the line that names it and the header of what holds it."""
    if _TABLE.match(header):
        found = _COLUMN.match(key)
        return found[0].strip('"`').lower() if found else None
    if _TAG.match(key):
        name = identity(key)
        return name if name != key else None
    found = _LITERAL.match(key)
    return found[0] if found else None
