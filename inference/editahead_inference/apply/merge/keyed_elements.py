"""The check for elements of a list that may be new versions of others: they begin with the same key.

Rows of a table, entries of an array, columns of SQL and elements of markup have no name, but mostly begin with what tells
them apart. An element that a sketch shows behind a mark may be added, or replace one that the mark hides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, identity, outline
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet

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
    added = [normalize_line(line) for splice in parts for line in splice.lines]
    if not any(_may_be_keyed(key) for key in added):
        return
    bodies: list[str] = []
    origin: list[int | None] = []
    at = 0
    for splice in parts:
        bodies += [*target.lines.bodies[at : splice.start], *splice.lines]
        origin += [*range(at, splice.start), *[None] * len(splice.lines)]
        at = splice.end
    bodies += target.lines.bodies[at:]
    origin += range(at, len(target.lines))
    naming = Naming(list(map(normalize_line, bodies)))
    shown = {normalize_line(line).removesuffix(",") for line in code_lines(snippet)}
    target.check()
    waiting: list[tuple[Sequence[Item], str]] = [(outline(bodies), "")]
    while waiting:
        items, header = waiting.pop()
        known: dict[str, list[int]] = {}
        for item in items:
            waiting += (
                (section.items, naming.keys[section.line]) for section in item.sections if section.items
            )
            line = naming.naming_line(item)
            key = _key_of(naming.keys[line], header)
            if key is not None:
                known.setdefault(key, []).append(line)
        for lines in known.values():
            old = [place for line in lines if (place := origin[line]) is not None]
            hidden = len(old) == 1 < len(lines) and target.lines.keys[old[0]].removesuffix(",") not in shown
            if hidden:
                yield old[0]


def _may_be_keyed(key: str) -> bool:
    return any(pattern.match(key) for pattern in (_LITERAL, _TAG, _COLUMN))


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
