"""The check that nothing that is there once comes twice: a new value of a key replaces the old one.

Keys of data files are compared in one place, elements of markup by `id` and `src` in the whole file. A function or an entry
with a new name may have elements of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, Naming, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.text.indentation import indent_width

_LANGUAGES = frozenset({"yaml", "toml", "json", "jsonc", "ini", "properties", "dotenv", "dockercompose"})
_SUFFIXES = (".yaml", ".yml", ".toml", ".json", ".jsonc", ".ini", ".cfg", ".env", ".properties")
_BLOCKS = ("named ", "value ")
"""The beginnings of the identities of functions, types and entries."""
_UNIQUE_ELEMENT = re.compile(r"<[\w:.-]+\s(?:id|src)\b")
"""Identities of elements of markup that are hardly ever meant twice."""


def repeated_keys(target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield each key and each element of markup that the splices add although it is there already."""
    original = target.original
    is_data = original.language in _LANGUAGES or original.uri.lower().endswith(_SUFFIXES)
    added = [normalize_line(line) for splice in splices for line in splice.lines]
    if added and is_data:
        result = target.outlined(target.lines_after(splices))
        before = Counter(_repeated(target.items, target.naming))
        yield from (Counter(_repeated(result.items, result.naming)) - before).elements()
    elif any(_UNIQUE_ELEMENT.match(identity(key) or "") for key in added):
        yield from _repeated_elements(target, splices)


def _repeated_elements(target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    known = frozenset(filter(None, map(target.naming.of, walk(target.items))))
    added = {name for splice in splices for name in _added(splice.lines, known)}
    result = target.outlined(target.lines_after(splices))
    before, after = _elements(target.items, target.naming), _elements(result.items, result.naming)
    yield from (name for name in after if name in added and 0 < before[name] < after[name])


def _added(lines: Sequence[str], known: Container[str]) -> Iterator[str]:
    """Yield the names of new lines, but for those inside of an outermost block with a name that the file has not."""
    filled = [line for line in lines if line.strip()]
    least = min(map(indent_width, filled), default=0)
    is_inside = False
    for line in filled:
        is_outermost = indent_width(line) == least
        if is_inside and not is_outermost:
            continue
        name = identity(normalize_line(line)) or ""
        is_inside = is_outermost and name.startswith(_BLOCKS) and name not in known
        yield name


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
