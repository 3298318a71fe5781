"""The check that nothing that is there once comes twice: a new value of a key replaces the old one.

Keys of data files are compared in one place, elements of markup by `id` and `src` in the whole file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, Naming, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice

_LANGUAGES = frozenset({"yaml", "toml", "json", "jsonc", "ini", "properties", "dotenv", "dockercompose"})
_SUFFIXES = (".yaml", ".yml", ".toml", ".json", ".jsonc", ".ini", ".cfg", ".env", ".properties")


_UNIQUE_ELEMENT = re.compile(r"<[\w:.-]+\s(?:id|src)\b")
"""Identities of elements of markup that are hardly ever meant twice."""


def repeated_keys(target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield each key and each element of markup that the splices add although it is there already."""
    original = target.original
    is_data = original.language in _LANGUAGES or original.uri.lower().endswith(_SUFFIXES)
    added = [normalize_line(line) for splice in splices for line in splice.lines]
    if not added or not (is_data or any(_UNIQUE_ELEMENT.match(identity(key) or "") for key in added)):
        return
    result = target.outlined(target.lines_after(splices))
    naming, naming_after, items = target.naming, result.naming, result.items
    if is_data:
        yield from (
            Counter(_repeated(items, naming_after)) - Counter(_repeated(target.items, naming))
        ).elements()
    else:
        before, after = _elements(target.items, naming), _elements(items, naming_after)
        yield from (name for name in after if 0 < before[name] < after[name])


def _elements(items: Sequence[Item], naming: Naming) -> Counter[str]:
    """Return how often each element of markup is there, by identity."""
    names = (naming.of(item) or "" for item in walk(items))
    return Counter(name for name in names if _UNIQUE_ELEMENT.match(name))


def _repeated(items: Sequence[Item], naming: Naming) -> Iterator[str]:
    """Yield the keys that a block has more than once, for each time but the first."""
    waiting = [items]
    while waiting:
        level = waiting.pop()
        seen: set[str] = set()
        for item in level:
            key = naming.head(item)
            name = naming.of(item) or ""
            waiting += [section.items for section in item.sections if section.items]
            if not name.startswith("value ") or key.startswith("- "):
                continue
            if name in seen:
                yield name.removeprefix("value ")
            seen.add(name)
